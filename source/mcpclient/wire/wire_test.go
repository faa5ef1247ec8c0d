package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func readEvents(t *testing.T, r io.Reader, longest int) (got []string, err error) {
	t.Helper()
	events := newEventReader(r, longest)
	for {
		ev, err := events.next()
		if err != nil {
			return got, err
		}
		got = append(got, ev.name+"|"+string(ev.data)+"|"+events.lastID)
	}
}

func TestEvents(t *testing.T) {
	for stream, want := range map[string][]string{
		"data: a\n\n":                                   {"|a|"},
		"data:a\r\n\r\ndata: b\r\rdata:  c\n\n":         {"|a|", "|b|", "| c|"},
		"\xef\xbb\xbfdata: a\n\n":                       {"|a|"},
		": note\nevent: x\nid: 7\ndata: a\ndata: b\n\n": {"x|a\nb|7"},
		"id: 7\n\ndata: a\n\nid:\ndata\n\n":             {"|a|7", "||"},
		"id: 8\nretry: 5\ndata:\n\n":                    {"||8"},
		"event: endpoint\ndata: /m\n\n":                 {"endpoint|/m|"},
		"unknown: x\ndata: a\nno colon\n\n\n\n":         {"|a|"},
		"data: cut off":                                 {"|cut off|"},
		"id: a\x00b\ndata: a\n\n":                       {"|a|"},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream))} {
			if name == "byte by byte" && strings.HasPrefix(stream, "\xef") {
				continue // a mark in pieces is text
			}
			got, err := readEvents(t, r, 1000)
			if !errors.Is(err, io.EOF) || !slices.Equal(got, want) {
				t.Errorf("%q %s: got %q, %v; want %q", stream, name, got, err, want)
			}
		}
	}
	if _, err := readEvents(t, strings.NewReader("data: "+strings.Repeat("x", 200_000)+"\n\n"), 100_000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an event over the bound gave %v", err)
	}
	if got, err := readEvents(t, iotest.TimeoutReader(strings.NewReader("data: half")), 100); len(got) != 0 || errors.Is(err, io.EOF) {
		t.Errorf("a broken stream gave %q, %v", got, err)
	}
}

// An event is there as soon as its last byte is, whatever ends its lines.
func TestEventsDoNotWait(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		r, w := io.Pipe()
		events := newEventReader(r, 100)
		go func() { _, _ = io.WriteString(w, "data: a"+end+end) }()
		if ev, err := events.next(); err != nil || string(ev.data) != "a" {
			t.Errorf("%q: %v", end, err)
		}
		r.Close()
	}
}

func TestFrames(t *testing.T) {
	long := `{"result":"` + strings.Repeat("x", 200_000) + `","jsonrpc":"2.0","id":42}`
	first := `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("x", 200_000) + `"}`
	nested := `{"result":{"id":9},"x":"` + strings.Repeat("x", 200_000) + `"}`
	lines := newFrames(strings.NewReader("a\r\n\n \n"+long+"\n"+first+"\n"+nested+"\nlast"), 100_000)
	for _, want := range []string{"a", "!42", "!7", "!", "last", "EOF"} {
		line, err := lines.next()
		got := string(line)
		if long, ok := errors.AsType[*longLine](err); ok {
			got = "!" + long.id
		} else if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Fatalf("got %.20q, want %q", got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	var got []string
	each := func(m *message) { got = append(got, m.id+m.method+string(m.result)) }
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"n":1152921504606846977}}`,
		`[{"jsonrpc":"2.0","id":"2","result":{}},{"jsonrpc":"2.0","method":"note"}]`,
	} {
		if err := readMessages([]byte(raw), each); err != nil {
			t.Error(err)
		}
	}
	if want := []string{`1{"n":1152921504606846977}`, `2{}`, `note`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, raw := range []string{`hello`, `{"id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1}`, `"x"`, `{"jsonrpc":"2.0","id":1,"result":}`} {
		if readMessages([]byte(raw), each) == nil {
			t.Errorf("%s is taken for a message", raw)
		}
	}
	if line := request("1", "x", []byte("{\n\"a\": 1.0 }")); string(line) != `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1.0}}` {
		t.Errorf("a request takes more than a line: %s", line)
	}
}

// A server's own requests are answered: ping always, the rest where something is offered.
func TestRequestsOfServers(t *testing.T) {
	sent := make(chan string, 4)
	m := newMux(Inbound{}, func(_ context.Context, line []byte) error { sent <- string(line); return nil })
	defer m.die(ErrClosed)
	for raw, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"p1","method":"ping"}`:                `{"jsonrpc":"2.0","id":"p1","result":{}}`,
		`{"jsonrpc":"2.0","id":9,"method":"roots/list","params":{}}`: `{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"roots/list is not offered by this client"}}`,
	} {
		if err := m.take([]byte(raw)); err != nil {
			t.Fatal(err)
		}
		if got := <-sent; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	m.in.Answer = func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, *Fault) {
		return []byte(`{"roots":[]}`), nil
	}
	if err := m.take([]byte(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)); err != nil {
		t.Fatal(err)
	}
	if got := <-sent; got != `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}` {
		t.Errorf("got %s", got)
	}
}

func TestEndpointOfAnotherOrigin(t *testing.T) {
	for to, want := range map[string]string{
		"/messages?x=1": "https://a.example/messages?x=1", "m": "https://a.example/m", "https://a.example/y": "https://a.example/y",
		"https://b.example/y": "", "//b.example/y": "", "http://a.example/y": "", "https://a.example:8443/y": "", "\x7f": "",
	} {
		if got, err := sameOrigin("https://a.example/sse", to); got != want || (err == nil) != (want != "") {
			t.Errorf("%q gave %q, %v", to, got, err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: x\r\nid: 1\ndata: a\rdata: b\n\n"), byte(3))
	f.Add([]byte("\xef\xbb\xbfdata:\n\ndata"), byte(1))
	f.Fuzz(func(t *testing.T, stream []byte, step byte) {
		whole, err := readEvents(t, bytes.NewReader(stream), 1<<20)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if bytes.HasPrefix(stream, []byte{0xef}) {
			return // a mark in pieces is text
		}
		pieces, _ := readEvents(t, &stepReader{stream, int(step%16) + 1}, 1<<20)
		if !slices.Equal(whole, pieces) {
			t.Fatalf("%q is %q whole and %q in pieces", stream, whole, pieces)
		}
		_, _ = readEvents(t, bytes.NewReader(stream), 8)
	})
}

// stepReader hands out a few bytes at a time.
type stepReader struct {
	rest []byte
	step int
}

func (s *stepReader) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest[:min(s.step, len(s.rest))])
	s.rest = s.rest[n:]
	return n, nil
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\nnoise\r\n[1]"), byte(20))
	f.Fuzz(func(t *testing.T, stream []byte, longest byte) {
		lines := newFrames(bytes.NewReader(stream), int(longest))
		for {
			line, err := lines.next()
			if errors.Is(err, ErrTooLarge) {
				continue
			}
			if err != nil {
				return
			}
			if len(line) > int(longest) || bytes.IndexByte(line, '\n') >= 0 {
				t.Fatalf("a line %q", line)
			}
			_ = readMessages(line, func(m *message) {
				if m.result != nil && rawjson.Check(m.result) != nil {
					t.Fatalf("a result %q", m.result)
				}
			})
		}
	})
}

func FuzzHeaderValue(f *testing.F) {
	f.Add("zürich")
	f.Add("=?base64?eA==?=")
	f.Fuzz(func(t *testing.T, text string) {
		got := encodeHeader(text)
		for i := range len(got) {
			if got[i] < ' ' && got[i] != '\t' || got[i] > '~' {
				t.Fatalf("%q goes out as %q", text, got)
			}
		}
		if got != strings.Trim(got, " \t") {
			t.Fatalf("%q goes out as %q, which loses its edges", text, got)
		}
	})
}

// A dead link ends everybody who waits for it.
func TestDyingEndsCalls(t *testing.T) {
	m := newMux(Inbound{}, func(context.Context, []byte) error { return nil })
	done := make(chan error, 3)
	for range cap(done) {
		go func() { _, err := m.Call(t.Context(), Request{Method: "x"}); done <- err }()
	}
	for m.count() < cap(done) {
		time.Sleep(time.Millisecond)
	}
	m.die(io.ErrUnexpectedEOF)
	m.die(ErrClosed)
	for range cap(done) {
		if err := <-done; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a call ended with %v", err)
		}
	}
	if m.count() != 0 {
		t.Error("calls are kept")
	}
}

func (m *mux) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}
