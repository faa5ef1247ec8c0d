package call

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// Invoker carries out the operations that Source reads. It is safe for concurrent use and must not
// be copied.
type Invoker struct {
	Doer       Doer             // required
	UserAgent  string           // empty: "twodoor"
	MaxAnswer  int64            // bytes of an answer, unpacked; 0: 32 MiB
	MaxRecords int              // messages of a stream; 0: 1000
	MaxStream  time.Duration    // how long a stream is read; 0: 30 s. A deadline that comes sooner shortens it
	Now        func() time.Time // reads a Retry-After date; nil: time.Now

	mu      sync.RWMutex
	methods map[string]*method
}

// Doer sends an HTTP request with the key that access asks for put on it. A request of HTTP/2
// (ProtoMajor 2) to an http:// address is sent as HTTP/2 without encryption. The caller closes the
// answer's body.
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
	defaultMaxAnswer  = 32 << 20
	defaultMaxRecords = 1000
	defaultMaxStream  = 30 * time.Second
)

// maxMethods bounds how many methods are kept ready.
const maxMethods = 4096

// method is a plan made ready: what does not change from call to call is worked out once.
type method struct {
	plan.Plan
	client *connect.Client[message, message]
	types  func() (*pieces.Types, error)
}

// Invoke makes one call.
func (v *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	m, err := v.ready(in.Operation)
	if err != nil {
		return nil, err
	}
	if err := m.reachable(in.Operation.Source()); err != nil {
		return nil, err
	}
	c := &calling{invoker: v, method: m, in: in}
	switch {
	case m.Wire == plan.REST:
		return c.overHTTP(ctx)
	case m.Stream:
		return c.stream(ctx)
	}
	return c.unary(ctx)
}

func (m *method) reachable(source string) error {
	if m.Server != "" {
		return nil
	}
	return &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: source + " has no address: its description names no host",
		Hint: fmt.Sprintf("set sources.%s.target in twodoor.yaml to its base URL", source),
	}
}

// ready is the plan of an operation, made ready.
func (v *Invoker) ready(op *twodoor.Operation) (*method, error) {
	v.mu.RLock()
	m := v.methods[string(op.Plan)]
	v.mu.RUnlock()
	if m != nil {
		return m, nil
	}
	m = &method{}
	if err := json.Unmarshal(op.Plan, &m.Plan); err != nil {
		return nil, fmt.Errorf("read the plan of %s: %w", op.ID, err)
	}
	m.types = sync.OnceValues(func() (*pieces.Types, error) { return pieces.Open(op.Definition, m.In, m.Out) })
	if m.Wire != plan.REST {
		m.client = v.newClient(m)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.methods == nil || len(v.methods) >= maxMethods {
		v.methods = map[string]*method{}
	}
	v.methods[string(op.Plan)] = m
	return m, nil
}

func (v *Invoker) newClient(m *method) *connect.Client[message, message] {
	format := binary
	if m.Wire == plan.Connect {
		format = jsonText
	}
	set := []connect.ClientOption{connect.WithCodec(codec(format)), connect.WithReadMaxBytes(int(v.maxAnswer()))}
	switch m.Wire {
	case plan.GRPC:
		set = append(set, connect.WithGRPC())
	case plan.GRPCWeb:
		set = append(set, connect.WithGRPCWeb())
	default:
		if m.Safe {
			set = append(set, connect.WithIdempotency(connect.IdempotencyNoSideEffects), connect.WithHTTPGet(), connect.WithHTTPGetMaxURLSize(maxURL, true))
		}
	}
	return connect.NewClient[message, message](courier{v.Doer}, m.Server+m.Path(), set...)
}

// maxURL is the longest URL of a GET; a longer one is sent as a POST.
const maxURL = 8 << 10

// calling is one call on its way.
type calling struct {
	invoker *Invoker
	method  *method
	in      *twodoor.Invocation
}

func (c *calling) source() string { return c.in.Operation.Source() }

func (c *calling) access() twodoor.Access {
	return twodoor.Access{Source: c.source(), Account: c.in.Account, Principal: c.in.Principal}
}

// trip is what the courier needs to know of a call, and tells of it.
type trip struct {
	access  twodoor.Access
	isHTTP2 bool
	status  int
}

type tripKey struct{}

// travel begins a trip.
func (c *calling) travel(ctx context.Context) (context.Context, *trip) {
	t := &trip{access: c.access(), isHTTP2: c.method.Wire == plan.GRPC}
	return context.WithValue(ctx, tripKey{}, t), t
}

// courier is the HTTP client of the Connect library: it hands every request to the Doer.
type courier struct{ doer Doer }

// Do sends a request on the trip that its context carries.
func (c courier) Do(req *http.Request) (*http.Response, error) {
	t, ok := req.Context().Value(tripKey{}).(*trip)
	if !ok {
		return nil, fmt.Errorf("a request without a call")
	}
	if t.isHTTP2 {
		req.Proto, req.ProtoMajor, req.ProtoMinor = "HTTP/2.0", 2, 0
	}
	resp, err := c.doer.Do(req, t.access)
	if resp != nil {
		t.status = resp.StatusCode
	}
	return resp, err
}

// unary makes a call that is answered by one message.
func (c *calling) unary(ctx context.Context) (*twodoor.Value, error) {
	req, err := c.request()
	if err != nil {
		return nil, err
	}
	travelling, trip := c.travel(ctx)
	resp, err := c.method.client.CallUnary(travelling, req)
	if err != nil {
		return nil, c.fault(ctx, err, trip)
	}
	return c.answer(resp.Msg.data)
}

// request is the message to be sent.
func (c *calling) request() (*connect.Request[message], error) {
	data, err := c.input()
	if err != nil {
		return nil, err
	}
	req := connect.NewRequest(&message{data})
	req.Header().Set("User-Agent", c.invoker.agent())
	return req, nil
}

func (v *Invoker) agent() string {
	if v.UserAgent != "" {
		return v.UserAgent
	}
	return "twodoor"
}

func (v *Invoker) maxAnswer() int64 {
	if v.MaxAnswer > 0 {
		return v.MaxAnswer
	}
	return defaultMaxAnswer
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
