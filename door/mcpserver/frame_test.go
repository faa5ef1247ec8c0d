package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func TestFrames(t *testing.T) {
	long := strings.Repeat("y", 100)
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"lines":           {"a\nb\n", []string{"a", "b"}},
		"no last end":     {"a\nb", []string{"a", "b"}},
		"blank ones":      {"\n \r\n a \r\n\n", []string{"a"}},
		"nothing":         {"", nil},
		"too long":        {"a\n" + long + "\nb\n", []string{"a", "!", "b"}},
		"too long at end": {"a\n" + long, []string{"a", "!"}},
		"at the bound":    {strings.Repeat("z", 63) + "\n", []string{strings.Repeat("z", 63)}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readAll(t, strings.NewReader(c.in)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := readAll(t, iotest.OneByteReader(strings.NewReader(c.in))); !reflect.DeepEqual(got, c.want) {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

// readAll reads frames of at most 64 bytes; "!" stands for one that is too long.
func readAll(t *testing.T, in io.Reader) (all []string) {
	t.Helper()
	for f := newFrames(in, 64); ; {
		line, err := f.next()
		switch {
		case errors.Is(err, io.EOF):
			return all
		case errors.Is(err, errLongLine):
			all = append(all, "!")
		case err != nil:
			t.Fatal(err)
		default:
			all = append(all, string(line))
		}
	}
}

func TestFramesTellAFault(t *testing.T) {
	f := newFrames(iotest.ErrReader(io.ErrClosedPipe), 64)
	if _, err := f.next(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// FuzzFrames: no line is lost, torn or made up.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("a\nb"))
	f.Add([]byte("\r\n\n" + strings.Repeat("x", 70) + "\nend"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var want []string
		for line := range bytes.Lines(in) {
			switch text := bytes.TrimSpace(line); {
			case len(line) > 64:
				want = append(want, "!")
			case len(text) > 0:
				want = append(want, string(text))
			}
		}
		if got := readAll(t, iotest.HalfReader(bytes.NewReader(in))); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// FuzzMessage: whatever comes, what is kept of it are parts of it, and a fault has a reply that is JSON.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(modern("1", "tools/call", `"name":"x","arguments":{"a":1}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\u0000","method":1,"params":[]}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":7}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		m, fault := readMessage(in)
		for _, part := range [][]byte{m.id, m.params.name, m.params.arguments, m.params.cursor, m.params.progressToken} {
			if !bytes.Contains(in, part) {
				t.Errorf("%q is no part of %q", part, in)
			}
		}
		if fault != nil {
			if err := rawjson.Check(fault.reply(m.id)); err != nil {
				t.Errorf("%v in %s", err, fault.reply(m.id))
			}
		}
	})
}

// FuzzEscape: JSON comes out of its text block as the same JSON, compact.
func FuzzEscape(f *testing.F) {
	f.Add([]byte(`{"a": [1.0, "\"\\", null ], "ä" : true}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if rawjson.Check(in) != nil {
			return
		}
		quoted := append(appendEscaped([]byte{'"'}, rawjson.Trim(in)), '"')
		text, ok := rawjson.String(quoted)
		if want := string(rawjson.Compact(nil, rawjson.Trim(in))); !ok || text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	})
}
