package mcpserver

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// call answers tools/call.
func (d *Door) call(ctx context.Context, r *request) ([]byte, *fault) {
	call, f := d.decode(&r.params, r.caller)
	if f != nil {
		return nil, f
	}
	result, err := d.do(ctx, r, call)
	switch {
	case err != nil:
		return d.refuse(ctx, r, err)
	case result.Asked != nil:
		return d.inputRequired(r, result.Asked), nil
	}
	out := openReply(r.id, len(result.Value)+512)
	return append(d.appendResult(out, result, call.Profile, d.serverInfo()), '}'), nil
}

// do carries a call out, and passes on what it has to say on the way.
func (d *Door) do(ctx context.Context, r *request, call twodoor.Call) (*twodoor.Result, error) {
	told := &teller{params: &r.params, send: r.send, least: r.params.logs()}
	told.listen(&call)
	defer told.stop()
	return d.Engine.Do(ctx, call)
}

// decode makes the call that the params of a tools/call ask for. Nothing in it is checked but that
// there is a name.
func (d *Door) decode(p *params, c caller) (twodoor.Call, *fault) {
	name, ok := rawjson.String(p.name)
	if !ok || name == "" {
		return twodoor.Call{}, &fault{code: codeInvalidParams, message: "params lacks name, the tool to call"}
	}
	return p.call(c, twodoor.OfOperation, name)
}

// call makes a call of what the params name.
func (p *params) call(c caller, of twodoor.Of, name string) (twodoor.Call, *fault) {
	call := twodoor.Call{
		Of: of, Operation: name, Arguments: json.RawMessage(p.arguments), Principal: c.principal, Session: c.session, Profile: c.profile,
		Door: twodoor.DoorMCP, Era: Version, Client: p.clientName(), Trace: p.trace(c.trace), Declared: p.declared(),
	}
	return call, p.takeInput(&call)
}

// refuse tells an error of the engine: as a JSON-RPC error, as a result, as 401, or not at all.
func (d *Door) refuse(ctx context.Context, r *request, err error) ([]byte, *fault) {
	e := twodoor.AsError(err)
	switch {
	case e.Code == twodoor.CodeCanceled && ctx.Err() != nil:
		return nil, &fault{silent: true}
	case e.Code == twodoor.CodeUnauthenticated && r.web:
		return nil, &fault{denied: e}
	case e.Needs != nil && !e.Inner:
		return nil, lacking(e)
	case (e.Code.RPC() != 0 || e.Protocol) && !e.Inner:
		return nil, d.rpcFault(e)
	}
	out := openReply(r.id, 512)
	return append(d.appendError(out, e, d.serverInfo()), '}'), nil
}

// rpcFault tells an error as JSON-RPC does: what can be done about it stands in the message,
// because hosts show little else.
func (d *Door) rpcFault(err error) *fault {
	e := twodoor.AsError(err)
	code := e.Code.RPC()
	switch {
	case e.Protocol:
		code = codeInvalidParams
	case code == 0:
		code = codeInternal
	}
	text := e.Error()
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	for i, id := range e.Try {
		text += []string{"; try ", ", "}[min(i, 1)] + d.Engine.Catalog().ToolName(id)
	}
	return &fault{code: code, message: text, data: errorJSON(e)}
}

func errorJSON(e *twodoor.Error) []byte {
	raw, err := e.MarshalJSON()
	if err != nil {
		return nil
	}
	return raw
}

// errorBody is the error as HTTP bodies carry it (contracts §3).
func errorBody(e *twodoor.Error) []byte {
	return append(append([]byte(`{"error":`), errorJSON(e)...), '}')
}

// teller passes on what a running call has to say: progress where the request gave a token, log
// messages where it named a level.
type teller struct {
	params *params
	send   func([]byte)
	least  int // level of log messages

	mu      sync.Mutex
	begun   bool
	last    float64
	stopped bool
}

// listen lets the call be heard, where somebody wants to.
func (t *teller) listen(call *twodoor.Call) {
	if t.send == nil || t.params.progressToken == nil && t.params.logLevel == nil {
		return
	}
	call.Progress = t.tell
	if t.params.logLevel != nil {
		call.Log = t.note
	}
}

// note sends a log message, where it is urgent enough.
func (t *teller) note(n twodoor.Note) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped && logRank(n.Level) >= t.least {
		t.send(logNotification(n))
	}
}

// tell sends progress that goes forward only (2026-07-28, "Progress"), and its words as a log message.
func (t *teller) tell(p twodoor.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	if t.params.progressToken != nil && (!t.begun || p.Done > t.last) {
		t.begun, t.last = true, p.Done
		t.send(progressNotification(t.params.progressToken, p))
	}
	if p.Message != "" && logRank("info") >= t.least {
		t.send(logNotification(twodoor.Note{Level: "info", Data: rawjson.Quote(p.Message)}))
	}
}

// stop ends it: nothing may follow the reply.
func (t *teller) stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
}
