package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

// TestDoors holds the door to the promises of every door, over both transports and in both eras.
func TestDoors(t *testing.T) {
	door := &Door{Engine: twodoortest.Engine()}
	t.Run("stream", func(t *testing.T) { twodoortest.Doors(t, onStream{door, modernCall}, nil) })
	t.Run("legacy stream", func(t *testing.T) { twodoortest.Doors(t, onStream{door, legacySuiteCall}, nil) })
	t.Run("HTTP", func(t *testing.T) {
		server := httptest.NewServer(door.Handler())
		defer server.Close()
		twodoortest.Doors(t, onHTTP{server.URL}, nil)
	})
}

func modernCall(name string, args json.RawMessage) string {
	return modern("1", "tools/call", `"name":"`+name+`","arguments":`+string(args))
}

func legacySuiteCall(name string, args json.RawMessage) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + string(args) + `}}`
}

// onStream makes each call on a stream of its own.
type onStream struct {
	door    *Door
	request func(name string, args json.RawMessage) string
}

func (s onStream) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	c := dial(t, s.door)
	c.send(initialize)
	c.next()
	c.send(s.request(name, args))
	reply := make(chan string, 1)
	go func() {
		line, _ := c.out.ReadString('\n') // nothing, where the stream ends first
		reply <- line
	}()
	select {
	case line := <-reply:
		c.close()
		return seen(t, line)
	case <-ctx.Done():
		c.send(cancelled("1"))
		c.in.Close()
		return seen(t, <-reply)
	}
}

// onHTTP makes each call with a request of its own.
type onHTTP struct{ url string }

func (s onHTTP) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	body := modernCall(name, args)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range mirrored(body) {
		key, value, _ := strings.Cut(header, ": ")
		r.Header.Set(key, value)
	}
	reply, err := http.DefaultClient.Do(r)
	if ctx.Err() != nil {
		return twodoortest.Seen{NoWord: true}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return seen(t, string(text))
}

// seen reads a reply as a host does.
func seen(t *testing.T, reply string) (s twodoortest.Seen) {
	t.Helper()
	if reply == "" {
		return twodoortest.Seen{NoWord: true}
	}
	var m struct {
		Result struct {
			Content []struct{ Type, Text, Data string }
			IsError bool
			Meta    map[string]json.RawMessage `json:"_meta"`
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(reply), &m); err != nil {
		t.Fatalf("%v in %s", err, reply)
	}
	if m.Error != nil {
		return faultSeen(m.Error)
	}
	for _, block := range m.Result.Content {
		switch {
		case block.Type == "image":
			data, _ := base64.StdEncoding.DecodeString(block.Data)
			s.Blobs = append(s.Blobs, data)
		case m.Result.IsError:
			s.Text = block.Text
		case block.Text == twodoor.NoContent:
		case rawjson.Check([]byte(block.Text)) == nil:
			s.Value = json.RawMessage(block.Text)
		default:
			s.Value = rawjson.Quote(block.Text)
		}
	}
	if m.Result.IsError {
		s.Code = member(m.Result.Meta["twodoor/error"], "code")
	}
	return s
}

// faultSeen reads a JSON-RPC error, or the body of a 401.
func faultSeen(raw json.RawMessage) twodoortest.Seen {
	if data, ok := rawjson.Get(raw, "data"); ok {
		return twodoortest.Seen{Code: member(data, "code"), Text: member(raw, "message")}
	}
	return twodoortest.Seen{Code: member(raw, "code"), Text: strings.Join([]string{member(raw, "message"), member(raw, "hint")}, " ")}
}
