package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cost is what a program took.
type cost struct {
	cpu time.Duration
	rss int64 // bytes, the most
}

// spent runs a program that speaks MCP over its standard streams through one list and a number of calls,
// one after the other, and ends its input.
func spent(t *testing.T, s *serving, program []string, env []string, calls int, tool string) cost {
	t.Helper()
	command := exec.Command(program[0], program[1:]...)
	command.Dir, command.Env, command.Stderr = s.dir, append(append([]string{}, s.env...), env...), os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(line string) string {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		reply, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if list := ask(request(1, "tools/list", "")); !strings.Contains(list, tool) {
		t.Fatalf("%v lists %.300s", program, list)
	}
	for i := range calls {
		if reply := ask(request(i+2, "tools/call", `"name":"`+tool+`","arguments":{"id":"7"}`)); !strings.Contains(reply, "/notes/7") {
			t.Fatalf("%v answers %s", program, reply)
		}
	}
	rss := peak(t, command.Process.Pid)
	in.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	return cost{command.ProcessState.UserTime() + command.ProcessState.SystemTime(), rss}
}

// peak is the most memory that a program has had. What its resource usage says is no less than this
// test itself had when it started it.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("nothing tells the memory of a program here: %v", err)
	}
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	return kilobytes << 10
}

// least is the least of several rounds: what else the machine does only adds.
type least struct {
	start, call time.Duration // CPU
	rss         int64         // bytes, the most
}

func leastOf(t *testing.T, s *serving, program, env []string, tool string) least {
	const rounds, calls = 6, 500
	l := least{start: time.Hour, call: time.Hour}
	for range rounds {
		start := spent(t, s, program, env, 0, tool)
		with := spent(t, s, program, env, calls, tool)
		l.start, l.rss = min(l.start, start.cpu), max(l.rss, with.rss)
		l.call = min(l.call, (with.cpu-l.start)/calls)
	}
	return l
}

// TestCost holds the bridge to its size in memory, and tells what a start and a call of it cost.
func TestCost(t *testing.T) {
	twodoor, bridge := programs(t)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	t.Cleanup(upstream.Close)
	s := upWith(t, twodoor, "sources: {notes: {openapi: ./api.yaml}}\n", "127.0.0.1:0", file{"api.yaml", fmt.Sprintf(api, upstream.URL)})
	env := []string{"MCP_API_URL=" + s.url + "/api", "MCP_API_TOKEN=" + s.token}
	tool := "notes_notes_get"
	bridged := leastOf(t, s, []string{bridge}, env, tool)
	own := leastOf(t, s, []string{twodoor, "mcp", "--config", "twodoor.yaml"}, []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, tool) // finds no running server
	t.Logf("mcpbridge: start %v CPU, %.1f MB RSS; a call %v CPU, of twodoor mcp %v (start %v): %v above it", bridged.start, float64(bridged.rss)/1e6, bridged.call, own.call, own.start, bridged.call-own.call)
	if bridged.rss > 20<<20 {
		t.Errorf("mcpbridge takes %d bytes of memory: at most 20 MB are promised", bridged.rss)
	}
}

// TestRestartUnderBridge restarts the server at the address of a connected bridge: calls fail plainly
// while it is away, and work again when it is back, without another start of the bridge.
func TestRestartUnderBridge(t *testing.T) {
	twodoor, bridge := programs(t)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	t.Cleanup(upstream.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s := upWith(t, twodoor, "sources: {notes: {openapi: ./api.yaml}}\n", address, file{"api.yaml", fmt.Sprintf(api, upstream.URL)})
	command := exec.Command(bridge)
	command.Dir, command.Env = s.dir, append(append([]string{}, s.env...), "MCP_API_URL="+s.url+"/api", "MCP_API_TOKEN="+s.token)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	n := 0
	ask := func() string {
		n++
		if _, err := io.WriteString(in, request(n, "tools/call", `"name":"notes_notes_get","arguments":{"id":"7"}`)+"\n"); err != nil {
			t.Fatal(err)
		}
		for {
			reply, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(reply, fmt.Sprintf(`"id":%d`, n)) {
				return reply
			}
		}
	}
	for range 2 {
		if reply := ask(); !strings.Contains(reply, "/notes/7") {
			t.Errorf("with a server: %s", reply)
		}
		s.stop()
		if reply := ask(); !strings.Contains(reply, `"isError":true`) || !strings.Contains(reply, "nobody answers") {
			t.Errorf("without one: %s", reply)
		}
		s.start(t, twodoor, address)
	}
	if reply := ask(); !strings.Contains(reply, "/notes/7") {
		t.Errorf("with a server again: %s", reply)
	}
	in.Close()
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

// file is a file beside a configuration.
type file struct{ name, text string }

func (f file) write(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
		t.Fatal(err)
	}
}
