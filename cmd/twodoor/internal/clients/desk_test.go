package clients

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// newDesk is a desk on a machine of its own, with the file of a client.
func newDesk(t *testing.T) *Desk {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"HOME": home}
	return &Desk{
		Place: Place{OS: "linux", Project: filepath.Join(home, "project"), LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }},
		Self:  Self{Executable: "/opt/twodoor", Addresses: []string{"127.0.0.1:7777"}},
		State: filepath.Join(home, "state"),
	}
}

var entries = map[string]Entry{
	"stdio": {Command: "/opt/twodoor", Args: []string{"mcp", "--config", `/a "b"/twodoor.yaml`}},
	"http":  {URL: "http://127.0.0.1:7777/mcp?expose=full", Token: "TWODOOR_TOKEN"},
	"open":  {URL: "http://127.0.0.1:7777/mcp"},
}

// state is a file as it is found; M stands for the container of the client.
type state struct {
	name, json, toml string
	refused          string // what the refusal says; empty: it is written
	prepare          func(t *testing.T, path string)
}

const noFile = "\x00"

func states() []state {
	return []state{
		{name: "missing", json: noFile, toml: noFile},
		{name: "empty"},
		{name: "space", json: "\n\n", toml: "\n\n"},
		{name: "empty object", json: "{}", toml: "# nothing\n"},
		{name: "existing", json: "{\n  \"theme\": \"x\",\n  \"M\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"big\": 1152921504606846977\n}\n", toml: "model = \"o3\"\n\n[M.other]\ncommand = \"x\"\n"},
		{name: "commented", json: "// mine\n{\n  \"M\": {\n    // the first\n    \"other\": {\"command\": \"x\",}, // why\n  }, /* end */\n}\n// over", toml: "# mine\n[M.other] # why\ncommand = \"x\" # so\n\n# the end"},
		{name: "one line", json: `{"M":{"other":{"command":"x"}},"z":[1]}`, toml: "a=1"},
		{name: "Windows", json: "\xef\xbb\xbf{\r\n\t\"M\": {\r\n\t\t\"other\": {}\r\n\t}\r\n}\r\n", toml: "\xef\xbb\xbfa = 1\r\n[M.other]\r\ncommand = \"x\"\r\n"},
		{name: "null", json: "{\"M\": null}\n", toml: "a = 1"},
		{name: "symlink", json: "{\"a\": 1}\n", toml: "a = 1\n", prepare: func(t *testing.T, path string) {
			real := filepath.Join(filepath.Dir(path), "dotfiles")
			must(t, os.Rename(path, real))
			must(t, os.Symlink(real, path))
		}},
		{name: "mode", json: "{}\n", toml: "a = 1\n", prepare: func(t *testing.T, path string) { must(t, os.Chmod(path, 0o640)) }},
		{name: "broken", json: "{\n  \"M\": {\n", toml: "a = \n", refused: "line "},
		{name: "another shape", json: "{\n  \"M\": [1]\n}", toml: "M = 3\n", refused: "M"},
		{name: "twice", json: "{\"M\":{},\n\"M\":{}}", toml: "[M.a]\n[M.a]\n", refused: "line 2"},
		{name: "read-only", json: "{}\n", toml: "a = 1\n", refused: "it is read-only", prepare: func(t *testing.T, path string) { must(t, os.Chmod(path, 0o400)) }},
		{name: "dangling link", json: "{}\n", toml: "a = 1\n", refused: "a link to a file that is not there", prepare: func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.Symlink(path+".gone", path))
		}},
		{name: "a folder", json: "{}\n", toml: "a = 1\n", refused: "it is no file", prepare: func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o755))
		}},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryClient installs into and uninstalls from every client's file in every scope, in every state
// that a file may be in. What is refused is left alone; all else becomes what it was, byte for byte.
func TestEveryClient(t *testing.T) {
	ran := 0
	for _, c := range written() {
		for _, scope := range c.Scopes() {
			for kind, entry := range entries {
				if _, err := entry.For(c); err != nil {
					continue
				}
				for _, s := range states() {
					if kind != "stdio" && s.name != "existing" && s.name != "commented" {
						continue // what the entry is makes no difference to the file
					}
					ran++
					t.Run(strings.Join([]string{c.ID, string(scope), kind, s.name}, "/"), func(t *testing.T) {
						t.Parallel()
						inAndOut(t, c, scope, entry, s)
					})
				}
			}
		}
	}
	if ran < 250 {
		t.Errorf("only %d cases were run", ran)
	}
}

func inAndOut(t *testing.T, c *Client, scope Scope, entry Entry, s state) {
	d := newDesk(t)
	f, ok := c.File(d.Place, scope)
	if !ok {
		t.Fatal("it has no such file")
	}
	prepare(t, f, s)
	before := snapshot(t, d.Place.Home())
	ch, err := d.Put(f, "twodoor", entry, false)
	if s.refused != "" && !(scope == Local && (s.name == "another shape" || s.name == "twice")) {
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(s.refused, "M", f.Client.keys[0])) {
			t.Errorf("refused with %v, want %s", err, s.refused)
		}
		sameFiles(t, before, snapshot(t, d.Place.Home()))
		return
	}
	must(t, err)
	sameFiles(t, before, snapshot(t, d.Place.Home())) // a plan writes nothing
	must(t, d.Write(ch))
	text, err := os.ReadFile(f.Path)
	must(t, err)
	want, _ := entry.For(c)
	if got, err := f.edit(d.Place, "twodoor").Get(text); err != nil || !rawjson.Equal(got, want) {
		t.Errorf("it has %s, want %s: %v", got, want, err)
	}
	if again, err := d.Put(f, "twodoor", entry, false); err != nil || again.Action != Nothing {
		t.Errorf("the same again: %v %v", again, err)
	}
	out, err := d.Take(f, "twodoor")
	must(t, err)
	if out.Action != Restore {
		t.Errorf("uninstall would %s", out.Action)
	}
	must(t, d.Clear(out))
	after := snapshot(t, d.Place.Home())
	for path := range after {
		if strings.HasPrefix(path, "state") {
			delete(after, path) // empty folders of ours stay
		}
	}
	sameFiles(t, before, after)
	if out, err = d.Take(f, "twodoor"); err != nil || out.Action != Nothing {
		t.Errorf("uninstalled twice: %v %v", out, err)
	}
}

func prepare(t *testing.T, f File, s state) {
	t.Helper()
	text := s.json
	if f.Client.format == TOML {
		text = s.toml
	}
	if text == noFile {
		return
	}
	must(t, os.MkdirAll(filepath.Dir(f.Path), 0o755))
	must(t, os.WriteFile(f.Path, []byte(strings.NewReplacer("\"M\"", "\""+f.Client.keys[0]+"\"", "[M", "["+f.Client.keys[0], "M =", f.Client.keys[0]+" =").Replace(text)), 0o600))
	if s.prepare != nil {
		s.prepare(t, f.Path)
	}
}

// snapshot is all that is in a folder: files with mode and text, links with where they lead.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		switch {
		case entry.IsDir():
			all[rel] = "folder"
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			all[rel] = "link " + to
		default:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] = info.Mode().String() + " " + string(text)
		}
		return nil
	})
	must(t, err)
	return all
}

func sameFiles(t *testing.T, want, got map[string]string) {
	t.Helper()
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s is %q, was %q", path, got[path], text)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s was not there before", path)
		}
	}
}

// TestTouchedSince takes our entry out of a file that somebody has written to: their change stays.
func TestTouchedSince(t *testing.T) {
	for _, c := range written() {
		t.Run(c.ID, func(t *testing.T) {
			d := newDesk(t)
			f, _ := c.File(d.Place, User)
			prepare(t, f, states()[4])
			original, err := os.ReadFile(f.Path)
			must(t, err)
			install(t, d, f, "twodoor", entries["stdio"])
			text, err := os.ReadFile(f.Path)
			must(t, err)
			change := func(text []byte) []byte { return bytes.Replace(text, []byte(`"x"`), []byte(`"touched"`), 1) }
			must(t, os.WriteFile(f.Path, change(text), 0o600))
			out, err := d.Take(f, "twodoor")
			must(t, err)
			if out.Action != Remove || out.Backup == "" {
				t.Errorf("it would %s, backup %q", out.Action, out.Backup)
			}
			must(t, d.Clear(out))
			got, err := os.ReadFile(f.Path)
			must(t, err)
			if want := change(original); !bytes.Equal(got, want) {
				t.Errorf("it became\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func install(t *testing.T, d *Desk, f File, name string, e Entry) {
	t.Helper()
	ch, err := d.Put(f, name, e, false)
	must(t, err)
	must(t, d.Write(ch))
}

// TestSteps installs several entries, and the same one changed, and takes them out in both orders.
func TestSteps(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		d := newDesk(t)
		f, _ := Find("cursor").File(d.Place, User)
		prepare(t, f, states()[4])
		original, err := os.ReadFile(f.Path)
		must(t, err)
		install(t, d, f, "a", entries["stdio"])
		install(t, d, f, "a", entries["http"])
		install(t, d, f, "b", Entry{Command: "/opt/twodoor", Args: []string{"mcp", "--profile", "p"}})
		for _, name := range order {
			out, err := d.Take(f, name)
			must(t, err)
			must(t, d.Clear(out))
		}
		if got, _ := os.ReadFile(f.Path); !bytes.Equal(got, original) {
			t.Errorf("taken out as %v it became\n%s\nwant\n%s", order, got, original)
		}
	}
}

// TestStepsFromNothing gives back that there was no file, however often it was written to.
func TestStepsFromNothing(t *testing.T) {
	d := newDesk(t)
	f, _ := Find("zed").File(d.Place, User)
	install(t, d, f, "a", entries["stdio"])
	install(t, d, f, "a", entries["open"])
	out, err := d.Take(f, "a")
	must(t, err)
	must(t, d.Clear(out))
	if exists(f.Path) || exists(filepath.Dir(f.Path)) {
		t.Errorf("%s is still there", f.Path)
	}
}

// TestForeign leaves entries alone that are not ours, and gives one back that was written over.
func TestForeign(t *testing.T) {
	d := newDesk(t)
	f, _ := Find("cursor").File(d.Place, User)
	must(t, os.MkdirAll(filepath.Dir(f.Path), 0o755))
	text := []byte(`{"mcpServers":{"twodoor":{"command":"theirs","env":{"SECRET":"hunter2"}}}}`)
	must(t, os.WriteFile(f.Path, text, 0o600))
	if _, err := d.Put(f, "twodoor", entries["stdio"], false); err == nil || !strings.Contains(err.Error(), "which is not this program") {
		t.Errorf("written over: %v", err)
	}
	if _, err := d.Take(f, "twodoor"); err == nil || !strings.Contains(err.Error(), "is not this program") {
		t.Errorf("taken out: %v", err)
	}
	ch, err := d.Put(f, "twodoor", entries["stdio"], true)
	must(t, err)
	if len(ch.Hidden) != 1 || ch.Hidden[0] != "SECRET" {
		t.Errorf("it tells %v of what is replaced", ch.Hidden)
	}
	must(t, d.Write(ch))
	out, err := d.Take(f, "twodoor")
	must(t, err)
	must(t, d.Clear(out))
	if got, _ := os.ReadFile(f.Path); !bytes.Equal(got, text) {
		t.Errorf("it became %s", got)
	}
}

// TestMoved takes out what we wrote when we have another address and another path by now.
func TestMoved(t *testing.T) {
	for kind, entry := range entries {
		d := newDesk(t)
		f, _ := Find("cursor").File(d.Place, User)
		prepare(t, f, states()[4])
		install(t, d, f, "twodoor", entry)
		text, err := os.ReadFile(f.Path)
		must(t, err)
		must(t, os.WriteFile(f.Path, append(text, '\n'), 0o600))
		d.Self = Self{Executable: "/new/td", Addresses: []string{"127.0.0.1:9999"}}
		if ch, err := d.Put(f, "twodoor", Entry{Command: "/new/td", Args: []string{"mcp"}}, false); err != nil || ch.Action != Replace {
			t.Errorf("%s: installed again: %+v %v", kind, ch, err)
		}
		if out, err := d.Take(f, "twodoor"); err != nil || out.Action != Remove {
			t.Errorf("%s: %+v %v", kind, out, err)
		}
	}
}

// TestAdopt finds the same entry under another name.
func TestAdopt(t *testing.T) {
	d := newDesk(t)
	f, _ := Find("vscode").File(d.Place, User)
	install(t, d, f, "mine", entries["stdio"])
	ch, err := d.Put(f, "twodoor", entries["stdio"], false)
	if err != nil || ch.Action != Nothing || ch.Key != "servers.mine" {
		t.Errorf("%+v %v", ch, err)
	}
}

// TestNoToken holds that no entry and nothing to paste has a token in it, only where it is.
func TestNoToken(t *testing.T) {
	p := newDesk(t).Place
	for _, c := range All() {
		text, err := c.Paste(p, User, "twodoor", entries["http"])
		if err != nil {
			if c.ID != "claude-desktop" && c.ID != "zed" {
				t.Errorf("%s: %v", c.ID, err)
			}
			continue
		}
		if !strings.Contains(text, "TWODOOR_TOKEN") && !strings.Contains(text, inputID) {
			t.Errorf("%s does not say where the token is:\n%s", c.ID, text)
		}
	}
}

// TestPlaces holds where the files lie on every system.
func TestPlaces(t *testing.T) {
	for _, test := range []struct{ os, client, want string }{
		{"linux", "claude-code", "/h/.claude.json"}, {"linux", "claude-desktop", "/h/.config/Claude/claude_desktop_config.json"}, {"linux", "cursor", "/h/.cursor/mcp.json"},
		{"linux", "vscode", "/h/.config/Code/User/mcp.json"}, {"linux", "gemini", "/h/.gemini/settings.json"}, {"linux", "codex", "/h/.codex/config.toml"},
		{"linux", "windsurf", "/h/.codeium/windsurf/mcp_config.json"}, {"linux", "zed", "/h/.config/zed/settings.json"}, {"linux", "goose", "/h/.config/goose/config.yaml"},
		{"darwin", "claude-desktop", "/h/Library/Application Support/Claude/claude_desktop_config.json"}, {"darwin", "vscode", "/h/Library/Application Support/Code/User/mcp.json"},
		{"darwin", "zed", "/h/.config/zed/settings.json"}, {"darwin", "codex", "/h/.codex/config.toml"},
		{"windows", "claude-desktop", "/roaming/Claude/claude_desktop_config.json"}, {"windows", "vscode", "/roaming/Code/User/mcp.json"}, {"windows", "zed", "/roaming/Zed/settings.json"},
		{"windows", "windsurf", "/w/.codeium/windsurf/mcp_config.json"}, {"windows", "goose", "/roaming/Block/goose/config/config.yaml"},
	} {
		env := map[string]string{"HOME": "/h", "APPDATA": "/roaming"}
		if test.os == "windows" {
			env["USERPROFILE"] = "/w"
		}
		p := Place{OS: test.os, LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
		if f, ok := Find(test.client).File(p, User); !ok || filepath.ToSlash(f.Path) != test.want {
			t.Errorf("%s on %s: %s, want %s", test.client, test.os, f.Path, test.want)
		}
	}
	p := Place{OS: "linux", LookupEnv: func(name string) (string, bool) {
		v, ok := map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g"}[name]
		return v, ok
	}}
	for client, want := range map[string]string{"claude-code": "/c/.claude.json", "codex": "/x/config.toml", "zed": "/g/zed/settings.json"} {
		if f, ok := Find(client).File(p, User); !ok || f.Path != want {
			t.Errorf("%s: %s, want %s", client, f.Path, want)
		}
	}
	p.LookupEnv = func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "relative"}[name]
		return v, ok
	}
	if f, _ := Find("zed").File(p, User); f.Path != "/h/.config/zed/settings.json" { // the specification: relative ones are ignored
		t.Errorf("a relative folder gives %s", f.Path)
	}
	p.LookupEnv = func(string) (string, bool) { return "", false }
	if f, ok := Find("cursor").File(p, User); ok {
		t.Errorf("without a home there is a file %s", f.Path)
	}
}
