package twodoor

import (
	"context"
	"encoding/json"
	"time"
)

// Observer is told of every call when it has ended. It is called before the answer leaves, by many
// goroutines at once: it must not block.
type Observer interface {
	Observe(Event)
}

// Intender is an Observer that is also told of a call that writes or destroys right before it goes
// to the far side. An error keeps it from there. The event has no outcome yet.
type Intender interface {
	Observer
	Intend(ctx context.Context, event Event) error
}

// Observers are several, told one after the other. The first that refuses an intent is the last to
// hear of it.
type Observers []Observer

// Observe tells all of them.
func (o Observers) Observe(event Event) {
	for _, one := range o {
		one.Observe(event)
	}
}

// Intend tells those that want to know.
func (o Observers) Intend(ctx context.Context, event Event) error {
	for _, one := range o {
		if intender, ok := one.(Intender); ok {
			if err := intender.Intend(ctx, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// Event is one call that has ended, or with Intend is about to change something.
type Event struct {
	CallID    string
	ParentID  string // of the call that made this one; empty: a door did
	At        time.Time
	Door      string
	Era       string // version of the door's protocol, where it has several
	Client    string
	Principal Principal
	Session   string
	Profile   string
	Mode      Mode
	Operation string // id, or the name as called where there is no such operation
	Effect    Effect // empty: there is no such operation
	Account   string
	Arguments json.RawMessage // as the caller wrote them: redact before keeping
	Answer    json.RawMessage // as sent: redact before keeping
	Code      Code            // CodeOK: it worked
	Fault     *Error          // nil: it worked
	Duration  time.Duration
	Upstream  time.Duration // the part of it that was spent waiting for the far side
	BytesIn   int           // from the far side
	BytesOut  int           // as sent
	TokensOut int           // estimated, as sent
	Cut       *Cut
	Saved     Saved // by shaping the answer
	Trace     Trace // the place of this call; zero: it is in no trace
	Within    Trace // the place of its caller
}
