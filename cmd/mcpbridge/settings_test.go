package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "twodoor")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "operator-token"), []byte("operator\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "tools.json")
	if err := os.WriteFile(list, []byte(`[{"name":"a"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(env ...string) (*settings, error) {
		values := map[string]string{"XDG_STATE_HOME": dir}
		for _, one := range env {
			name, value, _ := strings.Cut(one, "=")
			values[name] = value
		}
		return readSettings(func(name string) string { return values[name] })
	}
	for text, want := range map[string]string{
		"": defaultURL, "http://localhost:8080/api": "http://localhost:8080/api", " <http://h:1/api/> ": "http://h:1/api",
		"[http://h:1](http://h:1/api)": "http://h:1/api", "https://h": "https://h",
	} {
		if s, err := read("MCP_API_URL=" + text); err != nil || s.url != want {
			t.Errorf("%q is read as %+v, %v", text, s, err)
		}
	}
	for _, bad := range []string{"h:1/api", "ftp://h", "nothing"} {
		if _, err := read("MCP_API_URL=" + bad); err == nil || !strings.Contains(err.Error(), defaultURL) {
			t.Errorf("%q gives %v", bad, err)
		}
	}
	for env, has := range map[string]bool{"": true, "MCP_API_URL=http://localhost:1": true, "MCP_API_URL=http://tools.example.com": false, "XDG_STATE_HOME=/nowhere": false} {
		if s, err := read(env); err != nil || s.token.IsZero() == has {
			t.Errorf("with %q the operator's token is used: %v, %v", env, !s.token.IsZero(), err)
		}
	}
	for text, want := range map[string]time.Duration{"": defaultTimeout, "5": 5 * time.Minute, "0": defaultTimeout, "-3": defaultTimeout, "soon": defaultTimeout, "30s": 30 * time.Second} {
		s, err := read("CODING_AGENT_MCP_TOOL_TIMEOUT=" + text)
		if err != nil || s.timeout != want || s.bounded != (want != defaultTimeout) {
			t.Errorf("%q bounds to %v, told %v, %v", text, s.timeout, s.bounded, err)
		}
	}
	for text, want := range map[string]string{"": "", "[]": "[]", "@" + list: `[{"name":"a"}]`} {
		if s, err := read("MCP_TOOLS=" + text); err != nil || string(s.tools) != want {
			t.Errorf("%q is read as %s, %v", text, s.tools, err)
		}
	}
	if _, err := read("MCP_TOOLS=@" + filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there is no list")
	}
	if s, _ := read("VAR_WORKSPACE_PATH=/w", "STEP_OUTPUT_DIR=/step"); s.output != filepath.Join("/step", "tool_output_folder") {
		t.Errorf("long answers go to %s", s.output)
	}
}

func TestBadEnvironment(t *testing.T) {
	for _, env := range []string{"MCP_API_URL=nothing", "MCP_TOOLS=@/nowhere", "MCP_TOOLS={}", "MCP_BRIDGE_LOG=/dev/null/log"} {
		h := start(t, env)
		if status := h.end(); status != 2 || h.errs.Len() == 0 {
			t.Errorf("with %s it ends with %d and says %q", env, status, h.errs)
		}
	}
}
