package naming

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"go.yaml.in/yaml/v4"
)

// update rewrites the goldens below testdata; read the difference line by line before keeping it:
//
//	TWODOOR_CORPUS=… go test ./source/openapi/naming -run TestCorpus -update
var update = flag.Bool("update", false, "rewrite the goldens of names and effects")

// figures are what can be counted of the names and effects of one description.
type figures struct {
	Rule                    string
	Groups, Largest         int // count; operations of the largest in per cent
	Repeats                 int // names that repeat a word of their group, in per cent
	Median, Longest         int // characters of group.verb
	OverBound               int // MCP names that will be shortened, in per cent
	Reads, Writes, Destroys int
}

// corpusTable holds the figures of each description beside those of an independent implementation of
// contracts §1 and §5, where the two differ.
var corpusTable = []struct {
	file, source string
	want         figures
	peer         string
}{
	{"flashduty.en.json", "flashduty", figures{Path, 20, 18, 0, 20, 37, 0, 99, 86, 29},
		"98 read, 87 write: most likely without download among the reading words (POST …/mapping/data/download)"},
	{"flashduty-legacy.zh.json", "flashduty-legacy", figures{Path, 23, 23, 0, 19, 37, 3, 78, 123, 27},
		"77 read, 124 write: most likely the same"},
	{"github.json", "github", figures{OperationID, 49, 17, 9, 31, 74, 20, 641, 388, 194}, ""},
	{"stripe.json", "stripe", figures{Path, 76, 8, 4, 24, 67, 5, 266, 290, 38},
		"6 % over the bound: 32 of 594 are 5.4 %, one name fewer than rounds to 6"},
	{"kubernetes-swagger2.json", "kubernetes", figures{OperationID, 69, 23, 8, 44, 80, 63, 514, 379, 164}, ""},
	{"openai.yaml", "openai", figures{Path, 25, 37, 0, 25, 54, 4, 123, 122, 43}, ""},
	{"asana.yaml", "asana", figures{Path, 46, 11, 6, 20, 51, 0, 117, 91, 39}, ""},
	{"twilio-api-v2010.json", "twilio", figures{Path, 22, 23, 0, 26, 62, 15, 103, 62, 32}, ""},
}

func TestCorpusFigures(t *testing.T) {
	for _, c := range corpusTable {
		t.Run(c.file, func(t *testing.T) {
			routes := corpusRoutes(t, c.file)
			names, used, notes := Names(routes, c.source, Auto, nil, nil)
			got := measure(names, c.source, used.Rule, Effects(routes, used))
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			t.Logf("%+v\nthe independent implementation: %s\n%s\n%s", got, orSame(c.peer), used.Report, strings.Join(notes, "\n"))
		})
	}
}

func orSame(text string) string {
	if text == "" {
		return "the same"
	}
	return text
}

func measure(names []string, source, rule string, effects []Effect) figures {
	f := figures{Rule: rule}
	groups := map[string]int{}
	var lengths []int
	for _, name := range names {
		group, _, _ := strings.Cut(name, ".")
		groups[group]++
		lengths = append(lengths, len(name))
		f.Repeats += oneIf(repeatsGroup(name))
		f.OverBound += oneIf(len(source)+1+len(name) > twodoor.MaxToolName)
	}
	for _, e := range effects {
		f.Reads += oneIf(e.Effect == twodoor.Reads)
		f.Writes += oneIf(e.Effect == twodoor.Writes)
		f.Destroys += oneIf(e.Effect == twodoor.Destroys)
	}
	slices.Sort(lengths)
	percent := func(n int) int { return (n*100 + len(names)/2) / len(names) }
	f.Groups, f.Largest = len(groups), percent(slices.Max(slices.Collect(maps.Values(groups))))
	f.Repeats, f.OverBound = percent(f.Repeats), percent(f.OverBound)
	f.Median, f.Longest = lengths[len(lengths)/2], lengths[len(lengths)-1]
	return f
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// repeatsGroup takes singular and plural for one word.
func repeatsGroup(name string) bool {
	group, verb, _ := strings.Cut(name, ".")
	stems := func(text string) []string {
		words := strings.Split(text, "-")
		for i := range words {
			words[i] = strings.TrimSuffix(words[i], "s")
		}
		return words
	}
	return slices.ContainsFunc(stems(verb), func(word string) bool { return slices.Contains(stems(group), word) })
}

// TestCorpusNames holds every name of every description, and what must be true of all of them.
func TestCorpusNames(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(file, func(t *testing.T) {
			routes := corpusRoutes(t, file)
			names, _, _ := Names(routes, sourceOf(file), Auto, nil, nil)
			checkNames(t, names)
			bound := 35
			if strings.HasPrefix(file, "kubernetes") {
				bound = 45
			}
			f := measure(names, sourceOf(file), "", nil)
			if f.Median > bound || f.Repeats > 20 {
				t.Errorf("median %d characters, bound %d; %d %% repeat a group word, bound 20", f.Median, bound, f.Repeats)
			}
			lines := make([]string, len(routes))
			for i, r := range routes {
				lines[i] = r.Key() + arrow + names[i]
			}
			checkGolden(t, filepath.Join("testdata", "names", file+".txt"), lines)
		})
	}
}

// TestCorpusPostNames says the rule for an API of POSTs in one line: the first segment, then the
// rest joined by hyphens.
func TestCorpusPostNames(t *testing.T) {
	routes := corpusRoutes(t, "flashduty.en.json")
	names, _, _ := Names(routes, "flashduty", Path, nil, nil)
	if len(names) != 214 {
		t.Fatalf("%d names, want 214", len(names))
	}
	for i, r := range routes {
		group, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
		want := group + "." + strings.ReplaceAll(rest, "/", "-")
		if names[i] != want {
			t.Errorf("%s: %s, want %s", r.Key(), names[i], want)
		}
	}
}

// TestCorpusGrowth names the newer description with the lock of the older one.
func TestCorpusGrowth(t *testing.T) {
	older, newer := corpusRoutes(t, "github-older.json"), corpusRoutes(t, "github.json")
	names, used, _ := Names(older, "github", Auto, nil, nil)
	locked := lockOf(older, names)
	again, usedAgain, _ := Names(newer, "github", Auto, &used, locked)
	if usedAgain.Rule != used.Rule || !slices.Equal(usedAgain.Dropped, used.Dropped) {
		t.Errorf("named by %+v, then by %+v", used, usedAgain)
	}
	checkNames(t, again)
	for i, r := range newer {
		if old, ok := locked[r.Key()]; ok && again[i] != old {
			t.Errorf("%s moved from %s to %s", r.Key(), old, again[i])
		}
	}
}

func TestCorpusEffects(t *testing.T) {
	routes := corpusRoutes(t, "flashduty.en.json")
	_, used, _ := Names(routes, "flashduty", Auto, nil, nil)
	lines := make([]string, len(routes))
	for i, e := range Effects(routes, used) {
		lines[i] = routes[i].Key() + arrow + string(e.Effect)
	}
	checkGolden(t, filepath.Join("testdata", "effects", "flashduty.en.txt"), lines)
}

const arrow = " → "

// checkGolden compares lines "METHOD /path → value" as values, whatever their order.
func checkGolden(t *testing.T, path string, lines []string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := valuesOf(lines), valuesOf(strings.Split(strings.TrimSpace(string(text)), "\n"))
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if got[key] != want[key] {
			t.Errorf("%s: %q, the golden has %q", key, got[key], want[key])
		}
		delete(want, key)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s: missing, the golden has %q", key, want[key])
	}
}

func valuesOf(lines []string) map[string]string {
	values := map[string]string{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, arrow)
		values[key] = value
	}
	return values
}

func sourceOf(file string) string {
	for _, c := range corpusTable {
		if c.file == file {
			return c.source
		}
	}
	source, _, _ := strings.Cut(file, ".")
	return source
}

func corpusFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions to name")
	}
	return filepath.Join(folder, "openapi")
}

func corpusFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(corpusFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	return files
}

// corpusRoutes reads a description with nothing of this package but [namesPage].
func corpusRoutes(t *testing.T, file string) []Route {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpusFolder(t), file))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parseNode(text, filepath.Ext(file) == ".json")
	if err != nil {
		t.Fatal(err)
	}
	return routesOf(doc)
}

func parseNode(text []byte, isJSON bool) (*yaml.Node, error) {
	if isJSON {
		return jsonNode(json.NewDecoder(bytes.NewReader(text)))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// jsonNode reads a JSON value in document order, as the nodes that YAML has.
func jsonNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}, nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode}
	if open == '{' {
		node.Kind = yaml.MappingNode
	}
	for d.More() {
		child, err := jsonNode(d)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	_, err = d.Token()
	return node, err
}

var nodeMethods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

func routesOf(doc *yaml.Node) []Route {
	var routes []Route
	eachNodeField(nodeField(doc, "paths"), func(path string, item *yaml.Node) {
		eachNodeField(item, func(method string, op *yaml.Node) {
			if slices.Contains(nodeMethods, method) {
				routes = append(routes, routeOf(doc, item, op, strings.ToUpper(method), path))
			}
		})
	})
	return routes
}

func routeOf(doc, item, op *yaml.Node, method, path string) Route {
	r := Route{Method: method, Path: path, ID: nodeField(op, "operationId").Value, Summary: nodeField(op, "summary").Value}
	for _, tag := range nodeField(op, "tags").Content {
		r.Tags = append(r.Tags, tag.Value)
	}
	for _, param := range slices.Concat(nodeField(item, "parameters").Content, nodeField(op, "parameters").Content) {
		if ref := nodeField(param, "$ref").Value; ref != "" {
			param = nodeAt(doc, ref)
		}
		r.Paged = r.Paged || NamesPage(nodeField(param, "name").Value)
	}
	return r
}

func nodeAt(doc *yaml.Node, ref string) *yaml.Node {
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		doc = nodeField(doc, part)
	}
	return doc
}

// nodeField is a mapping's value, or an empty node.
func nodeField(node *yaml.Node, name string) *yaml.Node {
	found := &yaml.Node{}
	eachNodeField(node, func(key string, value *yaml.Node) {
		if key == name {
			found = value
		}
	})
	return found
}

func eachNodeField(node *yaml.Node, visit func(key string, value *yaml.Node)) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		visit(node.Content[i].Value, node.Content[i+1])
	}
}
