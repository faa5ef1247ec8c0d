package fault

import (
	"net/http"
	"sync"
	"time"
)

// Queue holds the faults that wait for a request, first come first served. Its fields are set before it is used; it is
// safe for concurrent use.
type Queue struct {
	Slow      time.Duration // how long slow waits
	OtherHost string        // base URL that redirect-other-host points at; empty: the same port under another name
	BodyLimit int64         // bytes that hang reads of a body, at most
	// Refuse answers with a status and Retry-After: 1, as the upstream words it. Required.
	Refuse func(w http.ResponseWriter, status int, code, detail string)

	mu      sync.Mutex
	waiting []Waiting // guarded by mu
}

// Waiting is a fault and how many requests it waits for.
type Waiting struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Add makes the next n requests, 1 to 1000, fail in the named way; faults added earlier come first. With flaky, n counts
// pairs of requests. Where name or count does not fit, nothing is added, and it is told which and why.
func (q *Queue) Add(name string, n int) (field, wrong string) {
	if field, wrong = check(name, n); wrong != "" {
		return field, wrong
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if name != "flaky" {
		q.waiting = append(q.waiting, Waiting{name, n})
		return "", ""
	}
	for range n {
		q.waiting = append(q.waiting, Waiting{"reset", 1}, Waiting{"pass", 1})
	}
	return "", ""
}

// Clear forgets all faults.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
}

// List is the faults that wait, never nil.
func (q *Queue) List() []Waiting {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]Waiting{}, q.waiting...)
}

// take uses up one count of the first fault that waits.
func (q *Queue) take() string {
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
