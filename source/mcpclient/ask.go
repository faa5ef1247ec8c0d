package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// inputRequired is the type of a result that asks (2026-07-28, "Multi Round-Trip Requests").
const inputRequired = "input_required"

// maxRounds bounds how often a server may ask in one call.
const maxRounds = 20

// converse makes a call to its end: what a modern server asks in a result is put to the caller, and the
// call made again with the answers. Who cannot be asked while the call runs comes back with them, and
// with the server's own state, in another invocation.
func (v *Invoker) converse(ctx context.Context, call *farCall) (json.RawMessage, error) {
	in := call.in
	k, err := v.Pool.keyOf(in)
	if err != nil {
		return nil, err
	}
	call.answers, call.state = in.Answers, in.State
	for range maxRounds {
		result, err := v.once(ctx, k, *call)
		if err != nil {
			return nil, err
		}
		round, asks := roundOf(result)
		if !asks {
			return result, nil
		}
		in.Answers = nil // they were given, and this is asked all the same
		if call.answers, err = in.Ask(ctx, round); err != nil {
			return nil, err
		}
		call.state = round.State
	}
	return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: fmt.Sprintf("%s asked more than %d times in one call", k.source, maxRounds)}
}

// roundOf is what a result asks. Its state is the server's, as it came; null where it has none.
func roundOf(result json.RawMessage) (round twodoor.Round, asks bool) {
	if field(result, "resultType") != inputRequired {
		return round, false
	}
	requests, _ := rawjson.Get(result, "inputRequests")
	for key, request := range rawjson.Members(requests) {
		params, _ := rawjson.Get(request, "params")
		round.Questions = append(round.Questions, twodoor.Question{Key: key, Method: field(request, "method"), Params: params})
	}
	round.State = []byte("null")
	if state, ok := rawjson.Get(result, "requestState"); ok {
		round.State = state
	}
	return round, true
}

// dressed are the params with what the revision wants to know: the place in a trace, and in the modern
// era what the caller can be asked and what it has answered.
func (t *farCall) dressed(ctx context.Context) json.RawMessage {
	params := t.params
	if place := twodoor.TraceOf(ctx); !place.IsZero() {
		params = rawjson.Set(params, "_meta", traceMeta(place))
	}
	if !t.conn.modern() {
		return params
	}
	meta, _ := rawjson.Get(params, "_meta")
	if askable := askable(t.in.Declared); askable != nil {
		meta = rawjson.Set(meta, metaCapabilities, askable)
	}
	if t.in.Log != nil {
		meta = rawjson.Set(meta, metaLogLevel, []byte(`"`+logLevel+`"`))
	}
	if len(meta) > 0 {
		params = rawjson.Set(params, "_meta", meta)
	}
	if len(t.answers) > 0 {
		var answers rawjson.Object
		for key, answer := range t.answers {
			answers.Put(key, answer)
		}
		params = rawjson.Set(params, "inputResponses", answers.Bytes())
	}
	if t.state != nil && string(t.state) != "null" {
		params = rawjson.Set(params, "requestState", t.state)
	}
	return params
}

// askable is what a caller can be asked, of the capabilities that it declared; nil: nothing.
func askable(declared json.RawMessage) json.RawMessage {
	var o rawjson.Object
	for _, kind := range [...]string{"elicitation", "sampling", "roots"} {
		if settings, ok := rawjson.Get(declared, kind); ok {
			o.Put(kind, settings)
		}
	}
	if o.Empty() {
		return nil
	}
	return o.Bytes()
}

// codeDeclined is what a client answers whose user does not want to (2025-11-25, "Sampling").
const codeDeclined = -1

// answerer puts what a legacy server asks in the middle of the call to the caller.
func (t *farCall) answerer(ctx context.Context) func(context.Context, string, json.RawMessage) (json.RawMessage, *wire.Fault) {
	var asked atomic.Int64
	return func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, *wire.Fault) {
		key := "q" + strconv.FormatInt(asked.Add(1), 10)
		answers, err := t.in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{{Key: key, Method: method, Params: params}}})
		if err != nil {
			return nil, &wire.Fault{Code: codeDeclined, Message: twodoor.AsError(err).Error()}
		}
		return answers[key], nil
	}
}

const (
	metaLogLevel = "io.modelcontextprotocol/logLevel"
	logLevel     = "info" // of what is asked for; the door of the caller keeps back what it does not want
)

// message passes a log message on.
func (t *farCall) message(params json.RawMessage) {
	if t.in.Log == nil {
		return
	}
	data, _ := rawjson.Get(params, "data")
	t.in.Log(twodoor.Note{Level: field(params, "level"), Logger: field(params, "logger"), Data: data})
}

// wantLogs tells a legacy server, once for the connection, that log messages are wanted.
func (c *conn) wantLogs(ctx context.Context, in *twodoor.Invocation) {
	if _, logs := c.offers("logging"); !logs || in.Log == nil {
		return
	}
	c.logs.Do(func() {
		_, _ = c.call(ctx, wire.Request{Method: "logging/setLevel", Params: []byte(`{"level":"` + logLevel + `"}`)}) // a call works without
	})
}
