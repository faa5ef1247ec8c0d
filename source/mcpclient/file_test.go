package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/source/mcpclient"
)

// parse reads one entry and leaves out what every entry has.
func parse(t *testing.T, file string) mcpclient.Server {
	t.Helper()
	servers, err := mcpclient.ParseServers([]byte(file))
	if err != nil || len(servers) != 1 {
		t.Fatalf("%s: %d servers, %v", file, len(servers), err)
	}
	s := servers[0]
	s.Raw = nil
	return s
}

func TestDialects(t *testing.T) {
	type server = mcpclient.Server
	env, headers := map[string]string{"K": "v", "N": "1", "B": "true"}, map[string]string{"Authorization": "Bearer x"}
	for name, c := range map[string]struct {
		file string
		want server
	}{
		"claude":            {`{"mcpServers":{"a":{"command":"npx","args":["-y","x@1"],"env":{"K":"v","N":1,"B":true,"no":null}}}}`, server{ID: "a", Command: "npx", Args: []string{"-y", "x@1"}, Env: env}},
		"claude http":       {`{"mcpServers":{"a":{"type":"http","url":"https://x/mcp","headers":{"Authorization":"Bearer x"}}}}`, server{ID: "a", URL: "https://x/mcp", Headers: headers, Protocol: mcpclient.HTTP}},
		"orchestrator":      {`{"mcpServers":{"a":{"command":"x","args":null,"working_dir":"/w","protocol":"stdio","description":"d","pool_config":{}}}}`, server{ID: "a", Command: "x", Dir: "/w", Protocol: mcpclient.Stdio, Description: "d"}},
		"empty command":     {`{"mcpServers":{"Parallel Search MCP":{"command":"","args":[],"url":"https://x/sse","protocol":"sse"}}}`, server{ID: "Parallel Search MCP", URL: "https://x/sse", Protocol: mcpclient.SSE}},
		"vscode":            {"{\n // mine\n \"inputs\": [],\n \"servers\":{\"a.b\":{\"type\":\"stdio\",\"command\":\"x\",\"cwd\":\"/w\",},},\n}", server{ID: "a.b", Command: "x", Dir: "/w", Protocol: mcpclient.Stdio}},
		"vscode settings":   {`{"mcp":{"servers":{"a":{"command":"x"}}}}`, server{ID: "a", Command: "x"}},
		"zed":               {`{/* c */"theme":"x","context_servers":{"a":{"source":"custom","enabled":false,"command":"x","args":[]}}}`, server{ID: "a", Command: "x", Disabled: true}},
		"zed, older":        {`{"context_servers":{"a":{"command":{"path":"x","args":["y"],"env":{"K":"v"}}}}}`, server{ID: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"K": "v"}}},
		"windsurf":          {`{"mcpServers":{"a":{"serverUrl":"https://x","disabled":true,"autoApprove":["y"]}}}`, server{ID: "a", URL: "https://x", Disabled: true}},
		"gemini":            {`{"mcpServers":{"a":{"httpUrl":"https://h","url":"https://s","includeTools":["t"],"excludeTools":["u"],"timeout":5}}}`, server{ID: "a", URL: "https://h", Include: []string{"t"}, Exclude: []string{"u"}}},
		"opencode":          {`{"mcp":{"a":{"type":"local","command":["x","y"],"environment":{"K":"v"},"enabled":true}}}`, server{ID: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"K": "v"}, Protocol: mcpclient.Stdio}},
		"opencode, remote":  {`{"mcp":{"a":{"type":"remote","url":"https://x"}}}`, server{ID: "a", URL: "https://x"}},
		"continue":          {`{"mcpServers":[{"name":"a","type":"streamable-http","url":"https://x"}]}`, server{ID: "a", URL: "https://x", Protocol: mcpclient.HTTP}},
		"codex as JSON":     {`{"mcp_servers":{"a":{"url":"https://x","bearer_token_env_var":"T","http_headers":{"X":"y"},"env_http_headers":{"Z":"V"},"startup_timeout_sec":20}}}`, server{ID: "a", URL: "https://x", Headers: map[string]string{"Authorization": "Bearer ${env:T}", "X": "y", "Z": "${env:V}"}, Start: 20 * time.Second}},
		"codex env_vars":    {`{"mcp_servers":{"a":{"command":"x","env_vars":["A","B_*"]}}}`, server{ID: "a", Command: "x", Pass: []string{"A", "B_*"}}},
		"bare":              {`{"a":{"command":"x","isolation":"session"}}`, server{ID: "a", Command: "x", Isolation: mcpclient.PerSession}},
		"oauth":             {`{"mcpServers":{"a":{"url":"https://x","oauth":{"token_file":"t","n":1152921504606846977}}}}`, server{ID: "a", URL: "https://x", OAuth: json.RawMessage(`{"token_file":"t","n":1152921504606846977}`)}},
		"both":              {`{"mcpServers":{"a":{"url":"https://x","command":"x"}}}`, server{ID: "a", URL: "https://x", Command: "x", Problem: "it has a command and a url: keep one of them"}},
		"neither":           {`{"mcpServers":{"a":{}}}`, server{ID: "a", Problem: "it has neither a command nor a url"}},
		"stdio without":     {`{"mcpServers":{"a":{"type":"stdio","url":"https://x"}}}`, server{ID: "a", URL: "https://x", Protocol: mcpclient.Stdio, Problem: "its protocol is stdio, but it has no command"}},
		"no object":         {`{"mcpServers":{"a":5}}`, server{ID: "a", Problem: "its entry is no object"}},
		"unknown transport": {`{"mcpServers":{"a":{"url":"https://x","type":"carrier pigeon"}}}`, server{ID: "a", URL: "https://x", Problem: `its protocol "carrier pigeon" is not stdio, http or sse`}},
		"twice":             {`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, server{ID: "a", Command: "y"}},
	} {
		if got := parse(t, c.file); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
	for _, bad := range []string{``, `[]`, `{"x":1}`, `{"mcpServers":{`, `{"mcpServers":{"a":{"command":"x" "y"}}}`} {
		if _, err := mcpclient.ParseServers([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	if servers, err := mcpclient.ParseServers([]byte(`{"mcpServers":{}}`)); err != nil || len(servers) != 0 {
		t.Errorf("an empty file is %v, %v", servers, err)
	}
}

// entry is a server with an OAuth token file, which is what tells accounts apart.
func entry(id, token, command string) mcpclient.Server {
	s := mcpclient.Server{ID: id, Command: command}
	if token != "" {
		s.OAuth = json.RawMessage(fmt.Sprintf(`{"token_file":%q}`, token))
	}
	return s
}

func TestOverlay(t *testing.T) {
	type list = []mcpclient.Server
	for name, c := range map[string]struct {
		base, user list
		want       string // id=command
	}{
		"nothing over":      {list{entry("a", "", "1"), entry("b", "", "2")}, nil, "a=1 b=2"},
		"nothing under":     {nil, list{entry("a", "", "1")}, "a=1"},
		"replaced":          {list{entry("a", "", "1"), entry("b", "", "2")}, list{entry("a", "", "3"), entry("c", "", "4")}, "a=3 b=2 c=4"},
		"two accounts":      {list{entry("Linear", "x", "1")}, list{entry("Linear", "y", "2")}, "Linear=2 Linear-base=1"},
		"same token":        {list{entry("Linear", "x", "1")}, list{entry("Linear", "./x", "2")}, "Linear=2"},
		"only base's token": {list{entry("Linear", "x", "1")}, list{entry("Linear", "", "2")}, "Linear=2"},
		"only user's token": {list{entry("Linear", "", "1")}, list{entry("Linear", "y", "2")}, "Linear=2"},
		"name taken below":  {list{entry("Linear", "x", "1"), entry("Linear-base", "", "3")}, list{entry("Linear", "y", "2")}, "Linear=2 Linear-base-2=1 Linear-base=3"},
		"name taken above":  {list{entry("Linear", "x", "1")}, list{entry("Linear", "y", "2"), entry("Linear-base", "", "3")}, "Linear=2 Linear-base-2=1 Linear-base=3"},
		"both taken":        {list{entry("L", "x", "1"), entry("L-base", "", "3")}, list{entry("L", "y", "2"), entry("L-base-2", "", "4")}, "L=2 L-base-3=1 L-base=3 L-base-2=4"},
		"base of a base":    {list{entry("L", "x", "1"), entry("L-base", "p", "3")}, list{entry("L", "y", "2"), entry("L-base", "q", "4")}, "L=2 L-base-2=1 L-base=4 L-base-base=3"},
	} {
		before := fmt.Sprint(c.base, c.user)
		var got []string
		for _, s := range mcpclient.Overlay(c.base, c.user) {
			got = append(got, s.ID+"="+s.Command)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
		if fmt.Sprint(c.base, c.user) != before {
			t.Errorf("%s: the inputs changed", name)
		}
	}
	for file, want := range map[string]string{"/x/mcp_servers.json": "/x/mcp_servers_user.json", "a.json.json": "a_user.json.json", "a.json/b.json": "a.json/b_user.json"} {
		if got := mcpclient.OverlayPath(file); got != want {
			t.Errorf("the overlay of %s is %s, want %s", file, got, want)
		}
	}
}

// No id of base or overlay is ever lost or served twice, and an account of the base is served still.
func FuzzOverlay(f *testing.F) {
	f.Add("aBcA", "aBdD")
	f.Add("a1b2c3", "a2b2a3")
	f.Fuzz(func(t *testing.T, base, user string) {
		under, over := entriesOf(base), entriesOf(user)
		merged := mcpclient.Overlay(under, over)
		ids := map[string]string{}
		for _, s := range merged {
			if _, twice := ids[s.ID]; twice {
				t.Fatalf("%s is served twice", s.ID)
			}
			ids[s.ID] = s.Command
		}
		for _, s := range slices.Concat(under, over) {
			if _, there := ids[s.ID]; !there {
				t.Fatalf("%s is lost", s.ID)
			}
		}
		for _, s := range over {
			if ids[s.ID] != s.Command {
				t.Fatalf("the user's %s is not what is served", s.ID)
			}
		}
		if len(merged) < len(under) {
			t.Fatal("an entry is lost")
		}
	})
}

// entriesOf makes entries of a text: each pair of bytes is a name, of few, and a token file.
func entriesOf(text string) []mcpclient.Server {
	names := []string{"L", "L-base", "L-base-2", "L-base-base", "M", "M-base"}
	var all []mcpclient.Server
	seen := map[string]bool{}
	for i := 0; i+1 < len(text); i += 2 {
		name := names[int(text[i])%len(names)]
		if !seen[name] {
			seen[name] = true
			token := ""
			if text[i+1]%4 > 0 {
				token = fmt.Sprint("token", text[i+1]%4)
			}
			all = append(all, entry(name, token, text[:i]+"c"))
		}
	}
	return all
}

func FuzzParseServers(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":["x"],"args":null,"url":"","env":{"A":1}}}}`))
	f.Add([]byte("{// c\n\"servers\":{\"a\":{\"url\":\"x\",},/*\n*/},}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		servers, err := mcpclient.ParseServers(data)
		if string(data) != before {
			t.Fatal("the input changed")
		}
		seen := map[string]bool{}
		for _, s := range servers {
			if err != nil || seen[s.ID] || s.Problem == "" && (s.Command == "") == (s.URL == "") {
				t.Fatalf("%q: %+v, %v", data, s, err)
			}
			seen[s.ID] = true
		}
	})
}

func TestSourceNames(t *testing.T) {
	names := mcpclient.SourceNames([]string{"notes", "Parallel Search MCP", "a.b", "a b", "a-b", "日本", "Linear-base-2"})
	if names["notes"] != "notes" || names["Parallel Search MCP"] != "parallel-search-mcp" || names["a-b"] != "a-b" || names["Linear-base-2"] != "linear-base-2" {
		t.Errorf("names %v", names)
	}
	seen := map[string]bool{}
	for id, name := range names {
		if seen[name] || name == "" {
			t.Errorf("%s is named %q again", id, name)
		}
		seen[name] = true
	}
}
