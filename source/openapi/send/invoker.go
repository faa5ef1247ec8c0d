package send

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
)

// Invoker carries out the operations that Source reads. It is safe for concurrent use and must not
// be copied.
type Invoker struct {
	Doer      Doer             // required
	UserAgent string           // empty: "twodoor"
	MaxAnswer int64            // bytes of an answer, unpacked; 0: 32 MiB
	MaxEvents int              // events of a stream; 0: 1000
	MaxStream time.Duration    // how long a stream is read; 0: 30 s. A deadline that comes sooner shortens it
	Now       func() time.Time // reads a Retry-After date; nil: time.Now

	mu    sync.RWMutex
	plans map[string]*readyPlan
}

// Doer sends an HTTP request with the key that access asks for put on it. It follows no redirect to
// another origin. The caller closes the answer's body.
type Doer interface {
	Do(req *http.Request, access twodoor.Access) (*http.Response, error)
}

// Masker is a Doer that can tell about keys without showing one.
type Masker interface {
	// Mask is the request as Do would send it first, with *** where a key goes.
	Mask(req *http.Request, access twodoor.Access) (*http.Request, error)
	// Redact is the text with *** for every key in it.
	Redact(text string) string
}

// The bounds where an Invoker sets none.
const (
	defaultMaxAnswer = 32 << 20
	defaultMaxEvents = 1000
	defaultMaxStream = 30 * time.Second
)

// Invoke makes one call.
func (v *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	route, err := v.ready(in.Operation)
	if err != nil {
		return nil, err
	}
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	out, err := v.request(sending, route, in)
	if err != nil {
		return nil, err
	}
	resp, err := v.Doer.Do(out.req, access(route, in))
	if err != nil {
		return nil, unreached(ctx, in.Operation.Source(), err)
	}
	defer resp.Body.Close()
	a := &answer{invoker: v, in: in, route: route, req: out.req, resp: resp, cancel: cancel}
	return a.read(ctx)
}

func access(route *readyPlan, in *twodoor.Invocation) twodoor.Access {
	return twodoor.Access{Source: in.Operation.Source(), Account: in.Account, Principal: in.Principal, Need: route.Need}
}

func (v *Invoker) maxAnswer() int64 {
	if v.MaxAnswer > 0 {
		return v.MaxAnswer
	}
	return defaultMaxAnswer
}

func (v *Invoker) maxEvents() int {
	if v.MaxEvents > 0 {
		return v.MaxEvents
	}
	return defaultMaxEvents
}

// streamTime is how long a stream may be read: some time is left before the deadline, so that what
// was read is not lost to it.
func (v *Invoker) streamTime(ctx context.Context) time.Duration {
	bound := v.MaxStream
	if bound <= 0 {
		bound = defaultMaxStream
	}
	if deadline, ok := ctx.Deadline(); ok {
		bound = min(bound, time.Until(deadline)*9/10)
	}
	return max(bound, time.Millisecond)
}

func (v *Invoker) now() time.Time {
	if v.Now != nil {
		return v.Now()
	}
	return time.Now()
}

// redact takes the keys out of what the far side said.
func (v *Invoker) redact(text string) string {
	if masker, ok := v.Doer.(Masker); ok {
		return masker.Redact(text)
	}
	return text
}
