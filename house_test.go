package twodoor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/twodoor/twodoor"

// outside lists which cellar rooms may import which modules: each its one outside need.
var outside = map[string][]string{
	"internal/rawyaml":            {"go.yaml.in/yaml/v4"},
	"internal/schema":             {"github.com/google/jsonschema-go"},
	"internal/shape":              {"github.com/itchyny/gojq"},
	"internal/secret":             {"github.com/zalando/go-keyring"},
	"internal/sqldb":              {"github.com/jackc/pgx/v5", "modernc.org/sqlite"},
	"proto":                       {"google.golang.org/protobuf"},
	"internal/harbor":             {"connectrpc.com/connect", "google.golang.org/protobuf"},
	"cmd/twodoor/internal/config": {"go.yaml.in/yaml/v4"},
}

// bounded lists rooms of the roof that others embed: what they may import of the house, and nothing
// from outside it.
var bounded = map[string][]string{
	"agentsession": {".", "door/rest"},
}

// single lists the modules whose types stay in the rooms that need them.
var single = map[string][]string{
	"github.com/spf13/cobra":                 {"door/cli", "cobratree"},
	"github.com/spf13/pflag":                 {"door/cli", "cobratree"},
	"github.com/modelcontextprotocol/go-sdk": {"door/mcpserver", "bench"},
	"github.com/itchyny/gojq":                {"internal/shape", "source/guide"},
	"mvdan.cc/sh/v3":                         {"source/guide"},
	"github.com/kljensen/snowball":           {"source/find"},
	"github.com/tiktoken-go/tokenizer":       {"bench/tokens", "cmd/twodoor"},
	"modernc.org/sqlite":                     {"internal/sqldb"},
	"github.com/jackc/pgx/v5":                {"internal/sqldb"},
	"go.yaml.in/yaml/v4":                     {"internal/rawyaml", "cmd/twodoor"},
	"github.com/tailscale/hujson":            {"cmd/twodoor/internal/clients"},
	"github.com/pelletier/go-toml/v2":        {"cmd/twodoor/internal/clients"},
	"github.com/bufbuild/protocompile":       {"source/protobuf", "internal/harbor", "cmd/protoc-gen-twodoor"},
	"github.com/jhump/protoreflect":          {"source/protobuf"},
	"connectrpc.com/connect":                 {"source/protobuf", "internal/harbor"},
	"google.golang.org/grpc":                 {},
	"github.com/santhosh-tekuri/jsonschema":  {},
	"github.com/getkin/kin-openapi":          {},
	"github.com/oasdiff/oasdiff":             {},
}

// owners lists which rooms may use what nobody else may.
var owners = map[string][]string{
	"os.Exit":               {"cmd"},
	"os.Getenv":             {"cmd"},
	"os.LookupEnv":          {"cmd"},
	"os.Environ":            {"cmd"},
	"exec.Command":          {"internal/proc", "cmd/test"},
	"exec.CommandContext":   {"internal/proc", "cmd/test"},
	"os.StartProcess":       {"internal/proc"},
	"http.Get":              {},
	"http.Post":             {},
	"http.DefaultClient":    {},
	"http.DefaultServeMux":  {},
	"http.Client":           {"auth/outbound", "cmd/twodoor/internal/app", "cmd/twodoor/internal/smoke", "bench"},
	"http.Transport":        {"auth/outbound", "cmd/twodoor/internal/smoke", "bench"},
	"http.DefaultTransport": {"auth/outbound"},
}

// file is one Go file of the house.
type file struct {
	path string // from the root, with slashes
	dir  string
	ast  *ast.File
	set  *token.FileSet
}

// TestHouse holds the plan of the code: which room stands on which floor, and what each may use.
func TestHouse(t *testing.T) {
	files := readHouse(t)
	if len(files) < 20 {
		t.Fatalf("found %d Go files: the house is not where this test looks", len(files))
	}
	for _, f := range files {
		checkImports(t, f)
		checkSingle(t, f)
		checkOwners(t, f)
		checkSize(t, f)
	}
	checkComments(t, files)
}

func readHouse(t *testing.T) []file {
	var files []file
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		slashed := filepath.ToSlash(name)
		files = append(files, file{slashed, path.Dir(slashed), parsed, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

const (
	cellar = iota + 1
	ground
	wing
	roof
	top
)

// place is the room that a folder belongs to, and its floor.
func place(dir string) (room string, floor int) {
	parts := strings.Split(dir, "/")
	two := strings.Join(parts[:min(2, len(parts))], "/")
	switch {
	case dir == ".":
		return ".", ground
	case parts[0] == "internal":
		return two, cellar
	case parts[0] == "proto", parts[0] == "docs":
		return parts[0], cellar
	case strings.HasPrefix(dir+"/", "cmd/twodoor/internal/config/"):
		return "cmd/twodoor/internal/config", cellar
	case slices.Contains([]string{"source", "door", "auth"}, parts[0]):
		return two, wing
	case slices.Contains([]string{"journal", "shelf", "telemetry", "bundle", "view", "twodoortest"}, parts[0]):
		return parts[0], wing
	case dir == "cmd/twodoor":
		return dir, top
	case strings.HasPrefix(dir, "cmd/twodoor/internal/"):
		return strings.Join(parts[:min(4, len(parts))], "/"), roof
	}
	return two, roof
}

func checkImports(t *testing.T, f file) {
	room, floor := place(f.dir)
	for _, spec := range f.ast.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if !strings.HasPrefix(target+"/", module+"/") {
			checkOutside(t, f, room, floor, target)
			continue
		}
		dir := strings.TrimPrefix(strings.TrimPrefix(target, module), "/")
		if dir == "" {
			dir = "."
		}
		other, below := place(dir)
		if why := refuses(room, floor, other, below); why != "" {
			t.Errorf("%s imports %s: %s", f.path, dir, why)
		}
		if allowed, ok := bounded[room]; ok && other != room && !slices.Contains(allowed, other) {
			t.Errorf("%s imports %s: who embeds %s is promised that it needs %s alone", f.path, dir, room, strings.Join(allowed, ", "))
		}
	}
}

// refuses says why a room may not import another one; empty: it may.
func refuses(room string, floor int, other string, below int) string {
	switch {
	case room == other:
		return ""
	case floor == cellar && other == "internal/rawjson":
		return ""
	case floor == cellar:
		return "the cellar knows nothing of the house but internal/rawjson"
	case floor == wing && below == wing:
		return "rooms of the wings do not know each other: declare a small interface here, and let the app pass the other room in"
	case below > floor, below == floor && floor != roof:
		return "a room imports only rooms on lower floors"
	}
	return ""
}

func checkOutside(t *testing.T, f file, room string, floor int, target string) {
	first, _, _ := strings.Cut(target, "/")
	if _, embedded := bounded[room]; !strings.Contains(first, ".") || floor > ground && !embedded {
		return
	}
	for _, allowed := range outside[room] {
		if strings.HasPrefix(target+"/", allowed+"/") {
			return
		}
	}
	t.Errorf("%s imports %s: a room of the cellar or the root has at most its one outside need, listed in house_test.go", f.path, target)
}

// checkSingle holds that the types of a module cross no room's wall.
func checkSingle(t *testing.T, f file) {
	for _, spec := range f.ast.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		for module, rooms := range single {
			owned := slices.ContainsFunc(rooms, func(room string) bool { return strings.HasPrefix(f.dir+"/", room+"/") })
			if strings.HasPrefix(target+"/", module+"/") && !owned {
				t.Errorf("%s imports %s: only %s may, so that its types stay there", f.path, target, strings.Join(append(rooms, "tests"), ", "))
			}
		}
	}
}

func checkOwners(t *testing.T, f file) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok || pkg.Obj != nil {
			return true
		}
		name := pkg.Name + "." + sel.Sel.Name
		rooms, owned := owners[name]
		if owned && !slices.ContainsFunc(rooms, func(room string) bool { return strings.HasPrefix(f.dir+"/", room+"/") }) {
			t.Errorf("%s: %s is only for %s: have it passed in", f.set.Position(n.Pos()), name, strings.Join(rooms, ", "))
		}
		return true
	})
}

// checkSize holds files under 700 lines: one noun a file. What is generated has no author.
func checkSize(t *testing.T, f file) {
	if ast.IsGenerated(f.ast) {
		return
	}
	if lines := f.set.File(f.ast.Pos()).LineCount(); lines > 700 {
		t.Errorf("%s has %d lines: past 700 it holds more than one noun", f.path, lines)
	}
}

// checkComments holds that each package says what it is for.
func checkComments(t *testing.T, files []file) {
	told := map[string]bool{}
	for _, f := range files {
		told[f.dir] = told[f.dir] || f.ast.Doc.Text() != ""
	}
	for dir, ok := range told {
		if !ok {
			t.Errorf("%s: no package comment: say what it is for and where to begin", dir)
		}
	}
}

// TestRouting holds AGENTS.md short, and every path that it names there.
func TestRouting(t *testing.T) {
	text, err := os.ReadFile("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines >= 80 {
		t.Errorf("AGENTS.md has %d lines: it is a routing table under 80", lines)
	}
	for i, span := range strings.Split(string(text), "`") {
		if i%2 == 1 && strings.Contains(span, "/") && !strings.ContainsAny(span, " *$<…") {
			if _, err := os.Stat(span); err != nil {
				t.Errorf("AGENTS.md names %s, which is not there", span)
			}
		}
	}
}
