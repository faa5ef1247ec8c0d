package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/app"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

// lab is an upstream, and a folder with a configuration that leads to it.
type lab struct {
	t    *testing.T
	dir  string
	env  map[string]string
	more string // sources
	rest string // of the configuration

	mu   sync.Mutex
	seen []*http.Request
	made []string // bodies of what was created
}

const labDocument = `{"openapi":"3.0.0","info":{"title":"Lab","version":"1"},"servers":[{"url":%q}],"components":{"securitySchemes":{"key":{"type":"http","scheme":"bearer"}}},"security":[{"key":[]}],"paths":{
"/items":{"get":{"operationId":"listItems","responses":{"200":{"description":"ok"}}},
 "post":{"operationId":"createItem","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"name":{"type":"string"}}}}}},"responses":{"200":{"description":"ok"}}}},
"/items/{id}":{"get":{"operationId":"getItem","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],"responses":{"200":{"description":"ok"}}}}}}`

func newLab(t *testing.T) *lab {
	t.Helper()
	dir, err := os.MkdirTemp("", "lab") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &lab{t: t, dir: dir, env: map[string]string{
		"HOME": dir, "XDG_RUNTIME_DIR": filepath.Join(dir, "run"), "XDG_STATE_HOME": filepath.Join(dir, "state"), "LAB_KEY": "canary-of-the-connection", "TWODOOR_CONFIG": filepath.Join(dir, "twodoor.yaml"),
	}}
	upstream := httptest.NewServer(l)
	t.Cleanup(upstream.Close)
	l.write("openapi.json", fmt.Sprintf(labDocument, upstream.URL))
	return l
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// ServeHTTP answers as the upstream: 50 items, one item, and whatever is created.
func (l *lab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	l.seen = append(l.seen, r)
	if r.Method == http.MethodPost {
		l.made = append(l.made, string(body))
	}
	l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch id := strings.TrimPrefix(r.URL.Path, "/items/"); {
	case r.Method == http.MethodPost:
		_, _ = w.Write(body)
	case id == "missing":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"message":"no item, and your key is %s"}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	case id == "echo":
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		fmt.Fprintf(w, `{"key":%q,"base64":%q,"blob":%q}`, key, base64.StdEncoding.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte("u:"+key+":x")))
	case id != "/items":
		fmt.Fprintf(w, `{"id":%q}`, id)
	default:
		fmt.Fprintf(w, `{"items":[%s]}`, strings.TrimSuffix(strings.Repeat(`{"id":"it-1","name":"one of many items that make the answer heavy"},`, 50), ","))
	}
}

// requests are those that the upstream has seen.
func (l *lab) requests() []*http.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*http.Request{}, l.seen...)
}

func (l *lab) app(stdin io.Reader, stdout, stderr io.Writer) *app.App {
	l.write("twodoor.yaml", "sources:\n  lab: {openapi: ./openapi.json, connection: key}\n"+l.more+"connections:\n  key: {type: bearer, token: \"${env:LAB_KEY}\"}\n"+l.rest)
	return &app.App{
		Dir: l.dir, Version: app.Version{Number: "1.0.0"}, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		LookupEnv: func(name string) (string, bool) {
			if name == "TWODOOR_TRUST" {
				return "1", true
			}
			text, ok := l.env[name]
			return text, ok
		},
	}
}

// run carries out a command line.
func (l *lab) run(args ...string) (status int, stdout, stderr string) {
	l.t.Helper()
	var out, err bytes.Buffer
	status = l.app(strings.NewReader(""), &out, &err).Run(l.t.Context(), append(args, "--trust"))
	return status, out.String(), err.String()
}

// must carries out a command line that works.
func (l *lab) must(args ...string) string {
	l.t.Helper()
	status, out, err := l.run(args...)
	if status != 0 {
		l.t.Fatalf("twodoor %s: exit %d\n%s%s", strings.Join(args, " "), status, out, err)
	}
	return out
}

// server is a running up.
type server struct {
	l     *lab
	url   string // without a path
	token string
	stop  func() int
	log   *lines
}

// lines is what a program writes to stderr.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lab) up() *server {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	log := &lines{}
	ended := make(chan int, 1)
	program := l.app(strings.NewReader(""), in, log)
	go func() {
		ended <- program.Run(ctx, []string{"up", "--listen", "127.0.0.1:0", "-o", "json", "--trust"})
		in.Close()
	}()
	var told struct{ URL, Token string }
	if err := json.NewDecoder(out).Decode(&told); err != nil {
		cancel()
		l.t.Fatalf("up says nothing: %v\n%s", err, log)
	}
	var once sync.Once
	status := 0
	stop := func() int {
		once.Do(func() { cancel(); status = <-ended })
		return status
	}
	l.t.Cleanup(func() { stop() })
	return &server{l, strings.TrimSuffix(told.URL, "/mcp"), told.Token, stop, log}
}

// ask makes a request with a token; empty: the operator's.
func (s *server) ask(method, path, token, body string, headers ...string) (int, string) {
	s.l.t.Helper()
	if token == "" {
		token = s.token
	}
	req, err := http.NewRequestWithContext(s.l.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.l.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.l.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// open makes a request of which the answer is read by the caller.
func (s *server) open(ctx context.Context, path, header, value string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if value != "" {
		req.Header.Set(header, value)
	}
	return http.DefaultClient.Do(req)
}

// tool calls a tool over MCP.
func (s *server) tool(name, arguments, meta string) string {
	s.l.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, name, arguments, meta)
	_, text := s.ask("POST", "/mcp", "", body, "Accept: application/json, text/event-stream", "Content-Type: application/json",
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+name)
	return text
}

// handle cuts an answer and gives the handle under which the rest waits.
func (s *server) handle() string {
	s.l.t.Helper()
	text := s.tool("lab_items_list", `{"_want":{"budget":50}}`, "")
	_, rest, found := strings.Cut(text, `"handle":"`)
	handle, _, _ := strings.Cut(rest, `"`)
	if !found || handle == "" {
		s.l.t.Fatalf("no handle in %s", text)
	}
	return handle
}

// stores runs a test on each database, with a lab whose configuration names it.
func stores(t *testing.T, test func(t *testing.T, l *lab)) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), func(t *testing.T, where string) {
		l := newLab(t)
		if strings.HasPrefix(where, "postgres") {
			l.env["LAB_STORE"] = where
			l.rest = "store: \"${env:LAB_STORE}\"\n"
		}
		test(t, l)
	})
}

// TestKeptAnswersOutliveTheProcess holds that a handle is good at another instance, after a restart, and
// on the command line.
func TestKeptAnswersOutliveTheProcess(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		here, there := l.up(), l.up()
		handle := here.handle()
		read := fmt.Sprintf(`{"handle":%q,"jq":".items|length"}`, handle)
		if text := there.tool("read_result", read, ""); !strings.Contains(text, `"text":"50"`) {
			t.Errorf("the other instance says %s", text)
		}
		here.stop()
		there.stop()
		if text := l.up().tool("read_result", read, ""); !strings.Contains(text, `"text":"50"`) {
			t.Errorf("after a restart it says %s", text)
		}
		if text := l.must("call", "twodoor.read-result", "--handle", handle, "--set", "jq=.items|length"); strings.TrimSpace(text) != "50" {
			t.Errorf("the command line says %s", text)
		}
	})
}

// TestRoundRobin makes calls at two instances in turn: every one is in the journal, whoever is asked, and
// what one has ended the other refuses.
func TestRoundRobin(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		both := []*server{l.up(), l.up()}
		_, made := both[0].ask("POST", "/api/sessions", "", `{"principal":"ann"}`)
		var session struct{ ID, Token string }
		if err := json.Unmarshal([]byte(made), &session); err != nil || session.Token == "" {
			t.Fatalf("%v in %s", err, made)
		}
		const calls = 20
		for n := range calls {
			if status, text := both[n%2].ask("POST", "/api/v1/call/lab.items.get", session.Token, fmt.Sprintf(`{"id":"it-%d"}`, n)); status != 200 {
				t.Fatalf("call %d: %d %s", n, status, text)
			}
		}
		for _, s := range both {
			listed := 0
			for listed < calls { // the last ones are on their way
				_, text := s.ask("GET", "/api/v1/calls?filter=op:lab.items.get+principal:ann", "", "")
				if listed = strings.Count(text, `"call_id"`); listed > calls {
					t.Fatalf("%d calls in %s", listed, text)
				}
			}
		}
		if status, text := both[0].ask("DELETE", "/api/sessions/"+session.ID, "", ""); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, text)
		}
		if status, _ := both[0].ask("POST", "/api/v1/call/lab.items.get", session.Token, `{"id":"1"}`); status != http.StatusUnauthorized {
			t.Errorf("here it is answered with %d", status)
		}
		for status := 0; status != http.StatusUnauthorized; { // within a second: auth/session measures it
			if status, _ = both[1].ask("POST", "/api/v1/call/lab.items.get", session.Token, `{"id":"1"}`); status != 200 && status != http.StatusUnauthorized {
				t.Fatalf("there it is answered with %d", status)
			}
		}
	})
}

// TestCommandsRecordWithoutAStore holds that a call on the command line opens no database, and is in the
// journal all the same: through the running up, or once the next program reads the store.
func TestCommandsRecordWithoutAStore(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		l.must("lab", "items", "get", "one")
		l.run("lab", "items", "get", "missing")
		if files, _ := filepath.Glob(l.dir + "/state/twodoor/stores/*/*"); len(files) != 1 || filepath.Base(files[0]) != "calls.spool" {
			t.Errorf("two calls leave %v", files)
		}
		if text := l.must("calls", "-o", "csv", "--fields", "operation,code"); text != "operation,code\nlab.items.get,not_found\nlab.items.get,ok\n" {
			t.Errorf("listed as\n%s", text)
		}
		s := l.up()
		l.must("lab", "items", "create", "--name", "x")
		if text := l.must("calls", "effect", "-o", "jsonl", "op:lab.items.create"); !strings.Contains(text, `"effect":"writes"`) {
			t.Errorf("listed as\n%s", text)
		}
		if s.stop(); strings.Contains(s.log.String(), "taken in") {
			t.Errorf("the log says %s", s.log)
		}
		if text := l.must("calls", "verify", "-o", "json"); !strings.Contains(text, `"faults":[]`) {
			t.Errorf("verified as %s", text)
		}
	})
}

// TestShowCall holds what is told of one call, through the server and without it.
func TestShowCall(t *testing.T) {
	l := newLab(t)
	s := l.up()
	_, text := s.ask("POST", "/api/v1/call/lab.items.list", "", `{"_want":{"budget":50}}`)
	_, rest, _ := strings.Cut(text, `"call_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	for range 2 {
		shown := l.must("calls", "show", id, "-o", "table")
		for _, want := range []string{"lab.items.list", "answer ", "for the far side", "cut to the budget", "who        operator, at rest"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%q is missing in\n%s", want, shown)
			}
		}
		s.stop()
	}
	if status, _, said := l.run("calls", "show", "nothing"); status != 5 || !strings.Contains(said, "there is no call") {
		t.Errorf("exit %d: %s", status, said)
	}
	if status, _, said := l.run("calls", "dura:>1s"); status != 2 || !strings.Contains(said, "dur") {
		t.Errorf("exit %d: %s", status, said)
	}
}

// TestEventsGoOn follows calls over SSE, leaves, and goes on where it left: nothing is missed, nothing is
// told twice.
func TestEventsGoOn(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		s := l.up()
		get := func(id string) { s.ask("POST", "/api/v1/call/lab.items.get", "", fmt.Sprintf(`{"id":%q}`, id)) }
		read := func(resume, until string) (all, last string) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			resp, err := s.open(ctx, "/api/v1/events?filter=op:lab.items.get", "Last-Event-ID", resume)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resume == "" {
				get("one")
			}
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
					last = id
				}
				if all += lines.Text() + "\n"; strings.Contains(lines.Text(), until) {
					break
				}
			}
			return all, last
		}
		all, last := read("", `"id":"one"`)
		get("two")
		get("three")
		more, _ := read(last, `"id":"three"`)
		if last == "" || strings.Count(more, "event: call") != 2 || strings.Contains(more, `"id":"one"`) || !strings.Contains(more, `"id":"two"`) {
			t.Errorf("after %q came %s", all, more)
		}
		if status, text := s.ask("GET", "/api/v1/events", "", "", "Last-Event-ID: nonsense"); status != 400 || !strings.Contains(text, "resume") {
			t.Errorf("%d %s", status, text)
		}
	})
}
