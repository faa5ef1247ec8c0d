package agentsession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/twodoor/twodoor"
)

// named is a tool that answers with a word of its own.
func named(name, word string) Tool {
	return Tool{Name: name, Description: "Says " + word, Handler: func(context.Context, json.RawMessage) (any, error) { return word, nil }}
}

func begin(t *testing.T, config Config) *Session {
	t.Helper()
	s, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask makes one request over the wire and returns status and body.
func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// TestScope holds that a session's tools are known in that session, and nowhere else.
func TestScope(t *testing.T) {
	var host Host
	a := begin(t, Config{ID: "a", Host: &host, Tools: []Tool{named("secret_plan", "alpha"), named("shared", "from a")}})
	b := begin(t, Config{ID: "b", Host: &host, Tools: []Tool{named("shared", "from b")}})
	if a.URL() != b.URL() {
		t.Errorf("two sessions of a host are at %s and %s", a.URL(), b.URL())
	}
	for _, s := range []*Session{a, b} {
		if _, text := ask(t, "POST", s.URL()+"/tools/custom/shared", s.Token(), `{}`); !strings.Contains(text, `"result":"from `+s.ID()+`"`) {
			t.Errorf("%s is answered %s", s.ID(), text)
		}
	}
	// Whatever b asks, and under whatever name of a, nothing of a shows.
	for _, probe := range []struct{ method, path, body string }{
		{"GET", "/tools", ""}, {"GET", "/tools?format=servers", ""}, {"GET", "/tools?q=secret", ""}, {"GET", "/v1/operations", ""},
		{"GET", "/v1/operations/secret_plan", ""}, {"GET", "/spec?tool=secret_plan", ""}, {"GET", "/tools/detail?server_name=session", ""},
		{"POST", "/tools/custom/secret_plan", "{}"}, {"POST", "/tools/mcp/session/secret_plan", "{}"}, {"POST", "/s/a/tools/custom/secret_plan", "{}"},
		{"POST", "/custom/execute", `{"tool":"secret_plan","session_id":"a"}`}, {"POST", "/mcp/execute", `{"tool":"session.tool.secret_plan"}`},
		{"POST", "/v1/call/session.tool.secret_plan", "{}"}, {"POST", "/v1/call/session.tool.secret", "{}"}, {"GET", "/sessions", ""}, {"GET", "/sessions/a", ""},
	} {
		status, text := ask(t, probe.method, b.URL()+probe.path, b.Token(), probe.body)
		told := strings.ReplaceAll(text, "secret_plan", "") // what b itself wrote may be told back
		if strings.Contains(told, "alpha") || strings.Contains(told, "Says alpha") || strings.Contains(told, "plan") || status == 200 && probe.method == "GET" && strings.Contains(text, "secret_plan") {
			t.Errorf("%s %s shows b something of a: %d %s", probe.method, probe.path, status, text)
		}
	}
	for _, token := range []string{"", "operator", a.ID(), a.Token() + "x"} {
		if status, text := ask(t, "GET", a.URL()+"/tools", token, ""); status != 401 || strings.Contains(text, "secret") {
			t.Errorf("with the token %q: %d %s", token, status, text)
		}
	}
}

func TestCalls(t *testing.T) {
	type input struct {
		Path  string `json:"path" jsonschema:"where"`
		Lines int    `json:"lines,omitempty"`
	}
	s := begin(t, Config{Tools: []Tool{
		Typed("read", "Reads", func(_ context.Context, in input) (map[string]any, error) {
			return map[string]any{"path": in.Path, "lines": in.Lines}, nil
		}),
		{Name: "raw", Params: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`), Handler: func(_ context.Context, args json.RawMessage) (any, error) { return args, nil }},
		{Name: "fails", Handler: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("the disk is full") }},
		{Name: "denied", Handler: func(context.Context, json.RawMessage) (any, error) {
			return nil, &twodoor.Error{Code: twodoor.CodeConflict, Message: "it runs", Hint: "stop it first"}
		}},
		{Name: "panics", Handler: func(context.Context, json.RawMessage) (any, error) { panic("on purpose") }},
		{Name: "nothing", Handler: func(context.Context, json.RawMessage) (any, error) { return nil, nil }},
		{Name: "picture", Handler: func(context.Context, json.RawMessage) (any, error) {
			return twodoor.Value{Blobs: []twodoor.Blob{{MediaType: "image/png", Data: []byte("hi")}}}, nil
		}},
	}})
	for _, test := range []struct{ tool, args, want string }{
		{"read", `{"path":"/x","lines":3}`, `"success":true,"result":"{\"lines\":3,\"path\":\"/x\"}"`},
		{"read", `{"lines":3}`, `"code":"invalid"`},
		{"read", `{"path":"/x","more":1}`, `"code":"invalid"`},
		{"raw", `{"n":1152921504606846977}`, `{\"n\":1152921504606846977}`},
		{"fails", `{}`, `"error":"the disk is full"`},
		{"denied", `{}`, `"code":"conflict","hint":"stop it first"`},
		{"panics", `{}`, `"code":"internal"`},
		{"nothing", `{}`, `"success":true,"result":"It worked`},
		{"picture", `{}`, `"type":"image","data":"aGk="`},
		{"other", `{}`, `"code":"unknown"`},
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1/api/tools/custom/"+test.tool, strings.NewReader(test.args))
		r.Header.Set("Authorization", "Bearer "+s.Token())
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s answers %s, want %s", test.tool, test.args, w.Body, test.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	ok := named("ok", "x").Handler
	for _, tools := range [][]Tool{
		{{Name: "", Handler: ok}}, {{Name: "with space", Handler: ok}}, {{Name: strings.Repeat("x", 60), Handler: ok}}, {{Name: "none"}},
		{{Name: "twice", Handler: ok}, {Name: "twice", Handler: ok}}, {{Name: "odd", Handler: ok, Params: json.RawMessage(`{"type":"string"}`)}},
	} {
		if s, err := New(t.Context(), Config{Tools: tools}); err == nil {
			s.Close()
			t.Errorf("%+v make a session", tools)
		}
	}
}

// TestEnds holds that nothing of a session outlives it: no token, no call, no listener, no memory.
func TestEnds(t *testing.T) {
	var host Host
	working, left := make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(ctx, Config{Host: &host, Tools: []Tool{{Name: "wait", Handler: func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(working)
		<-ctx.Done()
		left <- ctx.Err()
		return nil, ctx.Err()
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	url, token := s.URL(), s.Token()
	var wg sync.WaitGroup
	wg.Go(func() {
		r, _ := http.NewRequest("POST", url+"/tools/custom/wait", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if reply, err := http.DefaultClient.Do(r); err == nil {
			reply.Body.Close()
		}
	})
	<-working
	cancel() // the context ends the session too
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the call under way ends with %v", err)
	}
	wg.Wait()
	s.Close()
	if _, err := http.Get(url); err == nil {
		t.Error("the host still listens without a session")
	}
	if len(host.sessions) != 0 {
		t.Errorf("the host keeps %d sessions", len(host.sessions))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/tools", nil))
	if w.Code != 401 {
		t.Errorf("an ended session answers %d", w.Code)
	}
	gone := weak.Make(s)
	s = nil
	for range 100 {
		if runtime.GC(); gone.Value() == nil {
			return
		}
		runtime.Gosched()
		http.DefaultClient.CloseIdleConnections()
	}
	t.Error("something keeps an ended session")
}

func TestEntry(t *testing.T) {
	var host Host
	s := begin(t, Config{ID: "run-7", Host: &host, Bridge: "/opt/mcpbridge"})
	var entry map[string]struct {
		Command string
		Args    []string
		Env     map[string]string
	}
	if err := json.Unmarshal(s.MCPServers("tools"), &entry); err != nil {
		t.Fatal(err)
	}
	e := entry["tools"]
	if e.Command != "/opt/mcpbridge" || e.Args == nil || e.Env["MCP_API_URL"] != s.URL() || e.Env["MCP_API_TOKEN"] != s.Token() || e.Env["MCP_SESSION_ID"] != "run-7" {
		t.Errorf("%+v", e)
	}
	if env := s.Env(); env["MCP_AUTH"] != "Authorization: Bearer "+s.Token() || env["MCP_CUSTOM"] != s.URL()+"/tools/custom" {
		t.Errorf("%v", env)
	}
}

// TestSideBySide runs 200 sessions at once over one listener: each hears its own tools only, and their
// host is empty when they are gone.
func TestSideBySide(t *testing.T) {
	var host Host
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			word := fmt.Sprintf("word-%d", i)
			s, err := New(t.Context(), Config{Host: &host, Tools: []Tool{named("say", word), named("say_"+fmt.Sprint(i), word)}})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for _, tool := range []string{"say", fmt.Sprintf("say_%d", i), fmt.Sprintf("say_%d", (i+1)%200)} {
				r, _ := http.NewRequest("POST", s.URL()+"/tools/custom/"+tool, nil)
				r.Header.Set("Authorization", "Bearer "+s.Token())
				reply, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := io.ReadAll(reply.Body)
				reply.Body.Close()
				own := !strings.HasPrefix(tool, "say_") || tool == fmt.Sprintf("say_%d", i)
				if own != strings.Contains(string(text), `"result":"`+word+`"`) {
					t.Errorf("session %d calls %s and hears %s", i, tool, text)
				}
			}
		})
	}
	wg.Wait()
	if len(host.sessions) != 0 || host.server != nil {
		t.Errorf("the host keeps %d sessions", len(host.sessions))
	}
}
