package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver/legacy"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// core answers the legacy revisions from the same lists and the same path as the modern one.
type core struct{ door *Door }

// List is the result of one of the methods that list.
func (c core) List(ctx context.Context, by legacy.Caller, method, cursor string) (json.RawMessage, *legacy.Fault) {
	var at []byte
	if cursor != "" {
		at = rawjson.Quote(cursor)
	}
	who := caller{principal: by.Principal, profile: by.Profile, expose: by.Expose}
	var items []byte
	var next string
	var f *fault
	key := "tools"
	if method == "tools/list" {
		items, next, _, f = c.door.page(who, at)
	} else {
		key = offers[method]
		items, next, f = c.door.offers(ctx, who, method, at)
	}
	if f != nil {
		return nil, f.legacy()
	}
	var result rawjson.Object
	result.Put(key, items)
	if next != "" {
		result.PutString("nextCursor", next)
	}
	return result.Bytes(), nil
}

// Do carries out a call: its result is that of tools/call, resources/read, prompts/get or
// completion/complete.
func (c core) Do(ctx context.Context, by legacy.Caller, call twodoor.Call) (json.RawMessage, *legacy.Fault) {
	result, err := c.door.Engine.Do(ctx, asked(by, call))
	switch {
	case err != nil && call.Of == twodoor.OfOperation:
		return c.refuse(twodoor.AsError(err))
	case err != nil:
		return nil, c.door.thingFault(twodoor.AsError(err), call.Of, call.Operation).missing(call.Of, err)
	case call.Of == twodoor.OfOperation:
		return c.door.appendResult(nil, result, by.Profile, nil), nil
	case call.Completing != nil:
		return append(append([]byte(`{"completion":`), result.Value...), '}'), nil
	case call.Of == twodoor.OfPrompt:
		return c.door.appendPrompt(nil, result, nil), nil
	case result.Raw != nil:
		return appendRaw(nil, result.Raw, nil), nil
	}
	return append(appendContents([]byte("{"), result), '}'), nil
}

// refuse tells the fault of a tool call.
func (c core) refuse(e *twodoor.Error) (json.RawMessage, *legacy.Fault) {
	if (e.Code.RPC() != 0 || e.Protocol) && !e.Inner {
		return nil, c.door.rpcFault(e).legacy()
	}
	return c.door.appendError(nil, e, nil), nil
}

// Watch tells of changes of a resource until the context ends.
func (c core) Watch(ctx context.Context, by legacy.Caller, uri string, changed func()) *legacy.Fault {
	call := twodoor.Call{Of: twodoor.OfResource, Operation: uri}
	if err := c.door.Engine.Watch(ctx, asked(by, call), changed); err != nil {
		return c.door.thingFault(twodoor.AsError(err), call.Of, uri).missing(call.Of, err)
	}
	return nil
}

// asked fills in who makes a call.
func asked(by legacy.Caller, call twodoor.Call) twodoor.Call {
	call.Principal, call.Profile, call.Session = by.Principal, by.Profile, by.Session
	call.Door, call.Era, call.Client, call.Trace = twodoor.DoorMCP, by.Era, by.Client, by.Trace
	return call
}

// codeNotFound is that of a resource, before 2026-07-28.
const codeNotFound = -32002

// missing gives the fault of a resource that is not there the code of these revisions.
func (f *fault) missing(of twodoor.Of, err error) *legacy.Fault {
	code := twodoor.AsError(err).Code
	if of == twodoor.OfResource && (code == twodoor.CodeUnknown || code == twodoor.CodeNotFound) {
		f.code = codeNotFound
	}
	return f.legacy()
}

func (f *fault) legacy() *legacy.Fault {
	return &legacy.Fault{Code: f.code, Message: f.message, Data: f.data}
}
