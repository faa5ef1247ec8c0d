package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
)

// askable is the _meta of a client that can be asked everything.
const askable = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"}}`

// ring tells the watchers of a resource.
type ring struct {
	mu      sync.Mutex
	changed []func()
}

func (r *ring) watch(_ context.Context, _ *twodoor.Invocation, changed func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = append(r.changed, changed)
	return nil
}

func (r *ring) ring() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, changed := range r.changed {
		changed()
	}
}

// newTalker makes a door with resources, prompts, and operations that ask.
func newTalker(t testing.TB) *bench { return newTalkerWith(t, &ring{}) }

func newTalkerWith(t testing.TB, watched *ring) *bench {
	t.Helper()
	b := &bench{}
	text := func(text string) func(context.Context, *twodoor.Invocation) ([]twodoor.Blob, error) {
		return func(context.Context, *twodoor.Invocation) ([]twodoor.Blob, error) {
			return []twodoor.Blob{{Data: []byte(text)}}, nil
		}
	}
	ask := func(q twodoor.Question) func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
		return func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			answers, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{q}})
			return &twodoor.Value{JSON: answers[q.Key]}, err
		}
	}
	source := &twodoor.FuncSource{Name: "lab",
		Funcs: []twodoor.Func{
			b.fn("lab.ask", twodoor.Reads, "", ask(twodoor.Question{Key: "name", Method: twodoor.AskPerson, Params: json.RawMessage(`{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`)})),
			b.fn("lab.roots", twodoor.Reads, "", ask(twodoor.Question{Key: "roots", Method: twodoor.AskRoots})),
			b.fn("lab.wipe", twodoor.Destroys, "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
				return &twodoor.Value{JSON: json.RawMessage(`"wiped"`)}, nil
			}),
		},
		ResourceFuncs: []twodoor.FuncResource{
			{Resource: twodoor.Resource{ID: "lab.resource.text", URI: "lab://text", Name: "text", Title: "A text", MediaType: "text/plain", Size: 5}, Read: text("hello"), Watch: watched.watch},
			{Resource: twodoor.Resource{ID: "lab.resource.secret", URI: "lab://secret", Name: "secret", Permission: "secrets"}, Read: text("hush")},
			{Resource: twodoor.Resource{ID: "lab.resource.item", Template: "lab://item/{id}", Name: "item"}, Read: text("\x00\x07")},
		},
		PromptFuncs: []twodoor.FuncPrompt{{
			Prompt: twodoor.Prompt{ID: "lab.prompt.hello", Name: "hello", Description: "Greets", Arguments: []twodoor.PromptArgument{{Name: "name", Required: true}}},
			Fill: func(_ context.Context, in *twodoor.Invocation) ([]twodoor.Message, error) {
				var args struct{ Name string }
				err := json.Unmarshal(in.Arguments, &args)
				return []twodoor.Message{{Text: "Greet " + args.Name}, {Role: "assistant", Blob: &twodoor.Blob{MediaType: "image/png", Data: []byte("png")}}}, err
			},
			Offer: func(_ context.Context, in *twodoor.Invocation) (twodoor.Completions, error) {
				return twodoor.Completions{Values: []string{in.Completing.Value + " of " + in.Completing.Others["from"]}}, nil
			},
		}},
	}
	engine := &twodoor.Engine{
		Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Seal: []byte("seal"),
		Profiles: map[string]*twodoor.Profile{twodoor.DefaultProfile: {Confirm: twodoor.ConfirmAsk}},
	}
	engine.Serve(catalogOf(t, source))
	b.Door = &Door{Engine: engine, Name: "lab", Version: "1"}
	return b
}

// TestTalks plays what goes beyond tools, in both eras.
func TestTalks(t *testing.T) { playAll(t, "testdata/talk/*.txt", newTalker) }

// Who listens hears of the lists and the resources that it named, and of nothing else.
func TestListenToEverything(t *testing.T) {
	watched := &ring{}
	b := newTalkerWith(t, watched)
	c := dial(t, b.Door)
	rules := newProtocol(t, Version)
	c.send(modern("1", "subscriptions/listen", `"notifications":{"promptsListChanged":true,"resourceSubscriptions":["lab://text","lab://none"]}`))
	got := c.next()
	rules.check(t, "", got)
	if want := `"notifications":{"promptsListChanged":true,"resourceSubscriptions":["lab://text"]}`; !strings.Contains(got, want) {
		t.Errorf("granted %s", got)
	}
	b.Changed(twodoor.ListOfOperations, twodoor.ListOfResources)
	b.Changed(twodoor.ListOfPrompts)
	got = c.next()
	if rules.check(t, "", got); !strings.Contains(got, `"notifications/prompts/list_changed"`) {
		t.Errorf("got %s", got)
	}
	watched.ring()
	got = c.next()
	if rules.check(t, "", got); !strings.Contains(got, `"notifications/resources/updated","params":{"uri":"lab://text",`) {
		t.Errorf("got %s", got)
	}
	c.close()
}

func TestLegacySubscription(t *testing.T) {
	watched := &ring{}
	c := dial(t, newTalkerWith(t, watched).Door)
	c.send(initialize)
	c.next()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"lab://none"}}`)
	if got := c.next(); !strings.Contains(got, `"code":-32002`) {
		t.Errorf("what is not there: %s", got)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"lab://text"}}`)
	if got := c.next(); !strings.Contains(got, `"result":{}`) {
		t.Errorf("got %s", got)
	}
	watched.ring()
	if got := c.next(); !strings.Contains(got, `"notifications/resources/updated","params":{"uri":"lab://text"}`) {
		t.Errorf("got %s", got)
	}
	c.close()
}

// A reader who may not read cannot watch either.
func TestSubscriptionsArePermitted(t *testing.T) {
	b := newTalker(t)
	call := twodoor.Call{Operation: "lab://secret", Principal: twodoor.Principal{Subject: "ann"}, Door: twodoor.DoorMCP}
	if err := b.Engine.Watch(t.Context(), call, func() {}); twodoor.AsError(err).Code != twodoor.CodeForbidden {
		t.Errorf("%v", err)
	}
}

// A parked call goes on over another connection, and another principal cannot take it up.
func TestInputRequiredOverHTTP(t *testing.T) {
	b := newTalker(t)
	b.Authenticate = func(r *http.Request) (Caller, error) {
		return Caller{Principal: twodoor.Principal{Subject: r.Header.Get("X-Who"), Permissions: []string{"*"}}}, nil
	}
	server := httptest.NewServer(b.Handler())
	defer server.Close()
	s := &site{bench: b, t: t, url: server.URL}
	request := func(more string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lab_ask",` + more + askable + `}}`
	}
	ask := func() string {
		_, text := s.call(request(""), "X-Who: ann")
		var m struct{ Result struct{ RequestState string } }
		if err := json.Unmarshal([]byte(text), &m); err != nil || m.Result.RequestState == "" {
			t.Fatalf("%v in %s", err, text)
		}
		return m.Result.RequestState
	}
	answer := `"inputResponses":{"name":{"action":"accept","content":{"name":"Ann"}}},"requestState":"`
	first, second := ask(), ask()
	if status, text := s.call(request(answer+first+`",`), "X-Who: bob"); status != 400 || !strings.Contains(text, `"code":-32602`) {
		t.Errorf("another principal: %d %s", status, text)
	}
	for _, state := range []string{second, first} {
		if status, text := s.call(request(answer+state+`",`), "X-Who: ann"); status != 200 || !strings.Contains(text, `Ann`) {
			t.Errorf("%d %s", status, text)
		}
	}
	if status, text := s.call(request(""), "X-Who: ann", "Mcp-Name: lab_roots"); status != 400 || !strings.Contains(text, "-32020") {
		t.Errorf("another name in the header: %d %s", status, text)
	}
	status, text := s.call(strings.Replace(request(""), "lab_ask", "lab_roots", 1), "X-Who: ann")
	if status != 200 || !strings.Contains(text, `"method":"roots/list","params":{}`) {
		t.Errorf("%d %s", status, text)
	}
	status, text = s.call(modern("1", "tools/call", `"name":"lab_roots"`), "X-Who: ann")
	if status != 400 || !strings.Contains(text, `"requiredCapabilities":{"roots":{}}`) {
		t.Errorf("undeclared: %d %s", status, text)
	}
}

// eventSite mounts HTTP+SSE.
func eventSite(t *testing.T, b *bench) string {
	mux := http.NewServeMux()
	mux.Handle("/sse", b.EventsHandler())
	mux.Handle("/messages", b.EventsHandler())
	mux.Handle("/mcp", b.Handler())
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		b.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// The SDK's own client of 2024-11-05 lists, calls, reads, and is asked.
func TestEventsWithTheSDK(t *testing.T) {
	url := eventSite(t, newTalker(t))
	client := mcp.NewClient(&mcp.Implementation{Name: "old", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ann"}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: url + "/sse"}, &mcp.ClientSessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 3 {
		t.Errorf("%+v %v", tools, err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "lab_ask"})
	if err != nil || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "Ann") {
		t.Errorf("%+v %v", result, err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "lab://text"})
	if err != nil || read.Contents[0].Text != "hello" {
		t.Errorf("%+v %v", read, err)
	}
}

func TestEventsOnTheWire(t *testing.T) {
	b := newTalker(t)
	b.MaxSessions = 1
	b.Authenticate = func(r *http.Request) (Caller, error) {
		return Caller{Principal: twodoor.Principal{Subject: r.Header.Get("X-Who")}}, nil
	}
	url := eventSite(t, b)
	do := func(method, path, who, body string) *http.Response {
		r, _ := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		r.Header.Set("X-Who", who)
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { reply.Body.Close() })
		return reply
	}
	stream := do(http.MethodGet, "/sse", "ann", "")
	events := bufio.NewReader(stream.Body)
	data := func() string {
		for {
			line, err := events.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				return strings.TrimSpace(text)
			}
		}
	}
	messages := data()
	if !strings.HasPrefix(messages, "/messages?session=") {
		t.Fatalf("endpoint %s", messages)
	}
	if reply := do(http.MethodPost, messages, "ann", initialize); reply.StatusCode != http.StatusAccepted {
		t.Errorf("a message: %d", reply.StatusCode)
	}
	if got := data(); !strings.Contains(got, `"id":"i","result"`) {
		t.Errorf("got %s", got)
	}
	do(http.MethodPost, messages, "ann", `{"jsonrpc":"2.0","id":2,"method":"no/such"}`)
	if got := data(); !strings.Contains(got, `"id":2,"error":{"code":-32601`) {
		t.Errorf("got %s", got)
	}
	for name, c := range map[string]struct {
		method, path, who, body string
		want                    int
	}{
		"another's session":       {http.MethodPost, messages, "bob", initialize, 404},
		"no session":              {http.MethodPost, "/messages", "ann", initialize, 404},
		"not a message":           {http.MethodPost, messages, "ann", "{}", 400},
		"not JSON":                {http.MethodPost, messages, "ann", "", 400},
		"one session too many":    {http.MethodGet, "/sse", "ann", "", 503},
		"a POST to the stream":    {http.MethodPost, "/sse", "ann", initialize, 405},
		"a GET of messages":       {http.MethodGet, "/messages", "ann", "", 405},
		"a GET of the other door": {http.MethodGet, "/mcp", "ann", "", 405},
	} {
		if reply := do(c.method, c.path, c.who, c.body); reply.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, reply.StatusCode, c.want)
		}
	}
}

// What no session takes has its error in a batch, and the rest of the batch its answers.
func TestLegacyBatchWithAnUnknownMethod(t *testing.T) {
	s := newSite(t)
	reply := s.post(t.Context(), strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	io.Copy(io.Discard, reply.Body)
	session := headerSession + ": " + reply.Header.Get(headerSession)
	post := func(body string) (int, string) {
		reply := s.post(t.Context(), body, session)
		raw, _ := io.ReadAll(reply.Body)
		return reply.StatusCode, string(raw)
	}
	status, text := post(`[` + legacyCall("1", "lab_secret") + `,{"jsonrpc":"2.0","id":"x","method":"no/such"},{"jsonrpc":"2.0","method":"notifications/tomorrow"},{"jsonrpc":"2.0","id":3,"method":"tools/call"}]`)
	for _, want := range []string{"hush", `"id":"x","error":{"code":-32601,"message":"there is no method no/such`, `"id":3,"error":{"code":-32600,`} {
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("%d %s lacks %s", status, text, want)
		}
	}
	if status, text := post(`[{"jsonrpc":"2.0","method":"notifications/tomorrow"}]`); status != 202 || text != "" {
		t.Errorf("nothing to answer: %d %s", status, text)
	}
}

// A client that leaves while it is asked ends the call: at the end of its stream, and of its session.
func TestWhoLeavesWhileAsked(t *testing.T) {
	greeting := strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
	c := dial(t, newTalker(t).Door)
	c.send(greeting)
	c.next()
	c.send(legacyCall("1", "lab_ask"))
	if got := c.next(); !strings.Contains(got, `"elicitation/create"`) {
		t.Fatalf("got %s", got)
	}
	c.close()

	b := newTalker(t)
	server := httptest.NewServer(b.Handler())
	defer server.Close()
	s := &site{bench: b, t: t, url: server.URL}
	reply := s.post(t.Context(), greeting)
	io.Copy(io.Discard, reply.Body)
	session := headerSession + ": " + reply.Header.Get(headerSession)
	stream := s.post(t.Context(), legacyCall("1", "lab_ask"), session)
	if line, err := bufio.NewReader(stream.Body).ReadString('}'); err != nil || !strings.Contains(line, "elicitation/create") {
		t.Fatalf("%s %v", line, err)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, server.URL, nil)
	r.Header.Set(headerSession, reply.Header.Get(headerSession))
	gone, err := http.DefaultClient.Do(r)
	if err != nil || gone.StatusCode != http.StatusNoContent {
		t.Errorf("%+v %v", gone, err)
	}
	b.Close()
}
