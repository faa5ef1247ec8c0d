package legacy

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const headerSession = "Mcp-Session-Id"

// sessions is who holds the sessions over HTTP, and when they were last used.
type sessions struct {
	max int

	mu   sync.Mutex
	byID map[string]*session
}

type session struct {
	caller Caller
	bound  string // the session that its first request named; empty: none
	used   time.Time
	busy   int // requests and streams that are open
}

func newSessions(most int) *sessions {
	if most == 0 {
		most = 1000
	}
	return &sessions{max: most, byID: map[string]*session{}}
}

// mint makes the id of a session. It is no proof of anything: the caller is checked at each request.
func (t *sessions) mint() string { return rand.Text() }

func (t *sessions) caller(id string) Caller {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		return s.caller
	}
	return Caller{}
}

// enter takes note of a request in a session. It fails where the session is not the caller's.
func (t *sessions) enter(id string, by Caller) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.caller.Principal.Subject != by.Principal.Subject || s.bound != by.Session {
		return false
	}
	s.caller.Principal = by.Principal // what it may do can have changed since
	s.busy++
	return true
}

func (t *sessions) leave(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.busy--
		s.used = time.Now()
	}
}

// begin enters a new session.
func (t *sessions) begin(id string, by Caller) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &session{caller: by, bound: by.Session, used: time.Now(), busy: 1}
	if s.bound == "" {
		s.caller.Session = "mcp:" + id
	}
	t.byID[id] = s
}

// forget drops the sessions that the SDK holds no more.
func (t *sessions) forget(live map[string]*mcp.ServerSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.byID {
		if live[id] == nil {
			delete(t.byID, id)
		}
	}
}

// idlest is the session that was not used for longest, or nothing where all are in use.
func (t *sessions) idlest() (id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for candidate, s := range t.byID {
		if s.busy == 0 && (id == "" || s.used.Before(t.byID[id].used)) {
			id = candidate
		}
	}
	return id
}

func (t *sessions) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID) >= t.max
}

// ServeHTTP serves one request of a session, or begins one.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request, by Caller) {
	if id := r.Header.Get(headerSession); id != "" {
		if !s.sessions.enter(id, by) {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		defer s.sessions.leave(id)
		if r.Method == http.MethodDelete {
			s.asking.left(func(session *mcp.ServerSession) bool { return session.ID() == id })
		}
		if !refuse(w, r) {
			s.http.ServeHTTP(w, r)
		}
		return
	}
	if refuse(w, r) {
		return
	}
	if s.sessions.full() && !s.makeRoom() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions, and all are in use", http.StatusServiceUnavailable)
		return
	}
	first := &firstReply{ResponseWriter: w, begin: func(id string) { s.sessions.begin(id, by) }}
	s.http.ServeHTTP(first, r)
	s.sessions.leave(first.id)
}

// makeRoom drops what is gone, else closes the session that was idle for longest.
func (s *Server) makeRoom() bool {
	live := map[string]*mcp.ServerSession{}
	for session := range s.sdk.Sessions() {
		live[session.ID()] = session
	}
	s.sessions.forget(live)
	if !s.sessions.full() {
		return true
	}
	id := s.sessions.idlest()
	if id == "" {
		return false
	}
	s.asking.left(func(session *mcp.ServerSession) bool { return session == live[id] })
	live[id].Close()
	delete(live, id)
	s.sessions.forget(live)
	return true
}

// firstReply learns the id of a new session from the reply that tells it.
type firstReply struct {
	http.ResponseWriter
	begin func(id string)
	id    string
}

func (f *firstReply) WriteHeader(status int) {
	f.learn()
	f.ResponseWriter.WriteHeader(status)
}

func (f *firstReply) Write(p []byte) (int, error) {
	f.learn()
	return f.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what the writer can.
func (f *firstReply) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// Flush is asked for by type, not through a controller.
func (f *firstReply) Flush() {
	f.learn()
	http.NewResponseController(f.ResponseWriter).Flush()
}

func (f *firstReply) learn() {
	if id := f.Header().Get(headerSession); f.id == "" && id != "" {
		f.id = id
		f.begin(id)
	}
}
