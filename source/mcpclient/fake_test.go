package mcpclient_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// The test binary is its own upstream: FAKE says how it behaves.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE"); mode != "" {
		if mode == "sdk" {
			os.Exit(playSDK())
		}
		os.Exit(playStdio(mode))
	}
	os.Exit(m.Run())
}

// tools is a list that loses something in a reader that decodes it.
const tools = `[
 {"name":"notes_list","description":"Lists <notes> & more","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","maximum":1152921504606846977}}},"x-unknown":{"z":1,"a":[1.0,1152921504606846977]},"annotations":{"readOnlyHint":true}},
 {"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://x"}}},
 {"name":"delete_note","inputSchema":{"type":"object"}},
 {"name":"bad schema","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/nowhere"}},"required":"x"}},
 {"name":"bad_type","inputSchema":{"type":"string"}},
 {"name":"fails","inputSchema":{"type":"object"}},
 {"name":"refuses","inputSchema":{"type":"object"}},
 {"name":"hang","inputSchema":{"type":"object"}},
 {"name":"crash","inputSchema":{"type":"object"}},
 {"name":"slow","inputSchema":{"type":"object"}},
 {"name":"large","inputSchema":{"type":"object"}},
 {"name":"pid","inputSchema":{"type":"object"}},
 {"name":"canceled","inputSchema":{"type":"object"}},
 {"name":"routed","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}
]`

// result is one that loses something on its way through a reader that decodes it.
const result = `{"content":[{"type":"text","text":"{\"n\":1}","annotations":{"priority":0.10}},{"type":"image","data":"iVBORw0K","mimeType":"image/png"},{"type":"hologram","q":1}],"structuredContent":{"z":1152921504606846977,"a":1.0,"m":{"b":"é\u2028<&>"},"none":null},"vendor":{"x":[1e400]},"_meta":{"trace":"t"}}`

// fake is an upstream of any era.
type fake struct {
	mode  string // legacy, modern, and what is said below
	write func(line string)

	mu       sync.Mutex
	seen     []string
	canceled []string
}

func (f *fake) saw(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, what)
}

func (f *fake) cancellations() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.canceled)
}

func (f *fake) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.seen {
		if s == what {
			n++
		}
	}
	return n
}

type request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// answer is the reply to a request; empty: there is none.
func (f *fake) answer(raw []byte) string {
	var r request
	if json.Unmarshal(raw, &r) != nil {
		return ""
	}
	f.saw(r.Method)
	reply := func(result string) string {
		return fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, strings.ReplaceAll(result, "\n", ""), r.ID)
	}
	fault := func(code int, text, data string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":%s}}`, r.ID, code, text, data)
	}
	modern := strings.HasPrefix(f.mode, "modern")
	_, dressed := rawjson.GetPath(r.Params, "_meta", "io.modelcontextprotocol/protocolVersion")
	switch {
	case r.ID == nil:
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Method == "notifications/cancelled" {
			id, _ := rawjson.Get(r.Params, "requestId")
			f.canceled = append(f.canceled, string(id))
		}
		return ""
	case modern && !dressed:
		return fault(-32602, "no version", "null")
	case r.Method == "server/discover" && f.mode == "modern-else":
		return fault(-32022, "not that one", `{"supported":["2027-01-01"]}`)
	case r.Method == "server/discover" && f.mode == "legacy-shim": // answers, but does not speak it
		return reply(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`)
	case r.Method == "server/discover" && f.mode == "legacy-knows":
		return fault(-32022, "older please", `{"supported":["2025-11-25","2025-06-18"]}`)
	case r.Method == "server/discover" && modern:
		return reply(`{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"instructions":"read me","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"9"}}}`)
	case r.Method == "initialize" && !modern:
		version := "2025-11-25"
		if strings.HasPrefix(f.mode, "legacy-2") {
			version = strings.TrimPrefix(f.mode, "legacy-")
		}
		return reply(`{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"9"},"instructions":"read me"}`)
	case r.Method == "ping" && !modern:
		return reply(`{}`)
	case r.Method == "tools/list":
		return f.list(r, reply)
	case r.Method == "tools/call":
		return f.call(r, reply, fault)
	}
	return fault(-32601, "no method", "null")
}

// list pages: the first page holds two tools.
func (f *fake) list(r request, reply func(string) string) string {
	var all []string
	for tool := range rawjson.Elements([]byte(tools)) {
		all = append(all, string(tool))
	}
	if f.mode == "legacy-grows" {
		if _, err := os.Stat(os.Getenv("MARK")); err != nil {
			_ = os.WriteFile(os.Getenv("MARK"), nil, 0o600)
			all = all[:len(all)-1]
		}
		return reply(`{"tools":[` + strings.Join(all, ",") + `]}`)
	}
	if cursor, ok := rawjson.Get(r.Params, "cursor"); ok && string(cursor) == `"two"` {
		return reply(`{"tools":[` + strings.Join(all[2:], ",") + `]}`)
	}
	return reply(`{"tools":[` + strings.Join(all[:2], ",") + `],"nextCursor":"two"}`)
}

func (f *fake) call(r request, reply func(string) string, fault func(int, string, string) string) string {
	name, _ := rawjson.Get(r.Params, "name")
	args, _ := rawjson.Get(r.Params, "arguments")
	switch text, _ := rawjson.String(name); text {
	case "notes_list":
		return reply(result)
	case "echo":
		return reply(`{"content":[],"structuredContent":` + string(args) + `}`)
	case "fails":
		return reply(`{"content":[{"type":"text","text":"the note is locked"}],"isError":true,"extra":7}`)
	case "refuses":
		return fault(-32602, "bad note", `{"why":1152921504606846977}`)
	case "crash":
		fmt.Fprintln(os.Stderr, "out of cheese")
		os.Exit(3)
	case "hang":
		f.saw("hanging")
		return ""
	case "slow":
		token, _ := rawjson.GetPath(r.Params, "_meta", "progressToken")
		for i := range 3 {
			f.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":3,"message":"step"}}`, token, i+1))
		}
		return reply(`{"content":[]}`)
	case "large":
		size, _ := rawjson.Get(args, "bytes")
		n, _ := strconv.Atoi(string(size))
		return reply(`{"content":[{"type":"text","text":"` + strings.Repeat("x", n) + `"}]}`)
	case "pid":
		return reply(fmt.Sprintf(`{"content":[{"type":"text","text":"%d %s"}]}`, os.Getpid(), os.Getenv("OWN")))
	case "canceled":
		return reply(fmt.Sprintf(`{"content":[{"type":"text","text":"%d of %d"}]}`, f.cancellations(), f.count("hanging")))
	case "routed":
		return reply(`{"content":[],"structuredContent":{"ok":true}}`)
	}
	return fault(-32602, "unknown tool", "null")
}

func playStdio(mode string) int {
	var mu sync.Mutex
	f := &fake{mode: mode, write: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(line)
	}}
	if mode == "legacy-child" {
		child := exec.Command(os.Args[0])
		child.Env = []string{"FAKE=sleeper"}
		if err := child.Start(); err != nil {
			return 1
		}
	}
	if mode == "sleeper" {
		time.Sleep(time.Hour)
	}
	if mode == "dead" {
		fmt.Fprintln(os.Stderr, "no licence, key "+os.Getenv("KEY"))
		return 4
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	greeted := false
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		if mode == "legacy-noisy" {
			f.write("Listening on stdio…\n\n{\"not\":\"protocol\"}")
		}
		if discover := bytes.Contains(line, []byte("server/discover")); discover && mode == "legacy-dies" {
			return 1
		} else if discover && mode == "legacy-silent" && !greeted {
			greeted = true
			continue
		}
		if mode == "mute" || mode == "legacy-freezes" && f.count("hanging") > 0 {
			continue
		}
		if mode == "legacy-changes" && bytes.Contains(line, []byte("tools/call")) {
			f.write(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 5))
		}
		if reply := f.answer(line); reply != "" {
			f.write(reply)
		}
	}
}

// local is a server that runs in a child.
func local(mode string) mcpclient.Server {
	return mcpclient.Server{ID: "Fake", Command: os.Args[0], Env: map[string]string{"FAKE": mode}}
}

// plain is a Doer without keys that tells on whose behalf it was asked.
type plain struct {
	mu     sync.Mutex
	access []twodoor.Access
}

func (d *plain) Do(req *http.Request, access twodoor.Access) (*http.Response, error) {
	d.mu.Lock()
	d.access = append(d.access, access)
	d.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}

// serve makes a pool with one server named fake.
func serve(t *testing.T, server mcpclient.Server) *mcpclient.Pool {
	t.Helper()
	pool := &mcpclient.Pool{Doer: &plain{}, Environ: os.Environ()}
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	t.Cleanup(pool.Close)
	return pool
}

func read(t *testing.T, pool *mcpclient.Pool) *twodoor.Reading {
	t.Helper()
	reading, err := (&mcpclient.Source{Name: "fake", Pool: pool}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

// of is an invocation of a tool, as the engine would make it from a catalog.
func of(tool, args string) *twodoor.Invocation {
	for raw := range rawjson.Elements([]byte(tools)) {
		if name, _ := rawjson.Get(raw, "name"); string(name) == `"`+tool+`"` {
			op := &twodoor.Operation{ID: "fake." + tool, Kind: mcpclient.Kind, Plan: []byte(`{"tool":` + string(raw) + `}`)}
			return &twodoor.Invocation{Operation: op, Arguments: json.RawMessage(args)}
		}
	}
	panic("no tool " + tool)
}

func invoke(ctx context.Context, pool *mcpclient.Pool, tool, args string) (string, error) {
	raw, err := (&mcpclient.Invoker{Pool: pool}).Result(ctx, of(tool, args))
	return string(raw), err
}

func mustInvoke(t *testing.T, pool *mcpclient.Pool, tool, args string) string {
	t.Helper()
	raw, err := invoke(t.Context(), pool, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return raw
}

func status(t *testing.T, pool *mcpclient.Pool) mcpclient.Status {
	t.Helper()
	all := pool.Status()
	if len(all) != 1 {
		t.Fatalf("%d connections, want one: %+v", len(all), all)
	}
	return all[0]
}

func wantCode(t *testing.T, err error, code twodoor.Code, words ...string) *twodoor.Error {
	t.Helper()
	fault := twodoor.AsError(err)
	if fault == nil || fault.Code != code {
		t.Fatalf("got %v (%v), want %s", err, fault, code)
	}
	for _, word := range words {
		if !strings.Contains(fault.Message+" "+fault.Hint, word) {
			t.Errorf("%q does not say %q", fault.Message+" / "+fault.Hint, word)
		}
	}
	return fault
}

// webFake is a fake behind an address.
type webFake struct {
	*fake
	sse      bool // answers come as events
	sessions bool
	resume   bool // the stream of a call ends before its answer, which a GET brings

	mu       sync.Mutex
	session  int
	headers  []http.Header
	held     map[string]string
	left     chan struct{} // told when a client leaves a hanging call
	statuses []int         // answered first, one a request

	connections atomic.Int64
	rerouted    atomic.Bool // the header is another one now
}

func newWeb(t testing.TB, mode string) (*webFake, string) {
	w := &webFake{fake: &fake{mode: mode, write: func(string) {}}, held: map[string]string{}, left: make(chan struct{}, 8)}
	server := httptest.NewUnstartedServer(w)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			w.connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return w, server.URL + "/mcp"
}

func (w *webFake) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	w.mu.Lock()
	w.headers = append(w.headers, req.Header.Clone())
	status := 0
	if len(w.statuses) > 0 {
		status, w.statuses = w.statuses[0], w.statuses[1:]
	}
	session := ""
	if w.sessions && w.session > 0 {
		session = fmt.Sprint("s", w.session)
	}
	w.mu.Unlock()
	body, _ := io.ReadAll(req.Body)
	modern := req.Header.Get("Mcp-Protocol-Version") >= "2026"
	switch {
	case status != 0:
		out.WriteHeader(status)
	case req.Method == http.MethodGet && w.resume:
		w.mu.Lock()
		defer w.mu.Unlock()
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(out, "data: %s\n\n", w.held[req.Header.Get("Last-Event-Id")])
	case req.Method != http.MethodPost:
		out.WriteHeader(http.StatusMethodNotAllowed)
	case bytes.Contains(body, []byte(`"initialize"`)) && !strings.HasPrefix(w.mode, "modern"):
		w.mu.Lock()
		w.session++
		session = fmt.Sprint("s", w.session)
		w.mu.Unlock()
		if w.sessions {
			out.Header().Set("Mcp-Session-Id", session)
		}
		w.reply(out, req, body)
	case w.sessions && !modern && req.Header.Get("Mcp-Session-Id") != session:
		out.WriteHeader(http.StatusNotFound)
	case w.mode == "modern-rerouted" && bytes.Contains(body, []byte(`"routed"`)) && req.Header.Get("Mcp-Param-Zone") == "":
		w.rerouted.Store(true)
		id, _ := rawjson.Get(body, "id")
		out.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"headers differ"}}`, id)
	case modern && strings.HasPrefix(w.mode, "legacy"):
		http.Error(out, "Bad Request: no session", http.StatusBadRequest)
	case strings.HasPrefix(w.mode, "modern") && !modern:
		out.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"too old","data":{"supported":["2026-07-28"]}}}`)
	default:
		w.reply(out, req, body)
	}
}

func (w *webFake) reply(out http.ResponseWriter, req *http.Request, body []byte) {
	if bytes.Contains(body, []byte(`"name":"hang"`)) {
		w.saw("hanging")
		out.Header().Set("Content-Type", "text/event-stream")
		out.(http.Flusher).Flush()
		<-req.Context().Done()
		w.left <- struct{}{}
		return
	}
	var told []string
	f := &fake{mode: w.mode, write: func(line string) { told = append(told, line) }}
	answer := f.answer(body)
	if w.rerouted.Load() {
		answer = strings.ReplaceAll(answer, `"Region"`, `"Zone"`)
	}
	w.fake.mu.Lock()
	w.seen, w.canceled = append(w.seen, f.seen...), append(w.canceled, f.canceled...)
	w.fake.mu.Unlock()
	switch {
	case answer == "":
		out.WriteHeader(http.StatusAccepted)
	case !w.sse:
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprint(out, answer)
	case w.resume && slices.Contains(f.seen, "tools/call"):
		w.mu.Lock()
		w.held["e7"] = answer
		w.mu.Unlock()
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(out, "id: e7\nretry: 1\ndata:\n\n")
	default:
		out.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprint(out, ": hello\r\n\r\n")
		for _, line := range append(told, answer) {
			fmt.Fprintf(out, "event: message\r\ndata: %s\r\n\r\n", line)
		}
	}
}

func (w *webFake) last(header string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.headers[len(w.headers)-1].Get(header)
}

// newEvents is a fake behind HTTP+SSE of 2024-11-05.
func newEvents(t *testing.T) (*fake, string) {
	f := &fake{mode: "legacy-2024-11-05"}
	mux := http.NewServeMux()
	lines := make(chan string, 100)
	f.write = func(line string) { lines <- line }
	mux.HandleFunc("GET /sse", func(out http.ResponseWriter, req *http.Request) {
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(out, "event: endpoint\ndata: /messages?session=1\n\n")
		for {
			out.(http.Flusher).Flush()
			select {
			case line := <-lines:
				fmt.Fprintf(out, "event: message\ndata: %s\n\n", line)
			case <-req.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /messages", func(out http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		out.WriteHeader(http.StatusAccepted)
		if answer := f.answer(body); answer != "" {
			f.write(answer)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return f, server.URL + "/sse"
}

// newList is a modern server behind an address that has these tools and no more.
func newList(t *testing.T, list string) string {
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		f := &fake{mode: "modern"}
		answer := f.answer(body)
		if f.count("tools/list") > 0 {
			id, _ := rawjson.Get(body, "id")
			answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":%s}}`, id, list)
		}
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprint(out, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
