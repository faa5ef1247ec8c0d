package rest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

// ask makes one request in process: headers are "Key: value".
func ask(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+target, strings.NewReader(body))
	for _, header := range headers {
		key, value, _ := strings.Cut(header, ": ")
		r.Header.Set(key, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// field is a text in a JSON answer.
func field(t *testing.T, w *httptest.ResponseRecorder, path ...string) string {
	t.Helper()
	raw, _ := rawjson.GetPath(w.Body.Bytes(), path...)
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	return string(raw)
}

// notes is an engine with the tools of two accounts of one MCP server beside our own and others.
func notes(t *testing.T) *twodoor.Engine {
	t.Helper()
	var readings []*twodoor.Reading
	answering := func(id string) twodoor.Operation {
		return twodoor.Operation{ID: id, Kind: "mcp", Effect: twodoor.Reads, Title: "Tool of " + id,
			Input: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"words"},"session_id":{"type":"string"}},"required":["query"]}`)}
	}
	for _, name := range []string{"notes", "notes-base"} {
		readings = append(readings, &twodoor.Reading{Source: name, Operations: []twodoor.Operation{answering(name + ".get_Me"), answering(name + ".put-it")}})
	}
	own := twodoor.Operation{ID: "twodoor.find-operations", Kind: "mcp", Effect: twodoor.Reads}
	secret := twodoor.Operation{ID: "vault.key.read", Kind: "mcp", Effect: twodoor.Reads, Permission: "vault"}
	readings = append(readings,
		&twodoor.Reading{Source: "twodoor", Operations: []twodoor.Operation{own}},
		&twodoor.Reading{Source: "vault", Operations: []twodoor.Operation{secret}},
		&twodoor.Reading{Source: "harbor", Operations: []twodoor.Operation{{ID: "harbor.incident.close", Kind: "mcp", Effect: twodoor.Destroys, Description: "Closes it."}}})
	for i := range readings[4].Operations {
		readings[4].Operations[i].Kind = "openapi"
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{
		Invokers: map[string]twodoor.Invoker{"mcp": told{}, "openapi": told{}},
		Profiles: map[string]*twodoor.Profile{"mine": {Include: []string{"notes.*"}}},
	}
	engine.Serve(catalog)
	return engine
}

// told answers which operation was called, on whose behalf.
type told struct{}

func (told) Invoke(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	value, err := json.Marshal(map[string]any{"operation": in.Operation.ID, "session": in.Session, "subject": in.Principal.Subject, "arguments": in.Arguments})
	return &twodoor.Value{JSON: value}, err
}

func TestTools(t *testing.T) {
	door := &Door{Engine: notes(t)}
	all := ask(door, "GET", "/api/tools", "")
	var list struct {
		Tools []struct {
			ID, Name, Server, Type, Effect string
			Schema                         json.RawMessage `json:"input_schema"`
		}
		Servers []ServerStatus
	}
	if err := json.Unmarshal(all.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, tool := range list.Tools {
		types[tool.ID] = tool.Type + " " + tool.Name + " " + tool.Server + " " + tool.Effect
	}
	for id, want := range map[string]string{
		"notes.get_Me": "mcp notes_get_Me notes reads", "notes-base.get_Me": "mcp notes-base_get_Me notes-base reads",
		"twodoor.find-operations": "virtual find_operations twodoor reads", "harbor.incident.close": "custom harbor_incident_close harbor destroys",
	} {
		if types[id] != want {
			t.Errorf("%s is told as %q, want %q", id, types[id], want)
		}
	}
	if len(list.Tools) != 7 || len(list.Servers) != 5 {
		t.Errorf("%d tools of %d servers: %s", len(list.Tools), len(list.Servers), all.Body)
	}
	for query, want := range map[string]string{
		"?server=notes&format=mcp": "inputSchema", "?q=closes&format=openai": "harbor_incident_close", "?server=notes_base&format=anthropic": "notes-base_put-it",
		"?format=servers": `"function_names":["notes_get_Me","notes_put-it"]`, "?profile=mine": `"tools":2`,
	} {
		if body := ask(door, "GET", "/tools"+query, "").Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s lacks %s: %s", query, want, body)
		}
	}
	if w := ask(door, "GET", "/api/tools?profile=mine", ""); strings.Contains(w.Body.String(), "vault") || strings.Contains(w.Body.String(), "harbor") {
		t.Errorf("the profile shows what is not in it: %s", w.Body)
	}
	if w := ask(door, "GET", "/api/tools?format=toml", ""); w.Code != 400 || !strings.Contains(field(t, w, "hint"), "anthropic") {
		t.Errorf("an unknown format: %d %s", w.Code, w.Body)
	}
}

func TestETag(t *testing.T) {
	engine := notes(t)
	door := &Door{Engine: engine}
	for _, target := range []string{"/api/tools", "/api/tools?format=servers", "/api/v1/operations", "/api/tools/detail?server_name=notes"} {
		first := ask(door, "GET", target, "")
		tag := first.Header().Get("ETag")
		if again := ask(door, "GET", target, "", "If-None-Match: "+tag); tag == "" || again.Code != 304 || again.Body.Len() > 0 {
			t.Errorf("%s: tag %s gives %d", target, tag, again.Code)
		}
	}
	tag := ask(door, "GET", "/api/tools", "").Header().Get("ETag")
	smaller, err := twodoor.NewCatalog(&twodoor.Reading{Source: "notes", Operations: []twodoor.Operation{{ID: "notes.x", Kind: "mcp", Effect: twodoor.Reads}}})
	if err != nil {
		t.Fatal(err)
	}
	engine.Serve(smaller)
	if w := ask(door, "GET", "/api/tools", "", "If-None-Match: "+tag); w.Code != 200 || strings.Contains(w.Body.String(), "harbor") {
		t.Errorf("another catalog gives %d %s", w.Code, w.Body)
	}
}

// TestAddresses holds every way of naming a tool, and that two accounts never answer for each other.
func TestAddresses(t *testing.T) {
	door := &Door{Engine: notes(t)}
	for _, test := range []struct{ target, body, want string }{
		{"/api/tools/mcp/notes/get_Me", `{"query":"x"}`, "notes.get_Me"},
		{"/tools/mcp/notes-base/get_Me", `{"query":"x"}`, "notes-base.get_Me"},
		{"/tools/mcp/notes_base/get_me", `{"query":"x"}`, "notes-base.get_Me"},
		{"/tools/mcp/notes/notes_get_Me", `{"query":"x"}`, "notes.get_Me"},
		{"/tools/mcp/notes-base/notes_get_Me", `{"query":"x"}`, ""},
		{"/api/mcp/execute", `{"server":"notes","tool":"put_it","args":{"query":"x"}}`, "notes.put-it"},
		{"/api/mcp/execute", `{"server_name":"notes-base","tool_name":"put-it","arguments":"{\"query\":\"x\"}"}`, "notes-base.put-it"},
		{"/api/mcp/execute", `{"tool":"notes.get_Me","args":{"query":"x"}}`, "notes.get_Me"},
		{"/custom/execute", `{"tool":"harbor_incident_close","args":{}}`, "harbor.incident.close"},
		{"/api/custom/execute", `{"tool":"harbor.incident.close"}`, "harbor.incident.close"},
		{"/api/virtual/execute", `{"tool":"find_operations"}`, "twodoor.find-operations"},
		{"/s/abc/tools/mcp/notes/get_Me", `{"query":"x"}`, "notes.get_Me"},
	} {
		w := ask(door, "POST", test.target, test.body)
		got, _ := rawjson.GetPath([]byte(field(t, w, "result")), "operation")
		if operation, _ := rawjson.String(got); operation != test.want || w.Code != 200 {
			t.Errorf("%s %s calls %q, want %q: %s", test.target, test.body, operation, test.want, w.Body)
		}
	}
}

func TestSessionIDInBody(t *testing.T) {
	door := &Door{Engine: notes(t)}
	result := ask(door, "POST", "/tools/custom/harbor_incident_close", `{"session_id":"abc"}`)
	if text := field(t, result, "result"); !strings.Contains(text, `"session":"abc"`) || !strings.Contains(text, `"arguments":{}`) {
		t.Errorf("session_id is no argument, and names the session: %s", text)
	}
	result = ask(door, "POST", "/tools/custom/harbor_incident_close", `{"session_id":"abc"}`, "X-Session-ID: header")
	if text := field(t, result, "result"); !strings.Contains(text, `"session":"header"`) {
		t.Errorf("the header counts first: %s", text)
	}
	result = ask(door, "POST", "/tools/mcp/notes/get_Me", `{"query":"x","session_id":"abc"}`)
	if text := field(t, result, "result"); !strings.Contains(text, `"session_id":"abc"`) {
		t.Errorf("a property of the tool's own is taken from it: %s", text)
	}
}

func TestFaultsOfRequests(t *testing.T) {
	door := &Door{Engine: notes(t), Servers: servers{}}
	for _, test := range []struct {
		method, target, body string
		status               int
		code, says           string
	}{
		{"POST", "/tools/mcp/notes/get_you", `{"query":"x"}`, 200, "unknown", "notes_get_Me"},
		{"POST", "/tools/mcp/empty/any", `{}`, 200, "unavailable", "do not try others"},
		{"POST", "/tools/mcp/notes/get_Me", `{"quer`, 200, "invalid", "not JSON"},
		{"POST", "/tools/mcp/notes/get_Me", `{}`, 200, "invalid", "query"},
		{"POST", "/api/mcp/execute", `{"server":"notes"}`, 200, "invalid", "names no tool"},
		{"POST", "/api/mcp/execute", `[]`, 200, "invalid", "not an object"},
		{"POST", "/api/nothing", `{}`, 404, "unknown", "openapi.json"},
		{"POST", "/api/tools/other/x", `{}`, 404, "unknown", "openapi.json"},
		{"GET", "/api/documents", "", 503, "unavailable", "workspace"},
		{"POST", "/api/execute", "{}", 503, "unavailable", "workspace"},
		{"POST", "/oauth/start", "{}", 503, "unavailable", "sign-in"},
		{"GET", "/api/tools/detail", "", 400, "invalid", "server_name"},
		{"GET", "/api/tools/detail?server_name=note", "", 404, "not_found", "there is no server"},
		{"GET", "/api/spec?tool=nots_get_me", "", 404, "unknown", "no tool"},
		{"GET", "/api/spec?server_name=empty", "", 503, "unavailable", "do not try others"},
		{"POST", "/api/sessions", "{}", 503, "unavailable", "no sessions"},
	} {
		w := ask(door, test.method, test.target, test.body)
		if w.Code != test.status || field(t, w, "code") != test.code || !strings.Contains(w.Body.String(), test.says) || field(t, w, "success") != "false" {
			t.Errorf("%s %s: %d %s, want %d %s with %q", test.method, test.target, w.Code, w.Body, test.status, test.code, test.says)
		}
	}
	w := ask(door, "POST", "/api/v1/call/notes.get_Me", `{}`)
	if w.Code != 400 || w.Header().Get("Content-Type") != "application/problem+json" || field(t, w, "error", "code") != "invalid" || field(t, w, "status") != "400" {
		t.Errorf("a fault below /v1: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := ask(door, "GET", "/api/v1/calls", ""); w.Code != 503 || field(t, w, "error", "code") != "unavailable" {
		t.Errorf("without a journal: %d %s", w.Code, w.Body)
	}
	big := ask(door, "POST", "/api/v1/call/notes.get_Me", `{"query":"`+strings.Repeat("x", MaxBody)+`"}`)
	if big.Code != 413 {
		t.Errorf("a body over the bound: %d", big.Code)
	}
}

// servers has one server without a tool.
type servers struct{ Servers }

func (servers) Status(context.Context) []ServerStatus {
	return []ServerStatus{{Name: "empty", Status: "error", Error: "it does not start"}}
}

func (servers) Config(context.Context) (json.RawMessage, error) {
	return json.RawMessage(`{"mcp_config_locked":false,"mcpServers":{}}`), nil
}

func (servers) Save(_ context.Context, config json.RawMessage) (int, error) {
	return rawjson.Len(config), nil
}

func (servers) Discover(context.Context) error { return nil }

func TestConfigRoutes(t *testing.T) {
	door := &Door{Engine: notes(t), Servers: servers{}}
	for _, test := range []struct{ method, target, body, want string }{
		{"GET", "/api/mcp-config", "", `"mcp_config_locked":false`},
		{"POST", "/mcp-config", `{"config":{"a":1,"b":2}}`, `"servers":2`},
		{"POST", "/api/mcp-config", `{"a":1}`, `"servers":1`},
		{"POST", "/api/mcp-config/discover", ``, `"status":"discovery_started"`},
		{"GET", "/api/mcp-config/status", ``, `"error":"it does not start"`},
	} {
		if w := ask(door, test.method, test.target, test.body); w.Code != 200 || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %d %s", test.method, test.target, w.Code, w.Body)
		}
	}
	door.Authenticate = func(*http.Request) (Caller, error) { return Caller{Session: "s"}, nil }
	if w := ask(door, "GET", "/api/mcp-config", ""); w.Code != 403 {
		t.Errorf("a session reads the configuration: %d %s", w.Code, w.Body)
	}
}

func TestSpec(t *testing.T) {
	door := &Door{Engine: notes(t)}
	for _, query := range []string{"tool=notes_get_Me", "tool=get_Me&server_name=notes", `tool=["notes.get_Me","notes_put-it"]`, "tool=notes.get_Me,notes_put-it", "server_name=notes"} {
		w := ask(door, "GET", "/api/spec?"+strings.ReplaceAll(query, `"`, "%22"), "")
		text := w.Body.String()
		for _, want := range []string{"base: http://127.0.0.1/api\n", "$MCP_API_TOKEN", "POST /tools/mcp/notes/notes_get_Me\n", "# Tool of notes.get_Me\n", "query: string (required) # words\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", query, want, text)
			}
		}
		if strings.Contains(query, "put") && !strings.Contains(text, "notes_put-it") {
			t.Errorf("%s lacks the second tool:\n%s", query, text)
		}
	}
	door.Authenticate = func(*http.Request) (Caller, error) {
		return Caller{Principal: twodoor.Principal{Subject: "alice"}}, nil
	}
	if w := ask(door, "GET", "/api/spec?tool=vault.key.read", ""); w.Code != 404 || strings.Contains(w.Body.String(), "POST /") {
		t.Errorf("who may not call it reads its spec: %d %s", w.Code, w.Body)
	}
}

// TestSpecTool asks for the spec as existing agents do.
func TestSpecTool(t *testing.T) {
	door := &Door{Engine: notes(t)}
	for _, args := range []string{`{"tool_name":"notes_get_Me"}`, `{"tool_name":["get_Me"],"server_name":"notes"}`, `{"tool_name":"[\"get_Me\"]","server_name":"notes"}`} {
		w := ask(door, "POST", "/tools/virtual/get_api_spec", args)
		if text := field(t, w, "result"); !strings.Contains(text, "POST /tools/mcp/notes/notes_get_Me\n") {
			t.Errorf("%s answers %s", args, w.Body)
		}
	}
	w := ask(door, "POST", "/api/virtual/execute", `{"tool":"get_api_spec","args":{"tool_name":"nothing"}}`)
	if w.Code != 200 || field(t, w, "code") != "unknown" {
		t.Errorf("of a tool that is not there: %d %s", w.Code, w.Body)
	}
}

func TestOperations(t *testing.T) {
	door := &Door{Engine: notes(t)}
	var list struct {
		Profile    map[string]any
		Sources    []twodoor.SourceInfo
		Operations []twodoor.Operation
	}
	w := ask(door, "GET", "/api/v1/operations?source=notes", "")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Operations) != 2 || len(list.Sources) != 1 || len(list.Operations[0].Input) == 0 || list.Operations[0].Tool != "notes_get_Me" {
		t.Errorf("%v %s", err, w.Body)
	}
	w = ask(door, "GET", "/api/v1/operations?brief=true", "")
	if strings.Contains(w.Body.String(), "input") || !strings.Contains(w.Body.String(), `"tool":"notes_get_Me"`) {
		t.Errorf("a brief list holds schemas: %s", w.Body)
	}
	w = ask(door, "GET", "/api/v1/operations/notes_get_Me", "")
	if field(t, w, "id") != "notes.get_Me" {
		t.Errorf("one operation: %d %s", w.Code, w.Body)
	}
}

func TestStrangersOfTheWeb(t *testing.T) {
	door := &Door{Engine: notes(t), Origins: []string{"https://app.example.com"}, Hosts: []string{"tools.example.com"}}
	for _, test := range []struct {
		host, origin string
		status       int
	}{
		{"127.0.0.1:7777", "", 200}, {"tools.example.com", "", 200}, {"localhost", "http://localhost:5173", 200},
		{"localhost", "https://app.example.com", 200}, {"evil.example.com", "", 403}, {"localhost", "https://evil.example.com", 403}, {"localhost", "null", 403},
	} {
		r := httptest.NewRequest("GET", "/api/tools", nil)
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		if w.Code != test.status || test.status == 200 && w.Header().Get("Access-Control-Allow-Origin") != test.origin {
			t.Errorf("%s from %q: %d %v", test.host, test.origin, w.Code, w.Header())
		}
	}
	door.Authenticate = func(*http.Request) (Caller, error) {
		return Caller{}, &twodoor.Error{Code: twodoor.CodeUnauthenticated}
	}
	w := ask(door, "OPTIONS", "/api/mcp/execute", "", "Origin: http://localhost:1", "Access-Control-Request-Method: POST")
	if w.Code != 204 || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("a preflight: %d %v", w.Code, w.Header())
	}
	for _, target := range []string{"/api/mcp/execute", "/v1/call/x", "/nowhere", "/api/documents"} {
		if w := ask(door, "POST", target, "{}"); w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("nobody gets %d from %s", w.Code, target)
		}
	}
}

func TestTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "90m": 90 * time.Minute, "-1": 0, "soon": 0, "100h": maxTimeout} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set(headerTimeout, text)
		if got := timeoutOf(r); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	door := &Door{Engine: twodoortest.Engine()}
	if w := ask(door, "POST", "/api/v1/call/"+twodoortest.Stall, "{}", headerTimeout+": 0.01"); w.Code != 504 || field(t, w, "error", "code") != "timeout" {
		t.Errorf("a call over its bound: %d %s", w.Code, w.Body)
	}
}

// TestDocument holds the description to the table of routes, both ways.
func TestDocument(t *testing.T) {
	door := &Door{Engine: notes(t), Version: "1.2.3"}
	w := ask(door, "GET", "/api/openapi.json", "")
	var doc struct {
		Info    struct{ Version string }
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Info.Version != "1.2.3" || len(doc.Servers) != 1 || doc.Servers[0].URL != "http://127.0.0.1/api" {
		t.Errorf("%+v %+v", doc.Info, doc.Servers)
	}
	var described, served []string
	for path, methods := range doc.Paths {
		for method := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, one := range append(door.bridgeRoutes(), door.ownRoutes()...) {
		served = append(served, one.pattern)
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described and served differ:\n%s\n\n%s", strings.Join(described, "\n"), strings.Join(served, "\n"))
	}
	if text, err := os.ReadFile("openapi.json"); err != nil || rawjson.Check(text) != nil {
		t.Error("openapi.json is not JSON")
	}
}

func TestEvents(t *testing.T) {
	door := &Door{Engine: notes(t)}
	server := httptest.NewServer(door)
	defer server.Close()
	reply, err := http.Get(server.URL + "/api/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	next := func() string {
		buffer := make([]byte, 4096)
		n, _ := reply.Body.Read(buffer)
		return string(buffer[:n])
	}
	if event := next(); !strings.HasPrefix(event, "event: catalog\ndata: {\"operations\":7,\"etag\":") {
		t.Errorf("the first event is %q", event)
	}
	door.Changed()
	if event := next(); !strings.HasPrefix(event, "event: catalog\n") {
		t.Errorf("a change is told as %q", event)
	}
	door.Close()
	if event := next(); event != "" {
		t.Errorf("a door that closes says %q", event)
	}
}

func TestProgress(t *testing.T) {
	source := &twodoor.FuncSource{Name: "slow", Funcs: []twodoor.Func{{
		Operation: twodoor.Operation{ID: "slow.work.do", Effect: twodoor.Reads},
		Run: func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			in.Progress(twodoor.Progress{Done: 1, Total: 2, Message: "half"})
			return &twodoor.Value{JSON: json.RawMessage("{\"a\":\n1}")}, nil
		},
	}}}
	reading, _ := source.Read(t.Context())
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalog)
	door := &Door{Engine: engine}
	for _, target := range []string{"/api/v1/call/slow.work.do", "/api/tools/custom/slow_work_do"} {
		body := ask(door, "POST", target, "", "Accept: text/event-stream").Body.String()
		if !strings.HasPrefix(body, "event: progress\ndata: {\"done\":1,\"total\":2,\"message\":\"half\"}\n\nevent: result\ndata: {") || strings.Count(body, "\n") != 6 {
			t.Errorf("%s streams %q", target, body)
		}
	}
}

func TestProfileOfAddress(t *testing.T) {
	door := &Door{Engine: notes(t)}
	if w := ask(door, "POST", "/api/v1/call/harbor.incident.close?"+url.Values{"profile": {"mine"}}.Encode(), ""); w.Code != 404 {
		t.Errorf("the profile is not obeyed: %d %s", w.Code, w.Body)
	}
	if w := ask(door, "GET", "/api/tools?profile=nobodys", ""); w.Code != 404 || field(t, w, "code") != "unknown" {
		t.Errorf("an unknown profile: %d %s", w.Code, w.Body)
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// callBook is a journal that tells of one call, of three that were missed, and of a fault.
type callBook struct{ asked url.Values }

func (b *callBook) List(_ context.Context, query url.Values) (json.RawMessage, error) {
	b.asked = query
	return json.RawMessage(`{"calls":[]}`), nil
}

func (*callBook) Call(_ context.Context, id string) (json.RawMessage, error) {
	return nil, &twodoor.Error{Code: twodoor.CodeNotFound, Message: "there is no call " + id}
}

func (*callBook) Follow(_ context.Context, query url.Values, resume string) (iter.Seq2[News, error], error) {
	if query.Get("filter") == "bad" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "no filter"}
	}
	return func(yield func(News, error) bool) {
		_ = yield(News{Call: json.RawMessage(`{"after":"` + resume + `"}`), Resume: "1:2"}, nil) &&
			yield(News{Missed: 3, Resume: "1:5"}, nil) &&
			yield(News{}, errors.New("the store is gone"))
	}, nil
}

// TestCalls holds that the journal is read and followed by the operator alone, with places to go on
// after and losses told.
func TestCalls(t *testing.T) {
	book := &callBook{}
	door := guarded(t)
	door.Calls = book
	if w := ask(door, "GET", "/api/v1/calls?filter=code:error&limit=3", "", "Authorization: Bearer operator"); w.Code != 200 || book.asked.Get("filter") != "code:error" {
		t.Errorf("%d %s after %v", w.Code, w.Body, book.asked)
	}
	if w := ask(door, "GET", "/api/v1/calls/c1", "", "Authorization: Bearer operator"); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(door, "GET", "/api/v1/events?filter=bad", "", "Authorization: Bearer operator"); w.Code != 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	body := ask(door, "GET", "/api/v1/events", "", "Authorization: Bearer operator", "Last-Event-ID: 1:1").Body.String()
	for _, want := range []string{"event: call\nid: 1:2\ndata: {\"after\":\"1:1\"}\n\n", "event: dropped\nid: 1:5\ndata: {\"missed\":3}\n\n", "event: error\ndata: {\"code\":\"internal\""} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %q", want, body)
		}
	}
	ann := ask(door, "POST", "/api/sessions", `{"principal":"ann"}`, "Authorization: Bearer operator")
	token := field(t, ann, "token")
	if w := ask(door, "GET", "/api/v1/calls", "", "Authorization: Bearer "+token); w.Code != 403 {
		t.Errorf("a session reads the journal: %d %s", w.Code, w.Body)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1/api/v1/events", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	if door.ServeHTTP(w, r); strings.Contains(w.Body.String(), "event: call") || !strings.Contains(w.Body.String(), "event: catalog") {
		t.Errorf("a session hears %s", w.Body)
	}
}
