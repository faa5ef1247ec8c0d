package twodoor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/twodoortest"
)

// account is an observer that wants to know of changes before they are made.
type account struct {
	seen
	told   []string
	intent error
}

func (a *account) Intend(_ context.Context, e twodoor.Event) error {
	a.told = append(a.told, fmt.Sprint(e.Operation, " ", e.Effect, string(e.Arguments)))
	return a.intent
}

// TestIntend holds that a change is told of before it is made, after the steps before it, and is not
// made where the account of it cannot be kept. Reading is no change, nor is looking at what would be.
func TestIntend(t *testing.T) {
	books := &account{}
	far := &lab{}
	engine := far.engine(t, func(id string, op *twodoor.Operation) {
		if hydrating(id, op); id == "log.read" {
			op.Effect = twodoor.Destroys
		}
	})
	engine.Observer = twodoor.Observers{&seen{}, books}
	call := twodoor.Call{Operation: "lab.log.read", Arguments: json.RawMessage(`{"id":"log_1"}`)}
	if _, fault := do(t, engine, call); fault != nil || strings.Join(books.told, "|") != `lab.log.read destroys{"id":"log_1"}` || len(far.made) != 3 {
		t.Errorf("%v: told %q, made %q", fault, books.told, far.made)
	}
	books.intent = &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the books are full"}
	_, fault := do(t, engine, call)
	if fault == nil || fault.Code != twodoor.CodeUnavailable || far.made[len(far.made)-1] != `log.get{"id":"log_1"}` {
		t.Errorf("%v, and made %q", fault, far.made)
	}
	if last := books.events[len(books.events)-1]; last.Code != twodoor.CodeUnavailable || last.CallID == "" {
		t.Errorf("the refusal is told as %+v", last)
	}
	call.Mode, books.told = twodoor.DryRun, nil
	if _, fault := do(t, engine, call); fault == nil || len(books.told) != 0 {
		t.Errorf("%v: a dry run is told as %q", fault, books.told)
	}
}

// TestEvent holds what an event tells of a call that worked, and of one that did not.
func TestEvent(t *testing.T) {
	watch := &seen{}
	engine := twodoortest.Engine()
	engine.Observer = watch
	do(t, engine, twodoor.Call{Operation: "suite_answer_many", Arguments: json.RawMessage(`{"_want":{"limit":2}}`), Era: "1", Door: twodoor.DoorMCP})
	do(t, engine, twodoor.Call{Operation: twodoortest.Write, Arguments: json.RawMessage(`{"message":1.5,"count":"x"}`)})
	worked, failed := watch.events[0], watch.events[1]
	if worked.Operation != twodoortest.Many || worked.Effect != twodoor.Reads || worked.Era != "1" || worked.BytesOut != len(worked.Answer) ||
		worked.TokensOut == 0 || worked.BytesIn <= worked.BytesOut || worked.Upstream <= 0 || worked.Upstream > worked.Duration || worked.Saved.Fields == 0 {
		t.Errorf("worked: %+v", worked)
	}
	if failed.Effect != twodoor.Writes || failed.Answer != nil || failed.Upstream != 0 || failed.Code != twodoor.CodeInvalid {
		t.Errorf("failed: %+v", failed)
	}
}

// TestTrace holds that a call has its place in its caller's trace, and what it calls has it there.
func TestTrace(t *testing.T) {
	const parent, state = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "vendor=1"
	watch := &seen{}
	engine := twodoortest.Engine()
	engine.Observer = watch
	call := twodoor.Call{Operation: twodoortest.Relay, Arguments: json.RawMessage(`{"call":"suite.answer.echo"}`), Trace: twodoor.ParseTrace(parent, state)}
	do(t, engine, call)
	for _, e := range watch.events {
		if e.Trace.Parent() != parent || e.Trace.State != state || e.Within != e.Trace {
			t.Errorf("passed on as %+v", e.Trace)
		}
	}
	span := byte(0)
	engine.Place = func(within twodoor.Trace) twodoor.Trace {
		span++
		within.Span = [8]byte{span}
		return within
	}
	watch.events = nil
	do(t, engine, call)
	inner, outer := watch.events[0], watch.events[1]
	if outer.Within.Parent() != parent || outer.Trace.Span != [8]byte{1} || inner.Within != outer.Trace || inner.Trace.Span != [8]byte{2} {
		t.Errorf("outer %+v within %+v, inner %+v within %+v", outer.Trace, outer.Within, inner.Trace, inner.Within)
	}
}

// TestParseTrace holds the reader against W3C Trace Context, §3.2 and §4.3.
func TestParseTrace(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	good := map[string]string{
		"00-" + id + "-" + span + "-00":      "-00",
		"00-" + id + "-" + span + "-03":      "-01",
		"cc-" + id + "-" + span + "-01-more": "-01",
	}
	for text, flags := range good {
		if got := twodoor.ParseTrace(text, "").Parent(); got != "00-"+id+"-"+span+flags {
			t.Errorf("%s is passed on as %q", text, got)
		}
	}
	for _, text := range []string{
		"", "00", "ff-" + id + "-" + span + "-00", "00-" + id + "-" + span + "-00-more", "00-" + strings.ToUpper(id) + "-" + span + "-00",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-00", "00-" + id + "-" + strings.Repeat("0", 16) + "-00", "00-" + id[1:] + "-" + span + "-00",
		"00-" + id + "-" + span + "-0x", "00-" + id + "-" + span + "-0",
	} {
		if got := twodoor.ParseTrace(text, "a=b"); !got.IsZero() || got.State != "" {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
	if got := twodoor.ParseTrace("00-"+id+"-"+span+"-01", strings.Repeat("x", 2000)); got.State != "" {
		t.Error("a tracestate without bound is passed on")
	}
}

// TestObserversRefuse holds that the first refusal is the answer.
func TestObserversRefuse(t *testing.T) {
	no := errors.New("no")
	first, second := &account{intent: no}, &account{}
	if err := (twodoor.Observers{first, second}).Intend(t.Context(), twodoor.Event{}); err != no || len(second.told) != 0 {
		t.Errorf("%v, and the second was told %q", err, second.told)
	}
}
