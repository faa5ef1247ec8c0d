package rest

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// beat is how often a quiet stream says that it is alive: proxies close what says nothing.
const beat = 20 * time.Second

// stream answers with server-sent events (HTML Standard, "Server-sent events"). It writes from one
// goroutine at a time.
type stream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	flush func() error
	timer *time.Timer
	over  bool
}

// openStream sends the head of the answer.
func openStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, flush: http.NewResponseController(w).Flush}
	_ = s.flush() // the caller left, or nothing buffers
	s.timer = time.AfterFunc(beat, s.beat)
	return s
}

// newStream is the stream of a call, which tells its progress there.
func newStream(w http.ResponseWriter, call *twodoor.Call) *stream {
	s := openStream(w)
	call.Progress = func(p twodoor.Progress) { s.send("progress", progress(p)) }
	return s
}

func progress(p twodoor.Progress) []byte {
	var out rawjson.Object
	out.Put("done", strconv.AppendFloat(nil, p.Done, 'f', -1, 64))
	if p.Total > 0 {
		out.Put("total", strconv.AppendFloat(nil, p.Total, 'f', -1, 64))
	}
	if p.Message != "" {
		out.PutString("message", p.Message)
	}
	return out.Bytes()
}

// send sends one event whose data is compact JSON, which has no line breaks.
func (s *stream) send(event string, data []byte) { s.sendAt("", event, data) }

// sendAt sends an event that a reader can go on after.
func (s *stream) sendAt(id, event string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" {
		event += "\nid: " + id
	}
	if !s.over {
		s.write([]byte("event: "+event+"\ndata: "), data, []byte("\n\n"))
	}
}

// write writes parts. An error is a caller who left: its context has ended then, and with it the work.
func (s *stream) write(parts ...[]byte) {
	for _, part := range parts {
		if _, err := s.w.Write(part); err != nil {
			s.over = true
			return
		}
	}
	_ = s.flush()
	s.timer.Reset(beat)
}

func (s *stream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.write([]byte(":\n\n"))
	}
}

// end sends the last event. Nothing follows it.
func (s *stream) end(event string, data []byte) {
	s.send(event, data)
	s.close()
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.timer.Stop()
}
