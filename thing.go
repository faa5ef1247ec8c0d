package twodoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Of says what the name in a Call is the name of.
type Of uint8

// What can be called.
const (
	OfOperation Of = iota
	OfResource     // by its address: it is read
	OfPrompt       // by its MCP spelling: it is filled in
)

// String is the word for it.
func (o Of) String() string { return [...]string{"operation", "resource", "prompt"}[o] }

// Resources lists what the call's principal may read in its profile, at its door. A source that fails
// takes its own resources from the list; where all fail, the error is theirs.
func (e *Engine) Resources(ctx context.Context, call Call) ([]Resource, error) {
	return offers(e, call, func(i Invoker) ([]Resource, error) {
		if library, ok := as[Library](i); ok {
			return library.Resources(ctx, call.Principal)
		}
		return nil, errNone
	}, (*Resource).operation)
}

// Prompts lists the prompts likewise.
func (e *Engine) Prompts(ctx context.Context, call Call) ([]Prompt, error) {
	return offers(e, call, func(i Invoker) ([]Prompt, error) {
		if prompter, ok := as[Prompter](i); ok {
			return prompter.Prompts(ctx, call.Principal)
		}
		return nil, errNone
	}, (*Prompt).operation)
}

// as finds what an Invoker also is, through those that are put around it: they have an Unwrap.
func as[T any](invoker Invoker) (found T, ok bool) {
	for invoker != nil {
		if found, ok = invoker.(T); ok {
			return found, true
		}
		around, wraps := invoker.(interface{ Unwrap() Invoker })
		if !wraps {
			break
		}
		invoker = around.Unwrap()
	}
	return found, false
}

// errNone is that a source has nothing of the kind.
var errNone = errors.New("none")

// offers gathers what the sources have, as the profile shows it.
func offers[T any](e *Engine, call Call, list func(Invoker) ([]T, error), as func(*T) *Operation) ([]T, error) {
	profile := e.Profile(call.Profile)
	if profile == nil {
		return nil, e.noProfile(call.Profile)
	}
	var all []T
	var faults []error
	answered := false
	for _, kind := range e.kinds() {
		some, err := list(e.invoker(kind))
		switch {
		case err == nil:
			answered = true
		case !errors.Is(err, errNone):
			faults = append(faults, err)
		}
		for i := range some {
			if profile.Shows(EntryOf(as(&some[i])), call.Principal, call.Door) {
				all = append(all, some[i])
			}
		}
	}
	if !answered {
		return nil, errors.Join(faults...)
	}
	return all, nil
}

// kinds lists the kinds of sources, sorted.
func (e *Engine) kinds() []string {
	if p := e.parts.Load(); p != nil {
		return slices.Sorted(maps.Keys(p.invokers))
	}
	return slices.Sorted(maps.Keys(e.Invokers))
}

// operation is a resource as the steps of a call see it: something that is only read.
func (r *Resource) operation() *Operation {
	return &Operation{ID: r.ID, Effect: Reads, Permission: r.Permission, Title: r.Title, Origin: r.URI + r.Template, Verbatim: true}
}

func (p *Prompt) operation() *Operation {
	return &Operation{ID: p.ID, Effect: Reads, Permission: p.Permission, Title: p.Title, Description: p.Description, Origin: p.Name, Verbatim: true}
}

// findThing finds the resource or the prompt that a call names.
func (e *Engine) findThing(ctx context.Context, call *Call, profile *Profile) (*Operation, error) {
	var faults []error
	for _, kind := range e.kinds() {
		op, err := call.in(ctx, e.invoker(kind))
		if err != nil {
			faults = append(faults, err)
		}
		if op == nil || !profile.Includes(op.ID) {
			continue
		}
		op.Kind = kind
		call.found = op
		return op, nil
	}
	if len(faults) > 0 { // it may be there
		return nil, errors.Join(faults...)
	}
	return nil, &Error{Code: CodeUnknown, Message: fmt.Sprintf("there is no %s %q here", call.Of, call.Operation), Hint: "list what there is"}
}

// in finds what a call names in one source.
func (call *Call) in(ctx context.Context, invoker Invoker) (*Operation, error) {
	if library, ok := as[Library](invoker); ok && call.Of == OfResource {
		found, err := library.Resource(ctx, call.Principal, call.Operation)
		if found == nil {
			return nil, err
		}
		return found.operation(), err
	}
	prompter, ok := as[Prompter](invoker)
	if call.Of != OfPrompt || !ok {
		return nil, nil
	}
	prompts, err := prompter.Prompts(ctx, call.Principal)
	for i := range prompts {
		if prompts[i].Name == call.Operation {
			call.prompt = &prompts[i]
			return prompts[i].operation(), nil
		}
	}
	return nil, err
}

// bindThing checks that the arguments are texts, and that none is missing.
func (call *Call) bindThing() (json.RawMessage, error) {
	var problems []Problem
	for name, value := range rawjson.Members(call.Arguments) {
		if rawjson.KindOf(value) != rawjson.KindString {
			problems = append(problems, Problem{Path: name, Problem: "is not a text"})
		}
	}
	if call.prompt != nil && call.Completing == nil {
		for _, argument := range call.prompt.Arguments {
			if _, ok := rawjson.Get(call.Arguments, argument.Name); argument.Required && !ok {
				problems = append(problems, Problem{Path: argument.Name, Problem: "is missing"})
			}
		}
	}
	if problems != nil {
		return nil, &Error{Code: CodeInvalid, Message: "the arguments of " + call.Operation + " do not fit", Fields: problems, Protocol: true}
	}
	return call.Arguments, nil
}

// take asks a source for a resource or a prompt, or for proposals.
func (call *Call) take(ctx context.Context, invoker Invoker, in *Invocation) (*Value, error) {
	if call.Completing != nil {
		return complete(ctx, invoker, in)
	}
	var value *Value
	var err error
	if call.Of == OfPrompt {
		prompter, _ := as[Prompter](invoker)
		value, err = prompter.Prompt(ctx, in)
	} else {
		library, _ := as[Library](invoker)
		value, err = library.ReadResource(ctx, in)
	}
	if err == nil && value == nil {
		value = &Value{}
	}
	return value, err
}

// maxCompletions bounds the proposals of one answer (2026-07-28, "Completion").
const maxCompletions = 100

func complete(ctx context.Context, invoker Invoker, in *Invocation) (*Value, error) {
	found := Completions{}
	if completer, ok := as[Completer](invoker); ok {
		var err error
		if found, err = completer.Complete(ctx, in); err != nil {
			return nil, err
		}
	}
	if len(found.Values) > maxCompletions {
		found.Values, found.More = found.Values[:maxCompletions], true
	}
	found.Values = append([]string{}, found.Values...)
	raw, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("encode the completions: %w", err)
	}
	return &Value{JSON: raw}, nil
}

// Watch tells of each change of a resource until the context ends. Who may read it may watch it.
func (e *Engine) Watch(ctx context.Context, call Call, changed func()) error {
	call.Of = OfResource
	op, err := e.find(ctx, &call)
	if err != nil {
		return err
	}
	if ctx, err = e.admit(ctx, call, op); err != nil {
		return err
	}
	watcher, ok := as[Watcher](e.invoker(op.Kind))
	if !ok {
		return nil // it never changes, as far as anybody tells
	}
	return watcher.Watch(ctx, e.invocation(ctx, call, op, nil), changed)
}
