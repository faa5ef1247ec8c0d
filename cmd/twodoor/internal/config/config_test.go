package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const whole = `# all of contracts §4
sources:
  harbor:    {openapi: ./openapi.yaml, translations: {zh: ./openapi.zh.yaml}, overlays: [./agent.overlay.yaml], guides: ./guides,
              target: https://api.example.com, variables: {region: eu}, naming: auto, prefix: hb, refresh: 1h,
              connection: harbor-key, connections: {appKey: harbor-key}}
  telemetry: {protobuf: {descriptors: ./telemetry.binpb}, target: https://api.example.com, wire: connect}
  git:       {command: ./git.verbs.yaml}
  lab:       {remote: https://lab.example.com, connection: lab-key}
  notes:     {mcp: {command: notes-server, args: [--stdio]}, isolation: shared, whoami: notes.get_me}
mcp_servers: ./mcp_servers.json
connections:
  harbor-key: {type: bearer, token: "${env:HARBOR_TOKEN}"}
  lab-key: {type: bearer, token: "${file:/run/lab}"}
operations:  {"notes.*": {effect: reads}, "harbor.incident.close": {guide: triage}}
profiles:
  default:  {expose: auto, list_budget: 5000, answer_budget: 4000, pins: [], confirm: never, shape: all, output_schemas: false, changes: show}
  oncall:   {include: ["harbor.incident.*"], effects: [reads, writes], expose: full}
server:    {listen: ["127.0.0.1:7777"], token: "", public_url: "", origins: []}
auth:      {mode: token}
store:     sqlite
workspace: {root: ./workspace, execute: {enabled: false}}
journal:   {keep: 30d, max_bytes: 1GiB, arguments: redacted, required: false}
`

func TestTheWholeOfTheContract(t *testing.T) {
	l, err := Parse("/w/twodoor.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	harbor := l.Sources["harbor"]
	switch {
	case harbor.Kind() != "openapi" || harbor.Variables["region"] != "eu" || harbor.Prefix != "hb":
		t.Errorf("harbor is %+v", harbor)
	case l.Sources["notes"].Kind() != "mcp" || string(l.Sources["notes"].MCP) != `{"command":"notes-server","args":["--stdio"]}`:
		t.Errorf("notes is %s", l.Sources["notes"].MCP)
	case string(l.Operations["notes.*"].JSON) != `{"effect":"reads"}`:
		t.Errorf("the annotation is %s", l.Operations["notes.*"].JSON)
	case !slices.Equal(l.Profiles["oncall"].Effects, []string{"reads", "writes"}):
		t.Errorf("oncall is %+v", l.Profiles["oncall"])
	case l.Connections["harbor-key"].Token != "${env:HARBOR_TOKEN}":
		t.Error("a reference did not stay one")
	case len(l.Warnings) != 0:
		t.Errorf("warnings: %v", l.Warnings)
	case l.Place(harbor.OpenAPI) != "/w/openapi.yaml":
		t.Errorf("placed at %s", l.Place(harbor.OpenAPI))
	}
}

func TestFaultsNameLineAndNextStep(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", "sources:\n  a: {opennapi: ./x}\n", `twodoor.yaml:2: unknown key "opennapi" in sources.a (did you mean "openapi"?)`},
		{"unknown key at the top", "soruces: {}\n", `twodoor.yaml:1: unknown key "soruces" (did you mean "sources"?)`},
		{"far from every key", "auth: {zzzzzzzzz: 1}\n", `twodoor.yaml:1: unknown key "zzzzzzzzz" in auth (known keys: mode)`},
		{"enum", "auth:\n  mode: nobody\n", `twodoor.yaml:2: auth.mode: "nobody" is none of token, none, builtin, external`},
		{"enum in a list", "profiles: {p: {effects: [reads, looks]}}\n", `twodoor.yaml:1: profiles.p.effects[1]: "looks" is none of reads, writes, destroys`},
		{"number", "profiles: {p: {list_budget: many}}\n", `twodoor.yaml:1: profiles.p.list_budget: "many" is no whole number`},
		{"bool", "workspace: {execute: {enabled: on}}\n", `twodoor.yaml:1: workspace.execute.enabled: "on" is not true or false`},
		{"kind", "sources: [a]\n", "twodoor.yaml:1: sources is a list, not a mapping of keys to values"},
		{"scalar", "store: {a: b}\n", "twodoor.yaml:1: store is a mapping, not a single value"},
		{"duration", "sources: {a: {openapi: x, refresh: often}}\n", `twodoor.yaml:1: sources.a.refresh: "often" is no duration like 30s or 1h`},
		{"url", "sources: {a: {openapi: x, target: here}}\n", `twodoor.yaml:1: sources.a.target: "here" is no URL like https://api.example.com`},
		{"twice", "store: a\nstore: b\n", "twodoor.yaml:2: store is written twice, first in line 1"},
		{"own command", "sources: {find: {openapi: x}}\n", `twodoor.yaml:1: sources.find: "find" is a command of twodoor: name the source otherwise`},
		{"later command", "sources: {pack: {openapi: x}}\n", `"pack" is a command of twodoor`},
		{"reserved", "sources: {twodoor: {openapi: x}}\n", `"twodoor" is a command of twodoor`},
		{"bad name", "sources: {My_API: {openapi: x}}\n", `"My_API" is no name: lower-case letters, digits and single hyphens, a letter first`},
		{"no kind", "sources: {a: {target: https://x}}\n", "sources.a: it has 0 of openapi, protobuf, command, remote, mcp (write exactly one of them)"},
		{"two kinds", "sources: {a: {openapi: x, command: y}}\n", "sources.a: it has 2 of"},
		{"no such connection", "sources:\n  a: {openapi: x, connection: k}\n", `twodoor.yaml:2: sources.a.connection: there is no connection "k" (add it under connections:)`},
		{"no type", "connections: {k: {token: '${env:X}'}}\n", "connections.k: it has no type"},
		{"syntax", "sources: {a: [\n", "twodoor.yaml:"},
		{"not UTF-8", "\xff\xfe", "twodoor.yaml: it is not UTF-8 text"},
		{"a bomb of aliases", bomb(40), "more than 100000 values, aliases counted each time"},
		{"an alias to itself", "operations:\n  a: &a {view: [x, x]}\n  b: &b {view: *b}\n", "twodoor.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("twodoor.yaml", []byte(test.text))
			if _, ok := errors.AsType[*Invalid](err); !ok {
				t.Fatalf("got %v, want faults", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

// bomb is a short text that stands for 2^n values.
func bomb(n int) string {
	text := "operations:\n  a0: {view: &a0 [x, x]}\n"
	for i := range n {
		text += fmt.Sprintf("  b%d: {view: &a%d [*a%d, *a%d]}\n", i+1, i+1, i, i)
	}
	return text
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Parse("f", []byte("auth: {mode: x}\nstor: y\nserver: {listn: z}\n"))
	if invalid, ok := errors.AsType[*Invalid](err); !ok || len(invalid.Faults) != 3 {
		t.Errorf("got %v, want three faults", err)
	}
}

func TestEmptyFiles(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "sources:\n", "sources: {}\n---\n"} {
		if l, err := Parse("f", []byte(text)); err != nil || len(l.Sources) != 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLiteralSecretsWarnAndAreMasked(t *testing.T) {
	l, err := Parse("f", []byte("connections:\n  k:\n    type: bearer\n    token: hunter2\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Warnings) != 1 || l.Warnings[0].Line != 4 {
		t.Errorf("warnings: %v", l.Warnings)
	}
	if raw, _ := json.Marshal(l.Values()); strings.Contains(string(raw), "hunter2") {
		t.Errorf("the secret is shown: %s", raw)
	}
}

func TestOverrides(t *testing.T) {
	l, err := Parse("/w/f", []byte("server:\n  public_url: https://a\n  listen: 127.0.0.1:1\n"))
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"TWODOOR_LISTEN": "127.0.0.1:2, [::1]:2", "TWODOOR_AUTH_MODE": "none"}
	if err := l.Override(func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if err := l.OverrideFlag("auth", "auth.mode", "token"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range l.Values() {
		got[v.Path] = string(v.Value) + " " + v.Origin
	}
	for path, want := range map[string]string{
		"server.listen":     `["127.0.0.1:2","[::1]:2"] TWODOOR_LISTEN`,
		"server.public_url": `"https://a" /w/f:2`,
		"auth.mode":         `"token" --auth`,
		"journal.keep":      `"30d" default`,
	} {
		if got[path] != want {
			t.Errorf("%s is %s, want %s", path, got[path], want)
		}
	}
	err = l.Override(func(string) string { return "nonsense" })
	if err == nil || !strings.Contains(err.Error(), "TWODOOR_AUTH_MODE: \"nonsense\"") {
		t.Errorf("got %v, want the variable named", err)
	}
}

func TestFindWalksUpToTheRepository(t *testing.T) {
	top := t.TempDir()
	home := filepath.Join(top, "home")
	deep := filepath.Join(top, "repo", "a", "b")
	for _, dir := range []string{home, deep, filepath.Join(top, "repo", ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(wantFile string, want Where) {
		t.Helper()
		if file, where := Find(deep, home); file != wantFile || where != want {
			t.Errorf("found %q (%s), want %q (%s)", file, where, wantFile, want)
		}
	}
	touch := func(dir string) string {
		file := filepath.Join(dir, FileName)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	touch(top) // above the repository: nobody's business
	expect("", Nowhere)
	expect(touch(home), Home)
	expect(touch(filepath.Join(top, "repo")), Walked)
	expect(touch(deep), Walked)
}

func TestFolders(t *testing.T) {
	env := map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "relative/is/ignored"}
	got := FoldersOf(func(name string) string { return env[name] })
	want := Folders{Config: "/h/.config/twodoor", State: "/h/.local/state/twodoor", Cache: "/c/twodoor", Runtime: "/h/.local/state/twodoor"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSchemaKnowsEveryKeyOfTheContract(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			AdditionalProperties json.RawMessage
			Properties           map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if got := Sorted(schema.Properties); !slices.Equal(got, []string{"auth", "connections", "journal", "mcp_servers", "operations", "profiles", "server", "sources", "store", "workspace"}) {
		t.Errorf("keys: %v", got)
	}
	if string(schema.Properties["server"].AdditionalProperties) != "false" {
		t.Error("the schema is not strict")
	}
}

func TestTrust(t *testing.T) {
	l, err := Parse("/w/twodoor.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	claims := l.Claims()
	want := []Claim{
		"call https://api.example.com", "call https://lab.example.com", "read env:HARBOR_TOKEN", "read file:/run/lab",
	}
	if !slices.Equal(claims, want) {
		t.Errorf("claims %q, want %q", claims, want)
	}
	trust := Trust{Dir: filepath.Join(t.TempDir(), "trust")}
	if missing, known := trust.Missing(l.File, claims); known || len(missing) != len(claims) {
		t.Errorf("before: %v, known %v", missing, known)
	}
	if err := trust.Grant(l.File, claims); err != nil {
		t.Fatal(err)
	}
	missing, known := trust.Missing(l.File, append(claims, CallClaim("https://evil.example/x")))
	if !known || !slices.Equal(missing, []Claim{"call https://evil.example"}) {
		t.Errorf("after: %v, known %v", missing, known)
	}
	if _, known := trust.Missing("/elsewhere/twodoor.yaml", claims); known {
		t.Error("trust reaches another file")
	}
}

func TestLockNeverMovesAName(t *testing.T) {
	dir := t.TempDir()
	first := Lock{"a": {Rule: "path", Dropped: []string{"api", "v1"}, Names: map[string]string{"GET /x": "x.list", "GET /gone": "gone.list"}}}
	if err := first.Write(dir); err != nil {
		t.Fatal(err)
	}
	second, err := ReadLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if added := second.Keep("a", SourceLock{Rule: "operation-id", Names: map[string]string{"GET /x": "moved.list", "POST /x": "x.create"}}); !added {
		t.Error("a new name was not added")
	}
	if err := second.Write(dir); err != nil {
		t.Fatal(err)
	}
	third, err := ReadLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"GET /x": "x.list", "GET /gone": "gone.list", "POST /x": "x.create"}
	if got := third["a"]; got.Rule != "path" || !maps.Equal(got.Names, want) || !slices.Equal(got.Dropped, []string{"api", "v1"}) {
		t.Errorf("kept %+v", got)
	}
	if third.Keep("a", third["a"]) {
		t.Error("nothing new counts as new")
	}
	text, _ := os.ReadFile(filepath.Join(dir, LockName))
	if !strings.Contains(string(text), "\n    GET /x: x.list\n") {
		t.Errorf("the lock is no list of lines:\n%s", text)
	}
}

func TestDamagedLockIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, LockName), []byte("<<<<<<< ours\na: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLock(dir); err == nil || !strings.Contains(err.Error(), "restore it from version control") {
		t.Errorf("got %v", err)
	}
	if err := (Lock{"a": {Rule: "path"}}).Write(dir); err == nil {
		t.Error("a damaged lock was overwritten")
	}
}

// TestBounds holds what ages and sizes mean.
func TestBounds(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "12h": 12 * time.Hour, "90s": 90 * time.Second} {
		if got, err := Age(text); got != want || err != nil {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	for text, want := range map[string]int64{"7": 7, "7B": 7, "2K": 2000, "2KB": 2000, "2KiB": 2048, "1GiB": 1 << 30, "3MB": 3_000_000, "1TiB": 1 << 40} {
		if got, err := Size(text); got != want || err != nil {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
}
