package twodoor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

// keeper keeps answers in a map.
type keeper map[string]json.RawMessage

func (k keeper) Keep(_ context.Context, p twodoor.Principal, operation string, value json.RawMessage) (string, error) {
	handle := fmt.Sprintf("%s-%s-%d", p.Subject, operation, len(k))
	k[handle] = value
	return handle, nil
}

// TestBudget holds that agents get what fits one read, whole records with the rest under a handle,
// and that nobody else's answer is cut unasked.
func TestBudget(t *testing.T) {
	engine, kept := twodoortest.Engine(), keeper{}
	engine.Keeper = kept
	engine.Profiles = map[string]*twodoor.Profile{twodoor.DefaultProfile: {AnswerBudget: 100}}
	whole, fault := do(t, engine, twodoor.Call{Operation: twodoortest.Many, Door: twodoor.DoorCLI})
	if fault != nil || whole.Cut != nil || whole.Weight < 100 {
		t.Fatalf("at the CLI: %+v %v", whole, fault)
	}
	cut, fault := do(t, engine, twodoor.Call{Operation: twodoortest.Many, Door: twodoor.DoorMCP, Principal: twodoor.Operator})
	if fault != nil || cut.Cut == nil || cut.Weight > 100 || cut.Cut.Total != 50 || cut.Cut.Shown == 0 {
		t.Fatalf("at MCP: %+v %v", cut, fault)
	}
	if !json.Valid(cut.Value) || string(kept[cut.Cut.Handle]) != string(whole.Value) {
		t.Errorf("the rest under %q is %d bytes of %d", cut.Cut.Handle, len(kept[cut.Cut.Handle]), len(whole.Value))
	}
	items, _ := rawjson.Get(cut.Value, "items")
	for record := range rawjson.Elements(items) {
		if string(record) != `{"id":1,"name":"one","note":"a record"}` {
			t.Errorf("a record was cut: %s", record)
		}
	}
	for name, call := range map[string]twodoor.Call{
		"no bound":    {Operation: twodoortest.Many, Door: twodoor.DoorMCP, Projection: twodoor.Projection{Budget: -1}},
		"small":       {Operation: twodoortest.Echo, Door: twodoor.DoorMCP, Arguments: json.RawMessage(`{"message":"x"}`)},
		"its own ask": {Operation: twodoortest.Many, Door: twodoor.DoorMCP, Projection: twodoor.Projection{Budget: 5000}},
	} {
		if result, fault := do(t, engine, call); fault != nil || result.Cut != nil {
			t.Errorf("%s: %+v %v", name, result.Cut, fault)
		}
	}
	if result, _ := do(t, engine, twodoor.Call{Operation: twodoortest.Many, Door: twodoor.DoorCLI, Projection: twodoor.Projection{Budget: 60}}); result.Cut == nil || result.Weight > 60 {
		t.Errorf("asked for 60: %d", result.Weight)
	}
}

// TestLeftOut holds which empty fields stay: those that the schema requires, and those asked for.
func TestLeftOut(t *testing.T) {
	const answer = `{"id":null,"name":"","note":null,"items":[{"id":"","tag":""}],"none":[]}`
	op := twodoor.Operation{ID: "t.thing.get", Kind: twodoor.KindFunc, Effect: twodoor.Reads, Output: json.RawMessage(
		`{"type":"object","required":["id"],"properties":{"id":{},"note":{},"items":{"type":"array","items":{"type":"object","required":["tag"]}}}}`)}
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage(answer)}, nil
	})
	for want, projection := range map[string]twodoor.Projection{
		`{"id":null,"items":[{"tag":""}],"none":[]}`: {},
		`{"note":null}`:  {Fields: []string{"note"}},
		`[null,"",null]`: {JQ: "[.id,.name,.note]"},
	} {
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: projection})
		if fault != nil || string(result.Value) != want {
			t.Errorf("%+v: %s %v, want %s", projection, result.Value, fault, want)
		}
	}
}

// TestPresets holds that an operation's own cut is one that the caller can overrule.
func TestPresets(t *testing.T) {
	op := twodoor.Operation{ID: "t.thing.list", Kind: twodoor.KindFunc, Effect: twodoor.Reads,
		Answer: twodoor.Answer{Fields: []string{"id"}, Limit: 2, Root: "rows"}}
	rows := strings.TrimSuffix(strings.Repeat(`{"id":1,"size":9},`, 4), ",")
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage(`{"rows":[` + rows + `]}`)}, nil
	})
	for want, projection := range map[string]twodoor.Projection{
		`{"rows":[{"id":1},{"id":1}]}`:          {},
		`{"rows":[{"size":9}]}`:                 {Fields: []string{"size"}, Limit: 1},
		`2`:                                     {JQ: ".rows|length"},
		`{"rows":[{"id":1},{"id":1},{"id":1}]}`: {Limit: 3},
	} {
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: projection})
		if fault != nil || string(result.Value) != want {
			t.Errorf("%+v: %s %v, want %s", projection, result.Value, fault, want)
		}
	}
}

// TestNothingIsCalledForAnAnswerThatCannotBeCut holds that a wrong program is told before the call.
func TestNothingIsCalledForAnAnswerThatCannotBeCut(t *testing.T) {
	called := false
	op := twodoor.Operation{ID: "t.thing.make", Kind: twodoor.KindFunc, Effect: twodoor.Writes}
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) { called = true; return nil, nil })
	for _, program := range []string{".items[", "nope(1)", "input"} {
		_, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: twodoor.Projection{JQ: program}})
		if fault == nil || fault.Code != twodoor.CodeInvalid || called {
			t.Errorf("%s: %v, called %v", program, fault, called)
		}
	}
}

// TestFieldsAreCheckedBeforeTheCall holds that nothing is called for fields that its answer cannot have.
func TestFieldsAreCheckedBeforeTheCall(t *testing.T) {
	called := 0
	op := twodoor.Operation{ID: "lab.case.close", Kind: twodoor.KindFunc, Effect: twodoor.Writes,
		Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"owner":{"type":"object","properties":{"name":{"type":"string"}}}}}`)}
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
		called++
		return &twodoor.Value{JSON: json.RawMessage(`{"id":1,"owner":{"name":"Ada"}}`)}, nil
	})
	for fields, want := range map[string]string{
		"id,owner{name}": `{"id":1,"owner":{"name":"Ada"}}`, "owner.name": `{"owner":{"name":"Ada"}}`, "keys": `["id","owner","owner.name"]`,
	} {
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Door: twodoor.DoorMCP, Projection: twodoor.Projection{Fields: []string{fields}}})
		if fault != nil || string(result.Value) != want {
			t.Errorf("%s: %v, want %s", fields, fault, want)
		}
	}
	called = 0
	for fields, near := range map[string]string{"idd": "id", "owner{nam}": "owner.name", "owner{name": "braces"} {
		_, fault := do(t, engine, twodoor.Call{Operation: op.ID, Door: twodoor.DoorMCP, Projection: twodoor.Projection{Fields: []string{fields}}})
		if fault == nil || fault.Code != twodoor.CodeInvalid || called != 0 || near != "braces" && !strings.Contains(fault.Message, near+"?") {
			t.Errorf("%s: %v after %d calls, want it refused with %s", fields, fault, called, near)
		}
	}
}
