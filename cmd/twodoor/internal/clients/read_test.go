package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dialects are files as clients write them, with what is to be read there: name, reach, what is wrong.
var dialects = []struct{ name, file, text, want string }{
	{"Claude Code", ".claude.json", `{"numStartups":3,"mcpServers":{"a":{"type":"stdio","command":"npx","args":["-y","pkg"],"env":{"K":"v"}},"b":{"type":"http","url":"https://b.io/mcp"}},
		"projects":{"/p":{"mcpServers":{"c":{"command":"c"}}},"/q":{"allowedTools":[]}}}`, "a npx -y pkg|b https://b.io/mcp|c c in /p"},
	{"Claude Code without user servers", ".claude.json", `{"projects":{"/p":{"mcpServers":{"c":{"command":"c"}}}}}`, "c c in /p"},
	{"Claude Desktop", "claude_desktop_config.json", `{"mcpServers":{"fs":{"command":"npx","args":["fs","/tmp"]}}}`, "fs npx fs /tmp"},
	{"Cursor", "mcp.json", `{"mcpServers":{"r":{"url":"https://r.io/sse","headers":{"Authorization":"Bearer ${env:T}"}},"s":{"command":"s","envFile":".env"}}}`, "r https://r.io/sse|s s; its envFile is not read: add those variables to its env"},
	{"VS Code", "mcp.json", "{\n  // mine\n  \"servers\": {\"g\": {\"type\": \"http\", \"url\": \"https://g.io/\", },},\n  \"inputs\": [],\n}", "g https://g.io/"},
	{"VS Code's settings", "settings.json", `{"editor.fontSize":12,"mcp":{"servers":{"g":{"command":"g"}}}}`, "g g"},
	{"Windsurf", "mcp_config.json", `{"mcpServers":{"w":{"serverUrl":"https://w.io/mcp"},"off":{"command":"x","disabled":true}}}`, "w https://w.io/mcp|off x; it is switched off there, and here"},
	{"Zed", "settings.json", "// Zed\n{\"theme\":\"x\",\"context_servers\":{\"z\":{\"source\":\"custom\",\"command\":\"z\",\"args\":[\"-v\"]},\"old\":{\"command\":{\"path\":\"o\",\"args\":[\"1\"]}}}}", "z z -v|old o 1"},
	{"Gemini", "settings.json", `{"mcpServers":{"h":{"httpUrl":"https://h.io/mcp"},"s":{"url":"https://s.io/sse"},"l":{"command":"l","cwd":"/d","timeout":5000,"trust":true}}}`, "h https://h.io/mcp|s https://s.io/sse|l l"},
	{"Codex", "config.toml", "model = \"o3\"\n[mcp_servers.z]\ncommand = \"z\"\nargs = [\"a b\"]\n[mcp_servers.z.env]\nA = \"1\"\n[mcp_servers.a]\nurl = \"https://a.io/mcp\"\nbearer_token_env_var = \"T\"\nstartup_timeout_sec = 20\n", "z z 'a b'|a https://a.io/mcp"},
	{"Goose", "config.yaml", "GOOSE_MODEL: x\nextensions:\n  dev:\n    type: builtin\n    enabled: true\n  gh:\n    type: stdio\n    name: gh\n    cmd: gh-mcp\n    args: [stdio]\n    envs: {A: '1'}\n    env_keys: [GH]\n    enabled: true\n  web:\n    type: streamable_http\n    uri: https://web.io/mcp\n", "dev SKIP it is a part of its client (builtin)|gh gh-mcp stdio|web https://web.io/mcp"},
	{"Continue", "config.yaml", "name: mine\nmcpServers:\n  - name: fs\n    command: npx\n    args: [fs]\n  - name: web\n    type: streamable-http\n    url: https://web.io/mcp\n", "fs npx fs|web https://web.io/mcp"},
	{"OpenCode", "opencode.jsonc", `{"mcp":{"l":{"type":"local","command":["bun","x"],"enabled":true,"environment":{"A":"{env:A}"}},"r":{"type":"remote","url":"https://r.io"}}}`, "l bun x|r https://r.io"},
	{"Crush", "crush.json", `{"mcp":{"c":{"type":"stdio","command":"c"}}}`, "c c"},
	{"a server.json of npm", "server.json", `{"name":"io.github.x/files","description":"Files","version":"1.2.0","packages":[{"registryType":"npm","identifier":"@x/files","version":"1.2.0","transport":{"type":"stdio"},
		"packageArguments":[{"type":"positional","value":"/tmp"},{"type":"named","name":"--log","value":"{level}","variables":{"level":{"default":"info"}}},{"type":"named","name":"--opt"}],
		"environmentVariables":[{"name":"API_KEY","isRequired":true,"isSecret":true},{"name":"MODE","default":"fast"},{"name":"OTHER"}]}]}`, "files npx -y @x/files@1.2.0 /tmp --log info; env API_KEY=${env:API_KEY} MODE=fast"},
	{"a server.json of PyPI, as the registry wraps it", "server.json", `{"server":{"name":"io.x/py","packages":[{"registryType":"cargo","identifier":"c"},{"registryType":"pypi","identifier":"py-mcp","version":"0.1"}]},"_meta":{}}`, "py uvx py-mcp==0.1"},
	{"a server.json of an image", "server.json", `{"name":"io.x/img","packages":[{"registryType":"oci","identifier":"ghcr.io/x/img","version":"1","runtimeArguments":[{"type":"named","name":"--network","value":"host"}],"environmentVariables":[{"name":"T","isRequired":true}]}]}`, "img docker run -i --rm --network host -e T ghcr.io/x/img:1; env T=${env:T}"},
	{"a server.json of an address", "server.json", `{"name":"com.x/web","remotes":[{"type":"streamable-http","url":"https://{tenant}.x.io/mcp","variables":{"tenant":{"isRequired":true}},"headers":[{"name":"X-API-Key","isRequired":true,"isSecret":true}]}]}`, "web https://${env:TENANT}.x.io/mcp; header X-API-Key=${env:X_API_KEY}"},
	{"a server.json of what cannot be started", "server.json", `{"name":"com.x/b","packages":[{"registryType":"mcpb","identifier":"https://x.io/b.mcpb"}]}`, `b BAD a package of kind "mcpb" cannot be started from here`},
	{"an entry that cannot be served", "mcp.json", `{"mcpServers":{"a":{"args":["x"]},"b":7}}`, "a BAD it has neither a command nor a url|b BAD its entry is no object"},
	{"a byte order mark", "mcp.json", "\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"command\":\"a\"}}}", "a a"},
	{"nothing", "mcp.json", "{}", ""},
	{"no servers", "settings.json", `{"theme":"x"}`, "none"},
}

func TestRead(t *testing.T) {
	for _, test := range dialects {
		all, err := Read("/dir/"+test.file, []byte(test.text))
		got := told(all)
		if err == ErrNoServers {
			got, err = "none", nil
		}
		if err != nil || got != test.want {
			t.Errorf("%s: %v\n got %s\nwant %s", test.name, err, got, test.want)
		}
	}
}

func told(all []Found) string {
	var texts []string
	for _, f := range all {
		text := f.Server.ID + " "
		switch {
		case f.Skip != "":
			text += "SKIP " + f.Skip
		case f.Server.Problem != "":
			text += "BAD " + f.Server.Problem
		default:
			text += reach(f.Server, nil)
			if f.Folder != "" {
				text += " in " + f.Folder
			}
			for _, note := range f.Notes {
				text += "; " + note
			}
			if strings.Contains(string(f.Server.Raw), "${env:") {
				text += values("env", f.Server.Env) + values("header", f.Server.Headers)
			}
		}
		texts = append(texts, strings.TrimSpace(text))
	}
	return strings.Join(texts, "|")
}

func values(kind string, all map[string]string) string {
	var texts []string
	for name, value := range all {
		texts = append(texts, name+"="+value)
	}
	slices.Sort(texts)
	if len(texts) == 0 || strings.Contains(texts[0], "Bearer") {
		return ""
	}
	return "; " + kind + " " + strings.Join(texts, " ")
}

func TestReadManifest(t *testing.T) {
	all, err := Read("/dir/manifest.json", []byte(`{"manifest_version":"0.3","name":"b","server":{"type":"node","mcp_config":{"command":"node","args":["${__dirname}/i.js"],"env":{"K":"${user_config.api_key}","M":"${user_config.mode}"}}},"user_config":{"api_key":{"sensitive":true},"mode":{"default":"fast"}}}`))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	s := all[0].Server
	if s.Args[0] != "/dir/i.js" || s.Env["K"] != "${env:API_KEY}" || s.Env["M"] != "fast" {
		t.Errorf("%s", s.Raw)
	}
}

func TestReadFaults(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"mcp.json", "{\n\"mcpServers\": {\n", "it is not JSON: line 3"},
		{"config.toml", "a = \n", "it is not TOML: line 1"},
		{"config.yaml", "a: [\n", "it is not YAML"},
		{"mcp.json", "[1]", ErrNoServers.Error()},
		{"x", "hello", "it is not JSON: line 1"},
	} {
		if _, err := Read(test.file, []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %s", test.file, test.text, err, test.want)
		}
	}
}

// newImport plans on a machine of its own.
func newImport(t *testing.T) *Import {
	d := newDesk(t)
	return &Import{Place: d.Place, Self: d.Self}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func plan(t *testing.T, im *Import, path, text string) []*Step {
	t.Helper()
	steps, err := im.Plan(write(t, path, text), nil)
	must(t, err)
	return steps
}

func TestLoops(t *testing.T) {
	im := newImport(t)
	link := filepath.Join(t.TempDir(), "td")
	real := write(t, filepath.Join(t.TempDir(), "twodoor"), "")
	must(t, os.Symlink(real, link))
	im.Self.Executable = real
	for entry, loop := range map[string]bool{
		`{"command":"twodoor","args":["mcp"]}`:                                               true,
		`{"command":"/other/twodoor.exe","args":["mcp","--config","/x"]}`:                    true,
		fmt.Sprintf(`{"command":%q,"args":["mcp"]}`, link):                                   true,
		`{"command":"env","args":["A=1","twodoor","mcp"]}`:                                   true,
		`{"command":"twodoor","args":["smoke"]}`:                                             false,
		`{"command":"npx","args":["-y","mcp-remote","http://localhost:7777/mcp"]}`:           true,
		`{"command":"npx","args":["-y","mcp-remote","http://localhost:7778/mcp"]}`:           false,
		`{"url":"http://127.0.0.1:7777/mcp/p"}`:                                              true,
		`{"serverUrl":"http://[::1]:7777/sse"}`:                                              true,
		`{"url":"https://127.0.0.1.evil.io:7777/mcp"}`:                                       false,
		`{"command":"/x/mcpbridge"}`:                                                         true,
		`{"command":"mcpbridge","env":{"MCP_API_URL":"http://127.0.0.1:7777/api"}}`:          true,
		`{"command":"mcpbridge","env":{"MCP_API_URL":"http://tools.internal:8080/api"}}`:     false,
		`{"command":"docker","args":["run","-e","MCP","twodoor-notes","serve"]}`:             false,
		`{"command":"node","args":["/src/twodoor/server.js","mcp"]}`:                         false,
		`{"type":"http","url":"http://0.0.0.0:7777/mcp","headers":{"Authorization":"B x1"}}`: true,
	} {
		steps := plan(t, im, filepath.Join(im.Place.Home(), "x.json"), `{"mcpServers":{"a":`+entry+`}}`)
		if got := strings.HasSuffix(steps[0].Reason, "a loop"); got != loop {
			t.Errorf("%s: %s %s", entry, steps[0].Outcome, steps[0].Reason)
		}
	}
}

// TestProjectFolder starts what a project's file names in the project's folder.
func TestProjectFolder(t *testing.T) {
	im := newImport(t)
	project := filepath.Join(im.Place.Home(), "p")
	steps := plan(t, im, filepath.Join(project, ".mcp.json"), `{"mcpServers":{"a":{"command":"./bin/a"},"b":{"command":"b","cwd":"sub"},"c":{"url":"https://c.io"}}}`)
	a, b := server("a", steps[0].Entry), server("b", steps[1].Entry)
	if a.Command != filepath.Join(project, "bin", "a") || a.Dir != project || b.Command != "b" || b.Dir != filepath.Join(project, "sub") || strings.Contains(string(steps[2].Entry), "cwd") {
		t.Errorf("%s\n%s\n%s", steps[0].Entry, steps[1].Entry, steps[2].Entry)
	}
	if steps := plan(t, im, filepath.Join(im.Place.Home(), "x.json"), `{"mcpServers":{"a":{"command":"./a"}}}`); string(steps[0].Entry) != `{"command":"./a"}` {
		t.Errorf("a file of no project: %s", steps[0].Entry)
	}
}

// TestReferences turns every client's way of naming a value into ours.
func TestReferences(t *testing.T) {
	im := newImport(t)
	lookup := im.Place.LookupEnv
	im.Place.LookupEnv = func(name string) (string, bool) {
		if name == "SET" {
			return "1", true
		}
		return lookup(name)
	}
	for text, want := range map[string]string{
		"${API}": "${env:API}", "Bearer ${API}": "Bearer ${env:API}", "$API": "${env:API}", "${env:API}": "${env:API}", "{env:API}": "${env:API}",
		"${UNSET:-x}": "x", "${SET:-x}": "${env:SET}", "${input:api-key}": "${env:API_KEY}", "${userHome}/x": im.Place.Home() + "/x",
		"${workspaceFolder}/x": filepath.Join(im.Place.Home(), "p") + "/x", "a${/}b": "a/b", "$5 {x} ${}": "$5 {x} ${}", "${file:/k}": "${file:/k}", "a{1,2}": "a{1,2}",
	} {
		steps := plan(t, im, filepath.Join(im.Place.Home(), "p", ".vscode", "mcp.json"), fmt.Sprintf(`{"servers":{"a":{"command":"c","args":[%q]}}}`, text))
		if got := server("a", steps[0].Entry).Args[0]; got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

// TestSecrets finds what is a secret, and nothing else; what is shown has none of them.
func TestSecrets(t *testing.T) {
	im := newImport(t)
	const s = "s3cr3t-0123456789"
	for entry, want := range map[string]string{
		`{"command":"c","env":{"GITHUB_TOKEN":"` + s + `","MODE":"fast"}}`:             "env GITHUB_TOKEN",
		`{"command":"c","env":{"OPENAI_KEY":"` + s + `"}}`:                             "env OPENAI_KEY",
		`{"command":"c","env":{"GITHUB_TOKEN":"${env:GITHUB_TOKEN}"}}`:                 "",
		`{"command":"c","env":{"KEY":"/etc/ssl/private/a.key"}}`:                       "",
		`{"command":"c","env":{"DATABASE_URL":"postgres://u:` + s + `@db/x"}}`:         "env DATABASE_URL",
		`{"url":"https://x.io","headers":{"Authorization":"Bearer ` + s + `"}}`:        "header Authorization",
		`{"url":"https://x.io","headers":{"X-API-Key":"` + s + `"}}`:                   "header X-API-Key",
		`{"url":"https://x.io/mcp?api_key=` + s + `&v=1"}`:                             "url",
		`{"command":"c","args":["--api-key","` + s + `","--port","80"]}`:               "argument --api-key",
		`{"command":"c","args":["--token=` + s + `"]}`:                                 "argument 1",
		`{"command":"c","args":["--token","--verbose"],"env":{"MAX_TOKENS":"10"}}`:     "",
		`{"command":["c","--token=` + s + `"],"environment":{"A_SECRET":"` + s + `"}}`: "environment A_SECRET,argument 2",
	} {
		steps := plan(t, im, filepath.Join(im.Place.Home(), "x.json"), `{"mcpServers":{"a":`+entry+`}}`)
		if got := strings.Join(steps[0].Secrets, ","); got != want {
			t.Errorf("%s: %s, want %s", entry, got, want)
		}
		if shown := fmt.Sprint(steps[0].Reach, steps[0].Secrets, steps[0].Literal); strings.Contains(shown, s) {
			t.Errorf("%s: it is shown as %s", entry, shown)
		}
		kept := steps[0].Keep()
		if strings.Contains(string(steps[0].Entry), s) || len(kept) != len(steps[0].Secrets) {
			t.Errorf("%s: became %s", entry, steps[0].Entry)
		}
		for _, l := range kept {
			if !strings.Contains(string(steps[0].Entry), "${keyring:"+l.Name+"}") || !strings.Contains(l.Value.Reveal(), s) {
				t.Errorf("%s: %s is not referred to in %s", entry, l.Name, steps[0].Entry)
			}
		}
	}
}

// TestPlan decides what becomes of servers of several files.
func TestPlan(t *testing.T) {
	im := newImport(t)
	home := im.Place.Home()
	write(t, filepath.Join(home, ".cursor", "mcp.json"), `{"mcpServers":{"a":{"command":"a"},"b":{"command":"b","env":{"X":"1"}},"ours":{"command":"new"},"kept":{"command":"k","env":{"A_TOKEN":"0123456789abcdef0123"}}}}`)
	write(t, filepath.Join(home, ".codex", "config.toml"), "[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.b]\ncommand = \"other\"\n")
	write(t, filepath.Join(home, ".claude.json"), fmt.Sprintf(`{"projects":{%q:{"mcpServers":{"mine":{"command":"m"}}},"/else":{"mcpServers":{"theirs":{"command":"t"}}}}}`, im.Place.Project))
	write(t, filepath.Join(im.Place.Project, ".mcp.json"), `{"mcpServers":{"shared":{"command":"evil"}}}`)
	im.Taken = append(im.Taken, server("ours", []byte(`{"command":"old"}`)), server("kept", []byte(`{"command":"k","env":{"A_TOKEN":"${keyring:kept.A_TOKEN}"}}`)))
	run := func() string {
		var steps []*Step
		for _, f := range im.Files() {
			var err error
			if steps, err = im.Plan(f.Path, steps); err != nil {
				t.Fatal(err)
			}
		}
		var texts []string
		for _, s := range steps {
			texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Outcome, s.Name, s.Reason)))
		}
		return strings.Join(texts, "\n")
	}
	want := strings.Join([]string{
		"add mine", "skip theirs it is for another folder: import it there, or name it with --server",
		"add a", "add b", "conflict ours ours of the same name reaches old", "skip kept it is there already",
		"skip a it is the same as a of ~/.cursor/mcp.json", "conflict b b of ~/.cursor/mcp.json has the name, and reaches b",
	}, "\n")
	if got := run(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	im.Replace, im.Only = true, []string{"ours"}
	if got := run(); got != "replace ours" {
		t.Errorf("replacing: %s", got)
	}
	if im.Only = []string{"kept"}; run() != "replace kept" {
		t.Errorf("an entry whose secret is to be moved: %s", run())
	}
	if im.Only = []string{"theirs"}; run() != "add theirs" {
		t.Errorf("a server of another folder that is named: %s", run())
	}
	im.Replace, im.Rename, im.Only = false, "ours-2", []string{"ours"}
	if got := run(); got != "add ours-2" {
		t.Errorf("renaming: %s", got)
	}
	if files := im.ProjectFiles(); len(files) != 1 || files[0].Client.ID != "claude-code" {
		t.Errorf("the project's files are %v", files)
	}
}

func TestServersPath(t *testing.T) {
	for text, want := range map[string]string{
		"": "mcpServers.n", "{}": "mcpServers.n", `{"servers":{}}`: "servers.n", `{"mcp":{"servers":{}}}`: "mcp.servers.n", `{"mcp":{"a":{"command":"x"}}}`: "mcp.n",
		`{"a":{"command":"x"}}`: "n", "// c\n{\"mcpServers\":null}": "mcpServers.n",
	} {
		if got := strings.Join(ServersPath([]byte(text), "n"), "."); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, test := range dialects {
		f.Add(test.file, []byte(test.text))
	}
	home := f.TempDir()
	im := &Import{Place: Place{OS: "linux", LookupEnv: func(string) (string, bool) { return home, true }}, Self: Self{Executable: "/opt/twodoor", Addresses: []string{"127.0.0.1:7777"}}}
	f.Fuzz(func(t *testing.T, file string, text []byte) {
		all, err := Read(file, text)
		if err != nil {
			return
		}
		for _, found := range all {
			s := im.step("/x/"+file, found, nil)
			if !s.Writes() {
				continue
			}
			s.Keep()
			out, err := Edit{Format: JSON, Path: []string{"mcpServers", s.Name}, Entry: s.Entry}.Put(nil)
			if err != nil {
				t.Fatalf("%s cannot be written: %v\n%s", s.Name, err, s.Entry)
			}
			if back, err := Read("mcp_servers.json", out); err != nil || len(back) != 1 || back[0].Server.Problem != "" {
				t.Fatalf("%s is not read back: %v\n%s", s.Name, err, out)
			}
		}
	})
}
