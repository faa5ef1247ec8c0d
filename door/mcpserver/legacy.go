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

// List is a ListToolsResult.
func (c core) List(by legacy.Caller, cursor string) (json.RawMessage, *legacy.Fault) {
	var at []byte
	if cursor != "" {
		at = rawjson.Quote(cursor)
	}
	tools, next, _, f := c.door.page(caller{principal: by.Principal, profile: by.Profile, expose: by.Expose}, at)
	if f != nil {
		return nil, f.legacy()
	}
	var result rawjson.Object
	result.Put("tools", tools)
	if next != "" {
		result.PutString("nextCursor", next)
	}
	return result.Bytes(), nil
}

// Call is a CallToolResult.
func (c core) Call(ctx context.Context, by legacy.Caller, tool string, arguments json.RawMessage, progress func(twodoor.Progress)) (json.RawMessage, *legacy.Fault) {
	result, err := c.door.Engine.Do(ctx, twodoor.Call{
		Operation: tool, Arguments: arguments, Principal: by.Principal, Session: by.Session, Profile: by.Profile,
		Door: twodoor.DoorMCP, Era: by.Era, Client: by.Client, Trace: by.Trace, Progress: progress,
	})
	if err == nil {
		return c.door.appendResult(nil, result, by.Profile, nil), nil
	}
	e := twodoor.AsError(err)
	if e.Code.RPC() != 0 && !e.Inner {
		return nil, c.door.rpcFault(e).legacy()
	}
	return c.door.appendError(nil, e, nil), nil
}

func (f *fault) legacy() *legacy.Fault {
	return &legacy.Fault{Code: f.code, Message: f.message, Data: f.data}
}
