package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor/door/mcpserver/legacy"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/webguard"
)

// keepAlive is the pause between the comments that keep a quiet stream from being taken for dead.
const keepAlive = 20 * time.Second

// Handler serves both eras of Streamable HTTP. It mounts at any path of an existing server; a
// {profile} in the path's pattern chooses the profile, as ?profile= does.
func (d *Door) Handler() http.Handler { return http.HandlerFunc(d.serve) }

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	caller, ok := d.enter(w, r)
	if !ok {
		return
	}
	session := r.Header[headerSession] != nil
	switch {
	case r.Method == http.MethodPost:
		d.post(w, r, caller)
	case session && (r.Method == http.MethodGet || r.Method == http.MethodDelete):
		d.legacy().ServeHTTP(w, r, caller.legacy())
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "POST a JSON-RPC message", http.StatusMethodNotAllowed)
	}
}

// EventsHandler serves HTTP+SSE, the transport of 2024-11-05, for clients that know no other: mount it
// at two paths side by side that end in sse and messages, for GET and for POST.
func (d *Door) EventsHandler() http.Handler { return http.HandlerFunc(d.serveEvents) }

func (d *Door) serveEvents(w http.ResponseWriter, r *http.Request) {
	caller, ok := d.enter(w, r)
	switch get := strings.HasSuffix(r.URL.Path, "sse"); {
	case !ok:
	case get && r.Method == http.MethodGet:
		d.legacy().ServeEvents(w, r, caller.legacy())
	case !get && r.Method == http.MethodPost:
		d.legacy().TakeMessage(w, r, caller.legacy())
	default: // a client of later revisions tries to post first, and goes on to GET
		w.Header().Set("Allow", map[bool]string{true: http.MethodGet, false: http.MethodPost}[get])
		http.Error(w, "GET the path that ends in sse, POST to the one that it tells", http.StatusMethodNotAllowed)
	}
}

// enter lets a request in: from where it may come, on behalf of whom it must. Where it is false, it is
// answered already.
func (d *Door) enter(w http.ResponseWriter, r *http.Request) (c caller, ok bool) {
	if reason := (webguard.Guard{Hosts: d.Hosts, Origins: d.Origins}).Barred(r); reason != "" {
		http.Error(w, reason, http.StatusForbidden)
		return c, false
	}
	if origin := r.Header.Get("Origin"); origin != "" && shareWith(w, r, origin) {
		return c, false
	}
	c, err := d.authenticate(r)
	if err != nil {
		d.challenge(w, r, err)
	}
	return c, err == nil
}

// shareWith lets a page of an allowed origin read the answer, and answers its preflight.
func shareWith(w http.ResponseWriter, r *http.Request, origin string) (preflight bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", headerSession+", WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

func (c caller) legacy() legacy.Caller {
	return legacy.Caller{Principal: c.principal, Session: c.session, Profile: c.profile, Expose: c.expose}
}

// post finds out of which era a message is, and has it answered.
func (d *Door) post(w http.ResponseWriter, r *http.Request, c caller) {
	body, err := readBody(w, r)
	if err != nil {
		status, says := http.StatusBadRequest, "read the body: "+err.Error()
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			status, says = http.StatusRequestEntityTooLarge, fmt.Sprintf("the message is larger than the bound of %d MiB: send less at once", MaxBody>>20)
		}
		writeJSON(w, status, invalid(says).reply(nil))
		return
	}
	if first := rawjson.Trim(body); len(first) > 0 && first[0] == '[' && rawjson.Check(body) == nil {
		d.passOn(w, r, c, body)
		return
	}
	m, f := readMessage(body)
	switch {
	case f != nil:
		writeJSON(w, f.status(), f.reply(m.id))
	case !m.modern() && !saysModern(r.Header):
		d.passOn(w, r, c, body)
	case m.id == nil || m.method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		d.respond(w, r, c, &m)
	}
}

// saysModern reports whether the headers alone are of the modern era.
func saysModern(h http.Header) bool {
	if h[headerVersion] == nil {
		return h[headerSession] == nil && h[headerMethod] != nil
	}
	return h[headerSession] == nil && h.Get(headerVersion) >= Version
}

// passOn hands a legacy message to its room, with its body to be read again.
func (d *Door) passOn(w http.ResponseWriter, r *http.Request, c caller, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	d.legacy().ServeHTTP(w, r, c.legacy())
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	const usual = 64 << 10 // taken on the client's word; beyond that memory grows with what has come
	in := http.MaxBytesReader(w, r.Body, MaxBody)
	if r.ContentLength < 0 || r.ContentLength > usual {
		return io.ReadAll(in)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(in, body)
	return body, err
}

// respond answers a modern request: with JSON, or with a stream where something is said before.
func (d *Door) respond(w http.ResponseWriter, r *http.Request, c caller, m *message) {
	if m.params.version != nil {
		if f := d.agree(r.Header, m); f != nil {
			writeJSON(w, f.status(), f.reply(m.id))
			return
		}
	}
	request := &request{message: *m, caller: c, web: true}
	var events *eventStream // nil where nothing can be said before the reply
	if takesEvents(r.Header) && (m.method == "subscriptions/listen" || m.params.progressToken != nil || m.params.logLevel != nil) {
		events = &eventStream{w: w}
		request.send = events.send
		stop := events.keepAlive()
		defer stop()
	}
	reply, f := d.answer(r.Context(), request)
	status := http.StatusOK
	switch {
	case f == nil:
	case f.silent:
		return
	case f.denied != nil:
		d.challenge(w, r, f.denied)
		return
	default:
		reply, status = f.reply(m.id), f.status()
	}
	if events.begun() {
		events.send(reply)
		return
	}
	writeJSON(w, status, reply)
}

func takesEvents(h http.Header) bool {
	for _, accept := range h["Accept"] {
		if strings.Contains(accept, "text/event-stream") || strings.Contains(accept, "*/*") {
			return true
		}
	}
	return false
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // the client left: nobody to tell
}

// eventStream is an answer as server-sent events. It begins with the first message.
type eventStream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	open  bool
	ended bool
}

// send writes one message as an event.
func (s *eventStream) send(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		s.open = true
		h := s.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("X-Accel-Buffering", "no")
		http.NewResponseController(s.w).SetWriteDeadline(time.Time{}) // a stream is as long as it is; not all writers have one
	}
	event := make([]byte, 0, len(message)+24)
	event = append(event, "event: message\ndata: "...)
	event = append(event, message...)
	s.put(append(event, "\n\n"...))
}

// put writes and flushes. Where the client left, the request's context says so.
func (s *eventStream) put(event []byte) {
	if s.ended {
		return
	}
	s.w.Write(event)
	http.NewResponseController(s.w).Flush()
}

func (s *eventStream) begun() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// keepAlive writes a comment into the quiet stream now and then, until it is stopped.
func (s *eventStream) keepAlive() (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(keepAlive)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.mu.Lock()
				if s.open {
					s.put([]byte(": still here\n\n"))
				}
				s.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
	}
}
