package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// checkAnswer wants an answer to be JSON or a fault with a code of its own.
func checkAnswer(t *testing.T, value *twodoor.Value, err error) {
	t.Helper()
	if err != nil {
		fault := twodoor.AsError(err)
		if fault.Code == twodoor.CodeInternal {
			t.Fatalf("the fault has no code: %v", err)
		}
		if _, err := json.Marshal(fault); err != nil {
			t.Fatalf("the fault cannot be told: %v", err)
		}
		return
	}
	if value.JSON != nil && rawjson.Check(value.JSON) != nil {
		t.Fatalf("the answer is no JSON: %q", value.JSON)
	}
}

func TestCodesOfStatus(t *testing.T) {
	want := map[int]twodoor.Code{
		301: twodoor.CodeUpstream, 400: twodoor.CodeInvalid, 401: twodoor.CodeUpstreamAuth, 402: twodoor.CodeForbidden, 403: twodoor.CodeForbidden,
		404: twodoor.CodeNotFound, 405: twodoor.CodeUpstream, 406: twodoor.CodeInvalid, 408: twodoor.CodeTimeout, 409: twodoor.CodeConflict,
		410: twodoor.CodeNotFound, 412: twodoor.CodeConflict, 413: twodoor.CodeTooLarge, 415: twodoor.CodeInvalid, 418: twodoor.CodeInvalid,
		422: twodoor.CodeInvalid, 423: twodoor.CodeConflict, 429: twodoor.CodeLimited, 500: twodoor.CodeUpstream, 501: twodoor.CodeUpstream,
		502: twodoor.CodeUpstream, 503: twodoor.CodeUnavailable, 504: twodoor.CodeTimeout, 599: twodoor.CodeUpstream,
	}
	for status, code := range want {
		_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, status, "application/json", `{"why":1}`) })
		fault := faultOf(t, err, code)
		if fault.Upstream.Status != status || string(fault.Upstream.Body) != `{"why":1}` || !strings.HasPrefix(fault.Message, fmt.Sprintf("harbor answered %d", status)) {
			t.Errorf("%d is told as %+v", status, fault)
		}
	}
}

func TestMessagesAreFound(t *testing.T) {
	for _, test := range []struct{ name, media, body, message, hint string }{
		{"problem details", "application/problem+json", `{"type":"about:blank","title":"Conflict","status":409,"code":"c","detail":"It is closed.","hint":"Reopen it first."}`, "It is closed.", "Reopen it first."},
		{"google", "", `{"error":{"code":409,"message":"Aborted","status":"ABORTED"}}`, "Aborted", ""},
		{"oauth", "", `{"error":"invalid_grant","error_description":"It is expired."}`, "It is expired.", ""},
		{"a word", "", `{"error":"busy"}`, "busy", ""},
		{"JSON:API", "", `{"errors":[{"title":"Taken","detail":"The name is taken."},{"title":"Short"}]}`, "The name is taken.; Short", ""},
		{"asana", "", `{"errors":[{"message":"no","help":"x"}]}`, "no", ""},
		{"a hint inside", "", `{"error":{"message":"m","suggestion":"try this"}}`, "m", "try this"},
		{"a title alone", "", `{"title":"Conflict here"}`, "Conflict here", ""},
		{"a string", "", `"plain"`, "plain", ""},
		{"nothing", "", `{"a":1}`, "", ""},
		{"an empty body", "", ``, "", ""},
		{"a text", "text/plain", "first line\nsecond", "first line", ""},
		{"a page", "text/html", "<html><head><title>502 Bad\nGateway</title>", "502 Bad Gateway", ""},
		{"a page without", "text/html", "<html>", "", ""},
		{"bytes", "application/pdf", "\xff\x00", "", ""},
		{"control characters", "", `{"message":"a\u001b[31mb\u202ec\u200bd\ne"}`, "a[31mbcd e", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 409, test.media, test.body) })
			fault := faultOf(t, err, twodoor.CodeConflict)
			want := "harbor answered 409 Conflict"
			if test.message != "" {
				want += ": " + test.message
			}
			if fault.Message != want || fault.Hint != test.hint {
				t.Errorf("told as %q, hint %q; want %q", fault.Message, fault.Hint, want)
			}
		})
	}
}

func TestFieldsAreFound(t *testing.T) {
	for body, want := range map[string]string{
		`{"fields":[{"path":"title","problem":"is missing"}]}`:                     "title is missing",
		`{"detail":[{"loc":["body","n"],"msg":"too big","type":"x"}]}`:             "body.n too big",
		`{"errors":[{"source":{"pointer":"/data/name"},"detail":"is taken"}]}`:     "data.name is taken",
		`{"errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}`: "title missing_field",
		`{"errors":["a"]}`: "",
	} {
		_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 422, "", body) })
		got := ""
		for _, f := range faultOf(t, err, twodoor.CodeInvalid).Fields {
			got += f.Path + " " + f.Problem
		}
		if got != want {
			t.Errorf("%s names %q, want %q", body, got, want)
		}
	}
}

func TestFaultsAreBounded(t *testing.T) {
	_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
		return respond(req, 400, "application/json", `{"message":"`+strings.Repeat("é", 20000)+`"}`)
	})
	fault := faultOf(t, err, twodoor.CodeInvalid)
	if len(fault.Message) > maxFaultText+100 || len(fault.Upstream.Body) > maxFaultBody+100 || rawjson.Check(fault.Upstream.Body) != nil {
		t.Errorf("the message has %d bytes, the body %d", len(fault.Message), len(fault.Upstream.Body))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		status int
		header map[string]string
		code   twodoor.Code
		want   time.Duration
	}{
		{429, map[string]string{"Retry-After": "7"}, twodoor.CodeLimited, 7 * time.Second},
		{503, map[string]string{"Retry-After": "Mon, 30 Nov 2026 12:01:30 GMT"}, twodoor.CodeUnavailable, 90 * time.Second},
		{503, map[string]string{"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, twodoor.CodeUnavailable, 0},
		{429, map[string]string{"Retry-After": "1e12"}, twodoor.CodeLimited, maxRetryAfter},
		{429, map[string]string{"Retry-After": "soon"}, twodoor.CodeLimited, 0},
		{429, nil, twodoor.CodeLimited, 0},
		{403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 40)}, twodoor.CodeLimited, 40 * time.Second},
		{429, map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": "12"}, twodoor.CodeLimited, 12 * time.Second},
		{403, map[string]string{"X-RateLimit-Remaining": "5"}, twodoor.CodeForbidden, 0},
	} {
		v := &Invoker{Now: func() time.Time { return now }, Doer: doFunc(func(req *http.Request) (*http.Response, error) {
			resp := respond(req, test.status, "", "")
			for name, value := range test.header {
				resp.Header.Set(name, value)
			}
			return resp, nil
		})}
		_, err := v.Invoke(t.Context(), invocation(t, plan.Plan{}, `{}`))
		if fault := faultOf(t, err, test.code); fault.RetryAfter != test.want {
			t.Errorf("%d %v waits %s, want %s", test.status, test.header, fault.RetryAfter, test.want)
		}
	}
}

func TestRefusedLoginNamesTheNextStep(t *testing.T) {
	_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 401, "", "") })
	if fault := faultOf(t, err, twodoor.CodeUpstreamAuth); !strings.Contains(fault.Hint, "sources.harbor.connection") {
		t.Errorf("the hint is %q", fault.Hint)
	}
}

// wire is a Doer that sends requests, without a key and without following anything.
type wire struct{ http.Transport }

func (w *wire) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	return w.RoundTrip(req)
}

// overWire calls a server that answers like this.
func overWire(t *testing.T, v *Invoker, handler http.HandlerFunc) (*twodoor.Value, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	w := &wire{}
	defer w.CloseIdleConnections()
	v.Doer = w
	return v.Invoke(t.Context(), invocation(t, plan.Plan{Server: server.URL}, `{}`))
}

func TestFaultsOfTheWire(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		code    twodoor.Code
		message string
	}{
		{"reset before an answer", hijack("", true), twodoor.CodeUpstream, "before it answered"},
		{"closed before an answer", hijack("", false), twodoor.CodeUpstream, "before it answered"},
		{"no HTTP", hijack("SSH-2.0-x\r\n\r\n", false), twodoor.CodeUpstream, "before it answered"},
		{"a short body", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{\"a\":", false), twodoor.CodeUpstream, "broke the connection off after 5 bytes"},
		{"half a chunk", hijack("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", true), twodoor.CodeUpstream, "broke the connection off"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := overWire(t, &Invoker{}, test.handler)
			if fault := faultOf(t, err, test.code); !strings.Contains(fault.Message, test.message) {
				t.Errorf("told as %q", fault.Message)
			}
		})
	}
}

// hijack writes bytes and ends the connection, with a reset or without.
func hijack(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func TestFiftyMegabytes(t *testing.T) {
	pour := func(length bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if length {
				w.Header().Set("Content-Length", fmt.Sprint(50<<20))
			}
			chunk := make([]byte, 1<<20)
			for range 50 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
	}
	for _, length := range []bool{true, false} {
		_, err := overWire(t, &Invoker{MaxAnswer: 4 << 20}, pour(length))
		if fault := faultOf(t, err, twodoor.CodeTooLarge); !strings.Contains(fault.Hint, "ask for less") {
			t.Errorf("the hint is %q", fault.Hint)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = (&Invoker{Doer: &wire{}}).Invoke(t.Context(), invocation(t, plan.Plan{Server: "http://" + address}, `{}`))
	faultOf(t, err, twodoor.CodeUnavailable)
	v := &Invoker{Doer: doFunc(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}}
	})}
	_, err = v.Invoke(t.Context(), invocation(t, plan.Plan{}, `{}`))
	if fault := faultOf(t, err, twodoor.CodeUnavailable); !strings.Contains(fault.Message, "host name") {
		t.Errorf("told as %q", fault.Message)
	}
}

func TestFaultsOfTLS(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for address, want := range map[string]string{
		secure.URL: "not trusted", strings.Replace(plain.URL, "http:", "https:", 1): "does not speak TLS",
	} {
		w := &wire{}
		_, err := (&Invoker{Doer: w}).Invoke(t.Context(), invocation(t, plan.Plan{Server: address}, `{}`))
		if fault := faultOf(t, err, twodoor.CodeUnavailable); !strings.Contains(fault.Message, want) {
			t.Errorf("told as %q, want %q", fault.Message, want)
		}
		w.CloseIdleConnections()
	}
}

func TestAFarSideThatHangs(t *testing.T) {
	for _, head := range []bool{false, true} {
		gone := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if head {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
			}
			cancel()
			<-r.Context().Done()
			close(gone)
		}))
		_, err := (&Invoker{Doer: &wire{}}).Invoke(ctx, invocation(t, plan.Plan{Server: server.URL}, `{}`))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the call ends with %v", err)
		}
		<-gone
		server.Close()
	}
}

func TestTheDeadlineIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		v := &Invoker{Doer: doFunc(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})}
		_, err := v.Invoke(ctx, invocation(t, plan.Plan{}, `{}`))
		if fault := faultOf(t, err, twodoor.CodeTimeout); !errors.Is(fault, context.DeadlineExceeded) {
			t.Errorf("the cause is %v", fault.Cause)
		}
	})
}

// body closing: every way out of an answer closes it.
func TestBodiesAreClosed(t *testing.T) {
	for _, body := range []string{`{}`, `{`, "data: x\n\n"} {
		for _, media := range []string{"application/json", mediatype.EventStream, "image/png"} {
			for _, status := range []int{200, 204, 304, 404} {
				closed := false
				_, _ = answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
					resp := respond(req, status, media, body)
					resp.Body = closer{resp.Body, &closed}
					return resp
				})
				if !closed {
					t.Errorf("%d %s %q is left open", status, media, body)
				}
			}
		}
	}
}

type closer struct {
	io.ReadCloser
	closed *bool
}

func (c closer) Close() error {
	*c.closed = true
	return c.ReadCloser.Close()
}

// maskDoer knows one key.
type maskDoer struct{ resp *http.Response }

func (d maskDoer) Do(*http.Request, twodoor.Access) (*http.Response, error) { return d.resp, nil }

func (d maskDoer) Mask(req *http.Request, _ twodoor.Access) (*http.Request, error) {
	masked := req.Clone(req.Context())
	masked.Header.Set("Authorization", "Bearer ***")
	return masked, nil
}

func (d maskDoer) Redact(text string) string { return strings.ReplaceAll(text, "canary-key", "***") }

func TestNoKeyInAFault(t *testing.T) {
	for _, body := range []string{`{"message":"bad key canary-key","hint":"not canary-key","errors":[{"field":"canary-key","message":"canary-key"}]}`, "canary-key", "<title>canary-key</title>"} {
		for _, status := range []int{400, 401, 200} {
			in := invocation(t, plan.Plan{}, `{}`)
			media := ""
			if status == 200 {
				media, body = "application/json", body+"}"
			}
			v := &Invoker{Doer: maskDoer{respond(httptest.NewRequest("GET", "/", nil), status, media, body)}}
			_, err := v.Invoke(t.Context(), in)
			told, _ := json.Marshal(twodoor.AsError(err))
			if err == nil || strings.Contains(string(told), "canary") {
				t.Errorf("%d %s is told as %s", status, body, told)
			}
		}
	}
}
