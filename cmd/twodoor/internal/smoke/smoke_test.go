package smoke_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/smoke"
	"github.com/twodoor/twodoor/internal/proc"
)

// The test binary is also the servers that are put through: the argument says how one is broken.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "serve-") {
		os.Exit(serve(strings.TrimPrefix(os.Args[1], "serve-"), os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// message is as much of a request as the small server needs.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name string
		Meta json.RawMessage `json:"_meta"`
	}
}

// answer is the reply of a small, healthy server, but for what is broken on purpose.
func answer(broken string, m message) string {
	old := m.Params.Meta == nil
	result := func(body string) string {
		cache := `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
		if old || broken == "no-cache-hints" {
			cache = ""
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s%s}}`, m.ID, cache, body)
	}
	fault := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, m.ID, code)
	}
	tool := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true}}`, name)
	}
	switch {
	case m.Method == "server/discover" && broken != "legacy-only" && broken != "deaf":
		return result(`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"small"}}`)
	case m.Method == "initialize" && broken != "modern-only" && broken != "deaf":
		return result(`"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}`)
	case m.Method == "tools/list" && broken == "twice":
		return result(`"tools":[` + tool("a") + `,` + tool("a") + `]`)
	case m.Method == "tools/list" && broken == "no-schema":
		return result(`"tools":[{"name":"a"}]`)
	case m.Method == "tools/list":
		return result(`"tools":[` + tool("a") + `,` + tool("b") + `]`)
	case m.Method == "tools/call" && (m.Params.Name == "a" || broken == "any-tool"):
		return result(`"content":[]`)
	case m.Method == "tools/call" && broken == "is-error":
		return result(`"isError":true,"content":[]`)
	case m.Method == "tools/call" && broken == "wrong-code":
		return fault(-32000)
	case m.Method == "tools/call":
		return fault(-32602)
	case broken == "any-method":
		return result(`"fine":true`)
	}
	return fault(-32601)
}

func serve(broken string, in io.Reader, out io.Writer) int {
	if broken == "chatty" {
		fmt.Fprintln(out, "Server started!")
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			if broken == "fragile" {
				fmt.Fprintln(os.Stderr, "panic: not JSON")
				return 2
			}
			fmt.Fprintln(out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`)
			continue
		}
		if broken == "hasty" && m.Method == "tools/call" && m.Params.Name == "a" {
			continue // still working when its input ends
		}
		if m.ID != nil && broken != "mute" {
			fmt.Fprintln(out, answer(broken, m))
		}
	}
	switch broken {
	case "stays":
		time.Sleep(time.Hour)
	case "leaves-badly":
		return 3
	}
	return 0
}

func run(t *testing.T, broken string, change func(*smoke.Target)) (lines []string, failed bool) {
	t.Helper()
	target := smoke.Target{
		Command:  proc.Command{Path: os.Args[0], Args: []string{"serve-" + broken}, Env: proc.Environment(os.Environ())},
		Patience: 20 * time.Second,
	}
	if change != nil {
		change(&target)
	}
	verdicts := smoke.Run(t.Context(), target)
	for _, v := range verdicts {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", v.Outcome, v.Era, v.Check, v.Detail))
	}
	return lines, smoke.Failed(verdicts)
}

const healthy = `ok 2026-07-28 server/discover: server "small"
ok 2026-07-28 tools/list: 2 tools
ok 2026-07-28 unknown method: -32601
ok 2026-07-28 unknown tool: -32602
ok 2026-07-28 malformed message: answered -32700, and went on
ok 2026-07-28 end of input: a was answered, exit status 0
ok 2026-07-28 stdout: nothing but protocol
ok 2025-11-25 initialize: server "small"
ok 2025-11-25 tools/list: 2 tools
ok 2025-11-25 unknown method: -32601
ok 2025-11-25 unknown tool: -32602
ok 2025-11-25 malformed message: answered -32700, and went on
ok 2025-11-25 end of input: a was answered, exit status 0
ok 2025-11-25 stdout: nothing but protocol`

func TestHealthy(t *testing.T) {
	lines, failed := run(t, "", nil)
	if got := strings.Join(lines, "\n"); got != healthy || failed {
		t.Errorf("failed %v\n%s", failed, got)
	}
}

func TestOneEraIsEnough(t *testing.T) {
	for broken, want := range map[string]string{
		"legacy-only": "skip 2026-07-28 server/discover: not spoken: it answered -32601 no",
		"modern-only": "skip 2025-11-25 initialize: not spoken: it answered -32601 no",
	} {
		lines, failed := run(t, broken, nil)
		if failed || !strings.Contains(strings.Join(lines, "\n"), want) || len(lines) != 8 {
			t.Errorf("%s: failed %v\n%s", broken, failed, strings.Join(lines, "\n"))
		}
	}
}

func TestFaults(t *testing.T) {
	brief := func(target *smoke.Target) { target.Patience = 300 * time.Millisecond }
	three := 3
	for _, test := range []struct {
		broken, want string
		change       func(*smoke.Target)
	}{
		{"chatty", `stdout: 1 lines are no protocol, the first is "Server started!"`, nil},
		{"fragile", "malformed message: after it, tools/list: the server has ended with exit status 2: panic: not JSON", nil},
		{"hasty", "end of input: a in flight: the server has ended with exit status 0", nil},
		{"stays", "end of input: still running long after its input ended", brief},
		{"leaves-badly", "end of input: it left with exit status 3, not 0", nil},
		{"any-method", "unknown method: answered with a result, not with error -32601", nil},
		{"any-tool", "unknown tool: answered as if it had worked, not with -32602 or isError", nil},
		{"wrong-code", "unknown tool: answered with -32000 no, not with -32602 or isError", nil},
		{"twice", `tools/list: two tools are named "a"`, nil},
		{"no-schema", "tools/list: the inputSchema of a is not of type object", nil},
		{"no-cache-hints", "server/discover: the result has no resultType, which this revision requires", nil},
		{"deaf", "initialize: it answered -32601 no", nil},
		{"mute", "initialize: no answer in time", brief},
		{"", "tools/list: 2 tools, not 3", func(target *smoke.Target) { target.Tools = &three }},
		{"", `server/discover: the server calls itself "small", not "large"`, func(target *smoke.Target) { target.Server = "large" }},
		{"", `start: there is no program "no-such-server"`, func(target *smoke.Target) { target.Command.Path = "no-such-server" }},
	} {
		t.Run(test.broken, func(t *testing.T) {
			t.Parallel()
			lines, failed := run(t, test.broken, test.change)
			if all := strings.Join(lines, "\n"); !failed || !strings.Contains(all, test.want) {
				t.Errorf("failed %v, want %q in\n%s", failed, test.want, all)
			}
		})
	}
}

func TestRefusingWithIsErrorIsFine(t *testing.T) {
	if lines, failed := run(t, "is-error", nil); failed {
		t.Errorf("failed:\n%s", strings.Join(lines, "\n"))
	}
}

// serveHTTP is the same small server behind a URL.
func serveHTTP(broken string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		body, _ := io.ReadAll(r.Body)
		switch {
		case broken == "login":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodDelete:
		case json.Unmarshal(body, &m) != nil:
			w.WriteHeader(http.StatusBadRequest)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Params.Meta != nil && r.Header.Get("Mcp-Method") != m.Method, m.Params.Meta != nil && r.Header.Get("Mcp-Name") != m.Params.Name:
			w.WriteHeader(http.StatusBadRequest)
		case broken == "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nevent: message\ndata: %s\n\n", answer("", m))
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer(broken, m))
		}
	})
}

func TestOverHTTP(t *testing.T) {
	for broken, want := range map[string]string{
		"":           "ok 2025-11-25 malformed message: answered HTTP 400, and went on",
		"stream":     "ok 2026-07-28 tools/list: 2 tools",
		"any-method": "fault 2026-07-28 unknown method: answered with a result, not with error -32601",
		"login":      "fault 2026-07-28 server/discover: HTTP 401: it wants a login; give --header Authorization=env:NAME",
	} {
		server := httptest.NewServer(serveHTTP(broken))
		lines, failed := run(t, "", func(target *smoke.Target) {
			target.Command, target.URL, target.Doer = proc.Command{}, server.URL, server.Client()
		})
		server.Close()
		if all := strings.Join(lines, "\n"); !strings.Contains(all, want) || failed != strings.Contains(want, "fault") {
			t.Errorf("%s: failed %v\n%s", broken, failed, all)
		}
	}
}

func TestTheContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	verdicts := smoke.Run(ctx, smoke.Target{Command: proc.Command{Path: os.Args[0], Args: []string{"serve-mute"}}})
	if !smoke.Failed(verdicts) {
		t.Errorf("got %+v", verdicts)
	}
}
