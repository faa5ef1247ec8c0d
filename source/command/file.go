package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

// file is a verbs file.
type file struct {
	title, description, version string
	groups                      map[string]string
	params                      []param // of all verbs that use them
	common                      common
	verbs                       []verb
}

// common is what may be said for the whole file, and again for a verb.
type common struct {
	program string
	dir     string
	env     []variable
	pass    []string // variables of this process that programs see too
	timeout string   // a Go duration
	bytes   int64    // of what is printed
	success []int
	faults  map[int]string // exit status → name of a code
	refuse  []string       // options that no verb passes on
	session string         // parameter that names a long-lived state
}

// fileReader reads the tree of a verbs file and gathers every fault.
type fileReader struct {
	name   string // of the file, as faults tell it
	file   file
	faults []twodoor.Problem
}

// parse reads the text of a verbs file.
func parse(path string, text []byte) (*file, error) {
	r := &fileReader{name: filepath.Base(path)}
	root, err := rawyaml.Parse(text, rawyaml.Limits{AliasNodes: 100_000, AliasBytes: MaxFile})
	if err != nil {
		fault, line := &rawjson.SyntaxError{}, 0
		if errors.As(err, &fault) {
			line = fault.Line
			err = errors.New(fault.Msg)
		}
		r.fault(&rawjson.Node{Line: int32(line)}, "", "%v", err)
		return nil, r.err()
	}
	r.root(root)
	if len(r.faults) > 0 {
		return nil, r.err()
	}
	return &r.file, nil
}

// fault notes what is wrong at a node.
func (r *fileReader) fault(n *rawjson.Node, path, format string, args ...any) {
	line := int32(1)
	if n != nil {
		line = n.Line
	}
	r.faults = append(r.faults, twodoor.Problem{Path: path, Problem: fmt.Sprintf("%s:%d: %s", r.name, line, fmt.Sprintf(format, args...))})
}

// err tells all faults at once.
func (r *fileReader) err() error {
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the verbs file %s has %d faults", r.name, len(r.faults)),
		Hint: "mend them; docs/verbs.md tells what may stand in the file", Fields: r.faults,
	}
	if len(r.faults) == 1 {
		fault.Message, fault.Fields = r.faults[0].Problem, nil
	}
	return fault
}

// keys walks an object, gives each member to the reader of its key, and refuses all others.
func (r *fileReader) keys(n *rawjson.Node, path string, known map[string]func(*rawjson.Node)) {
	if !n.Is(rawjson.KindObject) {
		r.fault(n, path, "%s is no mapping of keys to values", named(path))
		return
	}
	for key, value := range n.Members() {
		if read := known[key]; read != nil {
			read(value)
			continue
		}
		r.unknown(value, path, key, known)
	}
}

func (r *fileReader) unknown(n *rawjson.Node, path, key string, known map[string]func(*rawjson.Node)) {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	problem := fmt.Sprintf("unknown key %q", key)
	if path != "" {
		problem += " in " + path
	}
	if near := rawjson.Nearest(names, key, 1); len(near) > 0 {
		r.fault(n, join(path, key), "%s; did you mean %q?", problem, near[0])
		return
	}
	r.fault(n, join(path, key), "%s; known keys: %s", problem, strings.Join(names, ", "))
}

func named(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// root reads the file's own keys.
func (r *fileReader) root(n *rawjson.Node) {
	f := &r.file
	known := r.common(&f.common, "")
	known["title"] = r.textInto(&f.title, "title")
	known["description"] = r.textInto(&f.description, "description")
	known["version"] = r.textInto(&f.version, "version")
	known["groups"] = func(n *rawjson.Node) {
		f.groups = map[string]string{}
		r.each(n, "groups", func(key string, n *rawjson.Node) { f.groups[key] = r.text(n, "groups."+key) })
	}
	known["params"] = func(n *rawjson.Node) { f.params = r.params(n, "params") }
	verbs := n.Get("verbs")
	known["verbs"] = func(*rawjson.Node) {}
	r.keys(n, "", known)
	if verbs.Len() == 0 {
		r.fault(n, "verbs", "there are no verbs: write at least one under verbs:")
		return
	}
	r.each(verbs, "verbs", func(key string, n *rawjson.Node) { r.verb(key, n) })
}

// common are the readers of what may stand in the file and in a verb.
func (r *fileReader) common(c *common, path string) map[string]func(*rawjson.Node) {
	return map[string]func(*rawjson.Node){
		"program":   r.textInto(&c.program, join(path, "program")),
		"dir":       r.textInto(&c.dir, join(path, "dir")),
		"env":       func(n *rawjson.Node) { c.env = r.env(n, join(path, "env")) },
		"pass":      func(n *rawjson.Node) { c.pass = r.texts(n, join(path, "pass")) },
		"timeout":   func(n *rawjson.Node) { c.timeout = r.duration(n, join(path, "timeout")) },
		"max_bytes": func(n *rawjson.Node) { c.bytes = r.size(n, join(path, "max_bytes")) },
		"success":   func(n *rawjson.Node) { c.success = r.statuses(n, join(path, "success")) },
		"faults":    func(n *rawjson.Node) { c.faults = r.codes(n, join(path, "faults")) },
		"refuse":    func(n *rawjson.Node) { c.refuse = r.optionNames(n, join(path, "refuse")) },
		"session":   r.textInto(&c.session, join(path, "session")),
	}
}

// each walks a mapping whose keys are the writer's own.
func (r *fileReader) each(n *rawjson.Node, path string, visit func(key string, n *rawjson.Node)) {
	if !n.Is(rawjson.KindObject) {
		r.fault(n, path, "%s is no mapping of keys to values", path)
		return
	}
	for key, value := range n.Members() {
		visit(key, value)
	}
}

// over is what a verb says over what the file says.
func (c common) over(base common) common {
	if c.program == "" {
		c.program = base.program
	}
	if c.dir == "" {
		c.dir = base.dir
	}
	if c.timeout == "" {
		c.timeout = base.timeout
	}
	if c.bytes == 0 {
		c.bytes = base.bytes
	}
	if c.success == nil {
		c.success = base.success
	}
	if c.faults == nil {
		c.faults = base.faults
	}
	c.env = slices.Concat(base.env, c.env)
	c.pass = slices.Concat(base.pass, c.pass)
	c.refuse = slices.Concat(base.refuse, c.refuse)
	return c
}

var (
	verbName  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$`)
	paramName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	envName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)
