package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

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
	call.asked = &questions{ask: in.Ask, ctx: ctx}
	for range maxRounds {
		result, err := v.once(ctx, k, *call)
		if err = call.asked.refused(result, err); err != nil {
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

// together is for how long questions of a legacy server are gathered: those that it asks at once are put
// to the caller at once.
const together = 10 * time.Millisecond

// questions are what a legacy server asks in the middle of a call.
type questions struct {
	ask func(context.Context, twodoor.Round) (twodoor.Answers, error)
	ctx context.Context // of the call

	mu      sync.Mutex
	asked   int
	open    *gathering
	lacking *twodoor.Error // that the caller could not be asked something
}

// gathering is a round that is being gathered.
type gathering struct {
	round   twodoor.Round
	answers twodoor.Answers
	err     error
	done    chan struct{}
}

// answer puts a question to the caller and waits for its answer.
func (q *questions) answer(_ context.Context, method string, params json.RawMessage) (json.RawMessage, *wire.Fault) {
	question := twodoor.Question{Method: method, Params: params}
	if meta, ok := rawjson.Get(params, "_meta"); ok {
		question.Key = field(meta, keyMeta)
	}
	g := q.gather(&question)
	<-g.done
	if g.err != nil {
		fault := twodoor.AsError(g.err)
		if fault.Needs != nil {
			q.mu.Lock()
			q.lacking = fault
			q.mu.Unlock()
		}
		return nil, &wire.Fault{Code: codeDeclined, Message: fault.Error()}
	}
	return g.answers[question.Key], nil
}

// keyMeta is where a server that is a twodoor too tells what it calls a question.
const keyMeta = "twodoor/key"

// gather adds a question to the round that is being gathered, or begins one.
func (q *questions) gather(question *twodoor.Question) *gathering {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	if question.Key == "" || q.open != nil && slices.ContainsFunc(q.open.round.Questions, func(other twodoor.Question) bool { return other.Key == question.Key }) {
		question.Key = "q" + strconv.Itoa(q.asked)
	}
	if q.open == nil {
		g := &gathering{done: make(chan struct{})}
		q.open = g
		time.AfterFunc(together, func() {
			q.mu.Lock()
			q.open = nil
			q.mu.Unlock()
			g.answers, g.err = q.ask(q.ctx, g.round)
			close(g.done)
		})
	}
	q.open.round.Questions = append(q.open.round.Questions, *question)
	return q.open
}

// refused is the error that says best why a call failed: the server's own, unless the caller could not be
// asked what the server had to know.
func (q *questions) refused(result json.RawMessage, fault error) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if failed, _ := rawjson.Get(result, "isError"); q.lacking == nil || fault == nil && string(failed) != "true" {
		return fault
	}
	return q.lacking
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
