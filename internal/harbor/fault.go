package harbor

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// FaultKind is a way to fail and what it means.
type FaultKind struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Faults lists every fault by name.
func Faults() []FaultKind {
	return []FaultKind{
		{"slow", "answers rightly, but late"},
		{"hang", "never answers; the connection stays open until the caller leaves"},
		{"reset", "cuts the connection without an answer"},
		{"huge", "answers 200 with 50 MB of valid JSON"},
		{"badjson", "answers 200 with JSON that breaks off in the middle"},
		{"wrongtype", "answers 200 with an HTML page where JSON was promised"},
		{"redirect-other-host", "answers 307 to another host; a key must not follow"},
		{"500", "answers 500 with a text that is no JSON"},
		{"503", "answers 503 with Retry-After: 1"},
		{"429", "answers 429 with Retry-After: 1"},
		{"flaky", "cuts the first of every two connections, and lets the second through"},
	}
}

func isFault(name string) bool {
	for _, kind := range Faults() {
		if kind.Name == name {
			return true
		}
	}
	return false
}

const (
	faultsPath = "/faults" // where faults are asked for; never fails by one
	faultMax   = 1000
)

// faultQueue holds the faults that wait for a request, first come first served.
type faultQueue struct {
	mu      sync.Mutex
	waiting []waitingFault
}

type waitingFault struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func (q *faultQueue) add(name string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, waitingFault{name, n})
}

func (q *faultQueue) clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
}

// take uses up one count of the first fault that waits.
func (q *faultQueue) take() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return ""
	}
	first := &q.waiting[0]
	name := first.Name
	if first.Count--; first.Count == 0 {
		q.waiting = q.waiting[1:]
	}
	return name
}

func (q *faultQueue) list() []waitingFault {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]waitingFault{}, q.waiting...)
}

// Fault makes the next n requests (1 to 1000) fail in the named way; faults asked for earlier come first.
// With flaky, n counts pairs of requests. The route /faults itself never fails so.
func (s *Server) Fault(name string, n int) error {
	if err := checkFault(name, n); err != nil {
		return err
	}
	if name != "flaky" {
		s.faults.add(name, n)
		return nil
	}
	for range n {
		s.faults.add("reset", 1)
		s.faults.add("pass", 1)
	}
	return nil
}

func checkFault(name string, n int) error {
	if !isFault(name) {
		var names []string
		for _, kind := range Faults() {
			names = append(names, kind.Name)
		}
		return invalid("name", "knows no fault "+fmt.Sprintf("%q", name)+"; it takes "+strings.Join(names, ", "))
	}
	if n < 1 || n > faultMax {
		return invalid("count", fmt.Sprintf("must be from 1 to %d", faultMax))
	}
	return nil
}

func (s *Server) listFaults(*state, *request) (reply, error) {
	return ok(map[string]any{"waiting": s.faults.list(), "kinds": Faults()})
}

func (s *Server) createFaults(_ *state, in *request) (reply, error) {
	want := waitingFault{Count: 1}
	if err := in.decode(&want); err != nil {
		return reply{}, err
	}
	if err := s.Fault(want.Name, want.Count); err != nil {
		return reply{}, err
	}
	return created(want)
}

func (s *Server) clearFaults(*state, *request) (reply, error) {
	s.faults.clear()
	return noContent()
}

// fail lets the request fail as its header Harbor-Fault or the queue says, and tells whether it was answered.
func (s *Server) fail(w http.ResponseWriter, r *http.Request) bool {
	name := r.Header.Get("Harbor-Fault")
	if name == "" {
		name = s.faults.take()
	}
	switch name {
	case "slow":
		wait(r, s.options.Slow)
		return false
	case "hang":
		hang(r)
	case "reset", "flaky":
		cut(w)
	case "huge":
		huge(w)
	case "badjson":
		typed(http.StatusOK, "application/json", []byte(`{"items":[{"id":"inc_1126","title":"Checkout lat`)).write(w)
	case "wrongtype":
		typed(http.StatusOK, "text/html; charset=utf-8", []byte("<!doctype html><title>Sign in</title><p>Please sign in.")).write(w)
	case "redirect-other-host":
		http.Redirect(w, r, s.otherHost(r)+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	case "500":
		typed(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte("panic: runtime error: harbor wall breached\n")).write(w)
	case "503":
		writeProblem(w, &problem{Status: http.StatusServiceUnavailable, Code: "unavailable", Detail: "Harbor is closed for a moment.", RetryAfter: 1})
	case "429":
		writeProblem(w, &problem{Status: http.StatusTooManyRequests, Code: "limited", Detail: "Too many requests.", RetryAfter: 1})
	default:
		return false
	}
	return true
}

// wait lets time pass, or the caller leave.
func wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// hang reads the body first: only then does net/http notice that the caller left.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, bodyLimit))
	<-r.Context().Done()
}

// cut resets the connection where it can be had, else ends the answer as net/http does after a panic.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, isTCP := conn.(*net.TCPConn); isTCP {
		_ = tcp.SetLinger(0) // a reset instead of a polite end
	}
	_ = conn.Close()
}

const hugeBytes = 50_000_000

// huge writes a JSON object of hugeBytes, item by item.
func huge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	const head, tail = `{"items":[""`, `]}`
	item := []byte(`,"` + strings.Repeat("all work and no play makes a dull harbor ", 25) + `"`)
	if _, err := io.WriteString(w, head); err != nil {
		return
	}
	left := hugeBytes - len(head) - len(tail)
	for ; left >= len(item)+3; left -= len(item) {
		if _, err := w.Write(item); err != nil {
			return
		}
	}
	_, _ = io.WriteString(w, `,"`+strings.Repeat("x", left-3)+`"`+tail)
}

// otherHost is the base URL of another host: the one of the options, else this listener under its other name.
func (s *Server) otherHost(r *http.Request) string {
	if s.options.OtherHost != "" {
		return strings.TrimSuffix(s.options.OtherHost, "/")
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "http://elsewhere.invalid"
	}
	other := "localhost"
	if host == "localhost" {
		other = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(other, port)
}
