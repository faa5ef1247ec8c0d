package gateway

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/harbor/mcpupstream"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// wire is a client that reads what comes as it comes.
type wire struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	id  int
	// meta is what a modern request carries; empty: the session began with a handshake.
	meta string
}

func (c *chain) wire(t *testing.T, version string) *wire {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		defer outW.Close()
		if err := c.Serve(context.Background(), mcpserver.Stream{In: inR, Out: outW, Principal: twodoor.Operator}); err != nil {
			t.Errorf("Serve: %v", err)
		}
	}()
	t.Cleanup(func() { inW.Close() })
	w := &wire{t: t, in: inW, out: bufio.NewReader(outR)}
	if version == mcpupstream.Modern {
		w.meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		return w
	}
	w.result("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}`)
	return w
}

// result is the result of a request, byte for byte.
func (w *wire) result(method, params string) string {
	w.t.Helper()
	w.id++
	if _, err := io.WriteString(w.in, `{"jsonrpc":"2.0","id":`+strconv.Itoa(w.id)+`,"method":"`+method+`","params":{`+params+w.meta+`}}`+"\n"); err != nil {
		w.t.Fatal(err)
	}
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatal(err)
	}
	result, ok := rawjson.Get([]byte(line), "result")
	if !ok {
		w.t.Fatalf("%s answers %s", method, line)
	}
	return string(result)
}

// TestBytes holds what passes through against what was sent: numbers, order, escapes and unknown fields
// are as they were, in definitions, arguments, results, resources and prompts, and 8 MiB pass whole.
func TestBytes(t *testing.T) {
	const odd = `{"value":{"z":1152921504606846977,"a":1.0,"m":[1.50,-0.10,1e2],"\u00e9":"\ud83d\udeaa \/","":null,"y":{"unknown":[]}}}`
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		w := newChain(t, era).wire(t, version)
		list := w.result("tools/list", `"limit":0`)
		if want := `{"name":"harbor_echo","description":"Answers its arguments, byte for byte","inputSchema":{"type":"object","properties":{"value":{}}},"annotations":{"readOnlyHint":true},"x-unknown":1152921504606846977}`; !strings.Contains(list, want) {
			t.Errorf("the definition is not in %s", list)
		}
		echoed := func(arguments string) string {
			text, _ := rawjson.GetPath([]byte(w.result("tools/call", `"name":"harbor_echo","arguments":`+arguments)), "content")
			for block := range rawjson.Elements(text) {
				raw, _ := rawjson.Get(block, "text")
				text, _ := rawjson.String(raw)
				return text
			}
			return ""
		}
		if got := echoed(odd); got != odd {
			t.Errorf("got  %s\nwant %s", got, odd)
		}
		if large := `{"value":"` + strings.Repeat("0123456789abcdef", 1<<19) + `"}`; echoed(large) != large {
			t.Error("8 MiB are not what they were")
		}
		if read := w.result("resources/read", `"uri":"harbor://status"`); !strings.Contains(read, `"text":"all quiet","x-unknown":1152921504606846977}`) {
			t.Errorf("the contents are %s", read)
		}
		if got := w.result("resources/list", `"limit":0`); !strings.Contains(got, `{"uri":"harbor://status","name":"status","title":"The status of everything","mimeType":"text/plain","x-unknown":1152921504606846977}`) {
			t.Errorf("the resource is not in %s", got)
		}
		board := w.result("tools/call", `"name":"harbor_board","arguments":{}`)
		if !strings.Contains(board, `"structuredContent":{"open":2}`) || strings.Contains(board, `"ui://harbor/board"`) {
			t.Errorf("the board is %s", board)
		}
	})
}
