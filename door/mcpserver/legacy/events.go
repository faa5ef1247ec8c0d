package legacy

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// alive is the pause between the comments that keep a quiet stream from being taken for dead.
const alive = 20 * time.Second

// eventSessions are the sessions of HTTP+SSE, the transport of 2024-11-05: a stream that a GET holds
// open, and messages that are posted beside it.
type eventSessions struct {
	mu   sync.Mutex
	open map[string]*eventSession
}

type eventSession struct {
	stream *Stream

	mu sync.Mutex
	by Caller

	write sync.Mutex
	w     http.ResponseWriter
	ended bool
}

// ServeEvents begins a session, and holds its stream open until the client leaves or the session ends.
// Its first event tells where messages are posted: at messages beside the request's own path.
func (s *Server) ServeEvents(w http.ResponseWriter, r *http.Request, by Caller) {
	e := &eventSession{w: w, by: by}
	id := rand.Text()
	if e.by.Session == "" {
		e.by.Session = "mcp:" + id
	}
	if !s.events.add(id, e, s.sessions.max) {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions, and all are in use", http.StatusServiceUnavailable)
		return
	}
	defer s.events.remove(id)
	var err error
	if e.stream, err = s.stream(r.Context(), e.caller, e.say); err != nil {
		http.Error(w, "the session cannot begin", http.StatusInternalServerError)
		return
	}
	defer e.end()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.Header().Set("X-Accel-Buffering", "no")
	http.NewResponseController(w).SetWriteDeadline(time.Time{}) // not all writers have one
	base, _ := strings.CutSuffix(r.URL.Path, "sse")
	e.put("event: endpoint\ndata: " + (&url.URL{Path: base + "messages", RawQuery: "session=" + id}).String() + "\n\n")
	e.hold(r.Context())
}

// hold keeps the stream open.
func (e *eventSession) hold(ctx context.Context) {
	tick := time.NewTicker(alive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.put(": still here\n\n")
		case <-e.stream.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (e *eventSession) end() {
	e.write.Lock()
	e.ended = true
	e.write.Unlock()
	e.stream.server.asking.left(func(session *mcp.ServerSession) bool { return session == e.stream.session })
	e.stream.session.Close()
}

func (e *eventSession) say(message []byte) {
	e.put("event: message\ndata: " + string(message) + "\n\n")
}

// put writes and flushes, as long as the request is served.
func (e *eventSession) put(event string) {
	e.write.Lock()
	defer e.write.Unlock()
	if e.ended {
		return
	}
	io.WriteString(e.w, event) // the client left: its context says so
	http.NewResponseController(e.w).Flush()
}

func (e *eventSession) caller() Caller {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.by
}

// TakeMessage takes a message that is posted to a session. What it answers comes on the stream.
func (s *Server) TakeMessage(w http.ResponseWriter, r *http.Request, by Caller) {
	e := s.events.find(r.URL.Query().Get("session"), by)
	if e == nil {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.maxBody))
	if err != nil {
		http.Error(w, "read the message: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if rawjson.Check(body) != nil || !e.take(bytes.TrimSpace(body)) {
		http.Error(w, "not a JSON-RPC message that this session can take", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (e *eventSession) take(body []byte) bool {
	if body[0] == '[' {
		return e.stream.TakeBatch(body)
	}
	return e.stream.Take(body)
}

func (t *eventSessions) add(id string, e *eventSession, most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= most {
		return false
	}
	if t.open == nil {
		t.open = map[string]*eventSession{}
	}
	t.open[id] = e
	return true
}

func (t *eventSessions) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}

// find is the session of an id, where it is the caller's; what that one may do can have changed since.
func (t *eventSessions) find(id string, by Caller) *eventSession {
	t.mu.Lock()
	e := t.open[id]
	t.mu.Unlock()
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by.Principal.Subject != by.Principal.Subject || by.Session != "" && by.Session != e.by.Session {
		return nil
	}
	e.by.Principal = by.Principal
	return e
}
