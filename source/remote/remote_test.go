package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/source/remote"
	"github.com/twodoor/twodoor/twodoortest"
)

// plain sends requests without a key.
type plain struct{}

func (plain) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	return http.DefaultClient.Do(req)
}

// serve is a far side on an engine, until the test ends.
func serve(t *testing.T, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// engineOf is an engine here on what a reading brought.
func engineOf(t *testing.T, reading *twodoor.Reading, invoker twodoor.Invoker) *twodoor.Engine {
	t.Helper()
	for _, left := range reading.Exceptions {
		t.Errorf("%s is left out: %s", left.Operation, left.Reason)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{remote.Kind: invoker}, Profiles: map[string]*twodoor.Profile{"default": {AnswerBudget: -1}}}
	engine.Serve(catalog)
	return engine
}

// client makes calls at an engine.
type client struct {
	engine   *twodoor.Engine
	prefix   string
	progress func(twodoor.Progress)
}

func (c client) Call(ctx context.Context, _ *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	result, err := c.engine.Do(ctx, twodoor.Call{Operation: c.prefix + name, Arguments: args, Door: twodoor.DoorMCP, Principal: twodoor.Operator, Progress: c.progress})
	if ctx.Err() != nil {
		return twodoortest.Seen{NoWord: true}
	}
	if err != nil {
		e := twodoor.AsError(err)
		text, _ := e.MarshalJSON()
		return twodoortest.Seen{Code: e.Code.String(), Text: string(text)}
	}
	seen := twodoortest.Seen{Value: result.Value}
	for _, blob := range result.Blobs {
		seen.Blobs = append(seen.Blobs, blob.Data)
	}
	return seen
}

// TestRelay holds a relay to the promises of every door: nothing may change on the way through two
// engines and a wire.
func TestRelay(t *testing.T) {
	address := serve(t, &rest.Door{Engine: twodoortest.Engine()})
	source := &remote.Source{Name: "far", URL: address + "/api", Doer: plain{}, Relay: true}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	engine := engineOf(t, reading, &remote.Invoker{Doer: plain{}})
	t.Run("answers", func(t *testing.T) { twodoortest.Doors(t, client{engine: engine}, nil) })
	t.Run("streams", func(t *testing.T) {
		twodoortest.Doors(t, client{engine: engine, progress: func(twodoor.Progress) {}}, nil)
	})
}

// TestTools holds the tool routes to the same promises, as far as an envelope can tell.
func TestTools(t *testing.T) {
	far := twodoortest.Engine()
	address := serve(t, &rest.Door{Engine: far})
	var entries []string
	for _, entry := range far.Catalog().Entries() {
		entries = append(entries, `{"name":"`+entry.ID+`","description":"d","input_schema":{},"type":"custom"}`)
	}
	source := &remote.Source{Name: "far", URL: address, Doer: plain{}, Relay: true}
	reading, err := source.Tools(json.RawMessage("[" + strings.Join(entries, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	engine := engineOf(t, reading, &remote.Invoker{Doer: plain{}})
	for _, door := range []client{{engine: engine}, {engine: engine, progress: func(twodoor.Progress) {}}} {
		twodoortest.Doors(t, toolNames{door}, nil)
	}
}

// toolNames calls an operation by the name that its entry had.
type toolNames struct{ client }

func (c toolNames) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	if op, _, _ := c.engine.Catalog().Find(strings.ReplaceAll(name, ".", "_")); op != nil {
		name = op.ID
	}
	seen := c.client.Call(ctx, t, name, args)
	if string(seen.Value) == `"It worked; there is no content."` {
		seen.Value = nil
	}
	return seen
}

// TestSource reads another twodoor as a source beside others.
func TestSource(t *testing.T) {
	address := serve(t, &rest.Door{Engine: twodoortest.Engine()})
	source := &remote.Source{Name: "lab", URL: address, Doer: plain{}}
	reading := twodoortest.Sources(t, source)
	engine := engineOf(t, reading, &remote.Invoker{Doer: plain{}})
	seen := client{engine: engine}.Call(t.Context(), t, "lab."+twodoortest.Many, nil)
	if seen.Code != "" || strings.Count(string(seen.Value), `"name"`) != 50 {
		t.Errorf("the whole answer is asked for: %+v", seen)
	}
	result, err := engine.Do(t.Context(), twodoor.Call{Operation: "lab." + twodoortest.Many, Projection: twodoor.Projection{Limit: 3}, Door: twodoor.DoorGo})
	if err != nil || result.Cut == nil || result.Cut.Shown != 3 || result.Cut.Total != 50 {
		t.Errorf("it is shaped here: %+v, %v", result, err)
	}
	for code, want := range map[twodoor.Code]twodoor.Code{
		twodoor.CodeUnauthenticated: twodoor.CodeUpstreamAuth, twodoor.CodeInternal: twodoor.CodeUpstream, twodoor.CodeNotFound: twodoor.CodeNotFound,
	} {
		if seen := (client{engine: engine, prefix: "lab."}).Call(t.Context(), t, twodoortest.FaultOf(code), nil); seen.Code != want.String() {
			t.Errorf("%s there is %s here, want %s", code, seen.Code, want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	_, err := (&remote.Source{Name: "far", URL: address, Doer: plain{}}).Read(t.Context())
	if fault := twodoor.AsError(err); fault == nil || fault.Code != twodoor.CodeUpstream {
		t.Errorf("a server without routes gives %v", err)
	}
	server.Close()
	_, err = (&remote.Source{Name: "far", URL: address, Doer: plain{}}).Read(t.Context())
	if fault := twodoor.AsError(err); fault == nil || fault.Code != twodoor.CodeUnavailable || strings.Contains(fault.Message, "dial") {
		t.Errorf("a server that is gone gives %v", err)
	}
	invoker := &remote.Invoker{Doer: plain{}}
	op := &twodoor.Operation{ID: "far.x.y", Plan: json.RawMessage(`{"url":"` + address + `","id":"x.y"}`)}
	if _, err := invoker.Invoke(t.Context(), &twodoor.Invocation{Operation: op}); twodoor.AsError(err).Code != twodoor.CodeUnavailable {
		t.Errorf("a call to a server that is gone gives %v", err)
	}
}

// TestLook hears of changes only, and of too many operations reads those that find the others.
func TestLook(t *testing.T) {
	far := &twodoor.Engine{Profiles: map[string]*twodoor.Profile{"default": {Pins: []string{"a.op.pinned"}, OutputSchemas: true, Expose: twodoor.ExposeSearch}}}
	set := func(ids ...string) {
		var readings []*twodoor.Reading
		for _, id := range ids {
			source, _, _ := strings.Cut(id, ".")
			readings = append(readings, &twodoor.Reading{Source: source, Operations: []twodoor.Operation{{ID: id, Kind: "x", Effect: twodoor.Reads}}})
		}
		catalog, err := twodoor.NewCatalog(readings...)
		if err != nil {
			t.Fatal(err)
		}
		far.Serve(catalog)
	}
	set("a.op.one")
	address := serve(t, &rest.Door{Engine: far})
	source := &remote.Source{Name: "far", URL: address, Doer: plain{}, Relay: true, Most: 3}
	first, err := source.Look(t.Context(), "")
	if err != nil || first.Tag == "" || !first.OutputSchemas || first.Expose != twodoor.ExposeSearch || first.Short || first.Foreign {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := source.Look(t.Context(), first.Tag); err != nil || again != nil {
		t.Errorf("nothing changed, and Look gives %+v, %v", again, err)
	}
	set("a.op.one", "a.op.pinned", "b.op.two", "twodoor.find-operations")
	next, err := source.Look(t.Context(), first.Tag)
	if err != nil || next == nil || !next.Short {
		t.Fatalf("%+v, %v", next, err)
	}
	var ids []string
	for _, op := range next.Reading.Operations {
		ids = append(ids, op.ID)
	}
	if !slices.Equal(ids, []string{"twodoor.find-operations", "a.op.pinned"}) {
		t.Errorf("of too many are read %v", ids)
	}
}

func TestFollow(t *testing.T) {
	door := &rest.Door{Engine: twodoortest.Engine()}
	source := &remote.Source{Name: "far", URL: serve(t, door), Doer: plain{}}
	heard := make(chan struct{}, 8)
	var done sync.WaitGroup
	done.Go(func() {
		if err := source.Follow(t.Context(), func() { heard <- struct{}{} }); err != nil {
			t.Errorf("a stream that ends in order gives %v", err)
		}
	})
	<-heard
	door.Changed()
	<-heard
	door.Close()
	done.Wait()
	none := &remote.Source{Name: "far", URL: serve(t, http.NotFoundHandler()), Doer: plain{}}
	if err := none.Follow(t.Context(), func() {}); twodoor.AsError(err).Code != twodoor.CodeUnknown {
		t.Errorf("without such a stream: %v", err)
	}
}

// TestForeign calls tools of a far side that is no twodoor, in every form of its answers.
func TestForeign(t *testing.T) {
	var last *http.Request
	answers := map[string]string{
		"/tools/mcp/notes/search": `{"success":true,"result":"a\nb","error":""}`,
		"/tools/custom/run":       `{"success":true,"result":"{\"a\":1,\"z\":1152921504606846977}"}`,
		"/tools/virtual/spec":     `plain words`,
		"/tools/custom/fails":     `{"success":false,"error":"no such file","result":"what it wrote"}`,
		"/tools/custom/shot":      `{"success":true,"result":"x","content":[{"type":"text","text":"seen"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}`,
		"/api/tools":              `[{"name":"notes","status":"ok","tools":[{"name":"search","description":"Searches","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}]}]`,
	}
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		w.Write([]byte(answer))
	}))
	source := &remote.Source{Name: "far", URL: address, Doer: plain{}, Relay: true, Most: 40}
	far, err := source.Look(t.Context(), "")
	if err != nil || !far.Foreign || len(far.Reading.Operations) != 1 || far.Reading.Operations[0].Spelling().MCP != "search" {
		t.Fatalf("%+v, %v", far, err)
	}
	if again, err := source.Look(t.Context(), far.Tag); again != nil || err != nil {
		t.Errorf("nothing changed, and Look gives %+v, %v", again, err)
	}
	reading, err := source.Tools(json.RawMessage(`[{"name":"search","server":"notes","type":"mcp"},{"name":"run","type":"custom","input_schema":null},
		{"name":"spec","type":"virtual"},{"name":"fails","type":"other"},{"name":"shot"},{"name":"gone"},{"name":"run"},{"name":"bad","input_schema":{"type":"object","properties":{"a":{"type":"nonsense"}}}}]`))
	if err != nil || len(reading.Exceptions) != 2 {
		t.Fatalf("%+v, %v", reading.Exceptions, err)
	}
	reading.Exceptions = nil
	engine := engineOf(t, reading, &remote.Invoker{Doer: plain{}, Session: "s", Scope: "scope"})
	for name, want := range map[string]twodoortest.Seen{
		"search": {Value: json.RawMessage(`"a\nb"`)},
		"run":    {Value: json.RawMessage(`{"a":1,"z":1152921504606846977}`)},
		"spec":   {Value: json.RawMessage(`"plain words"`)},
		"shot":   {Value: json.RawMessage(`"seen"`), Blobs: [][]byte{[]byte("hi")}},
		"fails":  {Code: "upstream", Text: "no such file\\nwhat it wrote"},
		"gone":   {Code: "unknown", Text: "HTTP 404: no such page"},
	} {
		seen := client{engine: engine}.Call(t.Context(), t, name, json.RawMessage(`{"any":1}`))
		if string(seen.Value) != string(want.Value) || seen.Code != want.Code || !strings.Contains(seen.Text, want.Text) || len(seen.Blobs) != len(want.Blobs) {
			t.Errorf("%s gives %s %+v, want %+v", name, seen.Value, seen, want)
		}
		if last.Header.Get("X-Session-ID") != "s" || (last.Header.Get("X-Virtual-Scope-ID") != "") != (name == "spec") {
			t.Errorf("%s is sent with %v", name, last.Header)
		}
	}
}

func TestTooLarge(t *testing.T) {
	address := serve(t, &rest.Door{Engine: twodoortest.Engine()})
	reading, err := (&remote.Source{Name: "far", URL: address, Doer: plain{}, Relay: true}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	engine := engineOf(t, reading, &remote.Invoker{Doer: plain{}, MaxAnswer: 100})
	seen := client{engine: engine}.Call(t.Context(), t, twodoortest.Many, nil)
	if seen.Code != "too_large" {
		t.Errorf("an answer over the bound gives %+v", seen)
	}
}

func TestLists(t *testing.T) {
	source := &remote.Source{Name: "far", URL: "http://x", Doer: plain{}, Relay: true}
	for _, bad := range []string{``, `{}`, `[`, `null`} {
		if _, err := source.Tools(json.RawMessage(bad)); twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeInvalid {
			t.Errorf("%q gives %v", bad, err)
		}
	}
	reading, err := source.Tools(json.RawMessage(`[{"name":"search","server":"a","type":"mcp"},{"name":"search","server":"b","type":"mcp"},{"name":"del","annotations":{"destructiveHint":true}},{"name":"see","annotations":{"readOnlyHint":true}}]`))
	if err != nil || len(reading.Operations) != 4 || len(reading.Notes) != 1 {
		t.Fatalf("%+v, %v", reading, err)
	}
	names := map[string]twodoor.Effect{}
	for _, op := range reading.Operations {
		names[op.Spelling().MCP] = op.Effect
	}
	if names["b_search"] != twodoor.Writes || names["del"] != twodoor.Destroys || names["see"] != twodoor.Reads {
		t.Errorf("%v", names)
	}
	if _, err := (&remote.Source{}).Read(t.Context()); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a source without anything gives %v", err)
	}
}
