package hosts

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

func TestRewrite(t *testing.T) {
	cases := []struct{ name, schema, want string }{
		{"vendor keys and examples go",
			`{"$schema":"x","title":"T","type":"object","properties":{"pageSize":{"type":"integer","title":"Page Size","x-a":1,"example":5,"examples":[1],"format":"int32","minimum":0,"deprecated":false},"h":{"type":"string","x-mcp-header":"H"}},"required":["pageSize"],"additionalProperties":false}`,
			`{"type":"object","properties":{"pageSize":{"type":"integer","format":"int32","minimum":0},"h":{"type":"string","x-mcp-header":"H"}},"required":["pageSize"]}`},
		{"lists of types",
			`{"properties":{"a":{"type":["string","null"],"enum":["x","",null]},"b":{"type":["string","array","null"],"items":{"type":"string"},"description":"d"},"c":{"type":["integer","number"]},"d":{"type":["array","null"]}}}`,
			`{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"description":"d","anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},"c":{"type":"number"},"d":{"type":"array","items":{}}}}`},
		{"booleans",
			`{"properties":{"a":true,"b":false,"c":{"additionalProperties":true},"d":{"additionalProperties":{"type":"string"}},"e":{"items":true,"type":"array"},"f":{"anyOf":[true,{"type":"string"}]}},"required":["a","b"]}`,
			`{"type":"object","properties":{"a":{},"c":{},"d":{"additionalProperties":{"type":"string"}},"e":{"items":{},"type":"array"},"f":{}},"required":["a"]}`},
		{"or null",
			`{"properties":{"a":{"description":"outer","anyOf":[{"type":"string","description":"inner","minLength":1},{"type":"null"}]},"b":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}`,
			`{"type":"object","properties":{"a":{"description":"outer","type":"string","minLength":1},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`},
		{"const",
			`{"properties":{"a":{"const":"x"},"b":{"const":null}}}`,
			`{"type":"object","properties":{"a":{"enum":["x"]},"b":{}}}`},
		{"forms at the top",
			`{"type":"object","description":"Pay.","properties":{"id":{"type":"string"}},"required":["id"],"oneOf":[{"properties":{"type":{"const":"card"},"number":{"type":"string"}},"required":["type","number"]},{"properties":{"type":{"const":"bank"},"iban":{"type":"string"},"x":{"type":"integer"}},"required":["type","iban"]}]}`,
			`{"description":"Pay. Give one of: type \"card\" with number; or type \"bank\" with iban.","type":"object","properties":{"id":{"type":"string"},"type":{"enum":["card","bank"]},"number":{"type":"string"},"iban":{"type":"string"},"x":{"type":"integer"}},"required":["id","type"]}`},
		{"allOf and reference at the top",
			`{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{"type":"integer"}},"required":["b"]}],"$defs":{"A":{"type":"object","description":"A.","properties":{"a":{"type":"string"}},"required":["a"]}}}`,
			`{"description":"A.","type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a","b"]}`},
		{"definitions once, tiny and often",
			`{"properties":{"a":{"$ref":"#/$defs/once"},"b":{"$ref":"#/$defs/tiny"},"c":{"$ref":"#/$defs/tiny","description":"why"},"d":{"$ref":"#/$defs/often"},"e":{"$ref":"#/$defs/often","description":"why"}},"$defs":{"once":{"type":"object","properties":{"x":{"type":"string"}}},"tiny":{"type":"string"},"often":{"type":"object","properties":{"long":{"type":"string","description":"a long text here"}}},"never":{}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},"b":{"type":"string"},"c":{"description":"why","type":"string"},"d":{"$ref":"#/$defs/often"},"e":{"description":"why","anyOf":[{"$ref":"#/$defs/often"}]}},"$defs":{"often":{"type":"object","properties":{"long":{"type":"string","description":"a long text here"}}}}}`},
		{"recursion",
			`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`,
			`{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`},
		{"names of definitions and references elsewhere",
			`{"properties":{"a":{"$ref":"#/$defs/a~1b%20c"},"b":{"$ref":"#/$defs/a~1b%20c"},"c":{"$ref":"#/properties/d"},"d":{"type":"object","properties":{"n":{"$ref":"#/properties/d"}}}},"$defs":{"a/b c":{"type":"object","properties":{"long":{"type":"string","description":"long text"}}}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/a_b_c"},"b":{"$ref":"#/$defs/a_b_c"},"c":{"$ref":"#/$defs/d"},"d":{"type":"object","properties":{"n":{"$ref":"#/$defs/d"}}}},"$defs":{"a_b_c":{"type":"object","properties":{"long":{"type":"string","description":"long text"}}},"d":{"type":"object","properties":{"n":{"$ref":"#/$defs/d"}}}}}`},
		{"illegal keys are told",
			`{"properties":{"a":{"description":"D.","properties":{"x[]":{"type":"string"},"y":{}},"required":["x[]","y"]}}}`,
			`{"type":"object","properties":{"a":{"description":"D. Also takes x[].","properties":{"y":{}},"required":["y"]}}}`},
		{"tuples", `{"properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"integer"}]}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}}`},
		{"anchors", `{"properties":{"a":{"$ref":"#x"}},"$defs":{"y":{"$anchor":"x","type":"integer"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`},
		{"no object", `true`, `{"type":"object","properties":{}}`},
		{"no JSON", `{`, `{"type":"object","properties":{}}`},
		{"a name that is a keyword", `{"properties":{"anyOf":{"type":"string"},"$ref":{"type":"string"},"type":{"type":"string"}}}`,
			`{"type":"object","properties":{"anyOf":{"type":"string"},"type":{"type":"string"}},"description":"Also takes $ref."}`},
	}
	for _, c := range cases {
		got := Rewrite([]byte(c.schema))
		if string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		legalEverywhere(t, []byte(c.schema), got)
	}
}

func legalEverywhere(t testing.TB, raw, slim []byte) {
	t.Helper()
	for _, rules := range All() {
		for _, v := range Check(slim, rules) {
			t.Errorf("%s becomes %s: %+v", raw, slim, v)
		}
	}
	if _, err := schema.Compile(slim); err != nil {
		if _, before := schema.Compile(raw); before == nil {
			t.Errorf("%s becomes %s: %v", raw, slim, err)
		}
	}
}

func TestCheckFinds(t *testing.T) {
	cases := []struct{ schema, says string }{
		{`{"type":"object"}`, "no properties"},
		{`{"properties":{}}`, "must be \"object\""},
		{`{"type":"object","properties":{},"oneOf":[{}]}`, "oneOf may not stand at the top"},
		{`{"type":"object","properties":{"a<":{}}}`, "does not match"},
		{`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "a list of types"},
		{`{"type":"object","properties":{"a":true}}`, "in the place of a schema"},
		{`{"type":"object","properties":{"a":{"enum":[""]}}}`, `"" in an enum`},
		{`{"type":"object","properties":{"a":{"enum":[null]}}}`, `null in an enum`},
		{`{"type":"object","properties":{"a":{"enum":[]}}}`, `an empty enum`},
		{`{"type":"object","properties":{"a":{"type":"array"}}}`, `without items`},
		{`{"type":"object","properties":{"a":{"anyOf":[{"$id":"x"}]}}}`, `$id is refused`},
		{`{`, "line 1"},
	}
	for _, c := range cases {
		found := false
		for _, rules := range All() {
			for _, v := range Check([]byte(c.schema), rules) {
				found = found || strings.Contains(v.Message, c.says)
			}
		}
		if !found {
			t.Errorf("%s: nobody says %q", c.schema, c.says)
		}
	}
	if found := Check([]byte(`{"type":"object","properties":{"a":{"default":{"oneOf":[true],"type":["x"]}}}}`), All()[2]); found != nil {
		t.Errorf("a default is no schema: %v", found)
	}
}

// randomSchema grows a schema from all that descriptions come up with.
func randomSchema(r *rand.Rand, depth int) string {
	if depth <= 0 || r.IntN(12) == 0 {
		leaves := []string{`{}`, `true`, `{"type":"string"}`, `{"type":["string","null"],"minLength":2}`, `{"type":"integer","minimum":3}`, `{"enum":["a","",null]}`,
			`{"const":"k"}`, `{"type":"null"}`, `{"$ref":"#/$defs/d1"}`, `{"$ref":"#/$defs/d2","description":"x"}`, `{"$ref":"#"}`, `{"type":["array","null"]}`,
			`{"type":"boolean","default":null,"nullable":true}`, `{"type":"number","exclusiveMinimum":0,"maximum":1}`, `{"type":"string","format":"date-time"}`, `{"type":"string","pattern":"^[a-z]{2,5}-\\d+$"}`, `{"type":["integer","string"]}`}
		return leaves[r.IntN(len(leaves))]
	}
	part := func() string { return randomSchema(r, depth-1) }
	list := func() string {
		parts := make([]string, 1+r.IntN(3))
		for i := range parts {
			parts[i] = part()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch r.IntN(9) {
	case 0:
		return `{"anyOf":` + list() + `}`
	case 1:
		return `{"oneOf":` + list() + `,"title":"t"}`
	case 2:
		return `{"allOf":` + list() + `,"x-y":1}`
	case 3:
		return `{"type":"array","items":` + part() + `,"minItems":` + strconv.Itoa(r.IntN(3)) + `}`
	case 4:
		return `{"type":"object","additionalProperties":` + part() + `}`
	case 5:
		return `{"not":` + part() + `,"if":` + part() + `,"then":` + part() + `}`
	}
	names := []string{"a", "b", "c d", "e[]", "type"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var properties, required []string
	for _, name := range names[:1+r.IntN(3)] {
		properties = append(properties, strconv.Quote(name)+":"+part())
		if r.IntN(2) == 0 {
			required = append(required, strconv.Quote(name))
		}
	}
	more := []string{"", `,"type":"object"`, `,"type":["object","null"]`, `,"additionalProperties":false`, `,"oneOf":` + list(), `,"example":{"a":1},"$id":"i"`}[r.IntN(6)]
	return `{"properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]` + more + `}`
}

func randomRoot(r *rand.Rand) []byte {
	raw := []byte(randomSchema(r, 4))
	defs := `{"d1":` + randomSchema(r, 2) + `,"d2":` + randomSchema(r, 2) + `}`
	return rawjson.Set(raw, "$defs", []byte(defs))
}

func TestRewriteIsAlwaysLegal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		raw := randomRoot(r)
		slim := Rewrite(raw)
		legalEverywhere(t, raw, slim)
		if again := Rewrite(slim); len(again) > len(slim) {
			t.Errorf("%s slims again to %s", slim, again)
		}
		wider(t, raw, slim)
		if t.Failed() {
			return
		}
	}
}

// wider holds that what fits the true schema fits the slim one too, null aside.
// Forms at the top are merged, and there a field keeps the type that the forms
// which have it give it.
func wider(t *testing.T, raw, slim []byte) {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "$ref"} {
		if _, merged := rawjson.Get(raw, keyword); merged {
			return
		}
	}
	before, err := schema.Compile(raw)
	if err != nil {
		return
	}
	value := schema.ExampleAll(raw)
	if rawjson.KindOf(value) != rawjson.KindObject || strings.Contains(string(value), "null") || strings.Contains(string(value), `""`) || !before.Accepts(value) {
		return
	}
	after, err := schema.Compile(slim)
	if err != nil {
		t.Fatalf("%s: %v", slim, err)
	}
	if problems := after.Check(value); len(problems) > 0 {
		t.Errorf("%s fits %s but not %s: %v", value, raw, slim, problems)
	}
}

func FuzzRewrite(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(randomRoot(r))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		slim := Rewrite(raw)
		legalEverywhere(t, raw, slim)
	})
}

func TestCorpusSchemas(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: the folder of real descriptions")
	}
	for _, name := range []string{"stripe.json", "flashduty.en.json"} {
		data, err := os.ReadFile(filepath.Join(folder, "openapi", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "#/components/schemas/", "#/$defs/")
		schemas, _ := rawjson.GetPath([]byte(text), "components", "schemas")
		definitions := make(map[string][]byte)
		for key, raw := range rawjson.Members(schemas) {
			definitions[key] = raw
		}
		count, before, after := 0, 0, 0
		for key, raw := range definitions {
			if count++; count > 60 {
				break
			}
			closed := schema.Close(raw, func(name string) []byte { return definitions[name] })
			slim := Rewrite(closed)
			legalEverywhere(t, []byte(key), slim)
			before, after = before+rawjson.Weigh(closed), after+rawjson.Weigh(slim)
		}
		t.Logf("%s: %d schemas, ≈%d tokens become ≈%d", name, count, before, after)
	}
}

func BenchmarkRewrite(b *testing.B) {
	flat := []byte(`{"type":"object","properties":{"title":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":100},"state":{"type":"string","enum":["open","closed"]},"tags":{"type":"array","items":{"type":"string"}}},"required":["title"],"additionalProperties":false}`)
	b.ReportAllocs()
	for b.Loop() {
		Rewrite(flat)
	}
}
