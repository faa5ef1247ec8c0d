package find

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// Shelf gives back answers that are kept.
type Shelf interface {
	// Take is the answer under a handle that was kept for this principal, and the operation that
	// gave it. It is nil where there is none, or it is another principal's.
	Take(ctx context.Context, principal twodoor.Principal, handle string) (operation string, value json.RawMessage, err error)
}

// readResult answers read_result.
func (i *Invoker) readResult(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	var args struct {
		Handle, JQ    string
		Fields        json.RawMessage
		Offset, Limit int
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
	}
	if i.Shelf == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "no answers are kept here", Hint: "make the call again with fewer fields or a smaller limit"}
	}
	_, value, err := i.Shelf.Take(ctx, in.Principal, args.Handle)
	if err != nil {
		return nil, fmt.Errorf("take the answer under %q: %w", args.Handle, err)
	}
	if value == nil {
		return nil, &twodoor.Error{
			Code: twodoor.CodeNotFound, Message: fmt.Sprintf("there is no answer under the handle %q", args.Handle),
			Hint: "answers are kept for an hour: make the call again, with fewer fields or a smaller limit",
		}
	}
	want := shape.Want{JQ: args.JQ, Fields: fieldsOf(args.Fields), Offset: args.Offset, Limit: args.Limit}
	out, cut, err := shape.Apply(ctx, value, want)
	if bad, ok := err.(*shape.Error); ok {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: bad.Error(), Hint: bad.Hint, Cause: err}
	}
	if err != nil {
		return nil, err
	}
	answer := &twodoor.Value{JSON: out}
	if cut != nil {
		answer.Cut = &twodoor.Cut{Shown: cut.Shown, Total: cut.Total, Handle: args.Handle, How: fmt.Sprintf("go on with offset %d", args.Offset+cut.Shown)}
	}
	return answer, nil
}

// fieldsOf takes a list of names, or one text with commas.
func fieldsOf(raw json.RawMessage) []string {
	if text, ok := rawjson.String(raw); ok && text != "" {
		return []string{text}
	}
	var names []string
	for name := range rawjson.Elements(raw) {
		if text, ok := rawjson.String(name); ok {
			names = append(names, text)
		}
	}
	return names
}

// Bounds of a Memory.
const (
	keptFor  = time.Hour
	keptSize = 64 << 20 // bytes in all
)

// Memory is a Shelf, and a Keeper for the engine, in the memory of this process: what it keeps does
// not outlive it, and other processes do not see it. The oldest answers make room for new ones. The
// zero value is ready.
type Memory struct {
	mu    sync.Mutex
	kept  map[string]*kept
	order []string // handles, the oldest first
	size  int
}

type kept struct {
	subject   string
	operation string
	value     json.RawMessage
	until     time.Time
}

// Keep keeps an answer for an hour and returns its handle. An answer that is larger than all there
// is room for is an error.
func (m *Memory) Keep(_ context.Context, principal twodoor.Principal, operation string, value json.RawMessage) (string, error) {
	if len(value) > keptSize {
		return "", &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("an answer of %d bytes is too large to keep", len(value)), Hint: "ask for fewer fields or a smaller limit"}
	}
	handle := strings.ToLower(rand.Text()[:16])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]*kept{}
	}
	now := time.Now()
	for len(m.order) > 0 && (m.size+len(value) > keptSize || now.After(m.kept[m.order[0]].until)) {
		m.drop()
	}
	m.kept[handle] = &kept{principal.Subject, operation, value, now.Add(keptFor)}
	m.order = append(m.order, handle)
	m.size += len(value)
	return handle, nil
}

// drop forgets the oldest answer.
func (m *Memory) drop() {
	m.size -= len(m.kept[m.order[0]].value)
	delete(m.kept, m.order[0])
	m.order = m.order[1:]
}

// Take gives an answer back, to the principal that it was kept for.
func (m *Memory) Take(_ context.Context, principal twodoor.Principal, handle string) (string, json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kept[handle]
	if k == nil || k.subject != principal.Subject || time.Now().After(k.until) {
		return "", nil, nil
	}
	return k.operation, k.value, nil
}
