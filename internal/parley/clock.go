package parley

import (
	"context"
	"sync"
	"time"
)

// Clock is the time that is left to a context. It can stand still.
type Clock struct {
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	running time.Time // since when
	stops   int       // how often it was stopped and not let go on
}

// Bounded is a context that ends with context.DeadlineExceeded after a time that the clock counts.
// It tells no deadline: nobody knows it before.
func Bounded(parent context.Context, bound time.Duration) (context.Context, *Clock) {
	ctx, cancel := context.WithCancelCause(parent)
	c := &Clock{cancel: cancel, left: bound, running: time.Now()}
	c.timer = time.AfterFunc(bound, func() { cancel(context.DeadlineExceeded) })
	return bounded{ctx}, c
}

// Stop lets the time stand still until goOn is called.
func (c *Clock) Stop() (goOn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops++; c.stops == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.running)
	}
	return c.goOn
}

func (c *Clock) goOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stops--; c.stops == 0 {
		c.running = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// End ends the context and the clock.
func (c *Clock) End() {
	c.timer.Stop()
	c.cancel(context.Canceled)
}

type bounded struct{ context.Context }

// Err tells that the time is up as such.
func (b bounded) Err() error {
	err := b.Context.Err()
	if err != nil && context.Cause(b.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}
