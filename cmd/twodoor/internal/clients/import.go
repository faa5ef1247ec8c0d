package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// Import plans which servers of clients' files become ours.
type Import struct {
	Place   Place              // required
	Self    Self               // required
	Taken   []mcpclient.Server // those that we have
	Only    []string           // names; empty: all
	Rename  string             // the name of the one that is imported; empty: its own
	Replace bool               // an entry of ours of the same name is written over
}

// Outcome is what becomes of a server.
type Outcome string

// The outcomes.
const (
	Added    Outcome = "add"
	Replaced Outcome = "replace"
	Conflict Outcome = "conflict" // ours of the same name is another one, and stays
	Skipped  Outcome = "skip"
	Failed   Outcome = "fail"
)

// Step is the plan for one server.
type Step struct {
	Name    string          `json:"name"`
	From    string          `json:"from"`
	Outcome Outcome         `json:"outcome"`
	Reason  string          `json:"reason,omitempty"`
	Reach   string          `json:"reach,omitempty"`   // the program or the address, without secrets
	Secrets []string        `json:"secrets,omitempty"` // where secrets stand in it
	Notes   []string        `json:"notes,omitempty"`
	Entry   json.RawMessage `json:"-"`
	Literal []Literal       `json:"-"`
}

// Writes reports whether the step changes our file.
func (s *Step) Writes() bool { return s.Outcome == Added || s.Outcome == Replaced }

// Keep writes references to a keyring in the place of the secrets of an entry, and returns what the
// keyring has to be given.
func (s *Step) Keep() []Literal {
	entry, err := rawjson.Parse(s.Entry)
	if err != nil {
		return nil
	}
	for _, l := range s.Literal {
		l.refer(entry)
	}
	s.Entry = entry.JSON()
	return s.Literal
}

// Files lists the files of clients that are there: of this user, for all that they do. Files in a
// project's folder came with the project; who wants those names them.
func (im *Import) Files() []File {
	var files []File
	for _, c := range All() {
		if f, ok := c.File(im.Place, User); ok && exists(f.Path) {
			files = append(files, f)
		}
	}
	return files
}

// ProjectFiles lists the files of clients in the project's folder.
func (im *Import) ProjectFiles() []File {
	var files []File
	for _, c := range All() {
		if f, ok := c.File(im.Place, Project); ok && exists(f.Path) {
			files = append(files, f)
		}
	}
	return files
}

// Plan reads a file and adds the steps for its servers to those of the files before.
func (im *Import) Plan(path string, steps []*Step) ([]*Step, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return steps, err
	}
	if len(strings.TrimSpace(strings.TrimPrefix(string(text), string(bom)))) == 0 {
		return steps, nil
	}
	all, err := Read(path, text)
	if err != nil {
		return steps, err
	}
	for _, found := range all {
		if len(im.Only) > 0 && !slices.Contains(im.Only, found.Server.ID) {
			continue
		}
		steps = append(steps, im.step(path, found, steps))
	}
	return steps, nil
}

func (im *Import) step(path string, found Found, before []*Step) *Step {
	s := &Step{Name: found.Server.ID, From: im.Place.Short(path), Outcome: Skipped, Notes: found.Notes}
	if im.Rename != "" {
		s.Name = im.Rename
	}
	folder := im.folderOf(path)
	if found.Folder != "" {
		folder = found.Folder
		s.From += " for " + im.Place.Short(folder)
		if filepath.Clean(folder) != filepath.Clean(im.Place.Project) && len(im.Only) == 0 {
			s.Reason = "it is for another folder: import it there, or name it with --server"
			return s
		}
	}
	if found.Skip != "" {
		s.Reason = found.Skip
		return s
	}
	if found.Server.Problem != "" {
		s.Outcome, s.Reason = Failed, found.Server.Problem
		return s
	}
	entry, err := rawjson.Parse(found.Server.Raw)
	if err != nil {
		s.Outcome, s.Reason = Failed, "it cannot be read: "+err.Error()
		return s
	}
	s.Notes = append(s.Notes, im.Place.ours(entry, folder)...)
	place(entry, folder)
	s.Literal = literals(s.Name, entry)
	s.Entry = entry.JSON()
	for _, l := range s.Literal {
		s.Secrets = append(s.Secrets, l.Where)
	}
	im.decide(s, before)
	return s
}

// place makes the entry of a project's file start where its client starts it: in the project's folder.
func place(entry *rawjson.Node, folder string) {
	command := entry.Get("command")
	if folder == "" || !command.Is(rawjson.KindString) {
		return
	}
	if text := command.Str(); strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		command.Text = rawjson.Quote(filepath.Join(folder, text))
	}
	dir := entry.Get("cwd").Str()
	if !filepath.IsAbs(dir) && !strings.Contains(dir, "${") {
		entry.Put("cwd", rawjson.StringNode(filepath.Join(folder, dir)))
	}
}

// decide compares a server with those that we have and those that were read before.
func (im *Import) decide(s *Step, before []*Step) {
	new := server(s.Name, s.Entry)
	s.Reach = reach(new, s.Literal)
	if why := im.Self.In(new); why != "" {
		s.Reason = why + ": a loop"
		return
	}
	for _, other := range before {
		if !other.Writes() {
			continue
		}
		old := server(other.Name, other.Entry)
		switch {
		case same(old, new):
			s.Reason = fmt.Sprintf("it is the same as %s of %s", other.Name, other.From)
			return
		case other.Name == s.Name:
			s.Outcome, s.Reason = Conflict, fmt.Sprintf("%s of %s has the name, and reaches %s", other.Name, other.From, other.Reach)
			return
		}
	}
	s.Outcome = Added
	for _, old := range im.Taken {
		switch {
		case old.ID != s.Name:
		case same(old, new) && (!im.Replace || len(s.Literal) == 0):
			s.Outcome, s.Reason = Skipped, "it is there already"
		case im.Replace:
			s.Outcome = Replaced
		default:
			s.Outcome, s.Reason = Conflict, "ours of the same name reaches "+reach(old, literalsOf(old))
		}
	}
}

func literalsOf(s mcpclient.Server) []Literal {
	entry, err := rawjson.Parse(s.Raw)
	if err != nil {
		return nil
	}
	return literals(s.ID, entry)
}

// same reports whether two entries reach the same thing with the same variables. Ours may have a
// reference where the other has the secret.
func same(a, b mcpclient.Server) bool {
	return sameReach(a, b) && sameKeys(a.Env, b.Env) && sameKeys(a.Headers, b.Headers) && a.Dir == b.Dir
}

func sameKeys(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || value != other && !strings.Contains(value, "${keyring:") && !strings.Contains(other, "${keyring:") {
			return false
		}
	}
	return true
}

// reach is the program or the address of a server in a line, without the secrets in it.
func reach(s mcpclient.Server, secrets []Literal) string {
	text := s.URL
	if text == "" {
		text = shellWords(append([]string{s.Command}, s.Args...))
	}
	for _, l := range secrets {
		text = strings.ReplaceAll(text, l.Value.Reveal(), "***")
	}
	return text
}

// folderOf is the folder of the project whose file it is; empty: it is the user's.
func (im *Import) folderOf(path string) string {
	for _, c := range All() {
		rel := filepath.FromSlash(c.project)
		if c.project == "" || !strings.HasSuffix(path, string(filepath.Separator)+rel) {
			continue
		}
		if f, ok := c.File(im.Place, User); ok && f.Path == path {
			return ""
		}
		return strings.TrimSuffix(path, string(filepath.Separator)+rel)
	}
	return ""
}

// ServersPath is where in a file of servers the entry of a name stands, or has to be put.
func ServersPath(text []byte, name string) []string {
	body, _ := unmarked(text)
	d, err := parseJSONC(body)
	if err != nil || d.bare {
		return []string{"mcpServers", name}
	}
	for _, key := range []string{"mcpServers", "mcp_servers", "servers", "context_servers", "mcp"} {
		if at, err := d.find([]string{key}); err == nil && at != nil {
			if inner, _ := d.find([]string{key, "servers"}); key == "mcp" && inner != nil && inner.Value.Kind() == '{' {
				return []string{key, "servers", name}
			}
			return []string{key, name}
		}
	}
	if all, err := mcpclient.ParseServers(body); err == nil && len(all) > 0 {
		return []string{name} // the entries stand bare
	}
	return []string{"mcpServers", name}
}
