package harbor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// reply is what a handler answers. Its body is made while the handler holds the data, and written after it let go.
type reply struct {
	status int // 0 means 200
	header http.Header
	body   []byte
	stream func(http.ResponseWriter) // writes the body itself, bit by bit, instead of body
}

func (a reply) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.stream == nil && a.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.stream != nil {
		a.stream(w)
		return
	}
	_, _ = w.Write(a.body) // the caller left: nobody to tell
}

// with adds a header to the answer.
func (a reply) with(name, value string) reply {
	a.header.Set(name, value)
	return a
}

func typed(status int, contentType string, body []byte) reply {
	return reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: body}
}

func ok(value any) (reply, error)      { return jsonReply(http.StatusOK, value) }
func created(value any) (reply, error) { return jsonReply(http.StatusCreated, value) }
func noContent() (reply, error)        { return reply{status: http.StatusNoContent}, nil }

func jsonReply(status int, value any) (reply, error) {
	body, err := encode(value)
	return typed(status, "application/json", body), err
}

// encode writes JSON without escaping HTML, ended by a line feed.
func encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return buffer.Bytes(), err
}

// problem is a fault as a caller sees it: problem details (RFC 9457) with a code and the way out.
type problem struct {
	Type       string   `json:"type"`
	Title      string   `json:"title"`
	Status     int      `json:"status"`
	Code       string   `json:"code"`
	Detail     string   `json:"detail"`
	Hint       string   `json:"hint,omitempty"`
	Next       *step    `json:"next,omitempty"`
	Fields     []misfit `json:"fields,omitempty"`
	RetryAfter int      `json:"retry_after_s,omitempty"`
}

// step is a request that would help.
type step struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// misfit is one field that does not fit.
type misfit struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

func (p *problem) Error() string { return p.Code + ": " + p.Detail }

func asProblem(err error) *problem {
	var known *problem
	if errors.As(err, &known) {
		return known
	}
	return &problem{Status: http.StatusInternalServerError, Code: "internal", Detail: err.Error()}
}

func writeProblem(w http.ResponseWriter, p *problem) {
	told := *p
	told.Type, told.Title = "about:blank", http.StatusText(p.Status)
	body, err := encode(told)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	typed(p.Status, "application/problem+json", body).write(w)
}

func notFound(kind, id, hint string) *problem {
	return &problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no " + kind + " " + strconv.Quote(id) + ".", Hint: hint}
}

func invalid(path, what string) *problem {
	return misfits([]misfit{{path, what}})
}

func misfits(found []misfit) *problem {
	p := &problem{Status: http.StatusBadRequest, Code: "invalid", Fields: found, Detail: "The request does not fit: "}
	for i, field := range found {
		if i > 0 {
			p.Detail += "; "
		}
		p.Detail += field.Path + " " + field.Problem
	}
	p.Detail += "."
	return p
}

// decode reads a JSON body strictly: unknown fields and a second value are misfits.
func (in *request) decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(in.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return invalid("body", "is not the JSON that is wanted ("+err.Error()+")")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return invalid("body", "holds more than one value")
	}
	return nil
}
