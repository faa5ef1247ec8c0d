package twodoor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// maxSuggestions bounds how many next calls an answer names.
const maxSuggestions = 3

// Bounds of a pre-step that polls and does not say its own.
const (
	pollEvery  = time.Second
	pollAtMost = 30 * time.Second
)

// prepare makes the calls that an operation wants made before it, each as a child of this one.
func (e *Engine) prepare(ctx context.Context, in *Invocation) error {
	for _, step := range in.Operation.Before {
		call, err := e.callOf(ctx, in.Operation, step, in.Arguments)
		if err == nil {
			err = poll(ctx, in.Caller, call, step)
		}
		if err != nil {
			fault := *AsError(err)
			fault.Message = fmt.Sprintf("%s is called before %s, and it failed: %s", call.Operation, in.Operation.ID, fault.Message)
			return &fault
		}
	}
	return nil
}

// poll makes the call, again and again where the step waits for something to come true.
func poll(ctx context.Context, caller Caller, call Call, step Step) error {
	every, atMost := duration(step.Every, pollEvery), duration(step.AtMost, pollAtMost)
	deadline := time.Now().Add(atMost)
	for {
		result, err := caller.Do(ctx, call)
		if err != nil {
			return err
		}
		if step.Until == "" || shape.Program(step.Until).Holds(ctx, result.Value) {
			return nil
		}
		if time.Now().Add(every).After(deadline) {
			return &Error{
				Code:    CodeTimeout,
				Message: fmt.Sprintf("after %s it was still not true that %s", atMost, step.Until),
				Hint:    "it may come true later: call again",
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
		every += every / 2
	}
}

func duration(text string, unset time.Duration) time.Duration {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d
	}
	return unset
}

// callOf is the call that a step asks for, its arguments taken from a value. An argument that is
// not there is left out.
func (e *Engine) callOf(ctx context.Context, op *Operation, step Step, from json.RawMessage) (Call, error) {
	call := Call{Operation: e.stepTarget(op, step.Call), plain: true}
	var args rawjson.Object
	for _, name := range slices.Sorted(maps.Keys(step.Arguments)) {
		value, err := shape.Program(step.Arguments[name]).Run(ctx, from)
		if err != nil {
			return call, fmt.Errorf("argument %s of %s: %w", name, call.Operation, err)
		}
		if rawjson.KindOf(value) != rawjson.KindNull {
			args.Put(name, value)
		}
	}
	call.Arguments = args.Bytes()
	return call, nil
}

// stepTarget is the id that a step means: group.verb is of the same source.
func (e *Engine) stepTarget(op *Operation, name string) string {
	if strings.Count(name, ".") == 1 {
		return op.Source() + "." + name
	}
	return name
}

// suggest fills in the calls that may follow an answer. A hint that cannot be filled in, or that
// leads to what this caller is not shown, is left out: it must never fail the call.
func (e *Engine) suggest(ctx context.Context, call Call, op *Operation, answer json.RawMessage) []Suggestion {
	var next []Suggestion
	for _, step := range op.Next {
		if step.On == 0 && len(next) < maxSuggestions {
			next = e.follow(ctx, call, op, step, answer, next)
		}
	}
	return next
}

// follow adds the call that a step suggests, where it can be filled in and this caller may make it.
func (e *Engine) follow(ctx context.Context, call Call, op *Operation, step Step, from json.RawMessage, next []Suggestion) []Suggestion {
	if step.When != "" && !shape.Program(step.When).Holds(ctx, from) {
		return next
	}
	follow, err := e.callOf(ctx, op, step, from)
	if err != nil || rawjson.Len(follow.Arguments) < len(step.Arguments) || !e.shows(call, follow.Operation) {
		return next
	}
	return append(next, Suggestion{Call: follow.Operation, Arguments: follow.Arguments, Why: step.Why})
}

// readGuides is twodoor's own operation that reads guides.
const readGuides = OwnSource + ".read-guides"

// wayOut adds to a fault of the caller's making what leads out of it: the steps that the operation
// names for this code, and its guide.
func (e *Engine) wayOut(ctx context.Context, call Call, op *Operation, args json.RawMessage, err error) error {
	fault := AsError(err)
	if fault.Code != CodeInvalid && fault.Code != CodeConflict && fault.Code != CodeNotFound {
		return err
	}
	told := *fault
	told.Next = slices.Clone(fault.Next)
	raw, _ := fault.MarshalJSON() // it is made of texts and valid JSON
	from := rawjson.Set(rawjson.Set([]byte(`{}`), "arguments", args), "error", raw)
	for _, step := range op.Next {
		if step.On == fault.Code && len(told.Next) < maxSuggestions {
			told.Next = e.follow(ctx, call, op, step, from, told.Next)
		}
	}
	told.Next = told.Next[:min(len(told.Next), maxSuggestions-1)]
	isGuide := func(s Suggestion) bool { return s.Call == readGuides }
	if len(op.Guides) > 0 && !slices.ContainsFunc(told.Next, isGuide) && e.shows(call, readGuides) {
		guide := rawjson.Set([]byte(`{}`), "names", fmt.Appendf(nil, "[%s]", rawjson.Quote(op.Guides[0])))
		told.Next = append(told.Next, Suggestion{Call: readGuides, Arguments: guide, Why: "the guide to this"})
	}
	return &told
}

// shows reports whether the caller could make a call of this id.
func (e *Engine) shows(call Call, id string) bool {
	op, _, err := e.Catalog().Find(id)
	return err == nil && op != nil && e.Profile(call.Profile).Shows(EntryOf(op), call.Principal, call.Door)
}
