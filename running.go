package twodoor

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

// running is the context of a call under way, with what is taken down of it for the observer.
type running struct {
	context.Context
	id    string
	begun time.Time
	trace Trace

	upstream time.Duration
	bytesIn  int
}

type (
	callKey  struct{}
	traceKey struct{}
)

// Value answers for what a call adds to its context.
func (r *running) Value(key any) any {
	switch key.(type) {
	case callKey:
		return r
	case traceKey:
		return &r.trace
	}
	return r.Context.Value(key)
}

// copy is the same call, for a goroutine that may outlive this leg of it.
func (r *running) copy() *running { again := *r; return &again }

// runningOf is the innermost call under way.
func runningOf(ctx context.Context) *running {
	if r, ok := ctx.Value(callKey{}).(*running); ok {
		return r
	}
	return &running{Context: ctx}
}

// callID is the id of the running call.
func callID(ctx context.Context) string { return runningOf(ctx).id }

// reach asks the far side, and takes down how long that took and what came of it.
func reach(ctx context.Context, invoker Invoker, in *Invocation, want Projection) (*Value, error) {
	r, begun := runningOf(ctx), time.Now()
	value, err := readPages(ctx, invoker, in, want)
	if in.Operation.Source() != OwnSource {
		r.upstream, r.bytesIn = time.Since(begun), value.size()
	}
	return value, err
}

// event is what there is to tell of the call: result and fault are nil before it ends.
func (r *running) event(call *Call, result *Result, fault *Error) Event {
	event := Event{
		CallID: r.id, ParentID: call.Parent, At: r.begun, Door: call.Door, Era: call.Era, Client: call.Client,
		Principal: call.Principal, Session: call.Session, Profile: call.Profile, Mode: call.Mode, Operation: call.Operation,
		Account: call.Account, Arguments: call.Arguments, Fault: fault, Duration: time.Since(r.begun),
		Upstream: r.upstream, BytesIn: r.bytesIn, Trace: r.trace, Within: call.Trace,
	}
	if call.found != nil {
		event.Operation, event.Effect = call.found.ID, call.found.Effect
	}
	if fault != nil {
		event.Code = fault.Code
	}
	if result != nil {
		event.Answer, event.BytesOut, event.TokensOut = result.Value, len(result.Value), result.Weight
		if result.Text != "" {
			event.BytesOut = len(result.Text)
		}
		event.Cut, event.Saved = result.Cut, result.Saved
	}
	return event
}

// newCallID is unique and sorts by time: 48 bits of milliseconds, 72 random bits, in base 32.
func newCallID() string {
	var id [15]byte
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().UnixMilli())<<16)
	rand.Read(id[6:])
	return strings.ToLower(base32.HexEncoding.EncodeToString(id[:]))
}
