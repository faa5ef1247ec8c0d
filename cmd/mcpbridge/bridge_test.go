package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

const token = "a-token-of-the-far-side"

// far is a far side that wants its token.
func far(t *testing.T, engine *twodoor.Engine) (*rest.Door, string) {
	t.Helper()
	door := &rest.Door{Engine: engine, Authenticate: func(r *http.Request) (rest.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			return rest.Caller{}, &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "the token is not known here"}
		}
		return rest.Caller{Principal: twodoor.Operator}, nil
	}}
	server := httptest.NewServer(door)
	t.Cleanup(func() {
		door.Close()
		server.Close()
	})
	return door, server.URL
}

// host is a bridge with a host at its other end.
type host struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	errs   *bytes.Buffer
	status chan int
	ids    int
	drain  func() // reads what is left, once
}

// start starts a bridge with an environment of NAME=VALUE.
func start(t *testing.T, env ...string) *host {
	t.Helper()
	values := map[string]string{"MCP_API_TOKEN": token}
	for _, one := range env {
		name, value, _ := strings.Cut(one, "=")
		values[name] = value
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &host{t: t, in: inW, out: bufio.NewReader(outR), errs: &bytes.Buffer{}, status: make(chan int, 1)}
	h.drain = sync.OnceFunc(func() { _, _ = io.Copy(io.Discard, h.out) })
	go func() {
		h.status <- run(context.Background(), func(name string) string { return values[name] }, inR, outW, h.errs)
		outW.Close()
	}()
	t.Cleanup(func() {
		h.in.Close()
		h.drain()
	})
	return h
}

func (h *host) send(line string) {
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
}

// ask sends a modern request and returns the reply to it.
func (h *host) ask(method, params string) []byte {
	h.t.Helper()
	h.ids++
	h.send(request(h.ids, method, params))
	return h.reply(h.ids)
}

func request(id int, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, method, params)
}

// reply is the reply to a request; what comes before it is skipped.
func (h *host) reply(id int) []byte {
	h.t.Helper()
	for {
		line, err := h.out.ReadBytes('\n')
		if err != nil {
			h.t.Fatalf("%v; stderr: %s", err, h.errs)
		}
		if got, _ := rawjson.Get(line, "id"); string(got) == fmt.Sprint(id) {
			return line
		}
	}
}

func (h *host) call(name, args string) []byte {
	h.t.Helper()
	return h.ask("tools/call", `"name":"`+name+`","arguments":`+args)
}

// end closes the input and returns the exit status.
func (h *host) end() int {
	h.in.Close()
	go h.drain()
	return <-h.status
}

func (h *host) tools() (names []string) {
	h.t.Helper()
	list, _ := rawjson.GetPath(h.ask("tools/list", ""), "result", "tools")
	for tool := range rawjson.Elements(list) {
		raw, _ := rawjson.Get(tool, "name")
		name, _ := rawjson.String(raw)
		names = append(names, name)
	}
	return names
}

// TestDoors holds the whole chain to the promises of every door: host, bridge, REST, engine.
func TestDoors(t *testing.T) {
	engine := twodoortest.Engine()
	_, address := far(t, engine)
	var entries []string
	for _, entry := range engine.Catalog().Entries() {
		entries = append(entries, `{"name":"`+entry.Tool+`","type":"custom"}`)
	}
	for name, env := range map[string][]string{
		"asked":  {"MCP_API_URL=" + address + "/api"},
		"root":   {"MCP_API_URL=" + address},
		"handed": {"MCP_API_URL=" + address + "/api", "MCP_TOOLS=[" + strings.Join(entries, ",") + "]"},
	} {
		t.Run(name, func(t *testing.T) { twodoortest.Doors(t, chain{env}, nil) })
	}
}

// chain makes each call through a bridge of its own.
type chain struct{ env []string }

func (c chain) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	h := start(t, c.env...)
	h.send(request(1, "tools/call", `"name":"`+strings.ReplaceAll(twodoor.Spell(name, "").MCP, ".", "_")+`","arguments":`+string(args)))
	reply := make(chan []byte, 1)
	go func() {
		line, _ := h.out.ReadBytes('\n')
		reply <- line
	}()
	select {
	case line := <-reply:
		return seen(t, line)
	case <-ctx.Done():
		h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		h.in.Close()
		return seen(t, <-reply)
	}
}

// seen reads a reply as a host does.
func seen(t *testing.T, line []byte) (s twodoortest.Seen) {
	t.Helper()
	if len(line) == 0 {
		return twodoortest.Seen{NoWord: true}
	}
	var m struct {
		Result struct {
			Content []struct{ Type, Text, Data string }
			IsError bool
			Meta    struct {
				Error struct{ Code string } `json:"twodoor/error"`
			} `json:"_meta"`
		}
		Error *struct {
			Message string
			Data    struct{ Code string }
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if m.Error != nil {
		return twodoortest.Seen{Code: m.Error.Data.Code, Text: m.Error.Message}
	}
	for _, block := range m.Result.Content {
		switch {
		case block.Type == "image":
			data, _ := base64.StdEncoding.DecodeString(block.Data)
			s.Blobs = append(s.Blobs, data)
		case m.Result.IsError:
			s.Text, s.Code = block.Text, m.Result.Meta.Error.Code
		case block.Text == "It worked; there is no content.":
		case rawjson.Check([]byte(block.Text)) == nil:
			s.Value = json.RawMessage(block.Text)
		default:
			s.Value = rawjson.Quote(block.Text)
		}
	}
	return s
}

// TestChangesAreFollowed lets the far side get another catalog under a host of the older revisions.
func TestChangesAreFollowed(t *testing.T) {
	engine := twodoortest.Engine()
	door, address := far(t, engine)
	h := start(t, "MCP_API_URL="+address)
	h.send(`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`)
	if info := h.reply(100); !bytes.Contains(info, []byte(`"name":"mcpbridge"`)) {
		t.Errorf("it says of itself %s", info)
	}
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if names := h.tools(); len(names) != engine.Catalog().Len() {
		t.Errorf("of %d operations are listed %v", engine.Catalog().Len(), names)
	}
	smaller, err := twodoor.NewCatalog(&twodoor.Reading{Source: "suite", Operations: []twodoor.Operation{{ID: "suite.other.tool", Kind: "func", Effect: twodoor.Reads}}})
	if err != nil {
		t.Fatal(err)
	}
	engine.Serve(smaller)
	door.Changed()
	for {
		line, err := h.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(line, []byte("notifications/tools/list_changed")) {
			break
		}
	}
	if names := h.tools(); len(names) != 1 || names[0] != "suite_other_tool" {
		t.Errorf("after the change are listed %v", names)
	}
	if status := h.end(); status != 0 {
		t.Errorf("it ends with %d: %s", status, h.errs)
	}
}

// TestManyOperations lists of a large far side what finds the others, and calls through it.
func TestManyOperations(t *testing.T) {
	source := &twodoor.FuncSource{Name: "twodoor", Funcs: []twodoor.Func{{
		Operation: twodoor.Operation{ID: "twodoor.find-operations", Effect: twodoor.Reads},
		Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(`{"hits":["big.op.n7"]}`)}, nil
		},
	}}}
	own, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	big := &twodoor.Reading{Source: "big"}
	for i := range 100 {
		big.Operations = append(big.Operations, twodoor.Operation{ID: fmt.Sprintf("big.op.n%d", i), Kind: "x", Effect: twodoor.Reads})
	}
	catalog, err := twodoor.NewCatalog(own, big)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Profiles: map[string]*twodoor.Profile{"default": {Pins: []string{"big.op.n42"}}}}
	engine.Serve(catalog)
	_, address := far(t, engine)
	h := start(t, "MCP_API_URL="+address)
	if names := strings.Join(h.tools(), " "); names != "big_op_n42 find_operations" {
		t.Errorf("listed are %s", names)
	}
	if reply := h.call("find_operations", `{}`); !bytes.Contains(reply, []byte("big.op.n7")) {
		t.Errorf("find answers %s", reply)
	}
}

// TestFiles holds the file of readiness, the log, and the folder of long answers.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	ready, log, folder := filepath.Join(dir, "ready"), filepath.Join(dir, "log"), filepath.Join(dir, "out")
	long := strings.Repeat("ä", 100_000)
	source := &twodoor.FuncSource{Name: "long", Funcs: []twodoor.Func{
		{Operation: twodoor.Operation{ID: "long.text.read", Effect: twodoor.Reads}, Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: rawjson.Quote(long), MediaType: "text/plain"}, nil
		}},
		{Operation: twodoor.Operation{ID: "long.json.read", Effect: twodoor.Reads}, Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(`{"text":"` + long + `"}`)}, nil
		}},
	}}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Profiles: map[string]*twodoor.Profile{"default": {AnswerBudget: -1}}}
	engine.Serve(catalog)
	_, address := far(t, engine)
	h := start(t, "MCP_API_URL="+address, "MCP_READY_FILE="+ready, "MCP_BRIDGE_LOG="+log, "MCP_TOOL_OUTPUT_DIR="+folder)
	h.ask("server/discover", "")
	if _, err := os.Stat(ready); err == nil {
		t.Error("it is ready before a list of tools went out")
	}
	h.tools()
	h.ask("server/discover", "") // answered after the list has gone out whole
	if text, err := os.ReadFile(ready); err != nil || string(text) != "ready\n" {
		t.Errorf("the file of readiness: %q, %v", text, err)
	}
	for name, want := range map[string]string{"long_text_read": long, "long_json_read": `{"text":"` + long + `"}`} {
		reply := h.call(name, `{}`)
		block, _ := rawjson.GetPath(reply, "result", "content", "0", "text")
		text, _ := rawjson.String(block)
		if len(text) < maxText*9/10 || len(text) > maxText+100 || !strings.Contains(text, "bytes are left out here") || strings.Contains(text, "\uFFFD") {
			t.Errorf("%s: shown are %d bytes", name, len(text))
		}
		files, _ := filepath.Glob(filepath.Join(folder, "tool_"+name+"_*"))
		if len(files) != 1 || !bytes.Contains(reply, []byte(files[0])) {
			t.Fatalf("%s: the files are %v", name, files)
		}
		whole, err := os.ReadFile(files[0])
		info, _ := os.Stat(files[0])
		if err != nil || string(whole) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file has %d bytes and mode %v, %v", name, len(whole), info.Mode(), err)
		}
	}
	h.call("long_nothing", `{}`)
	h.end()
	lines, err := os.ReadFile(log)
	if err != nil || strings.Count(string(lines), "\n") != 3 || !strings.Contains(string(lines), `tool="long_nothing" outcome=unknown`) {
		t.Errorf("the log: %s, %v", lines, err)
	}
}

// TestErrorsAsText tells errors to hosts that hide those marked as one.
func TestErrorsAsText(t *testing.T) {
	_, address := far(t, twodoortest.Engine())
	h := start(t, "MCP_API_URL="+address, "MCP_BRIDGE_ERRORS=text")
	name := strings.ReplaceAll(twodoortest.FaultOf(twodoor.CodeConflict), ".", "_")
	reply := h.call(twodoor.Spell(twodoortest.FaultOf(twodoor.CodeConflict), "").MCP, `{}`)
	if !bytes.Contains(reply, []byte(`"text":"ERROR: fails with conflict`)) || !bytes.Contains(reply, []byte(`"isError":false`)) || rawjson.Check(reply) != nil {
		t.Errorf("%s answers %s", name, reply)
	}
	if reply := h.call("suite_answer_echo", `{"message":"\"isError\":true"}`); !bytes.Contains(reply, []byte(`isError`)) || bytes.Contains(reply, []byte("ERROR:")) {
		t.Errorf("an answer that speaks of errors became one: %s", reply)
	}
}

// TestEndOfInput finishes what is under way.
func TestEndOfInput(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	source := &twodoor.FuncSource{Name: "slow", Funcs: []twodoor.Func{{
		Operation: twodoor.Operation{ID: "slow.work.do", Effect: twodoor.Reads},
		Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			close(begun)
			<-goOn
			return &twodoor.Value{JSON: json.RawMessage(`"done at last"`)}, nil
		},
	}}}
	reading, _ := source.Read(t.Context())
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalog)
	_, address := far(t, engine)
	h := start(t, "MCP_API_URL="+address)
	h.send(request(7, "tools/call", `"name":"slow_work_do"`))
	<-begun
	h.in.Close()
	close(goOn)
	if reply := h.reply(7); !bytes.Contains(reply, []byte("done at last")) {
		t.Errorf("the call under way ends as %s", reply)
	}
	if status := h.end(); status != 0 {
		t.Errorf("it ends with %d", status)
	}
}

// TestFarSideRestarts loses the far side under a connected bridge, and finds it again.
func TestFarSideRestarts(t *testing.T) {
	engine := twodoortest.Engine()
	listen := func(address string) (*http.Server, string) {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: &rest.Door{Engine: engine}}
		go func() { _ = server.Serve(l) }()
		return server, l.Addr().String()
	}
	server, address := listen("127.0.0.1:0")
	h := start(t, "MCP_API_URL=http://"+address)
	echo := func() twodoortest.Seen { return seen(t, h.call("suite_answer_echo", `{"message":"x"}`)) }
	if got := echo(); got.Code != "" {
		t.Fatalf("%+v", got)
	}
	server.Close()
	got := echo()
	for got.Code == "upstream" { // an old connection was still there to break
		got = echo()
	}
	if got.Code != "unavailable" {
		t.Errorf("without the far side: %+v", got)
	}
	server, _ = listen(address)
	defer server.Close()
	if got := echo(); got.Code != "" {
		t.Errorf("after its restart: %+v", got)
	}
}

func TestLateFarSide(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	ready := filepath.Join(t.TempDir(), "ready")
	h := start(t, "MCP_API_URL=http://"+address, "MCP_READY_FILE="+ready)
	if names := h.tools(); len(names) != 0 {
		t.Errorf("without a far side are listed %v", names)
	}
	if _, err := os.Stat(ready); err == nil {
		t.Error("it calls itself ready without a far side")
	}
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skip("the address was taken in between")
	}
	server := &http.Server{Handler: &rest.Door{Engine: twodoortest.Engine()}}
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	h.send(request(50, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	for {
		line, err := h.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(line, []byte("notifications/tools/list_changed")) {
			break
		}
	}
	if names := h.tools(); len(names) == 0 {
		t.Error("the far side came, and nothing is listed")
	}
	h.ask("server/discover", "")
	if _, err := os.Stat(ready); err != nil {
		t.Error("the far side came, and it is not ready")
	}
}
