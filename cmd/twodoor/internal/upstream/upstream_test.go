package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func TestMask(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command":"x","args":["--port","80"],"env":{"LEVEL":"debug"}}`:                         `{"command":"x","args":["--port","80"],"env":{"LEVEL":"debug"}}`,
		`{"command":"x","env":{"API_KEY":"abc","GITHUB_TOKEN":"${env:T}","PASSWORD":""}}`:        `{"command":"x","env":{"API_KEY":"***","GITHUB_TOKEN":"${env:T}","PASSWORD":""}}`,
		`{"url":"https://u:pw@h/mcp?token=abc","headers":{"X-Any":"abc","Y":"Bearer ${env:K}"}}`: `{"url":"https://u:***@h/mcp?token=***","headers":{"X-Any":"***","Y":"Bearer ${env:K}"}}`,
		`{"command":"x","args":["--api-key","abc","--token=abc","plain"]}`:                       `{"command":"x","args":["--api-key","***","--token=***","plain"]}`,
		`{"command":"x","oauth":{"client_id":"me","client_secret":"abc","token_file":"~/t"}}`:    `{"command":"x","oauth":{"client_id":"me","client_secret":"***","token_file":"~/t"}}`,
		`{"command":"x","own":{"deep":{"password":"with spaces in it"}},"n":1.0}`:                `{"command":"x","own":{"deep":{"password":"***"}},"n":1.0}`,
	} {
		masked := Mask([]byte(entry))
		if string(masked) != want {
			t.Errorf("%s\nmasked   %s\nwant     %s", entry, masked, want)
		}
		if back := Unmask(masked, []byte(entry)); string(back) != entry {
			t.Errorf("%s\ncame back as %s", entry, back)
		}
		if has := len(Literals([]byte(entry))) > 0; has != strings.Contains(want, secret.Mask) {
			t.Errorf("%s: literal secrets %q", entry, Literals([]byte(entry)))
		}
	}
}

// FuzzMask holds that no value of a header and of a variable that is named as a secret stays, and that
// what was shown comes back as it was.
func FuzzMask(f *testing.F) {
	f.Add("plain text", "abc")
	f.Add("\"quoted\\", "${env")
	f.Fuzz(func(t *testing.T, header, token string) {
		var entry, headers, env rawjson.Object
		headers.PutString("X-Any", header)
		env.PutString("API_TOKEN", token)
		entry.Put("headers", headers.Bytes())
		entry.Put("env", env.Bytes())
		plain := entry.Bytes()
		masked := Mask(plain)
		for at, text := range map[[2]string]string{{"headers", "X-Any"}: header, {"env", "API_TOKEN"}: token} {
			raw, _ := rawjson.GetPath(masked, at[0], at[1])
			if got, _ := rawjson.String(raw); text != "" && !strings.Contains(text, "${") && got != secret.Mask {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
		if back := Unmask(masked, plain); string(back) != string(plain) {
			t.Errorf("%s came back as %s", plain, back)
		}
	})
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChange(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "servers.json", `{"mcpServers":{"a":{"command":"a","env":{"KEY":"k1"}},"Linear":{"url":"https://l/mcp","oauth":{"token_file":"base"}}}}`)
	write(t, dir, "servers_user.json", `{"mcpServers":{"Linear":{"url":"https://l/mcp","oauth":{"token_file":"user"}},"b":{"url":"https://b/mcp","headers":{"K":"k2"}}}}`)
	file, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, posted, overlay, fault string }{
		{"what was shown", string(file.Shown()), `{"mcpServers":{"Linear":{"url":"https://l/mcp","oauth":{"token_file":"user"}},"b":{"url":"https://b/mcp","headers":{"K":"k2"}}}}`, ""},
		{"a new secret", `{"mcpServers":{"b":{"url":"https://b/mcp","headers":{"K":"k3"}}}}`, `{"mcpServers":{"b":{"url":"https://b/mcp","headers":{"K":"k3"}}}}`, ""},
		{"an override of the base", `{"mcpServers":{"a":{"command":"a","env":{"KEY":"***","L":"1"}}}}`, `{"mcpServers":{"a":{"command":"a","env":{"KEY":"k1","L":"1"}}}}`, ""},
		{"nothing", `{"mcpServers":{}}`, `{"mcpServers":{}}`, ""},
		{"a mask of nothing", `{"mcpServers":{"c":{"url":"https://c","headers":{"K":"***"}}}}`, "", "mcpServers.c"},
		{"no server", `{"mcpServers":{"c":{}}}`, "", "mcpServers.c"},
		{"no object", `[]`, "", ""},
	} {
		overlay, _, err := file.Change([]byte(test.posted))
		if test.overlay == "" {
			if fault := twodoor.AsError(err); err == nil || fault.Code != twodoor.CodeInvalid || test.fault != "" && (len(fault.Fields) != 1 || fault.Fields[0].Path != test.fault) {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err != nil || string(rawjson.Compact(nil, overlay)) != test.overlay {
			t.Errorf("%s: overlay %s, want %s, %v", test.name, rawjson.Compact(nil, overlay), test.overlay, err)
		}
	}
	if file.Edited() {
		t.Error("nothing was written, and it counts as edited")
	}
	write(t, dir, "servers_user.json", `{}`)
	if !file.Edited() {
		t.Error("an edit of the overlay goes unseen")
	}
	write(t, dir, "servers_user.json", `{"mcpServers":`)
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "servers_user.json") {
		t.Errorf("a broken overlay: %v", err)
	}
}

func TestNames(t *testing.T) {
	ids := []string{"Parallel Search MCP", "notes", "Linear", "linear", "docs", "42", "a.b", "a-b", ""}
	servers := make([]mcpclient.Server, len(ids))
	for i, id := range ids {
		servers[i].ID = id
	}
	free := func(name string) bool { return name != "docs" && name != "notes" && name[0] > '9' }
	names := Names(servers, free)
	seen := map[string]bool{}
	for _, id := range ids {
		if name := names[id]; !free(name) || seen[name] {
			t.Errorf("%q is named %q", id, name)
		}
		seen[names[id]] = true
	}
	for id, want := range map[string]string{"Parallel Search MCP": "parallel-search-mcp", "notes": "notes-mcp", "linear": "linear", "docs": "docs-mcp", "42": "mcp-42", "a-b": "a-b"} {
		if names[id] != want {
			t.Errorf("%q is named %q, want %q", id, names[id], want)
		}
	}
}

func TestRefer(t *testing.T) {
	lookup := func(name string) (string, bool) { return "x", name == "SET" }
	server := Refer(mcpclient.Server{
		Command: "${workspaceFolder}/run", Args: []string{"${SET}", "${SET:-d}", "${UNSET:-d e}", "${env:A}", "$B", "${input:c}"},
		Env: map[string]string{"H": "${userHome}"}, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"},
	}, lookup, "/w")
	if got := strings.Join(server.Args, "|"); got != "${env:SET}|${env:SET}|d e|${env:A}|$B|${input:c}" {
		t.Errorf("args %s", got)
	}
	if server.Command != "/w/run" || server.Env["H"] != "${env:HOME}" || server.Headers["Authorization"] != "Bearer ${env:TOKEN}" {
		t.Errorf("got %+v", server)
	}
	if texts := Texts(&server); !slices.Contains(texts, "Bearer ${env:TOKEN}") || !slices.Contains(texts, "d e") {
		t.Errorf("texts %q", texts)
	}
}

func TestLists(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lists")
	listing := func(ids ...string) *Listing {
		reading := &twodoor.Reading{Source: "notes", Notes: []string{"n"}}
		for _, id := range ids {
			reading.Operations = append(reading.Operations, twodoor.Operation{ID: id, Kind: "mcp", Effect: twodoor.Reads, Plan: []byte(`{"tool":{"description":"<a & b>","n":1.0}}`)})
		}
		return &Listing{Entry: "e1", Read: time.Now(), Tag: "t", Reading: reading}
	}
	for _, lists := range []*Lists{{Dir: dir}, {}, {Dir: "/proc/nowhere"}} {
		if lists.Get("notes") != nil || lists.Mark("notes") != "" || !lists.Seen("notes").IsZero() {
			t.Error("a list before the first")
		}
		if !lists.Put("notes", listing("notes.a")) || lists.Put("notes", listing("notes.a")) {
			t.Error("the first is news, the same again is none")
		}
		mark := lists.Mark("notes")
		got := lists.Get("notes")
		if got == nil || got.Entry != "e1" || got.Tag != "t" || len(got.Reading.Operations) != 1 || string(got.Reading.Operations[0].Plan) != `{"tool":{"description":"<a & b>","n":1.0}}` {
			t.Fatalf("got %+v", got)
		}
		if !lists.Put("notes", listing("notes.a", "notes.b")) || lists.Mark("notes") == mark {
			t.Error("another list has another mark")
		}
		other := listing("notes.a", "notes.b")
		other.Entry = "e2"
		if !lists.Put("notes", other) {
			t.Error("the list of another entry is news")
		}
		lists.Fail("notes", FaultOf("e2", &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "gone", Hint: "wait"}))
		if f := lists.Fault("notes", "e2"); f == nil || f.Error().Code != twodoor.CodeUnavailable || f.Hint != "wait" || lists.Fault("notes", "e1") != nil {
			t.Errorf("fault %+v", f)
		}
		lists.Put("notes", other)
		if lists.Fault("notes", "e2") != nil {
			t.Error("a fault outlives the list after it")
		}
	}
	lists := &Lists{Dir: dir} // another run
	if got := lists.Get("notes"); got == nil || len(got.Reading.Operations) != 2 || lists.Seen("notes").IsZero() {
		t.Errorf("the next run finds %+v", got)
	}
	write(t, dir, "notes.json", `{"Entry":`)
	if lists.Get("notes") != nil {
		t.Error("a damaged list is trusted")
	}
}
