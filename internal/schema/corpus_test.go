package schema

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// corpusSchemas reads the shared schemas of a real description as one schema with $defs,
// in words that both checkers know.
func corpusSchemas(t *testing.T, file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".yaml") {
		if data, err = rawyaml.ToJSON(data); err != nil {
			t.Fatal(err)
		}
	}
	root, err := rawjson.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	schemas := root.Path("components", "schemas")
	if schemas == nil {
		schemas = root.Get("definitions")
	}
	plain(schemas)
	text := strings.NewReplacer("#/components/schemas/", "#/$defs/", "#/definitions/", "#/$defs/").Replace(string(schemas.JSON()))
	return []byte(`{"$defs":` + text + `}`)
}

// plain takes out what OpenAPI writes otherwise than JSON Schema, and expressions that Go has not.
func plain(n *rawjson.Node) {
	for i := len(n.Keys) - 1; i >= 0; i-- {
		value := n.Items[i]
		switch key := n.Keys[i]; {
		case strings.HasPrefix(key, "exclusive") && value.Is(rawjson.KindBool), key == "required" && value.Is(rawjson.KindBool), key == "$id", key == "id" && value.Is(rawjson.KindString),
			key == "pattern" && !compiles(value.Str()), key == "$ref" && !strings.HasPrefix(value.Str(), "#/"):
			n.Remove(key)
		case key == "$recursiveAnchor", key == "required" && twice(value):
			n.Remove(key)
		}
	}
	for _, item := range n.Items {
		plain(item)
	}
}

func twice(list *rawjson.Node) bool {
	names := list.Strings()
	slices.Sort(names)
	return len(slices.Compact(names)) < list.Len()
}

func compiles(expression string) bool {
	_, err := regexp.Compile(expression)
	return err == nil
}

// mutated are values near a value: a part taken out, doubled, or of another kind.
func mutated(r *rand.Rand, value []byte, most int) [][]byte {
	odd := []string{`null`, `1`, `-1.5`, `"x"`, `""`, `[]`, `{}`, `true`, `1152921504606846977`, `["x","x"]`, `{"x":1}`}
	var change func(n *rawjson.Node) *rawjson.Node
	change = func(n *rawjson.Node) *rawjson.Node {
		if n.Len() == 0 || r.IntN(3) == 0 {
			other, _ := rawjson.Parse([]byte(odd[r.IntN(len(odd))]))
			return other
		}
		i := r.IntN(n.Len())
		switch {
		case n.Kind == rawjson.KindObject && r.IntN(4) == 0:
			n.Remove(n.Keys[i])
		case n.Kind == rawjson.KindObject && r.IntN(6) == 0:
			n.Put("another", n.Items[i])
		case n.Kind == rawjson.KindArray && r.IntN(4) == 0:
			n.Items = append(n.Items, n.Items[i])
		default:
			n.Items[i] = change(n.Items[i])
		}
		return n
	}
	list := [][]byte{value}
	for range most {
		n, err := rawjson.Parse(value)
		if err != nil {
			return list
		}
		list = append(list, change(n).JSON())
	}
	return list
}

// TestCorpusAgreesWithTheLibrary checks examples of all shared schemas of real descriptions, and
// values near them, by both checkers.
func TestCorpusAgreesWithTheLibrary(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: the folder of real descriptions")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "openapi", "*"))
	for _, file := range files {
		if strings.Contains(file, "older") || strings.Contains(file, "legacy") || strings.Contains(file, ".zh.") {
			continue // nearly the same
		}
		t.Run(filepath.Base(file), func(t *testing.T) { agreesOnCorpus(t, corpusSchemas(t, file)) })
	}
}

func agreesOnCorpus(t *testing.T, whole []byte) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource("x:x", doc); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	defs, _ := rawjson.Get(whole, "$defs")
	schemas, values, fitting, examples := 0, 0, 0, 0
	byName := make(map[string][]byte)
	for name, raw := range rawjson.Members(defs) {
		byName[name] = raw
	}
	for name := range byName {
		if testing.Short() && r.IntN(20) > 0 {
			continue
		}
		reference := rawjson.Set([]byte(`{}`), "$ref", rawjson.Quote("#/$defs/"+refs.Escape(name)))
		ours, err := CompileWith(reference, func(name string) []byte { return byName[name] })
		if err != nil {
			t.Fatal(name, err)
		}
		theirs, err := c.Compile("x:x#/$defs/" + refs.Escape(name))
		if err != nil {
			t.Errorf("%s: the library: %v", name, err)
			continue
		}
		schemas++
		for i, extent := range []extent{requiredOnly, everything} {
			g := generator{extent: extent}
			for j, value := range mutated(r, g.value(ours, 0), 4+4*i) {
				instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
				if err != nil {
					t.Fatal(err)
				}
				want := theirs.Validate(instance) == nil
				if got := ours.Check(value); (len(got) == 0) != want {
					t.Errorf("%s: %.300s: %v; the library says %v", name, value, got, want)
				}
				values++
				if want {
					fitting++
				}
				if j == 0 && want {
					examples++
				}
			}
		}
	}
	t.Logf("%d schemas, %d values, of which %d fit; %d of %d examples fit", schemas, values, fitting, examples, 2*schemas)
}
