package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// programs builds both programs.
func programs(t *testing.T) (twodoor, bridge string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds two programs")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir+string(filepath.Separator), ".", "../twodoor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "twodoor"), filepath.Join(dir, "mcpbridge")
}

const api = `openapi: 3.1.0
info: {title: Notes, version: "1"}
servers: [{url: "%s"}]
paths:
  /notes/{id}:
    get:
      summary: Read a note
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: it, content: {application/json: {schema: {type: object}}}}}
`

// TestExistingLines runs what existing systems have in their configurations, as it stands there:
// mcpbridge with its environment, and curl with that of a session's shell.
func TestExistingLines(t *testing.T) {
	twodoor, bridge := programs(t)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	}))
	defer upstream.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "api.yaml"), fmt.Appendf(nil, api, upstream.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_RUNTIME_DIR="+dir, "MCP_API_TOKEN=", "MCP_TOOLS=")
	if l, err := net.Listen("tcp", "127.0.0.1:8080"); err != nil {
		t.Skip("port 8080 is taken on this machine")
	} else {
		l.Close()
	}
	token := up(t, twodoor, dir, env)

	name := operation(t, token)
	for _, add := range [][]string{
		{"MCP_API_URL=http://localhost:8080/api"}, // on this machine the operator's own token is found
		{"MCP_API_URL=http://localhost:8080/api", "MCP_API_TOKEN=" + token, "MCP_SESSION_ID=run-1"},
		{"MCP_API_URL=http://localhost:8080", "MCP_API_TOKEN=" + token, `MCP_TOOLS=[{"name":"` + name + `","description":"d","input_schema":{"type":"object","properties":{"id":{"type":"string"}}},"server":"notes","type":"mcp"}]`},
	} {
		command := exec.Command(bridge)
		command.Env = append(append([]string{}, env...), add...)
		command.Stdin = strings.NewReader(request(1, "tools/list", "") + "\n" + request(2, "tools/call", `"name":"`+name+`","arguments":{"id":"7"}`) + "\n")
		out, err := command.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(`"name":"`+name+`"`)) || !bytes.Contains(out, []byte(`{\"path\":\"/notes/7\"}`)) {
			t.Errorf("%v: %v %s", add, err, out)
		}
	}
	curl(t, token, name)
}

// up starts a server at the address of existing bridges and its own, and returns the operator's token.
func up(t *testing.T, twodoor, dir string, env []string) string {
	t.Helper()
	command := exec.Command(twodoor, "up", "./api.yaml", "--listen", "127.0.0.1:0", "--compat")
	command.Dir, command.Env = dir, env
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	bearer := regexp.MustCompile(`Authorization: Bearer (\S+)$`)
	token := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := bearer.FindStringSubmatch(lines.Text()); found != nil && token == "" {
			token = found[1]
		}
		if strings.HasPrefix(lines.Text(), "next") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return token
		}
	}
	t.Fatal("twodoor up does not start")
	return ""
}

// operation is the MCP name of the one operation of the description.
func operation(t *testing.T, token string) string {
	t.Helper()
	list := post(t, "GET", "http://localhost:8080/api/tools?server=notes&format=mcp", token, "")
	raw, _ := rawjson.GetPath(list, "0", "name")
	name, _ := rawjson.String(raw)
	if name == "" {
		t.Fatalf("the list is %s", list)
	}
	return name
}

func post(t *testing.T, method, url, token, body string) []byte {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Timeout: 10 * time.Second}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// curl calls with both spellings of the body, and with the environment of a session's shell.
func curl(t *testing.T, token, name string) {
	for _, body := range []string{
		`{"server":"notes","tool":"` + name + `","args":{"id":"7"},"session_id":"s"}`,
		`{"server_name":"notes","tool_name":"` + name + `","arguments":{"id":"7"}}`,
	} {
		if answer := post(t, "POST", "http://localhost:8080/api/mcp/execute", token, body); !bytes.Contains(answer, []byte(`"result":"{\"path\":\"/notes/7\"}"`)) {
			t.Errorf("%s answers %s", body, answer)
		}
	}
	minted := post(t, "POST", "http://localhost:8080/api/sessions", token, `{"ttl":"1h"}`)
	variables, _ := rawjson.Get(minted, "env")
	shell := exec.Command("sh", "-c", `payload='{"id":"7"}'; exec curl --fail-with-body -sS --json "$payload" -H "$MCP_AUTH" "$MCP_CUSTOM/`+name+`"`)
	shell.Env = os.Environ()
	for key, raw := range rawjson.Members(variables) {
		value, _ := rawjson.String(raw)
		shell.Env = append(shell.Env, key+"="+value)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Log("left out: there is no curl here")
		return
	}
	out, err := shell.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"success":true`)) {
		t.Errorf("the shell of a session: %v %s", err, out)
	}
	id, _ := rawjson.Get(minted, "id")
	own, _ := rawjson.Get(minted, "token")
	sessionToken, _ := rawjson.String(own)
	sessionID, _ := rawjson.String(id)
	if answer := post(t, "GET", "http://localhost:8080/api/sessions/"+sessionID, sessionToken, ""); !bytes.Contains(answer, []byte(sessionID)) {
		t.Errorf("the session sees %s", answer)
	}
	if answer := post(t, "POST", "http://localhost:8080/api/sessions", sessionToken, "{}"); !bytes.Contains(answer, []byte(`"code":"forbidden"`)) {
		t.Errorf("the session begins sessions: %s", answer)
	}
}

// TestWeight holds the program to its size on disk.
func TestWeight(t *testing.T) {
	_, bridge := programs(t)
	info, err := os.Stat(bridge)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("mcpbridge weighs %.1f MB stripped", float64(info.Size())/1e6)
	if info.Size() > 12e6 {
		t.Errorf("mcpbridge weighs %d bytes: at most 12 MB are promised", info.Size())
	}
}
