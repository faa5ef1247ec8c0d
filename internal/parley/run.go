package parley

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Ask puts a question to whoever waits for the run, and gives the answer. Questions of several
// goroutines are put one after the other.
type Ask[Q, A any] func(ctx context.Context, question Q) (A, error)

// Run is a computation under way, in a goroutine of its own.
type Run[Q, A, V any] struct {
	asked   chan Q
	answers chan A
	ended   chan struct{}
	value   V
	err     error
	cancel  context.CancelCauseFunc
}

// Start begins. The context gives its values only: the run outlives who began it, and is ended by
// its bound, or by Cancel.
func Start[Q, A, V any](ctx context.Context, bound time.Duration, work func(context.Context, Ask[Q, A]) (V, error)) *Run[Q, A, V] {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &Run[Q, A, V]{asked: make(chan Q), answers: make(chan A), ended: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(r.ended)
		ctx, clock := Bounded(ctx, bound)
		defer clock.End()
		r.value, r.err = work(ctx, r.ask(clock))
		if cause := context.Cause(ctx); cause != nil && errors.Is(r.err, context.Canceled) {
			r.err = cause
		}
	}()
	return r
}

func (r *Run[Q, A, V]) ask(clock *Clock) Ask[Q, A] {
	var turn sync.Mutex
	return func(ctx context.Context, question Q) (answer A, err error) {
		turn.Lock()
		defer turn.Unlock()
		defer clock.Stop()()
		select {
		case r.asked <- question:
		case <-ctx.Done():
			return answer, context.Cause(ctx)
		}
		select {
		case answer = <-r.answers:
			return answer, nil
		case <-ctx.Done():
			return answer, context.Cause(ctx)
		}
	}
}

// Wait returns when the run has ended, or asks: then asks is true, and the question is to be
// answered, or the run canceled. Who leaves the context ends the run.
func (r *Run[Q, A, V]) Wait(ctx context.Context) (value V, question Q, asks bool, err error) {
	select {
	case question = <-r.asked:
		return value, question, true, nil
	case <-r.ended:
	case <-ctx.Done():
		r.cancel(ctx.Err())
		<-r.ended
	}
	return r.value, question, false, r.err
}

// Answer lets the run go on. It reports whether the run still waited.
func (r *Run[Q, A, V]) Answer(answer A) bool {
	select {
	case r.answers <- answer:
		return true
	case <-r.ended:
		return false
	}
}

// Cancel ends the run.
func (r *Run[Q, A, V]) Cancel(cause error) { r.cancel(cause) }
