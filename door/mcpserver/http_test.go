package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
)

// site is the door behind a real server.
type site struct {
	*bench
	t   *testing.T
	url string
}

func newSite(t *testing.T, change ...func(*Door)) *site {
	t.Helper()
	b := newDoor(t)
	for _, c := range change {
		c(b.Door)
	}
	server := httptest.NewServer(b.Handler())
	t.Cleanup(func() {
		b.Close()
		server.Close()
	})
	return &site{bench: b, t: t, url: server.URL}
}

// post sends a message with headers given as "Name: value"; a header without a value is taken away.
func (s *site) post(ctx context.Context, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		switch value = strings.TrimSpace(value); {
		case value == "":
			r.Header.Del(name)
		case name == "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { reply.Body.Close() })
	return reply
}

// call posts a modern message with its headers, and some more.
func (s *site) call(body string, headers ...string) (status int, text string) {
	s.t.Helper()
	reply := s.post(s.t.Context(), body, append(mirrored(body), headers...)...)
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// mirrored are the headers that say what a modern body says.
func mirrored(body string) []string {
	m, _ := readMessage([]byte(body))
	headers := []string{"MCP-Protocol-Version: " + Version, "Mcp-Method: " + m.method}
	if m.params.name != nil {
		headers = append(headers, "Mcp-Name: "+strings.Trim(string(m.params.name), `"`))
	}
	return headers
}

func TestStatusOfEveryAnswer(t *testing.T) {
	s := newSite(t)
	list := modern("1", "tools/list", "")
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		holds   string
	}{
		"list":                      {list, nil, 200, `"tools":[`},
		"call":                      {modern("1", "tools/call", `"name":"lab_secret"`), nil, 200, `hush`},
		"fault of a call":           {modern("1", "tools/call", `"name":"lab_drop"`), nil, 200, `"isError":true`},
		"unknown tool":              {modern("1", "tools/call", `"name":"nope"`), nil, 400, `-32602`},
		"call without a name":       {modern("1", "tools/call", ""), nil, 400, `-32602`},
		"our bug":                   {modern("1", "tools/call", `"name":"lab_boom"`), nil, 200, `-32603`},
		"unknown method":            {modern("1", "no/such", ""), nil, 404, `-32601`},
		"removed method":            {modern("1", "ping", ""), nil, 404, `-32601`},
		"not JSON":                  {"{", nil, 400, `-32700`},
		"a batch that is not JSON":  {"[{", nil, 400, `"code":-32700`},
		"no message":                {`{"jsonrpc":"2.0"}`, nil, 400, `-32600`},
		"notification":              {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil, 202, ""},
		"an answer to nobody":       {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		"no _meta":                  {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, `-32602`},
		"unknown version":           {strings.ReplaceAll(list, Version, "2099-01-01"), []string{"MCP-Protocol-Version: 2099-01-01"}, 400, `-32022`},
		"no version header":         {list, []string{"MCP-Protocol-Version:"}, 400, `-32020`},
		"other version header":      {list, []string{"MCP-Protocol-Version: 2025-11-25"}, 400, `-32020`},
		"no method header":          {list, []string{"Mcp-Method:"}, 400, `-32020`},
		"other method header":       {list, []string{"Mcp-Method: Tools/list"}, 400, `-32020`},
		"no name header":            {modern("1", "tools/call", `"name":"lab_secret"`), []string{"Mcp-Name:"}, 400, `-32020`},
		"other name header":         {modern("1", "tools/call", `"name":"lab_secret"`), []string{"Mcp-Name: lab_Secret"}, 400, `-32020`},
		"encoded name header":       {modern("1", "tools/call", `"name":"lab_secret"`), []string{"Mcp-Name: =?base64?bGFiX3NlY3JldA==?="}, 200, `hush`},
		"stale session is ignored":  {list, []string{"Mcp-Session-Id: gone"}, 200, `"tools":[`},
		"listen without a stream":   {modern("1", "subscriptions/listen", `"notifications":{}`), []string{"Accept: application/json"}, 400, `-32600`},
		"listen without a filter":   {modern("1", "subscriptions/listen", ""), nil, 400, `-32602`},
		"mirror agrees":             {callMirror(`{"region":"eu","deep":{"n":42}}`), []string{"Mcp-Param-Region: eu", "Mcp-Param-N: 42.0"}, 200, `"content"`},
		"mirror encoded":            {callMirror(`{"region":"é"}`), []string{"Mcp-Param-Region: =?base64?w6k=?="}, 200, `"content"`},
		"mirror badly encoded":      {callMirror(`{"region":"é"}`), []string{"Mcp-Param-Region: =?base64?w6k?="}, 400, `-32020`},
		"half a mark is plain text": {callMirror(`{"region":"=?base64?w6k="}`), []string{"Mcp-Param-Region: =?base64?w6k="}, 200, `"content"`},
		"mirror differs":            {callMirror(`{"region":"eu"}`), []string{"Mcp-Param-Region: us"}, 400, `-32020`},
		"mirror missing":            {callMirror(`{"region":"eu"}`), nil, 400, `-32020`},
		"mirror of nothing":         {callMirror(`{"region":null}`), []string{"Mcp-Param-Region: eu"}, 400, `-32020`},
		"mirror of null left out":   {callMirror(`{"region":null}`), nil, 200, `"content"`},
		"unsafe integer as text":    {callMirror(`{"deep":{"n":9007199254740993}}`), []string{"Mcp-Param-N: 9007199254740992"}, 400, `-32020`},
		"unknown mirror":            {callMirror(`{}`), []string{"Mcp-Param-Other: x"}, 200, `"content"`},
		"origin of a stranger":      {list, []string{"Origin: https://evil.example"}, 403, "origin"},
		"origin null":               {list, []string{"Origin: null"}, 403, "origin"},
		"origin here":               {list, []string{"Origin: http://localhost:5173"}, 200, `"tools":[`},
		"host of a stranger":        {list, []string{"Host: evil.example"}, 403, "host"},
		"host with a port":          {list, []string{"Host: localhost:1"}, 200, `"tools":[`},
		"host by number":            {list, []string{"Host: [::1]"}, 200, `"tools":[`},
	} {
		t.Run(name, func(t *testing.T) {
			status, text := s.call(c.body, c.headers...)
			if status != c.status || !strings.Contains(text, c.holds) {
				t.Errorf("status %d, want %d with %q:\n%s", status, c.status, c.holds, text)
			}
		})
	}
}

func callMirror(arguments string) string {
	return modern("1", "tools/call", `"name":"lab_mirror","arguments":`+arguments)
}

func TestAnswersFitTheSchema(t *testing.T) {
	s, rules := newSite(t), newProtocol(t, Version)
	for _, body := range []string{
		modern("1", "server/discover", ""), modern("1", "tools/list", ""), modern("1", "tools/call", `"name":"lab_files"`),
		modern("1", "tools/call", `"name":"nope"`), modern("1", "no/such", ""), strings.ReplaceAll(modern("1", "tools/list", ""), Version, "2099-01-01"),
	} {
		m, _ := readMessage([]byte(body))
		_, text := s.call(body)
		rules.check(t, m.method, text)
	}
}

func TestOwnNamesAndOrigins(t *testing.T) {
	s := newSite(t, func(d *Door) { d.Hosts, d.Origins = []string{"mcp.example.com"}, []string{"https://app.example.com"} })
	status, _ := s.call(modern("1", "tools/list", ""), "Host: MCP.example.com:443", "Origin: https://app.example.com")
	if status != http.StatusOK {
		t.Errorf("status %d", status)
	}
}

// A server on an address that others reach has names that it does not know.
func TestPreflight(t *testing.T) {
	s := newSite(t)
	r, _ := http.NewRequest(http.MethodOptions, s.url, nil)
	r.Header.Set("Origin", "http://localhost:6274")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "mcp-method")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != http.StatusNoContent || reply.Header.Get("Access-Control-Allow-Headers") != "mcp-method" || reply.Header.Get("Access-Control-Allow-Origin") != "http://localhost:6274" {
		t.Errorf("%d %v", reply.StatusCode, reply.Header)
	}
}

func TestOtherMethods(t *testing.T) {
	s := newSite(t)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		r, _ := http.NewRequest(method, s.url, nil)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusMethodNotAllowed || reply.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", method, reply.StatusCode, reply.Header.Get("Allow"))
		}
	}
}

func TestBodyOverTheBound(t *testing.T) {
	s := newSite(t)
	for name, body := range map[string]io.Reader{
		"announced": bytes.NewReader(make([]byte, MaxBody+1)),
		"streamed":  io.MultiReader(bytes.NewReader(make([]byte, MaxBody+1))),
	} {
		reply, err := http.Post(s.url, "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if reply.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), "16 MiB") {
			t.Errorf("%s: %d %s", name, reply.StatusCode, text)
		}
	}
}

func TestAuthentication(t *testing.T) {
	s := newSite(t, func(d *Door) {
		d.Authenticate = func(r *http.Request) (Caller, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer guest":
				return Caller{Principal: twodoor.Principal{Subject: "guest"}}, nil
			case "Bearer nobody":
				return Caller{}, nil
			case "Bearer operator":
				return Caller{Principal: twodoor.Operator}, nil
			}
			return Caller{}, &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "no such token"}
		}
	})
	secret := modern("1", "tools/call", `"name":"lab_secret"`)
	for name, c := range map[string]struct {
		body, token string
		status      int
		challenge   string
		holds       string
	}{
		"no token":        {secret, "", 401, `Bearer realm="lab"`, `{"error":{"code":"unauthenticated"`},
		"a dead token":    {secret, "Bearer x", 401, `Bearer realm="lab", error="invalid_token"`, `no such token`},
		"nobody":          {secret, "Bearer nobody", 401, `Bearer realm="lab", error="invalid_token"`, `{"error":{"code":"unauthenticated"`},
		"not allowed":     {secret, "Bearer guest", 200, "", `"code":"forbidden"`},
		"allowed":         {secret, "Bearer operator", 200, "", `hush`},
		"a list":          {modern("1", "tools/list", ""), "Bearer operator", 200, "", `"cacheScope":"private"`},
		"a discovery":     {modern("1", "server/discover", ""), "Bearer operator", 200, "", `"cacheScope":"private"`},
		"legacy, nobody":  {initialize, "", 401, `Bearer realm="lab"`, `{"error":{`},
		"legacy, allowed": {initialize, "Bearer guest", 200, "", `"protocolVersion":"2025-11-25"`},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if c.body != initialize {
				headers = mirrored(c.body)
			}
			reply := s.post(t.Context(), c.body, append(headers, "Authorization: "+c.token)...)
			raw, _ := io.ReadAll(reply.Body)
			if reply.StatusCode != c.status || reply.Header.Get("WWW-Authenticate") != c.challenge || !strings.Contains(string(raw), c.holds) {
				t.Errorf("%d, challenge %q:\n%s", reply.StatusCode, reply.Header.Get("WWW-Authenticate"), raw)
			}
		})
	}
}

func TestProfileOfTheAddress(t *testing.T) {
	s := newSite(t, func(d *Door) {
		d.Engine.Profiles = map[string]*twodoor.Profile{"small": {Include: []string{"lab.echo"}}}
	})
	base := s.url
	for query, want := range map[string]string{"?profile=small": `"tools":[{"name":"lab_echo"`, "?profile=none": "there is no profile", "": `"lab_secret"`} {
		s.url = base + query
		if _, text := s.call(modern("1", "tools/list", "")); !strings.Contains(text, want) || query == "?profile=small" && strings.Contains(text, "lab_secret") {
			t.Errorf("%s: %s", query, text)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp/{profile}", s.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()
	s.url = server.URL + "/mcp/small"
	if status, text := s.call(modern("1", "tools/call", `"name":"lab_secret"`)); status != http.StatusBadRequest || !strings.Contains(text, "-32602") {
		t.Errorf("a tool of another profile: %d %s", status, text)
	}
}

func TestDisconnectCancels(t *testing.T) {
	for name, body := range map[string]string{
		"plain":       modern("1", "tools/call", `"name":"lab_stall"`),
		"as a stream": strings.Replace(modern("1", "tools/call", `"name":"lab_stall"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			ctx, leave := context.WithCancel(t.Context())
			go func() {
				<-s.started
				leave()
			}()
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(body))
			r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, headerVersion: {Version}, headerMethod: {"tools/call"}, headerName: {"lab_stall"}}
			if _, err := http.DefaultClient.Do(r); !errors.Is(err, context.Canceled) {
				t.Fatalf("the request ended with %v", err)
			}
			if cause := <-s.ended; !errors.Is(cause, context.Canceled) {
				t.Errorf("the call ended with %v", cause)
			}
		})
	}
}

// events reads a stream of server-sent events.
type events struct {
	t     *testing.T
	lines *bufio.Reader
}

func (s *site) stream(ctx context.Context, body string) *events {
	s.t.Helper()
	reply := s.post(ctx, body, mirrored(body)...)
	if kind := reply.Header.Get("Content-Type"); kind != "text/event-stream" || reply.Header.Get("X-Accel-Buffering") != "no" {
		s.t.Fatalf("headers %v", reply.Header)
	}
	return &events{s.t, bufio.NewReader(reply.Body)}
}

// next is the data of the next event, or its error.
func (e *events) next() string {
	for {
		line, err := e.lines.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSpace(data)
		}
	}
}

func TestProgressOverHTTP(t *testing.T) {
	s, rules := newSite(t), newProtocol(t, Version)
	body := strings.Replace(modern("1", "tools/call", `"name":"lab_count"`), `"_meta":{`, `"_meta":{"progressToken":18014398509481985,`, 1)
	stream := s.stream(t.Context(), body)
	for _, want := range []string{"0", "50", "100"} {
		got := stream.next()
		rules.check(t, "", got)
		if want := fmt.Sprintf(`"params":{"progressToken":18014398509481985,"progress":%s,"total":100`, want); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	got := stream.next()
	rules.check(t, "tools/call", got)
	if !strings.Contains(got, "counted") {
		t.Errorf("got %s", got)
	}
	if got := stream.next(); got != "EOF" {
		t.Errorf("after the answer came %s", got)
	}
}

func TestListensOverHTTP(t *testing.T) {
	s := newSite(t)
	ctx, leave := context.WithCancel(t.Context())
	listen := func(ctx context.Context, id string) *events {
		stream := s.stream(ctx, modern(id, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
		if got := stream.next(); !strings.Contains(got, "acknowledged") || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":`+id) {
			t.Fatalf("first came %s", got)
		}
		return stream
	}
	first, second := listen(ctx, `"x"`), listen(t.Context(), `1`)
	s.Changed()
	if got := first.next(); got != changedOf(`"x"`) {
		t.Errorf("got %s", got)
	}
	if got := second.next(); got != changedOf("1") {
		t.Errorf("got %s", got)
	}
	leave()
	s.Changed()
	if got := second.next(); got != changedOf("1") {
		t.Errorf("after the other has left: %s", got)
	}
	s.Close()
	if got := second.next(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("at the end: %s", got)
	}
}

// recorder is a response that is written to by one goroutine and read by another.
type recorder struct {
	*httptest.ResponseRecorder
	wrote chan string
}

func (r recorder) Write(p []byte) (int, error) {
	r.wrote <- string(p)
	return len(p), nil
}

func TestQuietStreamIsKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDoor(t)
		w := recorder{httptest.NewRecorder(), make(chan string, 8)}
		body := modern("1", "subscriptions/listen", `"notifications":{}`)
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		r.Header = http.Header{"Accept": {"text/event-stream"}, headerVersion: {Version}, headerMethod: {"subscriptions/listen"}}
		done := make(chan struct{})
		go func() {
			b.Handler().ServeHTTP(w, r)
			close(done)
		}()
		if got := <-w.wrote; !strings.Contains(got, "acknowledged") {
			t.Errorf("first came %q", got)
		}
		begun := time.Now()
		if got := <-w.wrote; got != ": still here\n\n" || time.Since(begun) != keepAlive {
			t.Errorf("after %v came %q", time.Since(begun), got)
		}
		leave()
		<-done
	})
}
