package fault

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fail lets a request fail in the named way, or without a name as the queue says, and tells whether it was answered.
func (q *Queue) Fail(w http.ResponseWriter, r *http.Request, name string) bool {
	if name == "" {
		name = q.take()
	}
	switch name {
	case "slow":
		wait(r, q.Slow)
		return false
	case "hang":
		q.hang(r)
	case "reset", "flaky":
		cut(w)
	case "huge":
		huge(w)
	case "badjson":
		answer(w, http.StatusOK, "application/json", []byte(`{"items":[{"id":"inc_1126","title":"Checkout lat`))
	case "wrongtype":
		answer(w, http.StatusOK, "text/html; charset=utf-8", []byte("<!doctype html><title>Sign in</title><p>Please sign in."))
	case "redirect-other-host":
		http.Redirect(w, r, q.otherHost(r)+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	case "500":
		answer(w, http.StatusInternalServerError, "text/plain; charset=utf-8", []byte("panic: runtime error: harbor wall breached\n"))
	case "503":
		q.Refuse(w, http.StatusServiceUnavailable, "unavailable", "Harbor is closed for a moment.")
	case "429":
		q.Refuse(w, http.StatusTooManyRequests, "limited", "Too many requests.")
	default:
		return false
	}
	return true
}

func answer(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller left: nobody to tell
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
func (q *Queue) hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, q.BodyLimit))
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

// otherHost is the base URL of another host: the one that was set, else this listener under its other name.
func (q *Queue) otherHost(r *http.Request) string {
	if q.OtherHost != "" {
		return strings.TrimSuffix(q.OtherHost, "/")
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
