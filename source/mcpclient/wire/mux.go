package wire

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// mux matches answers with requests where all of them share one stream.
type mux struct {
	in   Inbound
	send func(ctx context.Context, line []byte) error

	done chan struct{} // closed by die
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	next    int64
	waiting map[string]*waiter
	err     error // why it is dead; read after done
}

// waiter is a request under way.
type waiter struct {
	of       Request
	at       int64       // its number
	reply    chan *Reply // of one
	failed   chan error  // of one
	progress chan json.RawMessage
}

// maxProgress is how many progress notifications wait for a caller who is slow to take them.
const maxProgress = 64

func newMux(in Inbound, send func(context.Context, []byte) error) *mux {
	m := &mux{in: in, send: send, done: make(chan struct{}), waiting: map[string]*waiter{}}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// Done is closed when the link is dead.
func (m *mux) Done() <-chan struct{} { return m.done }

// Err is why the link is dead.
func (m *mux) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// die ends the link once; later reasons do not count.
func (m *mux) die(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return
	}
	m.err = err
	m.end()
	close(m.done)
}

// Call sends a request and waits for its answer.
func (m *mux) Call(ctx context.Context, r Request) (*Reply, error) {
	id, w := m.expect(r)
	defer m.forget(id)
	if err := m.send(ctx, request(id, r.Method, withToken(r, id))); err != nil {
		return nil, err
	}
	for {
		select {
		case reply := <-w.reply:
			w.drain(r.Progress)
			return reply, nil
		case err := <-w.failed:
			return nil, err
		case params := <-w.progress:
			r.tell(params)
		case <-ctx.Done():
			m.cancelled(r.Method, id)
			return nil, ctx.Err()
		case <-m.done:
			select {
			case reply := <-w.reply: // its last words
				return reply, nil
			default:
				return nil, m.Err()
			}
		}
	}
}

func (r *Request) tell(params json.RawMessage) {
	if r.Progress != nil {
		r.Progress(params)
	}
}

// withToken asks for progress: the token is the request's id.
func withToken(r Request, id string) []byte {
	if r.Progress == nil {
		return r.Params
	}
	return rawjson.SetPath(r.Params, []byte(id), "_meta", "progressToken")
}

func (m *mux) expect(r Request) (string, *waiter) {
	w := &waiter{of: r, reply: make(chan *Reply, 1), failed: make(chan error, 1), progress: make(chan json.RawMessage, maxProgress)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	w.at = m.next
	id := strconv.FormatInt(m.next, 10)
	m.waiting[id] = w
	return id, w
}

func (m *mux) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, id)
}

// drain tells the progress that came before the answer.
func (w *waiter) drain(progress func(json.RawMessage)) {
	for progress != nil {
		select {
		case params := <-w.progress:
			progress(params)
		default:
			return
		}
	}
}

// cancelTime bounds how long a cancellation may take to be sent.
const cancelTime = 5 * time.Second

// cancelled tells the server that nobody waits any more. initialize may not be cancelled
// (2025-11-25, "Cancellation").
func (m *mux) cancelled(method, id string) {
	if method == "initialize" {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(m.life, cancelTime)
		defer cancel()
		_ = m.send(ctx, cancelledNotification(id))
	}()
}

func cancelledNotification(id string) []byte {
	return notification("notifications/cancelled", []byte(`{"requestId":`+id+`,"reason":"the caller left"}`))
}

// Notify sends a message that has no answer.
func (m *mux) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return m.send(ctx, notification(method, params))
}

// take gives what came in to whom it is for. It fails for what is no protocol.
func (m *mux) take(raw []byte) error { return readMessages(raw, m.dispatch) }

func (m *mux) dispatch(msg *message) {
	switch {
	case msg.method != "" && msg.id != "":
		go func() { _ = m.send(m.life, m.answer(msg)) }()
	case msg.method == "notifications/message":
		if w, _ := m.meant(func(r *Request) bool { return r.Message != nil }); w != nil {
			w.of.Message(msg.params)
			return
		}
		m.in.notify(msg)
	case msg.method == "notifications/progress":
		m.progress(msg.params)
	case msg.method != "":
		m.in.notify(msg)
	default:
		if w := m.of(msg.id); w != nil {
			w.settle(&Reply{Result: msg.result, Fault: msg.fault})
		}
	}
}

// answer is the response to a question of the server.
func (m *mux) answer(msg *message) []byte {
	w, several := m.meant(func(r *Request) bool { return r.Answer != nil })
	switch {
	case msg.method == "ping", w == nil && !several:
		return m.in.answer(m.life, msg)
	case several:
		return response(msg.rawID, nil, &Fault{Code: CodeInvalidRequest, Message: errAmbiguous})
	}
	return answerBy(m.life, w.of.Answer, msg)
}

// meant is the latest request under way of those that could be meant, where they are one owner's.
func (m *mux) meant(could func(*Request) bool) (latest *waiter, several bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.waiting {
		switch {
		case !could(&w.of):
			continue
		case latest != nil && latest.of.Owner != w.of.Owner:
			return nil, true
		case latest == nil || w.at > latest.at:
			latest = w
		}
	}
	return latest, false
}

func (m *mux) of(id string) *waiter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting[id]
}

// settle keeps the first answer.
func (w *waiter) settle(reply *Reply) {
	select {
	case w.reply <- reply:
	default:
	}
}

func (m *mux) progress(params json.RawMessage) {
	token, _ := rawjson.Get(params, "progressToken")
	w := m.of(idText(token))
	if w == nil {
		return
	}
	select {
	case w.progress <- params:
	default: // the caller is slow, and the next one says more
	}
}

// fail ends one request: that of the id, or the only one under way. It reports whether there was one.
func (m *mux) fail(id string, err error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.waiting[id]
	if w == nil && len(m.waiting) == 1 {
		for _, only := range m.waiting {
			w = only
		}
	}
	if w == nil {
		return false
	}
	select {
	case w.failed <- err:
	default:
	}
	return true
}
