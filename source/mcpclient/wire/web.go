package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Revisions of MCP that change what goes over HTTP.
const (
	FirstHeader = "2025-06-18" // from here on the version stands in a header
	FirstModern = "2026-07-28" // from here on there is no session
)

// Send puts a key on a request and sends it.
type Send func(*http.Request) (*http.Response, error)

// Web is Streamable HTTP: one POST a message, its answer as JSON or as a stream of events.
type Web struct {
	URL  string // required
	Send Send   // required
	Max  int    // bytes of one message; 0: DefaultMax
	In   Inbound

	next    atomic.Int64
	mu      sync.Mutex
	version string
	session string

	once sync.Once
	life context.Context
	end  context.CancelFunc
}

// Speak sets the revision that is spoken from now on. What goes out before is of no revision.
func (w *Web) Speak(version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version = version
}

// Session is the session that the server gave; empty: none.
func (w *Web) Session() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

func (w *Web) alive() context.Context {
	w.once.Do(func() { w.life, w.end = context.WithCancel(context.Background()) })
	return w.life
}

// Done is closed by Close: a link without a connection does not die.
func (w *Web) Done() <-chan struct{} { return w.alive().Done() }

// Err is ErrClosed after Close.
func (w *Web) Err() error {
	if w.alive().Err() != nil {
		return ErrClosed
	}
	return nil
}

// Close leaves the session, where there is one.
func (w *Web) Close(grace time.Duration) {
	session := w.Session()
	w.alive()
	w.end()
	if session == "" || grace <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if req, err := w.request(ctx, http.MethodDelete, nil, nil); err == nil {
		if resp, err := w.Send(req); err == nil {
			resp.Body.Close()
		}
	}
}

// Call sends a request and waits for its answer.
func (w *Web) Call(ctx context.Context, r Request) (*Reply, error) {
	id := strconv.FormatInt(w.next.Add(1), 10)
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the call by a moment: see drain
	unbind, unlink := context.AfterFunc(ctx, cancel), context.AfterFunc(w.alive(), cancel)
	reply, body, err := w.exchange(inner, id, r)
	unbind()
	unlink()
	if body != nil && err == nil {
		go drain(body, cancel)
		return reply, nil
	}
	cancel()
	if body != nil {
		body.Close()
	}
	switch {
	case err == nil:
		return reply, nil
	case ctx.Err() != nil:
		w.cancelled(r.Method, id)
		return nil, ctx.Err()
	case w.Err() != nil:
		return nil, ErrClosed
	}
	return nil, err
}

// drainTime is how long a stream may take to end after its answer.
const drainTime = 100 * time.Millisecond

// drain reads a stream to its end, so that its connection serves the next call.
func drain(body io.ReadCloser, cancel context.CancelFunc) {
	defer cancel()
	timer := time.AfterFunc(drainTime, cancel)
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(body, maxBody))
	body.Close()
}

// exchange returns the body of a stream that may have more to say; it is closed by the caller.
func (w *Web) exchange(ctx context.Context, id string, r Request) (*Reply, io.ReadCloser, error) {
	resp, err := w.post(ctx, &r, request(id, r.Method, withToken(r, id)))
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		reply, err := w.refused(resp, id)
		return reply, nil, err
	}
	if r.Method == "initialize" {
		w.mu.Lock()
		w.session = resp.Header.Get(headerSession)
		w.mu.Unlock()
	}
	a := &awaited{web: w, id: id, of: r, tell: r.tell}
	if mediaType(resp) != "text/event-stream" {
		defer resp.Body.Close()
		reply, err := a.single(resp)
		return reply, nil, err
	}
	reply, err := a.stream(ctx, &resp)
	return reply, resp.Body, err
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// Notify sends a message that has no answer.
func (w *Web) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return w.put(ctx, &Request{Method: method}, notification(method, params))
}

// put posts a message and expects no answer.
func (w *Web) put(ctx context.Context, r *Request, body []byte) error {
	resp, err := w.post(ctx, r, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		_, err := w.refused(resp, "")
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)) // so that the connection can be used again
	return nil
}

// cancelled tells the server that nobody waits any more. Modern servers see it in the closed stream.
func (w *Web) cancelled(method, id string) {
	if method == "initialize" || w.modern() {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(w.alive(), cancelTime)
		defer cancel()
		_ = w.put(ctx, &Request{Method: "notifications/cancelled"}, cancelledNotification(id))
	}()
}

func (w *Web) modern() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version >= FirstModern
}

func (w *Web) post(ctx context.Context, r *Request, body []byte) (*http.Response, error) {
	req, err := w.request(ctx, http.MethodPost, r, body)
	if err != nil {
		return nil, err
	}
	return w.Send(req)
}

// request makes a request with the headers of the revision.
func (w *Web) request(ctx context.Context, method string, r *Request, body []byte) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.URL, content)
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		h.Set("Content-Type", "application/json")
	} else if method == http.MethodGet {
		h.Set("Accept", "text/event-stream")
	}
	w.mu.Lock()
	version, session := w.version, w.session
	w.mu.Unlock()
	if r != nil && r.Method == "initialize" { // it begins another session, while others still use the last one
		version, session = "", ""
	}
	if version >= FirstHeader {
		h.Set(headerVersion, version)
	}
	if version >= FirstModern && r != nil {
		h.Set(headerMethod, r.Method)
		if r.Name != "" {
			h.Set(headerName, encodeHeader(r.Name))
		}
		for name, values := range r.Header {
			h[name] = values
		}
	}
	if session != "" && version < FirstModern {
		h.Set(headerSession, session)
	}
	return req, nil
}

// maxBody is how much is read of an answer that is no success.
const maxBody = 64 << 10

// refused reads an answer that is no success: a JSON-RPC fault for this very request is an answer.
func (w *Web) refused(resp *http.Response, id string) (*Reply, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, err
	}
	fault := &StatusError{Status: resp.StatusCode, Header: resp.Header, Body: body, Session: resp.Request.Header.Get(headerSession)}
	var answer *message
	_ = readMessages(body, func(m *message) { answer = m })
	if answer != nil {
		fault.Fault = answer.fault
	}
	own := answer != nil && answer.id == id && id != ""
	if fault.Session != "" {
		// Servers that lost their sessions in a restart answer 400 with a fault for no request.
		fault.Lost = resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest && fault.Fault != nil && !own
	}
	if fault.Fault != nil && !fault.Lost && fault.answers(own) {
		return &Reply{Fault: fault.Fault, Status: resp.StatusCode}, nil
	}
	return nil, fault
}

// answers reports whether the fault in the body is the answer to the request, and not the word of
// whoever guards the server.
func (e *StatusError) answers(own bool) bool {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return own
}

// awaited is an answer on its way.
type awaited struct {
	web   *Web
	id    string
	of    Request
	tell  func(json.RawMessage)
	reply *Reply
}

// single reads an answer that is one message.
func (a *awaited) single(resp *http.Response) (*Reply, error) {
	longest := a.web.max()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(longest)+1))
	if err != nil {
		return nil, err
	}
	if len(body) > longest {
		return nil, ErrTooLarge
	}
	if readMessages(body, a.take) != nil {
		return nil, ErrNonsense
	}
	if a.reply == nil {
		return nil, ErrNoAnswer
	}
	a.reply.Status = resp.StatusCode
	return a.reply, nil
}

func (w *Web) max() int {
	if w.Max > 0 {
		return w.Max
	}
	return DefaultMax
}

func (a *awaited) take(m *message) {
	switch {
	case m.method != "" && m.id != "":
		a.respond(m)
	case m.method == "notifications/progress":
		a.tell(m.params)
	case m.method == "notifications/message" && a.of.Message != nil:
		a.of.Message(m.params)
	case m.method != "":
		a.web.In.notify(m)
	case m.id == a.id && a.reply == nil:
		a.reply = &Reply{Result: m.result, Fault: m.fault}
	}
}

// respond answers a request of the server with a POST of its own. Modern servers may not ask, and
// get no answer.
func (a *awaited) respond(m *message) {
	w := a.web
	if w.modern() {
		return
	}
	ctx := w.alive()
	go func() {
		if a.of.Answer != nil && m.method != "ping" {
			_ = w.put(ctx, nil, answerBy(ctx, a.of.Answer, m))
			return
		}
		_ = w.put(ctx, nil, w.In.answer(ctx, m))
	}()
}

// Bounds of resuming a stream that ended early.
const (
	maxResumes   = 20 // without an event between them
	defaultRetry = time.Second
	maxRetry     = 30 * time.Second
)

// stream reads events until the answer is there. A stream of 2025-11-25 that ends before is taken up
// again where its last event had an id ("Resumability and Redelivery").
func (a *awaited) stream(ctx context.Context, resp **http.Response) (*Reply, error) {
	events := newEventReader((*resp).Body, a.web.max())
	for resumes := 0; ; resumes++ {
		last := events.lastID
		err := a.events(events)
		if a.reply != nil {
			a.reply.Status = (*resp).StatusCode
			return a.reply, nil
		}
		if errors.Is(err, ErrTooLarge) || ctx.Err() != nil {
			return nil, err
		}
		if events.lastID != last {
			resumes = 0
		}
		if events.lastID == "" || a.web.modern() || resumes >= maxResumes {
			return nil, ErrNoAnswer
		}
		(*resp).Body.Close()
		again, err := a.web.resume(ctx, events)
		if err != nil {
			return nil, err
		}
		*resp = again
		next := newEventReader(again.Body, a.web.max())
		next.lastID, next.retry = events.lastID, events.retry
		events = next
	}
}

// events takes events until the answer is there, or the stream ends.
func (a *awaited) events(events *eventReader) error {
	for {
		ev, err := events.next()
		if err != nil {
			return err
		}
		if ev.name == "" || ev.name == "message" {
			_ = readMessages(ev.data, a.take) // an event that is no message says nothing to us
		}
		if a.reply != nil {
			return nil
		}
	}
}

// resume waits as long as the server asks for, and opens the rest of a stream.
func (w *Web) resume(ctx context.Context, events *eventReader) (*http.Response, error) {
	wait := events.retry
	if wait <= 0 {
		wait = defaultRetry
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(min(wait, maxRetry)):
	}
	return w.open(ctx, events.lastID)
}

// open opens a stream with GET.
func (w *Web) open(ctx context.Context, last string) (*http.Response, error) {
	req, err := w.request(ctx, http.MethodGet, nil, nil)
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set(headerLast, last)
	}
	resp, err := w.Send(req)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusMethodNotAllowed:
		resp.Body.Close()
		return nil, ErrNoStream
	case resp.StatusCode/100 != 2:
		defer resp.Body.Close()
		_, err := w.refused(resp, "")
		return nil, err
	case mediaType(resp) != "text/event-stream":
		resp.Body.Close()
		return nil, ErrNoStream
	}
	return resp, nil
}

// Listen reads what the server says outside of any request, until the stream or the context ends.
// A server that has no such stream answers ErrNoStream, which is no fault of it.
func (w *Web) Listen(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.alive(), cancel)()
	resp, err := w.open(ctx, "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return (&awaited{web: w, tell: func(json.RawMessage) {}}).events(newEventReader(resp.Body, w.max()))
}
