package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// shellVerbs are programs that misbehave, as verbs.
const shellVerbs = `
program: sh
timeout: 30s
verbs:
  a.echo:  {argv: ["-c", 'printf "%s" "$1"', "sh", "{v}"], params: {v: {type: string, required: true}}}
  a.owner: {argv: ["-c", "cat; echo rest; cat /dev/tty 2>&1"], success: [0, 1]}
  a.deaf:  {argv: ["-c", 'trap "" TERM INT; echo $$ >pid; while :; do sleep 1; done']}
  a.slow:  {argv: ["-c", "echo $$ >started; while [ ! -e go ]; do sleep 0.01; done; echo done"]}
  a.stray: {argv: ["-c", 'echo "{{\"jsonrpc\":\"2.0\",\"id\":99}}"; echo noise >&2; echo "{{}}"'], output: json}
`

// stdio is a twodoor that serves MCP over its own streams.
type stdio struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

// serveVerbs starts twodoor mcp over a verbs file.
func serveVerbs(t *testing.T, verbs string) *stdio {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the programs are shell scripts, and there is no sh on PATH")
	}
	dir, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"box.verbs.yaml": verbs, "twodoor.yaml": "sources:\n  box: {command: ./box.verbs.yaml}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s := &stdio{t: t, dir: dir, cmd: exec.CommandContext(ctx, programNamed(t, "twodoor"), "mcp", "--config", filepath.Join(dir, "twodoor.yaml"))}
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_RUNTIME_DIR="+home)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// call sends a call and does not wait for it.
func (s *stdio) call(id int, tool, args string) {
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"box_a_%s","arguments":%s,%s}}`+"\n", id, tool, args, modernMeta)
}

// answer is the next line: the id that it answers, and its text.
func (s *stdio) answer() (id, text string) {
	s.t.Helper()
	line, err := s.out.ReadBytes('\n')
	if err != nil || rawjson.Check(bytes.TrimSpace(line)) != nil {
		s.t.Fatalf("a line that is no answer: %q, %v", line, err)
	}
	raw, _ := rawjson.Get(line, "id")
	content, _ := rawjson.GetPath(line, "result", "content", "0", "text")
	text, _ = rawjson.String(content)
	return string(raw), text
}

// ended waits for the end: nothing more was said, and nothing was wrong.
func (s *stdio) ended() {
	s.t.Helper()
	rest, _ := io.ReadAll(s.out)
	if err := s.cmd.Wait(); err != nil || len(rest) > 0 {
		s.t.Errorf("it ended with %v, and said %q", err, rest)
	}
}

// until waits for a file that a program writes.
func (s *stdio) until(name string) string {
	s.t.Helper()
	for range 2000 {
		if text, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && len(text) > 0 {
			return strings.TrimSpace(string(text))
		}
		time.Sleep(10 * time.Millisecond) // it is another process: there is nothing to wait on
	}
	s.t.Fatalf("%s was never written", name)
	return ""
}

// Everything that came before the end of the input is answered, however much it is.
func TestVerbsAHundredCallsThenTheEnd(t *testing.T) {
	s := serveVerbs(t, shellVerbs)
	for i := range 100 {
		s.call(i, "echo", fmt.Sprintf(`{"v":"call %d"}`, i))
	}
	s.in.Close()
	for range 100 {
		if id, text := s.answer(); text != "call "+id {
			t.Errorf("call %s answered %q", id, text)
		}
	}
	s.ended()
}

// A program that wants the input or a terminal gets neither; one that prints what looks like the
// protocol is no part of it.
func TestVerbsDoNotTouchTheProtocol(t *testing.T) {
	s := serveVerbs(t, shellVerbs)
	s.call(1, "owner", `{}`)
	s.call(2, "echo", `{"v":"mine"}`)
	s.call(3, "stray", `{}`)
	s.in.Close()
	for range 3 {
		switch id, text := s.answer(); id {
		case "1":
			if !strings.HasPrefix(text, "rest") || !strings.Contains(text, "/dev/tty") {
				t.Errorf("the program that reads everything read %q", text)
			}
		case "2":
			if text != "mine" {
				t.Errorf("the call beside it answered %q", text)
			}
		case "3":
			if !strings.Contains(text, "no JSON") {
				t.Errorf("stray output was taken: %q", text)
			}
		}
	}
	s.ended()
}

// The signal that ends the server does not end what is under way.
func TestVerbsAreFinishedAtASignal(t *testing.T) {
	s := serveVerbs(t, shellVerbs)
	s.call(1, "slow", `{}`)
	s.until("started")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if id, text := s.answer(); id != "1" || text != "done" {
		t.Errorf("answered %s %q", id, text)
	}
	s.ended()
}

// A program that does not hear is killed when its caller gives it up, and the server goes on.
func TestVerbsThatDoNotHearAreKilled(t *testing.T) {
	s := serveVerbs(t, shellVerbs)
	s.call(1, "deaf", `{}`)
	pid := s.until("pid")
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+modernMeta+`}}`)
	s.call(2, "echo", `{"v":"still here"}`)
	if id, text := s.answer(); id != "2" || text != "still here" {
		t.Errorf("answered %s %q", id, text)
	}
	s.in.Close()
	s.ended()
	if group, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(group), ") Z ") {
		t.Errorf("the program outlived its server: %s", group)
		if n, err := strconv.Atoi(pid); err == nil {
			if p, err := os.FindProcess(n); err == nil {
				_ = p.Kill()
			}
		}
	}
}
