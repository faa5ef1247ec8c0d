package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts run the program itself, and two small ones beside it: the test binary plays them all.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"twodoor": main, "hb": main, "upstream": upstream, "post": post, "broken-mcp": brokenMCP, "notes-mcp": notesMCP, "harbor-mcp": harborMCP, "get": get})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			run, err := os.MkdirTemp("", "td") // sockets have short paths
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(run) })
			e.Values[programsKey{}] = &programs{running: map[string]*program{}}
			home := filepath.Join(e.WorkDir, ".home")
			e.Vars = append(e.Vars, "HOME="+home, "XDG_RUNTIME_DIR="+run, "NO_COLOR=1", "XDG_CONFIG_HOME="+home+"/config",
				"XDG_STATE_HOME="+home+"/state", "XDG_CACHE_HOME="+home+"/cache", "STATE="+home+"/state/twodoor", "CACHE="+home+"/cache/twodoor")
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": start, "await": await, "interrupt": interrupt, "end": end, "status": status, "overwrite": overwrite,
		},
	})
}

// program is one that runs beside a script. What it says can be waited for.
type program struct {
	cmd *exec.Cmd

	mu    sync.Mutex
	news  *sync.Cond
	said  string // stdout and stderr, as they came
	ended bool
}

type programsKey struct{}

type programs struct{ running map[string]*program }

func of(ts *testscript.TestScript, name string) *program {
	p := ts.Value(programsKey{}).(*programs).running[name]
	if p == nil {
		ts.Fatalf("no program %q was started", name)
	}
	return p
}

// Write takes what the program says.
func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said += string(text)
	p.news.Broadcast()
	return len(text), nil
}

// patience bounds what a script waits for: reaching it is a failure.
const patience = 20 * time.Second

// await waits until the program has said what fits, or has ended.
func (p *program) await(re *regexp.Regexp) []string {
	timer := time.AfterFunc(patience, func() {
		p.mu.Lock()
		p.ended = true
		p.news.Broadcast()
		p.mu.Unlock()
	})
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if m := re.FindStringSubmatch(p.said); m != nil || p.ended {
			return m
		}
		p.news.Wait()
	}
}

// start NAME REGEXP PROGRAM ARG…: runs a program beside the script, and waits until it has said what
// fits. Groups of the expression become $NAME_1, $NAME_2, …
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: start NAME REGEXP PROGRAM ARG…")
	}
	path := ""
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if _, err := os.Stat(filepath.Join(dir, args[2])); err == nil && path == "" {
			path = filepath.Join(dir, args[2])
		}
	}
	p := &program{cmd: exec.Command(path, args[3:]...)}
	p.news = sync.NewCond(&p.mu)
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR", "TOKEN_OF_TEST", "ANN", "BOB", "GOCOVERDIR"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	ts.Check(p.cmd.Start())
	ts.Value(programsKey{}).(*programs).running[args[0]] = p
	waited := make(chan struct{})
	go func() {
		_ = p.cmd.Wait()
		p.mu.Lock()
		p.ended = true
		p.news.Broadcast()
		p.mu.Unlock()
		close(waited)
	}()
	ts.Defer(func() {
		_ = p.cmd.Process.Kill()
		<-waited
	})
	groups(ts, args[0], p, args[1])
}

func groups(ts *testscript.TestScript, name string, p *program, expression string) {
	re, err := regexp.Compile("(?m)" + expression)
	ts.Check(err)
	m := p.await(re)
	if m == nil {
		ts.Fatalf("%s never said %s:\n%s", name, expression, p.said)
	}
	for i, group := range m[1:] {
		ts.Setenv(fmt.Sprintf("%s_%d", name, i+1), group)
	}
}

// await NAME REGEXP: waits until a program has said what fits.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await NAME REGEXP")
	}
	groups(ts, args[0], of(ts, args[0]), args[1])
}

// interrupt NAME: sends the signal of Ctrl-C and does not wait.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(of(ts, args[0]).cmd.Process.Signal(syscall.SIGINT))
}

// end NAME [STATUS]: interrupts a program, and wants that exit status of it, 0 where none is named.
func end(ts *testscript.TestScript, neg bool, args []string) {
	p := of(ts, args[0])
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	status(ts, neg, args)
}

// status NAME [STATUS]: waits until a program ends, and wants that exit status of it.
func status(ts *testscript.TestScript, _ bool, args []string) {
	p, want := of(ts, args[0]), "0"
	if len(args) > 1 {
		want = args[1]
	}
	p.await(regexp.MustCompile(`\z\A.`)) // nothing fits: until it ends
	if p.cmd.ProcessState == nil || strconv.Itoa(p.cmd.ProcessState.ExitCode()) != want {
		ts.Fatalf("%s ended with %v, want status %s:\n%s", args[0], p.cmd.ProcessState, want, p.said)
	}
}

// overwrite FILE TEXT: writes over the beginning of a file. Its size, its time and what it is to the
// file system stay.
func overwrite(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	ts.Check(err)
	_, err = file.WriteAt([]byte(args[1]), 0)
	ts.Check(err)
	ts.Check(file.Close())
	ts.Check(os.Chtimes(path, time.Time{}, info.ModTime()))
}

// upstream FILE: a small API. It writes its description into FILE and says where it listens.
// GET /item/{id}/slow says "hit" and answers when somebody has called POST /item/{id}/release.
func upstream() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	base := "http://" + l.Addr().String()
	if err := os.WriteFile(os.Args[1], []byte(strings.ReplaceAll(smallAPI, "BASE", base)), 0o644); err != nil {
		panic(err)
	}
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /item", func(w http.ResponseWriter, r *http.Request) {
		answer(w, `{"items":[{"id":"a","size":1152921504606846977,"key":`+strconv.Quote(r.Header.Get("X-Key"))+`},{"id":"b","size":2}]}`)
	})
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, os.Args[1]) })
	mux.HandleFunc("DELETE /item/{id}", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /item/{id}/slow", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("hit")
		select {
		case <-release:
			answer(w, `{"late":true}`)
		case <-r.Context().Done():
			fmt.Println("left")
		}
	})
	mux.HandleFunc("POST /item/{id}/release", func(w http.ResponseWriter, r *http.Request) { close(release) })
	fmt.Println("ready " + base)
	panic(http.Serve(l, mux))
}

func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, body)
}

const smallAPI = `openapi: 3.1.0
info: {title: The Small API, version: "1.0"}
servers: [{url: BASE}]
paths:
  /item:
    get: {summary: List items, x-twodoor: {name: item.list}, responses: {'200': {description: Items, content: {application/json: {schema: {type: object}}}}}}
  /item/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    delete: {summary: Delete an item, x-twodoor: {name: item.delete}, responses: {'204': {description: Gone}}}
  /item/{id}/slow:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {summary: Answer late, x-twodoor: {name: item.slow}, responses: {'200': {description: Late, content: {application/json: {schema: {type: object}}}}}}
webhooks:
  itemMade: {post: {responses: {'200': {description: OK}}}}
`

// post URL TOKEN METHOD [PARAMS [HEADER: VALUE…]]: sends a request of revision 2026-07-28 and prints the answer.
func post() {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	params := "{" + meta + "}"
	if len(os.Args) > 4 {
		params = strings.TrimSuffix(os.Args[4], "}") + "," + meta + "}"
	}
	method := os.Args[3]
	if method == "-" { // a plain POST
		method = ""
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	if method == "rest" { // the body alone
		body = os.Args[4]
	}
	req, err := http.NewRequest(http.MethodPost, os.Args[1], strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Args[2])
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if m := regexp.MustCompile(`"name":"([^"]*)"`).FindStringSubmatch(params); m != nil {
		req.Header.Set("Mcp-Name", m[1])
	}
	for _, header := range os.Args[min(5, len(os.Args)):] {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(resp.StatusCode)
	_, _ = io.Copy(os.Stdout, resp.Body)
}

// brokenMCP is an MCP server that greets on stdout and dies of what it does not know.
func brokenMCP() {
	fmt.Println("Welcome!")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"initialize"`) {
			os.Exit(3)
		}
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"broken","version":"1"}}}`)
	}
}
