package twodoor

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Observer is told of every call when it has ended. It is called before the answer leaves, by many
// goroutines at once: it must not block.
type Observer interface {
	Observe(Event)
}

// Event is one call that has ended.
type Event struct {
	CallID    string
	ParentID  string // of the call that made this one; empty: a door did
	At        time.Time
	Door      string
	Client    string
	Principal Principal
	Session   string
	Profile   string
	Operation string // id, or the name as called where there is no such operation
	Account   string
	Arguments json.RawMessage // as the caller wrote them: redact before keeping
	Code      Code            // CodeOK: it worked
	Fault     *Error          // nil: it worked
	Duration  time.Duration
	BytesOut  int
	Cut       *Cut
	Saved     Saved // by shaping the answer
}

func eventOf(id string, begun time.Time, call *Call, result *Result, fault *Error) Event {
	event := Event{
		CallID: id, ParentID: call.Parent, At: begun, Door: call.Door, Client: call.Client,
		Principal: call.Principal, Session: call.Session, Profile: call.Profile, Operation: call.Operation,
		Account: call.Account, Arguments: call.Arguments, Fault: fault, Duration: time.Since(begun),
	}
	if fault != nil {
		event.Code = fault.Code
	}
	if result != nil {
		event.Operation, event.BytesOut, event.Cut = result.Operation, len(result.Value), result.Cut
		event.Saved = result.Saved
	}
	return event
}

type callKey struct{}

// callID is the id of the running call.
func callID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// newCallID is unique and sorts by time: 48 bits of milliseconds, 72 random bits, in base 32.
func newCallID() string {
	var id [15]byte
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().UnixMilli())<<16)
	rand.Read(id[6:])
	return strings.ToLower(base32.HexEncoding.EncodeToString(id[:]))
}

// child makes calls on behalf of a call: with its principal, its profile, and its id as parent.
type child struct {
	engine *Engine
	of     Call
	id     string
}

// maxDepth bounds how deep calls may call: steps that lead back to themselves end there.
const maxDepth = 8

// Do carries the call out in the parent's name.
func (c child) Do(ctx context.Context, call Call) (*Result, error) {
	if call.depth = c.of.depth + 1; call.depth > maxDepth {
		return nil, &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s is called %d calls deep", call.Operation, maxDepth),
			Hint: "its before steps lead back to itself: mend the annotation"}
	}
	call.Principal, call.Profile, call.Session = c.of.Principal, c.of.Profile, c.of.Session
	call.Door, call.Client, call.Parent = c.of.Door, c.of.Client, c.id
	result, err := c.engine.Do(ctx, call)
	if err != nil {
		fault := *AsError(err)
		fault.Inner = true
		return nil, &fault
	}
	return result, nil
}

// Catalog is the one that the call was found in, or a later one.
func (c child) Catalog() *Catalog { return c.engine.Catalog() }

// Shows reports whether the call's principal could call an operation at the call's door.
func (c child) Shows(entry Entry) bool {
	return c.engine.Profile(c.of.Profile).Shows(entry, c.of.Principal, c.of.Door)
}
