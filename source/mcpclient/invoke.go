package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// Invoker calls the tools that Source reads.
type Invoker struct {
	Pool *Pool // required
	// PromptName spells a server's prompt; nil: as tools are spelled, without a prefix.
	PromptName func(source, name string) string
}

// Invoke makes one call and opens its result: see [Open].
func (v *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	result, err := v.Result(ctx, in)
	if err != nil {
		return nil, err
	}
	return ValueOf(in.Operation.Source(), result)
}

// ValueOf opens a CallToolResult of a source and keeps it whole beside the value: see [Open].
func ValueOf(source string, result json.RawMessage) (*twodoor.Value, error) {
	result = readdress(result, source)
	value, err := Open(result)
	if fault := twodoor.AsError(err); fault != nil {
		fault.Upstream.Raw = result
		if needs, ok := rawjson.GetPath(result, "_meta", "twodoor/error", "needs"); ok { // another twodoor's words
			fault.Code, fault.Needs = twodoor.CodeDenied, needs
		}
		return nil, fault
	}
	value.Raw = result
	return value, nil
}

// Preview shows the request that a call would be, without asking anybody.
func (v *Invoker) Preview(_ context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	name := field(defined(in.Operation), "name")
	if name == "" {
		return nil, fmt.Errorf("the plan of %s names no tool", in.Operation.ID)
	}
	var params, request rawjson.Object
	params.PutString("name", name)
	params.Put("arguments", in.Arguments)
	request.PutString("jsonrpc", "2.0")
	request.PutString("method", "tools/call")
	request.Put("params", params.Bytes())
	return &twodoor.Preview{Text: "to the MCP server " + in.Operation.Source() + ": " + string(request.Bytes()), Detail: request.Bytes()}, nil
}

// Result makes one call and returns the CallToolResult as the server wrote it, isError and unknown
// fields included. What the server asks on the way is put to the caller.
func (v *Invoker) Result(ctx context.Context, in *twodoor.Invocation) (json.RawMessage, error) {
	defined := defined(in.Operation)
	name := field(defined, "name")
	if name == "" {
		return nil, fmt.Errorf("the plan of %s names no tool", in.Operation.ID)
	}
	var params rawjson.Object
	params.PutString("name", name)
	params.Put("arguments", in.Arguments)
	return v.converse(ctx, &farCall{in: in, method: "tools/call", name: name, params: params.Bytes(), defined: defined})
}

// once makes a call over the connection of a key, and once more where it was certainly not carried out.
func (v *Invoker) once(ctx context.Context, k key, call farCall) (json.RawMessage, error) {
	for first := true; ; first = false {
		s, c, err := v.Pool.acquire(ctx, k)
		if err != nil {
			return nil, err
		}
		call.slot, call.conn = s, c
		reply, err := call.send(ctx)
		how, fault := s.weigh(ctx, reply, err)
		s.release(c, how, twodoor.AsError(fault))
		switch {
		case how == stale && first && untouched(reply, err):
			continue
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			s.suspect(c)
		}
		if fault != nil {
			return nil, fault
		}
		return s.complete(reply)
	}
}

// weigh says what an exchange tells of the connection, and the fault where there is one.
func (s *slot) weigh(ctx context.Context, reply *wire.Reply, err error) (outcome, error) {
	if ctx.Err() != nil && err != nil {
		return indifferent, s.interrupted(ctx)
	}
	if refusal, ok := errors.AsType[*wire.Fault](err); ok { // of a greeting or a list
		reply, err = &wire.Reply{Fault: refusal}, nil
		if refusal.Code != wire.CodeInvalidParams {
			s.pool.remember(s.key.source, unknownEra)
			return stale, s.refusal(refusal, 0)
		}
	}
	if err == nil && (reply == nil || reply.Fault == nil) {
		return worked, nil
	}
	if err == nil {
		if reply.Fault.Code == wire.CodeUnsupportedVersion {
			s.pool.remember(s.key.source, unknownEra)
			return stale, s.refusal(reply.Fault, reply.Status)
		}
		return worked, s.refusal(reply.Fault, reply.Status)
	}
	return s.damage(err), s.broken(ctx, err)
}

// damage is what a call without an answer says of its connection.
func (s *slot) damage(err error) outcome {
	status, ok := errors.AsType[*wire.StatusError](err)
	_, told := errors.AsType[*twodoor.Error](err)
	switch {
	case told, errors.Is(err, wire.ErrTooLarge), errors.Is(err, wire.ErrNonsense), errors.Is(err, wire.ErrNoAnswer):
		return indifferent
	case !ok:
		return broke
	}
	switch status.Status {
	case http.StatusUnauthorized:
		return refused
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		s.pool.remember(s.key.source, unknownEra)
		return stale
	}
	return indifferent
}

// untouched reports whether a call was certainly not carried out.
func untouched(reply *wire.Reply, err error) bool {
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		return status.Lost || status.Status != http.StatusBadRequest
	}
	_, greeting := errors.AsType[*wire.Fault](err)
	return greeting || reply != nil && reply.Fault != nil
}

// farCall is one call of a tool, or one reading of a resource or a prompt.
type farCall struct {
	in      *twodoor.Invocation
	method  string
	name    string          // what headers repeat: the tool, the resource, the prompt
	params  json.RawMessage // an object
	defined json.RawMessage // of a tool

	slot    *slot
	conn    *conn
	asked   *questions      // on the way, by a legacy server
	answers twodoor.Answers // to what the server asked in the round before
	state   json.RawMessage // its requestState, as it came; nil: none
}

// send makes the call. A server that sees other headers in the arguments than we do has changed its
// tools: they are listed again and the call, which it refused, is made once more.
func (t *farCall) send(ctx context.Context) (*wire.Reply, error) {
	request, err := t.request(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := t.conn.call(ctx, request)
	if err != nil || reply.Fault == nil || reply.Fault.Code != wire.CodeHeaderMismatch {
		return reply, err
	}
	if err := t.slot.relist(ctx, t.conn); err != nil {
		return reply, nil
	}
	t.slot.changed()
	if request, err = t.request(ctx); err != nil {
		return nil, err
	}
	return t.conn.call(ctx, request)
}

func (t *farCall) request(ctx context.Context) (wire.Request, error) {
	r := wire.Request{Method: t.method, Params: t.dressed(ctx), Name: t.name, Owner: t.in.Principal.Subject + "\x00" + t.in.Session}
	if tell := t.in.Progress; tell != nil {
		r.Progress = func(params json.RawMessage) { tell(readProgress(params)) }
	}
	r.Message = t.message
	if !t.conn.modern() {
		r.Answer = t.asked.answer
		t.conn.wantLogs(ctx, t.in)
	}
	if t.conn.web == nil || !t.conn.modern() || t.method != "tools/call" {
		return r, nil
	}
	mirrors, err := t.mirrors()
	if err == nil {
		r.Header, err = wire.MirrorHeaders(mirrors, t.in.Arguments)
	}
	if err != nil {
		return r, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "an argument cannot be sent: " + err.Error(), Cause: err}
	}
	return r, nil
}

// traceMeta tells a server the place that it is called from (W3C Trace Context, unprefixed by SEP-414).
func traceMeta(place twodoor.Trace) []byte {
	var meta rawjson.Object
	meta.PutString("traceparent", place.Parent())
	if place.State != "" {
		meta.PutString("tracestate", place.State)
	}
	return meta.Bytes()
}

// mirrors are those of the tool as it was listed last, or as the catalog knows it.
func (t *farCall) mirrors() ([]wire.Mirror, error) {
	if listed := t.conn.tool(t.name); listed != nil {
		return listed.mirrors, nil
	}
	schema, _ := rawjson.Get(t.defined, "inputSchema")
	return wire.Mirrors(schema)
}

func readProgress(params json.RawMessage) twodoor.Progress {
	number := func(key string) float64 {
		raw, _ := rawjson.Get(params, key)
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return 0
		}
		return n
	}
	return twodoor.Progress{Done: number("progress"), Total: number("total"), Message: field(params, "message")}
}

// complete is the result of a reply that is one, or that asks. Servers that make a task of a call are
// not offered to.
func (s *slot) complete(reply *wire.Reply) (json.RawMessage, error) {
	if reply.Fault != nil {
		return nil, s.refusal(reply.Fault, reply.Status)
	}
	kind, told := rawjson.Get(reply.Result, "resultType")
	if text, _ := rawjson.String(kind); told && text != "complete" && text != inputRequired {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: fmt.Sprintf("%s answered with a result of type %s, which was not offered", s.key.source, kind),
			Hint: "report it to who wrote the server: only what is offered may be answered"}
	}
	if rawjson.KindOf(reply.Result) != rawjson.KindObject {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: s.key.source + " answered with a result that is no object"}
	}
	return reply.Result, nil
}
