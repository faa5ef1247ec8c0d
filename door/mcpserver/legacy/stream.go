package legacy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Stream is the legacy session of a stream that belongs to the door: the door reads it, hands over
// the messages of this era, and writes what it is told to.
type Stream struct {
	server  *Server
	say     func([]byte)
	session *mcp.ServerSession
	in      chan jsonrpc.Message
	closed  chan struct{}
	once    sync.Once
	greeted atomic.Bool // by initialize

	mu      sync.Mutex
	idle    sync.Cond
	running map[jsonrpc.ID]*running
}

// running is a request that was not answered yet.
type running struct {
	canceled bool   // nothing is to be said about it
	batch    *batch // that it came in; nil: it came alone
}

// batch is the array in which the answers to an array of requests go out.
type batch struct {
	left    int
	answers rawjson.Array
}

// Stream begins a session. What it has to say is handed to say, one message at a time, by many
// goroutines.
func (s *Server) Stream(ctx context.Context, by Caller, say func([]byte)) (*Stream, error) {
	return s.stream(ctx, func() Caller { return by }, say)
}

// stream begins a session whose caller is asked for at each request.
func (s *Server) stream(ctx context.Context, by func() Caller, say func([]byte)) (*Stream, error) {
	t := &Stream{
		server: s, say: say, in: make(chan jsonrpc.Message), closed: make(chan struct{}), running: map[jsonrpc.ID]*running{},
	}
	t.idle.L = &t.mu
	var err error
	t.session, err = s.sdk.Connect(context.WithValue(ctx, callerKey{}, by), transport{t}, nil)
	return t, err
}

// Take hands one message over. It is false where it is none that the session could read, or the
// session has ended.
func (t *Stream) Take(line []byte) bool {
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return false
	}
	return t.enter(message, nil)
}

// TakeBatch hands over an array of messages, whose answers go out as one array.
func (t *Stream) TakeBatch(line []byte) bool {
	var messages []jsonrpc.Message
	answers := &batch{}
	for part := range rawjson.Elements(line) {
		message, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return false
		}
		if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
			answers.left++
		}
		messages = append(messages, message)
	}
	for _, message := range messages {
		if !t.enter(message, answers) {
			return false
		}
	}
	return len(messages) > 0
}

// enter counts a message in and passes it to the session.
func (t *Stream) enter(message jsonrpc.Message, in *batch) bool {
	t.note(message, in)
	select {
	case t.in <- message:
		return true
	case <-t.closed:
		t.end()
		return false
	}
}

func (t *Stream) note(message jsonrpc.Message, in *batch) {
	r, ok := message.(*jsonrpc.Request)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Method == "initialize" {
		t.greeted.Store(true)
	}
	if r.IsCall() {
		t.running[r.ID] = &running{batch: in}
	} else if r.Method == "notifications/cancelled" {
		if of := t.running[canceledBy(r)]; of != nil {
			of.canceled = true
		}
	}
}

func canceledBy(r *jsonrpc.Request) jsonrpc.ID {
	raw, _ := rawjson.Get(r.Params, "requestId")
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return jsonrpc.ID{}
	}
	id, _ := jsonrpc.MakeID(value)
	return id
}

// Finish waits until all requests are answered, and ends the session.
func (t *Stream) Finish() {
	t.server.asking.left(func(session *mcp.ServerSession) bool { return session == t.session })
	t.mu.Lock()
	for len(t.running) > 0 {
		t.idle.Wait()
	}
	t.mu.Unlock()
	t.session.Close()
}

// transport is the stream as the SDK sees it.
type transport struct{ stream *Stream }

func (t transport) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// Read waits for the next message of the client.
func (t transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message := <-t.stream.in:
		return message, nil
	case <-t.stream.closed:
		return nil, io.EOF
	case <-ctx.Done():
		t.stream.end()
		return nil, ctx.Err()
	}
}

// Write sends one message to the client, or counts it into its batch.
func (t transport) Write(_ context.Context, message jsonrpc.Message) error {
	message = t.stream.withCode(message)
	raw, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		t.stream.say(raw)
		return nil
	}
	if raw := t.stream.leave(response.ID, raw); raw != nil {
		t.stream.say(raw)
	}
	t.stream.answered(response.ID)
	return nil
}

// withCode gives an error of the SDK that has no code that of an invalid request: with such it turns
// away what does not fit the state of the session.
func (t *Stream) withCode(message jsonrpc.Message) jsonrpc.Message {
	response, ok := message.(*jsonrpc.Response)
	if !ok || response.Error == nil {
		return message
	}
	if fault, ok := errors.AsType[*jsonrpc.Error](response.Error); ok && fault.Code != 0 {
		return message
	}
	fault := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: response.Error.Error()}
	if !t.greeted.Load() {
		fault.Message = noSession
	}
	return &jsonrpc.Response{ID: response.ID, Error: fault}
}

// noSession is told who asks for something before there is a session.
const noSession = "there is no session: begin with initialize, or send _meta with every request (2026-07-28)"

// leave is what goes out for an answer: nothing for a request that was canceled, or while others
// of its batch are missing.
func (t *Stream) leave(id jsonrpc.ID, raw []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.running[id]
	if r == nil || r.canceled {
		raw = nil
	}
	if r == nil || r.batch == nil {
		return raw
	}
	r.batch.answers.Add(raw)
	if r.batch.left--; r.batch.left > 0 || r.batch.answers.Empty() {
		return nil
	}
	return r.batch.answers.Bytes()
}

// answered counts a request out, after its answer is written.
func (t *Stream) answered(id jsonrpc.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, id)
	t.idle.Broadcast()
}

// end lets go of everybody who waits for the session.
func (t *Stream) end() {
	t.once.Do(func() { close(t.closed) })
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.running)
	t.idle.Broadcast()
}

// Close ends the stream.
func (t transport) Close() error {
	t.stream.end()
	return nil
}

// SessionID is empty: a stream is its own session.
func (t transport) SessionID() string { return "" }
