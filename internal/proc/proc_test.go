package proc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/proc"
)

// The test binary is its own child: the first argument says which part it plays.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "play-") {
		os.Exit(play(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func play(part string, args []string) int {
	switch part {
	case "play-echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "play-env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "play-noise":
		for i := range 1000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
		fmt.Fprint(os.Stderr, "last words")
		return 9
	case "play-parent": // its child holds the same stdout
		child := exec.Command(os.Args[0], "play-sleep")
		child.Stdout = os.Stdout
		if child.Start() != nil {
			return 1
		}
		if len(args) > 0 { // the parent leaves, the child stays
			return 0
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "play-deaf": // ignores being asked to end
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "play-polite": // tidies up when it is asked to end
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println("ready")
		<-asked
		fmt.Print("tidy")
	case "play-terminal":
		if _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err != nil {
			fmt.Print("no terminal")
		}
	case "play-sleep": // ignores the end of its input
		fmt.Println("ready")
		time.Sleep(time.Hour)
	}
	return 0
}

func start(t *testing.T, ctx context.Context, part string, env ...string) *proc.Process {
	t.Helper()
	p, err := proc.Start(ctx, proc.Command{Path: os.Args[0], Args: []string{part}, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func TestOutputStaysReadableAfterTheEnd(t *testing.T) {
	p := start(t, t.Context(), "play-echo")
	fmt.Fprint(p.Stdin, "kept")
	p.Stdin.Close()
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if out, err := io.ReadAll(p.Stdout); err != nil || string(out) != "kept" {
		t.Errorf("read %q, %v after the end", out, err)
	}
}

// The child of the child holds stdout: its end means that everybody is gone.
func TestContextKillsTheTree(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx, "play-parent")
	_, _ = io.ReadFull(p.Stdout, make([]byte, len("ready\n")))
	cancel()
	if err := p.Wait(); proc.ExitCode(err) != -1 {
		t.Errorf("ended with %v, want a kill", err)
	}
	if _, err := io.ReadAll(p.Stdout); err != nil {
		t.Error(err)
	}
}

func TestTheProgramTakesItsChildrenAlong(t *testing.T) {
	p, err := proc.Start(t.Context(), proc.Command{Path: os.Args[0], Args: []string{"play-parent", "leave"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := io.ReadAll(p.Stdout); err != nil {
		t.Error(err)
	}
}

func TestCloseIsPoliteFirst(t *testing.T) {
	if err := start(t, t.Context(), "play-echo").Close(10 * time.Second); err != nil {
		t.Errorf("a program that obeys the end of its input ended with %v", err)
	}
	stubborn := start(t, t.Context(), "play-sleep")
	_, _ = io.ReadFull(stubborn.Stdout, make([]byte, len("ready\n")))
	if err := stubborn.Close(10 * time.Millisecond); err == nil {
		t.Error("a program that never ends by itself ended with status 0")
	}
}

func TestAContextWithAGraceIsPoliteFirst(t *testing.T) {
	for part, want := range map[string]string{"play-polite": "tidy", "play-deaf": ""} {
		grace := time.Minute // a busy machine lets the polite one wait
		if want == "" {
			grace = 100 * time.Millisecond
		}
		ctx, cancel := context.WithCancel(t.Context())
		p, err := proc.Start(ctx, proc.Command{Path: os.Args[0], Args: []string{part}, Grace: grace})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(p.Stdout, make([]byte, len("ready\n")))
		cancel()
		err = p.Wait()
		out, _ := io.ReadAll(p.Stdout)
		if killed := proc.ExitCode(err) == -1; string(out) != want || killed != (want == "") {
			t.Errorf("%s: said %q, %v", part, out, err)
		}
	}
}

func TestThereIsNoTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no /dev/tty to look for")
	}
	p := start(t, t.Context(), "play-terminal")
	if out, err := io.ReadAll(p.Stdout); err != nil || string(out) != "no terminal" {
		t.Errorf("it has a terminal: %q, %v", out, err)
	}
}

func TestStderrKeepsTheLastLines(t *testing.T) {
	p := start(t, t.Context(), "play-noise")
	if err := p.Wait(); proc.ExitCode(err) != 9 {
		t.Errorf("ended with %v, want status 9", err)
	}
	got := p.Stderr()
	if len(got) != proc.TailLines || got[0] != "line 801" || got[len(got)-1] != "last words" {
		t.Errorf("%d lines kept, from %q to %q", len(got), got[0], got[len(got)-1])
	}
}

func TestEnvironmentIsAllowListed(t *testing.T) {
	env := proc.Environment([]string{"PATH=/bin", "AWS_SECRET=x", "LC_ALL=C", "DEMO_A=1", "DEMO=2", "TOKEN=t"}, "DEMO_*", "TOKEN")
	if want := []string{"PATH=/bin", "LC_ALL=C", "DEMO_A=1", "TOKEN=t"}; !slices.Equal(env, want) {
		t.Errorf("picked %q, want %q", env, want)
	}
	p := start(t, t.Context(), "play-env")
	if out, err := io.ReadAll(p.Stdout); err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("a program without an environment saw %q, %v", out, err)
	}
}

func TestNotFound(t *testing.T) {
	_, err := proc.Start(t.Context(), proc.Command{Path: "no-such-program-of-this-name"})
	if !proc.NotFound(err) {
		t.Errorf("got %v, want a program that is not found", err)
	}
}
