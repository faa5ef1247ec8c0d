package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

// bench is a door over a few Go functions, and what the tests need to steer them.
type bench struct {
	*Door
	started chan struct{} // a stalling call has begun
	ended   chan error    // … and has ended, with the cause
	release chan struct{} // closed to let a waiting call go on
}

// newDoor makes a door whose operations succeed, fail, stall and tell.
func newDoor(t testing.TB) *bench {
	t.Helper()
	b := &bench{started: make(chan struct{}, 8), ended: make(chan error, 8), release: make(chan struct{})}
	source := &twodoor.FuncSource{Name: "lab", Funcs: []twodoor.Func{
		b.fn("lab.echo", twodoor.Reads, `{"type":"object","properties":{"text":{"type":"string"}}}`, func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: in.Arguments}, nil
		}),
		b.fn("lab.big", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(`{"z": 1152921504606846977, "a": 1.0, "odd\"key": "\u00e9\\" }`)}, nil
		}),
		b.fn("lab.stall", twodoor.Writes, "", b.stall),
		b.fn("lab.wait", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			b.started <- struct{}{}
			<-b.release
			return &twodoor.Value{JSON: json.RawMessage(`"waited"`)}, nil
		}),
		b.fn("lab.count", twodoor.Reads, "", count),
		b.fn("lab.drop", twodoor.Destroys, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return nil, &twodoor.Error{Code: twodoor.CodeConflict, Message: "still in use", Hint: "stop it first", Try: []string{"lab.stall"}}
		}),
		b.fn("lab.secret", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{MediaType: "text/plain", JSON: json.RawMessage(`"hush"`)}, nil
		}),
		b.fn("lab.more", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage("[1, 2]"), Notes: []string{"the clock is slow"}, Cut: &twodoor.Cut{Shown: 2, Total: 9, How: "ask for page 2"}}, nil
		}),
		b.fn("lab.boom", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			panic("boom")
		}),
		b.fn("lab.files", twodoor.Reads, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{Blobs: []twodoor.Blob{
				{MediaType: "image/png", Data: []byte("png")}, {MediaType: "audio/wav", Data: []byte("wav")},
				{MediaType: "text/csv", URI: "lab://t.csv", Data: []byte("a,b")}, {MediaType: "application/zip", Name: "x.zip", Data: []byte("zip")},
			}}, nil
		}),
		b.fn("lab.mirror", twodoor.Reads, `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`,
			func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return &twodoor.Value{}, nil }),
	}}
	for i := range source.Funcs {
		switch op := &source.Funcs[i].Operation; op.ID {
		case "lab.secret":
			op.Permission = "secrets"
		case "lab.mirror":
			op.Verbatim = true
		case "lab.big":
			op.Output, op.Next = json.RawMessage(`{"type":"array"}`), nil
		}
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalogOf(t, source))
	b.Door = &Door{Engine: engine, Name: "lab", Version: "1"}
	return b
}

func catalogOf(t testing.TB, source *twodoor.FuncSource) *twodoor.Catalog {
	t.Helper()
	reading, err := source.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func (b *bench) fn(id string, effect twodoor.Effect, input string, run func(context.Context, *twodoor.Invocation) (*twodoor.Value, error)) twodoor.Func {
	return twodoor.Func{Operation: twodoor.Operation{ID: id, Effect: effect, Description: "Does " + id + ".", Input: json.RawMessage(input)}, Run: run}
}

// stall waits until its caller leaves.
func (b *bench) stall(ctx context.Context, _ *twodoor.Invocation) (*twodoor.Value, error) {
	b.started <- struct{}{}
	<-ctx.Done()
	b.ended <- context.Cause(ctx)
	return nil, ctx.Err()
}

// count tells three steps, one of them twice and one backwards.
func count(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	for _, done := range []float64{0, 50, 50, 20, 100} {
		if in.Progress != nil {
			in.Progress(twodoor.Progress{Done: done, Total: 100, Message: fmt.Sprint("at ", done)})
		}
	}
	return &twodoor.Value{JSON: json.RawMessage(`"counted"`), MediaType: "text/plain"}, nil
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"}}`

// modern is a request of 2026-07-28.
func modern(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + meta + `}}`
}

// talk runs a whole stream: lines in, messages out by id; what has no id stands under its method.
func talk(t *testing.T, d *Door, lines ...string) map[string]string {
	t.Helper()
	var out strings.Builder
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.ServeStdio(ctx, strings.NewReader(strings.Join(lines, "\n")), &out); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	replies := map[string]string{}
	for reply := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(reply), &m); err != nil {
			t.Fatalf("not protocol on the stream: %s", reply)
		}
		key := string(m.ID) + m.Method
		replies[key] += reply
	}
	return replies
}
