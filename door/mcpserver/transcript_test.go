package mcpserver

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// A transcript is a talk over a stream, message by message: ">" is sent, "<" must come back, as the
// same value. "$META" stands for the _meta of a modern request, "$ASKABLE" for that of a client which
// can be asked everything, "$STATE" for the request state that came last, "*" for any value.
// "= REVISION" names the schema that the answers must fit.
func TestTranscripts(t *testing.T) {
	playAll(t, "testdata/wire/*.txt", newDoor)
}

func playAll(t *testing.T, glob string, door func(testing.TB) *bench) {
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, door(t).Door, string(text))
		})
	}
}

func play(t *testing.T, d *Door, transcript string) {
	line := dial(t, d)
	var rules *protocol
	methods := map[string]string{}
	state := ""
	for step := range strings.Lines(transcript) {
		step = strings.TrimSpace(strings.NewReplacer("$META", meta, "$STATE", state, "$ASKABLE", askable).Replace(step))
		mark, text, _ := strings.Cut(step, " ")
		switch mark {
		case "=":
			rules = newProtocol(t, text)
		case ">":
			var m struct {
				ID     json.RawMessage
				Method string
			}
			json.Unmarshal([]byte(text), &m) // malformed on purpose in places
			methods[string(m.ID)] = m.Method
			line.send(text)
		case "<":
			got := line.next()
			var m struct {
				ID     json.RawMessage
				Result struct{ RequestState string }
			}
			if json.Unmarshal([]byte(got), &m) == nil { // a batch is none
				rules.check(t, methods[string(m.ID)], got)
			}
			if m.Result.RequestState != "" {
				state = m.Result.RequestState
			}
			if !alike(value(t, text), value(t, got)) {
				t.Errorf("got  %s\nwant %s", got, text)
			}
		}
	}
	line.close()
}

// alike compares values, where "*" in the wanted one stands for any.
func alike(want, got any) bool {
	switch want := want.(type) {
	case string:
		return want == "*" || want == got
	case map[string]any:
		other, ok := got.(map[string]any)
		if !ok || len(other) != len(want) {
			return false
		}
		for key, value := range want {
			if _, has := other[key]; !has || !alike(value, other[key]) {
				return false
			}
		}
		return true
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(want) {
			return false
		}
		for i := range want {
			if !alike(want[i], other[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(want, got)
}

// value decodes JSON with its digits.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// client is the far end of a stream.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

// dial serves a stream on behalf of the operator.
func dial(t *testing.T, d *Door) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		c.done <- d.Serve(t.Context(), Stream{In: inR, Out: outW, Principal: twodoor.Operator})
		outW.Close()
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next waits for the next message.
func (c *client) next() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%v, after %q", err, line)
	}
	return strings.TrimSpace(line)
}

// close ends the input, reads what still comes and checks that the server ends well.
func (c *client) close() (rest []string) {
	c.t.Helper()
	c.in.Close()
	all, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := <-c.done; err != nil {
		c.t.Errorf("Serve: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(all)), "\n")
}
