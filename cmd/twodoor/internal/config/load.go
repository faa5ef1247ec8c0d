package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// FileName is the name of the configuration file.
const FileName = "twodoor.yaml"

// Origin is where a value came from. The zero value is the default.
type Origin struct {
	File string // path of the file
	Line int
	Env  string // name of the variable
	Flag string // name of the flag
}

// String is the origin as a reader sees it: "twodoor.yaml:3", "TWODOOR_LISTEN", "--listen", "default".
func (o Origin) String() string {
	switch {
	case o.Flag != "":
		return "--" + o.Flag
	case o.Env != "":
		return o.Env
	case o.File != "":
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	return "default"
}

// Loaded is a configuration as it stands: the file with what overrides it.
type Loaded struct {
	Config
	File     string // absolute path; empty: there is no file
	Text     []byte // of the file
	Warnings []Fault

	origins map[string]Origin
	secrets map[string]bool
}

// Load reads a file. The error is an *Invalid where the file is at fault.
func Load(file string) (*Loaded, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return Parse(file, text)
}

// Parse reads the text of a file of that name. Every fault is found at once.
func Parse(file string, text []byte) (*Loaded, error) {
	l := &Loaded{File: file, Text: text}
	root, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	d := &decoder{file: file, origins: map[string]Origin{}, secrets: map[string]bool{}}
	if root != nil {
		d.value(root, field{}, "", reflect.ValueOf(&l.Config).Elem())
	}
	l.origins, l.secrets = d.origins, d.secrets
	if len(d.faults) == 0 {
		d.faults = l.sense()
	}
	if len(d.faults) > 0 {
		slices.SortStableFunc(d.faults, func(a, b Fault) int { return a.Line - b.Line })
		return nil, &Invalid{Faults: d.faults}
	}
	l.warn()
	return l, nil
}

// None is the configuration without a file: the defaults.
func None() *Loaded {
	return &Loaded{origins: map[string]Origin{}, secrets: map[string]bool{}}
}

// sense finds what single keys cannot show: references to what is not there, and sources of no kind.
func (l *Loaded) sense() []Fault {
	var faults []Fault
	blame := func(path, problem, hint string) {
		faults = append(faults, Fault{File: l.File, Line: l.lineOf(path), Path: path, Problem: path + ": " + problem, Hint: hint})
	}
	for _, name := range Sorted(l.Sources) {
		s, at := l.Sources[name], "sources."+name
		if problem := CheckName(name); problem != "" {
			blame(at, problem, "")
		}
		if kinds := s.kinds(); len(kinds) != 1 {
			blame(at, fmt.Sprintf("it has %d of openapi, protobuf, command, remote, mcp", len(kinds)), "write exactly one of them")
		}
		if len(s.Protobuf) > 0 {
			if _, err := s.ProtobufOf(); err != nil {
				blame(at+".protobuf", err.Error(), "")
			}
		}
		for scheme, connection := range s.Connections {
			if _, ok := l.Connections[connection]; !ok {
				blame(at+".connections."+scheme, fmt.Sprintf("there is no connection %q", connection), "add it under connections:")
			}
		}
		if _, ok := l.Connections[s.Connection]; s.Connection != "" && !ok {
			blame(at+".connection", fmt.Sprintf("there is no connection %q", s.Connection), "add it under connections:")
		}
	}
	for _, name := range Sorted(l.Connections) {
		if l.Connections[name].Type == "" {
			blame("connections."+name, "it has no type", "write bearer, basic, api-key, oauth2 or mtls")
		}
	}
	return faults
}

// Kind is the key that says what a source is: "openapi", "mcp", …
func (s Source) Kind() string {
	if kinds := s.kinds(); len(kinds) > 0 {
		return kinds[0]
	}
	return ""
}

func (s Source) kinds() []string {
	var kinds []string
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"openapi", s.OpenAPI != ""}, {"protobuf", len(s.Protobuf) > 0}, {"command", s.Command != ""},
		{"remote", s.Remote != ""}, {"mcp", len(s.MCP) > 0},
	} {
		if k.set {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// warn names secrets that stand in the file as they are.
func (l *Loaded) warn() {
	for _, path := range Sorted(l.secrets) {
		if text := l.text(path); text != "" && len(References(text)) == 0 {
			l.Warnings = append(l.Warnings, Fault{
				File: l.File, Line: l.lineOf(path), Path: path, Problem: path + " is written out in the file",
				Hint: "keep it elsewhere and write ${env:NAME} or ${file:/path}",
			})
		}
	}
}

// lineOf is the line of a path; 0: it is not in the file.
func (l *Loaded) lineOf(path string) int { return l.origins[path].Line }

// Dir is the folder that relative paths of the file are meant from; empty without a file.
func (l *Loaded) Dir() string {
	if l.File == "" {
		return ""
	}
	return filepath.Dir(l.File)
}

// Place makes a path of the file absolute; URLs stay as they are.
func (l *Loaded) Place(ref string) string {
	if IsURL(ref) || filepath.IsAbs(ref) || ref == "" {
		return ref
	}
	return filepath.Join(l.Dir(), ref)
}

// IsURL reports whether a reference is a URL and not a file.
func IsURL(ref string) bool {
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://")
}

// Sorted lists the keys of a map in order.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
