package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// reply is an answer that the description allows.
type reply struct {
	status int
	media  string // "": there is no content
	body   []byte
}

// answer is the first success of an operation: its declared example, else a value made from its schema.
func (o *described) answer() reply {
	r := reply{status: 200}
	answer := map[string]any{}
	for _, status := range sorted(o.answers) {
		if len(status) == 3 && status[0] == '2' {
			answer = object(o.doc.resolve(o.answers[status]))
			if _, err := fmt.Sscan(strings.ReplaceAll(status, "XX", "00"), &r.status); err == nil {
				break
			}
		}
	}
	media, schema, examples := o.answerContent(answer)
	if r.status == http.StatusNoContent || media == "" || o.method == http.MethodHead {
		return r
	}
	r.media = media
	value, ok := examples, examples != nil
	if !ok {
		m := &maker{resolve: o.doc.pointer}
		if value, ok = m.value(schema, 0); !ok {
			value = map[string]any{}
		}
	}
	r.body = write(media, value)
	return r
}

// answerContent is the media type of an answer, JSON before others, its schema, and its first example.
func (o *described) answerContent(answer map[string]any) (media string, schema, example any) {
	if o.doc.swagger {
		if answer["schema"] == nil {
			return "", nil, nil
		}
		media = "application/json"
		return media, answer["schema"], object(answer["examples"])[media]
	}
	contents := object(answer["content"])
	for _, name := range sorted(contents) {
		if media == "" || strings.Contains(name, "json") && !strings.Contains(media, "json") {
			media = name
		}
	}
	kind := object(o.doc.resolve(contents[media]))
	example = kind["example"]
	for _, name := range sorted(object(kind["examples"])) {
		if v := object(o.doc.resolve(object(kind["examples"])[name]))["value"]; example == nil {
			example = v
		}
	}
	return media, kind["schema"], example
}

func write(media string, value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("{}")
	}
	switch {
	case strings.HasPrefix(media, "text/event-stream"):
		return fmt.Appendf(nil, "data: %s\n\n", raw)
	case strings.Contains(media, "json"):
		return raw
	}
	if text, ok := value.(string); ok {
		return []byte(text)
	}
	return raw
}

// stub is the far side: it keeps what came, and answers from the description.
type stub struct {
	doc   *document
	mu    sync.Mutex
	ready map[*described]reply
}

func (s *stub) replyTo(o *described) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.ready[o]
	if !ok {
		r = o.answer()
		if s.ready == nil {
			s.ready = map[*described]reply{}
		}
		s.ready[o] = r
	}
	return r
}

// visit is one call under way: which operation is meant, where it has to go, and what came of it.
type visit struct {
	of   *described
	base string
	came []*received
}

type visitKey struct{}

func visiting(ctx context.Context, v *visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// RoundTrip is the far side without a network: what it reads is what would be on the wire.
func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	v, ok := req.Context().Value(visitKey{}).(*visit)
	if !ok {
		return nil, fmt.Errorf("a request without its call: %s %s", req.Method, req.URL)
	}
	r, err := overWire(req)
	if err != nil {
		return nil, err
	}
	r.base = v.base
	v.came = append(v.came, r)
	answer := s.replyTo(v.of)
	resp := &http.Response{StatusCode: answer.status, Header: http.Header{}, Request: req, ContentLength: int64(len(answer.body)),
		Body: io.NopCloser(bytes.NewReader(answer.body)), ProtoMajor: 1, ProtoMinor: 1}
	if answer.media != "" {
		resp.Header.Set("Content-Type", answer.media)
	}
	return resp, nil
}

// server is the far side on loopback, for programs of their own. One call is under way at a time.
type server struct {
	*stub
	visit *visit
}

func (s *server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r, err := receive(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	v := s.visit
	r.base = v.base
	v.came = append(v.came, r)
	s.mu.Unlock()
	answer := s.replyTo(v.of)
	if answer.media != "" {
		w.Header().Set("Content-Type", answer.media)
	}
	w.WriteHeader(answer.status)
	w.Write(answer.body) // the client left: its call fails
}
