package twodoor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
)

// lab is a small far side whose annotations lead from one operation to another.
type lab struct {
	made  []string // ids of the operations called, in order
	ready int      // polls until the log is ready
}

func (l *lab) engine(t *testing.T, change func(id string, op *twodoor.Operation)) *twodoor.Engine {
	t.Helper()
	one := json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)
	answers := map[string]string{
		"log.hydrate": `{"state":"cold"}`, "log.get": `{"state":"ready"}`, "log.read": `{"lines":["a"],"log":"log_1","open":true}`,
		"person.list":  `{"items":[{"id":"p1","name":"Ada"},{"id":"p2","name":"Grace"}]}`,
		"ticket.list":  `{"items":[{"id":1,"owner_id":"p1"},{"id":2,"owner_id":"p2","owner_name":"kept"},{"id":3,"owner_id":"p9"},{"id":4,"owner_id":null}]}`,
		"loop.forever": `{}`,
	}
	source := &twodoor.FuncSource{Name: "lab"}
	for name, answer := range answers {
		op := twodoor.Operation{ID: "lab." + name, Effect: twodoor.Reads}
		if strings.HasPrefix(name, "log.") {
			op.Input = one
		}
		change(name, &op)
		source.Funcs = append(source.Funcs, twodoor.Func{Operation: op, Run: func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			l.made = append(l.made, name+string(in.Arguments))
			if name == "log.get" && l.ready > 0 {
				l.ready--
				return &twodoor.Value{JSON: json.RawMessage(`{"state":"warming"}`)}, nil
			}
			return &twodoor.Value{JSON: json.RawMessage(answer)}, nil
		}})
	}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalog)
	return engine
}

// hydrating reads a log after two steps, one of which nobody is shown.
func hydrating(id string, op *twodoor.Operation) {
	if id == "log.hydrate" {
		op.Export = twodoor.ExportNone
	}
	if id == "log.read" {
		op.Before = []twodoor.Step{
			{Call: "log.hydrate", Arguments: map[string]string{"id": ".id"}},
			{Call: "lab.log.get", Arguments: map[string]string{"id": ".id"}, Until: `.state == "ready"`, Every: "2s", AtMost: "20s"},
		}
	}
}

// TestBefore holds that what must be called first is called first, waited for, and told as children.
func TestBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, watch := &lab{ready: 2}, &seen{}
		engine := far.engine(t, hydrating)
		engine.Observer = watch
		begun := time.Now()
		if _, fault := do(t, engine, twodoor.Call{Operation: "lab.log.read", Arguments: json.RawMessage(`{"id":"log_1"}`)}); fault != nil {
			t.Fatal(fault)
		}
		want := `[log.hydrate{"id":"log_1"} log.get{"id":"log_1"} log.get{"id":"log_1"} log.get{"id":"log_1"} log.read{"id":"log_1"}]`
		if got := fmt.Sprint(far.made); got != want {
			t.Errorf("called %s", got)
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("waited %s: 2 s, then half as long again", took)
		}
		if outer := watch.events[len(watch.events)-1]; watch.events[0].ParentID != outer.CallID {
			t.Error("a pre-step is no child of the call")
		}
		if _, fault := do(t, engine, twodoor.Call{Operation: "lab.log.hydrate", Arguments: json.RawMessage(`{"id":"log_1"}`)}); fault == nil || fault.Code != twodoor.CodeUnknown {
			t.Errorf("a step that is shown at no door can be called from outside: %v", fault)
		}
	})
}

// TestBeforeFails holds that a pre-step that fails is told as one clear error, and the call is not made.
func TestBeforeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &lab{ready: 100}
		_, fault := do(t, far.engine(t, hydrating), twodoor.Call{Operation: "lab.log.read", Arguments: json.RawMessage(`{"id":"log_1"}`)})
		if fault == nil || fault.Code != twodoor.CodeTimeout || !strings.Contains(fault.Message, "lab.log.get is called before lab.log.read") {
			t.Errorf("told as %v", fault)
		}
		if last := far.made[len(far.made)-1]; strings.HasPrefix(last, "log.read") {
			t.Error("the call was made all the same")
		}
	})
}

// TestBeforeItself holds that steps in a circle end.
func TestBeforeItself(t *testing.T) {
	far := &lab{}
	engine := far.engine(t, func(id string, op *twodoor.Operation) {
		if id == "loop.forever" {
			op.Before = []twodoor.Step{{Call: "loop.forever"}}
		}
	})
	if _, fault := do(t, engine, twodoor.Call{Operation: "lab.loop.forever"}); fault == nil || fault.Code != twodoor.CodeInvalid {
		t.Errorf("told as %v", fault)
	}
}

// TestNext holds that an answer names the calls that follow, filled in, and only those that hold.
func TestNext(t *testing.T) {
	far := &lab{}
	engine := far.engine(t, func(id string, op *twodoor.Operation) {
		if id == "log.read" {
			op.Next = []twodoor.Step{
				{Call: "log.get", When: ".open", Arguments: map[string]string{"id": ".log"}, Why: "it is still open"},
				{Call: "log.get", When: ".open | not", Arguments: map[string]string{"id": ".log"}},
				{Call: "log.get", Arguments: map[string]string{"id": ".lost"}, Why: "its argument is not there"},
				{Call: "log.gone", Arguments: map[string]string{"id": ".log"}, Why: "no such operation"},
			}
		}
	})
	result, fault := do(t, engine, twodoor.Call{Operation: "lab.log.read", Arguments: json.RawMessage(`{"id":"log_1"}`), Projection: twodoor.Projection{Fields: []string{"lines"}}})
	if fault != nil {
		t.Fatal(fault)
	}
	got, _ := json.Marshal(result.Next)
	if string(got) != `[{"call":"lab.log.get","arguments":{"id":"log_1"},"why":"it is still open"}]` {
		t.Errorf("next: %s", got)
	}
}

// TestWayOut holds that a fault names the calls that lead out of it, as its code and its words ask,
// and the guide, where there is one to be read.
func TestWayOut(t *testing.T) {
	conflict := &twodoor.Error{Code: twodoor.CodeConflict, Message: "it is cold", Upstream: &twodoor.UpstreamFault{Status: 409, Body: json.RawMessage(`{"why":"cold"}`)}}
	source := &twodoor.FuncSource{Name: "lab", Funcs: []twodoor.Func{
		{Operation: twodoor.Operation{
			ID: "lab.log.read", Effect: twodoor.Reads, Input: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`), Guides: []string{"logs"},
			Next: []twodoor.Step{
				{Call: "log.get", Arguments: map[string]string{"id": ".id"}, Why: "after an answer only"},
				{On: twodoor.CodeConflict, When: `.error.upstream.body.why == "cold"`, Call: "log.get", Arguments: map[string]string{"id": ".arguments.id"}, Why: "warm it"},
				{On: twodoor.CodeConflict, When: `.error.upstream.body.why == "hot"`, Call: "log.get", Arguments: map[string]string{"id": ".arguments.id"}},
				{On: twodoor.CodeNotFound, Call: "log.get", Arguments: map[string]string{"id": ".arguments.id"}},
			},
		}, Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return nil, conflict }},
		{Operation: twodoor.Operation{ID: "lab.log.get", Effect: twodoor.Reads}, Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return nil, conflict }},
	}}
	own := &twodoor.Reading{Source: twodoor.OwnSource, Operations: []twodoor.Operation{{ID: "twodoor.read-guides", Kind: twodoor.KindFunc, Effect: twodoor.Reads}}}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guide := `{"call":"twodoor.read-guides","arguments":{"names":["logs"]},"why":"the guide to this"}`
	for _, c := range []struct {
		args  string
		guide bool
		want  string
	}{
		{`{"id":"x"}`, true, `[{"call":"lab.log.get","arguments":{"id":"x"},"why":"warm it"},` + guide + `]`},
		{`{"id":"x"}`, false, `[{"call":"lab.log.get","arguments":{"id":"x"},"why":"warm it"}]`},
		{`{}`, true, `[` + guide + `]`},
		{`{}`, false, `null`},
	} {
		readings := []*twodoor.Reading{reading}
		if c.guide {
			readings = append(readings, own)
		}
		catalog, err := twodoor.NewCatalog(readings...)
		if err != nil {
			t.Fatal(err)
		}
		engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
		engine.Serve(catalog)
		_, fault := do(t, engine, twodoor.Call{Operation: "lab.log.read", Arguments: json.RawMessage(c.args)})
		if got, _ := json.Marshal(fault.Next); string(got) != c.want {
			t.Errorf("%s: %s", c.args, got)
		}
		if prose := fault.Prose(catalog.ToolName); c.guide != strings.Contains(prose, `next: read_guides {"names":["logs"]}: the guide to this`) {
			t.Errorf("%s: %s", c.args, prose)
		}
	}
	if conflict.Next != nil {
		t.Error("the far side's own fault was written to")
	}
}

// TestIDNames holds that ids get their names, once each, and that nothing else changes.
func TestIDNames(t *testing.T) {
	far := &lab{}
	engine := far.engine(t, func(id string, op *twodoor.Operation) {
		if id == "ticket.list" {
			op.Answer.IDNames = map[string]string{"owner_id": "person.list", "lost_id": "nobody.list"}
		}
	})
	want := `{"items":[{"id":1,"owner_id":"p1","owner_name":"Ada"},{"id":2,"owner_id":"p2","owner_name":"kept"},{"id":3,"owner_id":"p9"},{"id":4}]}`
	for range 2 {
		result, fault := do(t, engine, twodoor.Call{Operation: "lab.ticket.list"})
		if fault != nil || string(result.Value) != want {
			t.Fatalf("%s %v", result.Value, fault)
		}
	}
	result, fault := do(t, engine, twodoor.Call{Operation: "lab.ticket.list", Projection: twodoor.Projection{JQ: ".items[0]"}})
	if fault != nil || string(result.Value) != `{"id":1,"owner_id":"p1"}` {
		t.Errorf("what a program put out was changed: %s", result.Value)
	}
}
