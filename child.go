package twodoor

import (
	"context"
	"fmt"
)

// child makes calls on behalf of a call: with its principal, its profile, and its id as parent.
type child struct {
	engine *Engine
	of     Call
	id     string
	in     *Invocation // the call, as its source sees it
}

// maxDepth bounds how deep calls may call: steps that lead back to themselves end there.
const maxDepth = 8

// Do carries the call out in the parent's name.
func (c child) Do(ctx context.Context, call Call) (*Result, error) {
	if call.depth = c.of.depth + 1; call.depth > maxDepth {
		return nil, &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s is called %d calls deep", call.Operation, maxDepth),
			Hint: "its before steps lead back to itself: mend the annotation"}
	}
	call.Principal, call.Profile, call.Session = c.of.Principal, c.of.Profile, c.of.Session
	call.Door, call.Era, call.Client, call.Parent = c.of.Door, c.of.Era, c.of.Client, c.id
	call.Trace = TraceOf(ctx)
	if c.in != nil && c.in.ask != nil {
		call.Declared, call.Asker = c.in.Declared, c.ask
	}
	result, err := c.engine.Do(ctx, call)
	if err != nil {
		fault := *AsError(err)
		fault.Inner = true
		return nil, &fault
	}
	return result, nil
}

// ask puts the questions of a child to the caller of the parent, who waits with it.
func (c child) ask(ctx context.Context, questions []Question) (Answers, error) {
	return c.in.ask(ctx, Round{}, questions)
}

// Catalog is the one that the call was found in, or a later one.
func (c child) Catalog() *Catalog { return c.engine.Catalog() }

// Shows reports whether the call's principal could call an operation at the call's door.
func (c child) Shows(entry Entry) bool {
	return c.engine.Profile(c.of.Profile).Shows(entry, c.of.Principal, c.of.Door)
}
