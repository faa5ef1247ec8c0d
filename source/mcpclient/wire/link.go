package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Link carries messages to one server and back. It is safe for concurrent use.
type Link interface {
	// Call sends a request and waits for its answer. A fault that the server answers is in the
	// Reply; an error means that there is no answer. When the context ends, the server is told.
	Call(ctx context.Context, r Request) (*Reply, error)
	// Notify sends a message that has no answer.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Done is closed when the link is dead for good; Err says why then.
	Done() <-chan struct{}
	Err() error
	// Close ends the link, the polite way for as long as the grace lasts.
	Close(grace time.Duration)
}

// Request is a call of a method.
type Request struct {
	Method string          // required
	Params json.RawMessage // an object, or nil
	Name   string          // what Mcp-Name repeats: the tool
	Header http.Header     // Mcp-Param-* headers

	// Progress gets the params of each progress notification, in the goroutine of Call. With nil
	// none is asked for.
	Progress func(params json.RawMessage)

	// Answer answers what the server asks while it works on this request, in a goroutine of its own;
	// nil: the link's Inbound does. Where all requests share one stream, nothing says which of them a
	// question belongs to: it goes to the latest whose owner is the only one that could be meant, else
	// it is refused.
	Answer func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *Fault)
	// Message gets the params of each log message that belongs to the request, likewise; nil: none.
	Message func(params json.RawMessage)
	Owner   string // on whose behalf it is made
}

// Reply is the answer to a request: a result or a fault.
type Reply struct {
	Result json.RawMessage
	Fault  *Fault
	Status int // of HTTP; 0: another transport
}

// errAmbiguous tells a server why its question has no answer.
const errAmbiguous = "several callers wait for this server, and nothing says which of them is asked"

// Inbound takes what a server sends of its own accord.
type Inbound struct {
	// Notify gets notifications other than progress. It is called by the reader: it returns soon.
	Notify func(method string, params json.RawMessage)
	// Answer answers a request of the server, in a goroutine of its own; nil: all but ping are refused.
	Answer func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *Fault)
}

func (in *Inbound) notify(m *message) {
	if in.Notify != nil {
		in.Notify(m.method, m.params)
	}
}

// answer is the response to a request of the server.
func (in *Inbound) answer(ctx context.Context, m *message) []byte {
	if m.method == "ping" {
		return response(m.rawID, []byte(`{}`), nil)
	}
	if in.Answer == nil {
		return response(m.rawID, nil, &Fault{Code: CodeNoMethod, Message: m.method + " is not offered by this client"})
	}
	return answerBy(ctx, in.Answer, m)
}

// answerBy is the response that a function makes.
func answerBy(ctx context.Context, answer func(context.Context, string, json.RawMessage) (json.RawMessage, *Fault), m *message) []byte {
	result, fault := answer(ctx, m.method, m.params)
	return response(m.rawID, result, fault)
}

// Faults of links that a caller tells apart.
var (
	// ErrClosed is a link that was closed from this side.
	ErrClosed = errors.New("the connection is closed")
	// ErrTooLarge is a message over the bound.
	ErrTooLarge = errors.New("the message is larger than the bound")
	// ErrNonsense is an answer that is no protocol.
	ErrNonsense = errors.New("the answer is no JSON-RPC message")
	// ErrNoAnswer is a stream that ended without the answer.
	ErrNoAnswer = errors.New("the stream ended without the answer")
	// ErrNoStream is a server that offers no stream to listen on.
	ErrNoStream = errors.New("the server offers no stream")
)

// EndedError is a child process that has ended.
type EndedError struct {
	Exit   int      // its exit status; -1: killed
	Stderr []string // its last lines
}

// Error tells the status.
func (e *EndedError) Error() string {
	if e.Exit < 0 {
		return "the program was killed"
	}
	return fmt.Sprintf("the program ended with status %d", e.Exit)
}

// StatusError is an HTTP answer that is no success and answers no request.
type StatusError struct {
	Status int
	Header http.Header
	Body   []byte // the beginning of it
	Fault  *Fault // where the body is a JSON-RPC error
	// Lost is set when the server does not know the session any more (2025-11-25, "Session
	// Management": 404). The request was not carried out.
	Lost bool
	// Session is the one that was sent.
	Session string
}

// Error tells the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))
}
