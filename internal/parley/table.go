package parley

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// ErrFull is that an owner, or all of them together, have as many runs waiting as there may be.
var ErrFull = errors.New("too many runs wait for an answer")

// ErrLate is what ends a run whose answer did not come in time.
var ErrLate = errors.New("the answer did not come in time")

// Runner is a [Run], or what has one.
type Runner interface{ Cancel(cause error) }

// Table keeps runs that wait for an answer. The zero value holds none. It must not be copied.
type Table[R Runner] struct {
	Max    int // of all owners; 0: 1,000
	MaxPer int // of one owner; 0: 100

	mu    sync.Mutex
	runs  map[string]*entry[R]
	owned map[string]int
}

type entry[R Runner] struct {
	run   R
	owner string
	timer *time.Timer
}

// Park keeps a run for its owner, and ends it where nobody takes it in time. Where it cannot be
// kept it is ended at once.
func (t *Table[R]) Park(run R, owner string, ttl time.Duration) (ticket string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.runs) >= orElse(t.Max, 1000) || t.owned[owner] >= orElse(t.MaxPer, 100) {
		run.Cancel(context.Canceled)
		return "", ErrFull
	}
	if t.runs == nil {
		t.runs, t.owned = map[string]*entry[R]{}, map[string]int{}
	}
	ticket = rand.Text()
	e := &entry[R]{run: run, owner: owner}
	e.timer = time.AfterFunc(ttl, func() {
		if run, waits := t.Take(ticket); waits {
			run.Cancel(ErrLate)
		}
	})
	t.runs[ticket] = e
	t.owned[owner]++
	return ticket, nil
}

// Take hands a run out, once. It is false where there is none of that ticket.
func (t *Table[R]) Take(ticket string) (run R, waits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.runs[ticket]
	if e == nil {
		return run, false
	}
	delete(t.runs, ticket)
	if t.owned[e.owner]--; t.owned[e.owner] == 0 {
		delete(t.owned, e.owner)
	}
	e.timer.Stop()
	return e.run, true
}

// Len is how many runs wait.
func (t *Table[R]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.runs)
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
