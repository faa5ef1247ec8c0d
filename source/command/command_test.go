package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/command"
)

// The test binary is the program of most verbs: the first argument says which part it plays.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "play-") {
		os.Exit(play(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func play(part string, args []string) int {
	switch part {
	case "play-args": // tells what it was given
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(args)
	case "play-env":
		for _, name := range args {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "play-cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "play-print":
		fmt.Print(strings.Join(args, " "))
	case "play-fail":
		fmt.Fprintln(os.Stderr, "\x1b[31mfirst words\x1b[0m")
		fmt.Fprint(os.Stderr, "last words")
		return 3
	case "play-flood":
		line := strings.Repeat("x", 1<<10)
		for range 1 << 12 {
			fmt.Println(line)
		}
	case "play-deaf": // ignores being asked to end, and so does its child, which holds its output
		signal.Ignore(syscall.SIGTERM)
		if len(args) > 0 {
			child := exec.Command(os.Args[0], "play-deaf")
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			_ = child.Start()
			fmt.Fprintf(os.Stderr, "waiting for an answer %d", child.Process.Pid)
			_ = os.WriteFile(args[0], fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600)
		}
		time.Sleep(time.Hour)
	case "play-leave": // leaves a child behind that holds its input and output
		child := exec.Command(os.Args[0], "play-deaf")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		_ = child.Start()
		fmt.Print("gone")
	case "play-ask":
		tty, err := os.Open("/dev/tty")
		if err != nil {
			tty = os.Stdin
		}
		if _, err := bufio.NewReader(tty).ReadString('\n'); err != nil {
			return 1
		}
	case "play-steps": // a stream that says how far it is
		for i := 1; i <= 3; i++ {
			fmt.Printf(`{"at":{"now":%d,"of":3},"say":"step %d"}`+"\n", i, i)
		}
		fmt.Println(`{"id":1152921504606846977}`)
	case "play-begin": // waits until a file is there, then takes it away and says so
		for {
			if _, err := os.Stat(args[0]); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		fmt.Print("began")
	case "play-append": // adds a line to a file in two halves
		f, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 1
		}
		fmt.Fprintf(f, "<%s", args[1])
		time.Sleep(3 * time.Millisecond)
		fmt.Fprintf(f, "%s>", args[1])
	}
	return 0
}

// house is an engine that serves one verbs file.
type house struct {
	*twodoor.Engine
	reading *twodoor.Reading
	invoker *command.Invoker
	dir     string
}

// serve serves the verbs of a text; PROGRAM in it stands for the test binary.
func serve(t *testing.T, text string) *house {
	t.Helper()
	h := &house{dir: t.TempDir()}
	source := &command.Source{Name: "tool", File: "tool.verbs.yaml", Text: []byte(strings.ReplaceAll(text, "PROGRAM", os.Args[0]))}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(told(err))
	}
	h.open(t, reading)
	return h
}

func (h *house) open(t *testing.T, reading *twodoor.Reading) {
	t.Helper()
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	h.reading = reading
	h.invoker = &command.Invoker{Environ: os.Environ(), Folder: func(string) string { return h.dir }, Grace: 100 * time.Millisecond}
	h.Engine = &twodoor.Engine{Invokers: map[string]twodoor.Invoker{command.Kind: h.invoker}}
	h.Serve(catalog)
}

// do makes a call.
func (h *house) do(ctx context.Context, id, args string) (*twodoor.Result, error) {
	return h.Do(ctx, twodoor.Call{Operation: id, Arguments: json.RawMessage(args), Principal: twodoor.Operator, Door: twodoor.DoorGo})
}

// answer is the value of a call that works.
func (h *house) answer(t *testing.T, id, args string) string {
	t.Helper()
	result, err := h.do(t.Context(), id, args)
	if err != nil {
		t.Fatalf("%s %s: %s", id, args, told(err))
	}
	return string(result.Value)
}

// refusal is the fault of a call that must not work.
func (h *house) refusal(t *testing.T, id, args string, code twodoor.Code) *twodoor.Error {
	t.Helper()
	result, err := h.do(t.Context(), id, args)
	if err == nil {
		t.Fatalf("%s %s: it worked: %s", id, args, result.Value)
	}
	fault := twodoor.AsError(err)
	if fault.Code != code {
		t.Fatalf("%s %s: %s, want the code %s", id, args, told(err), code)
	}
	return fault
}

// told is all that an error says.
func told(err error) string {
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok {
		return err.Error()
	}
	text := fault.Code.String() + ": " + fault.Message
	for _, field := range fault.Fields {
		text += "\n\t" + field.Path + ": " + field.Problem
	}
	if fault.Cause != nil {
		text += "\n\tcause: " + fault.Cause.Error()
	}
	return text
}
