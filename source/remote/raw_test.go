package remote_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/remote"
)

// upstreamTool answers as an MCP server does; with fail, with a fault.
type upstreamTool struct{}

const (
	rawGood = `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"},{"type":"image","data":"aGk=","mimeType":"image/png","annotations":{"priority":1.0}}],"structuredContent":{"n":1152921504606846977},"later":{"z":1,"a":2}}`
	rawBad  = `{"content":[{"type":"text","text":"no such note"}],"structuredContent":{"id":7},"isError":true}`
	defined = `{"name":"get_Me","inputSchema":{"type":"object","x-own":1},"annotations":{"readOnlyHint":true},"later":true}`
)

func (upstreamTool) Invoke(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	if _, fail := rawjson.Get(in.Arguments, "fail"); fail {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: "no such note", Upstream: &twodoor.UpstreamFault{Raw: json.RawMessage(rawBad)}}
	}
	return &twodoor.Value{JSON: json.RawMessage(`{"n":1152921504606846977}`), Raw: json.RawMessage(rawGood)}, nil
}

// TestPassThrough holds that what an MCP server wrote comes through a relay as it was: results, faults
// and definitions, over both kinds of route.
func TestPassThrough(t *testing.T) {
	op := twodoor.Operation{ID: "notes.get_Me", Kind: "mcp", Effect: twodoor.Reads, Verbatim: true, Input: json.RawMessage(`{"type":"object","x-own":1}`)}
	catalog, err := twodoor.NewCatalog(&twodoor.Reading{Source: "notes", Operations: []twodoor.Operation{op}})
	if err != nil {
		t.Fatal(err)
	}
	far := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{"mcp": upstreamTool{}}}
	far.Serve(catalog)
	door := &rest.Door{Engine: far, Definition: func(*twodoor.Operation) json.RawMessage { return json.RawMessage(defined) }}
	source := &remote.Source{Name: "far", URL: serve(t, door), Doer: plain{}, Relay: true}
	read, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := remote.Definition(&read.Operations[0]); string(got) != defined {
		t.Errorf("the definition comes as %s", got)
	}
	handed, err := source.Tools(json.RawMessage(`[{"name":"get_Me","server":"notes","type":"mcp"}]`))
	if err != nil {
		t.Fatal(err)
	}
	engine := engineOf(t, read, &remote.Invoker{Doer: plain{}})
	tools := engineOf(t, handed, &remote.Invoker{Doer: plain{}})
	for _, test := range []struct {
		name   string
		engine *twodoor.Engine
		tool   string
		want   string
	}{
		{"read", engine, "notes_get_Me", rawGood},
		{"handed", tools, "get_Me", string(rawjson.Delete([]byte(rawGood), "later"))}, // an envelope has no place for it
	} {
		result, err := test.engine.Do(t.Context(), twodoor.Call{Operation: test.tool, Door: twodoor.DoorMCP})
		if err != nil || string(result.Raw) != test.want {
			t.Errorf("%s: the result comes as %+v, %v", test.name, result, err)
		}
		_, err = test.engine.Do(t.Context(), twodoor.Call{Operation: test.tool, Door: twodoor.DoorMCP, Arguments: json.RawMessage(`{"fail":true}`)})
		fault := twodoor.AsError(err)
		if fault == nil || fault.Upstream == nil {
			t.Fatalf("%s: the fault comes as %v", test.name, err)
		}
		got := fault.Upstream.Raw
		if test.name == "handed" {
			got = rawjson.Delete(got, "_meta")
		}
		if string(got) != rawBad {
			t.Errorf("%s: the fault comes as %s", test.name, got)
		}
	}
}
