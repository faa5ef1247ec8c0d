package schema

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func compile(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

func TestProblemsSayWhatIsWanted(t *testing.T) {
	const tree = `{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":false}}}`
	cases := []struct{ schema, value, want string }{
		{`{"type":"integer"}`, `"5"`, `: wants an integer, is the string "5"`},
		{`{"type":"integer","minimum":1,"maximum":100}`, `null`, `: wants an integer from 1 to 100, is null`},
		{`{"type":["string","null"]}`, `1`, `: wants null or a string, is the number 1`},
		{`{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"string","minLength":1},"b":{"enum":["x","y"]}}}`, `{}`,
			"a: is required: a string of at least 1 character; b: is required: one of \"x\", \"y\"; c: is required"},
		{`{"properties":{"start_time":{},"limit":{}},"additionalProperties":false}`, `{"startTime":1,"zzz":2}`,
			"startTime: is not known here; did you mean start_time?; zzz: is not known here; known are start_time, limit"},
		{`{"enum":["open","closed","merged"]}`, `"close"`, `: wants one of "open", "closed", "merged", is the string "close"; nearest is "closed"`},
		{`{"const":5}`, `6`, `: wants 5, is the number 6`},
		{`{"minimum":1152921504606846976}`, `1152921504606846975`, ": wants at least 1152921504606846976, is 1152921504606846975"},
		{`{"exclusiveMaximum":1}`, `1.0`, ": wants below 1, is 1.0"},
		{`{"multipleOf":0.01}`, `1.005`, ": wants a multiple of 0.01, is 1.005"},
		{`{"minLength":2,"maxLength":3}`, `"日本語x"`, ": wants at most 3 characters, has 4"},
		{`{"pattern":"^a"}`, `"b"`, ": wants text that matches ^a"},
		{`{"minItems":1}`, `[]`, ": wants at least 1 element, has 0"},
		{`{"uniqueItems":true}`, `[1,{"a":1},{"a":1.0}]`, "[2]: is the same as [1]; each element must differ"},
		{tree, `{"v":1,"kids":[{"v":2},{"v":"x","kid":1}]}`,
			`kids[1].v: wants an integer, is the string "x"; kids[1].kid: is not known here; did you mean kids?`},
		{`{"properties":{"a.b":{"type":"string"}}}`, `{"a.b":1}`, `["a.b"]: wants a string, is the number 1`},
		{`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `5`, ": wants a string, or an array, each a string, is the number 5"},
		{`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, `["a",1]`, "[1]: wants a string, is the number 1"},
		{`{"oneOf":[{"properties":{"t":{"const":"a"},"x":{"type":"integer"}},"required":["t","x"]},{"properties":{"t":{"const":"b"},"y":{"type":"integer"},"z":{"type":"integer"}},"required":["t","y","z"]}]}`,
			`{"t":"b"}`, "y: is required: an integer; z: is required: an integer"},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, ": fits the forms 1 and 2 at once; must fit one alone"},
		{`{"not":{"type":"string"}}`, `"a"`, ": must not be a string"},
		{`{"properties":{"a":false}}`, `{"a":1}`, "a: nothing may stand here; leave it out"},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "b: is required"},
		{`{"properties":{"f":{"prefixItems":[{},{"type":"integer"}]}}}`, `{"f":[1,"x"]}`, `f[1]: wants an integer, is the string "x"`},
		{`{"properties":{"f":{"propertyNames":{"maxLength":2}}}}`, `{"f":{"long":1}}`, `f.long: as a name: wants at most 2 characters, has 4`},
	}
	for _, c := range cases {
		var texts []string
		for _, p := range compile(t, c.schema).Check([]byte(c.value)) {
			texts = append(texts, p.Path+": "+p.Message)
			if err := rawjson.Check(p.Part); err != nil {
				t.Errorf("%s: part %s: %v", c.schema, p.Part, err)
			}
		}
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", c.schema, c.value, got, c.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	cases := []struct{ schema, says string }{
		{`{"$ref":"https://example.com/x.json"}`, "leads out of the schema"},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}}}`, "at #/properties/a: $ref \"#/$defs/x\" leads nowhere"},
		{`{"type":"text"}`, `type "text" is not one of`},
		{`{"properties":[]}`, "properties is an object"},
		{`{"anyOf":{}}`, "a list of schemas"},
		{`{"items":5}`, "at #/items: a schema is an object, true or false"},
		{`{"if":{"$ref":"https://example.com/never-fetched"}}`, "leads out of the schema"},
		{`{"$ref":"#lost"}`, "leads nowhere"},
		{`{"patternProperties":[]}`, "patternProperties is an object"},
		{`{"a":`, "line 1"},
	}
	for _, c := range cases {
		if _, err := Compile([]byte(c.schema)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", c.schema, err, c.says)
		}
	}
}

func TestLenient(t *testing.T) {
	fits := []struct{ schema, value string }{
		{`{"pattern":"(?=x)y"}`, `"anything"`},
		{`{"patternProperties":{"(?!x)":{"type":"string"}}}`, `{"a":"b"}`},
		{`{"$ref":"#"}`, `1`},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`, `1`},
		{`{"properties":{"$ref":{"type":"string"}}}`, `{"$ref":"x"}`},
		{`{"type":"integer"}`, `1.0`},
		{`{"required":true,"type":"string"}`, `"x"`},
		{`{"$ref":"#/$defs/a~1b%20c","$defs":{"a/b c":{"type":"integer"}}}`, `1`},
		{`{"$dynamicRef":"https://example.com/never-fetched"}`, `1`},
		{`{"$dynamicRef":"#lost"}`, `1`},
		{`{"patternProperties":{"(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"a":1}`},
		{`{"format":"date"}`, `"no date"`},
	}
	for _, c := range fits {
		if got := compile(t, c.schema).Check([]byte(c.value)); len(got) > 0 {
			t.Errorf("%s of %s: %v", c.schema, c.value, got)
		}
	}
}

func TestCheckIsBounded(t *testing.T) {
	raw := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		raw += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d","title":"x"}]},`, i, i+1, i+1)
	}
	raw += `"d60":{"type":"string"}}}`
	compile(t, raw).Check([]byte(`"x"`)) // must end
	many := "[" + strings.Repeat("1,", 200) + "1]"
	if got := len(compile(t, `{"items":{"type":"string"}}`).Check([]byte(many))); got != maxProblems {
		t.Errorf("%d problems", got)
	}
}

// nowhere loads nothing.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q is outside of the schema", url)
}

// library checks by the JSON Schema library alone; false when it cannot.
func library(t testing.TB, raw, value []byte) (fits, ok bool) {
	t.Helper()
	accepts := libraryOf(raw, "")
	if accepts == nil || rawjson.Check(value) != nil {
		return false, false
	}
	return accepts(value), true
}

// libraryOf is the library's check of a part of a schema, or nil when it cannot compile it.
func libraryOf(raw []byte, pointer string) func(value []byte) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return regexp.Compile(text) })
	if c.AddResource("x:x", doc) != nil {
		return nil
	}
	compiled, err := c.Compile("x:x#" + pointer)
	if err != nil {
		return nil
	}
	return func(value []byte) bool {
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		return err == nil && compiled.Validate(instance) == nil
	}
}

var agreeSchemas = []string{
	`{}`, `true`, `false`,
	`{"type":"integer","minimum":2,"exclusiveMaximum":9.5,"multipleOf":0.5}`,
	`{"type":["number","null"],"maximum":3}`,
	`{"type":"string","minLength":1,"maxLength":2,"pattern":"^[a-c]"}`,
	`{"enum":[1,"a",null,{"x":[1.0]}]}`, `{"const":{"a":1,"b":[true]}}`,
	`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3,"uniqueItems":true}`,
	`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","x"],"additionalProperties":false}`,
	`{"additionalProperties":{"type":"boolean"},"minProperties":1,"maxProperties":2}`,
	`{"$ref":"#/$defs/n","minimum":0,"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["v"]}}}`,
	`{"allOf":[{"type":"integer"},{"minimum":3}]}`, `{"anyOf":[{"type":"string"},{"minimum":3}]}`,
	`{"oneOf":[{"type":"integer"},{"minimum":3}]}`, `{"not":{"required":["a"]}}`,
	`{"if":{"type":"integer"},"then":{"minimum":3},"else":{"type":"string"}}`,
	`{"prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`,
	`{"contains":{"const":1},"maxContains":1}`,
	`{"dependentRequired":{"a":["b"]}}`, `{"propertyNames":{"maxLength":1}}`,
	`{"patternProperties":{"^a":{"type":"integer"}},"additionalProperties":false}`,
	`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`,
	`{"items":{"if":{"type":"integer"},"then":{"$ref":"#/$defs/big"}},"$defs":{"big":{"minimum":3}}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"integer"}}}`,
}

var agreeValues = []string{
	`null`, `true`, `1`, `2`, `2.5`, `3`, `9`, `9.5`, `-1`, `1.0`, `1e2`, `1152921504606846976`, `""`, `"a"`, `"ab"`, `"abc"`, `"d"`,
	`[]`, `[1]`, `[1,2,3]`, `[1,1.0]`, `[1,"a"]`, `["a"]`, `[1,1,1,1]`, `[4,"x"]`,
	`{}`, `{"a":1}`, `{"a":1,"x":2}`, `{"a":1,"x":2,"b":"s"}`, `{"a":"1","x":2}`, `{"a":1,"b":2}`, `{"a":1,"b":[true]}`, `{"b":[true],"a":1.0}`, `{"x":[1]}`,
	`{"v":1,"next":{"v":2,"next":{}}}`, `{"v":1,"next":{"v":2}}`, `{"t":true}`, `{"t":true,"u":false,"v":true}`, `{"abc":1}`,
}

func TestAgreesWithTheLibrary(t *testing.T) {
	for _, raw := range agreeSchemas {
		s := compile(t, raw)
		for _, value := range agreeValues {
			want, ok := library(t, []byte(raw), []byte(value))
			if !ok {
				t.Fatalf("the library cannot compile %s", raw)
			}
			if got := s.Check([]byte(value)); (len(got) == 0) != want {
				t.Errorf("%s of %s: %v; the library says %v", raw, value, got, want)
			}
		}
	}
}

func FuzzAgreesWithTheLibrary(f *testing.F) {
	for _, raw := range agreeSchemas {
		for _, value := range agreeValues[:3] {
			f.Add([]byte(raw), []byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		// Two readings of a repeated key are both right; old drafts and ids are not ours.
		odd := []string{"$id", "$schema", "$anchor", "$dynamic", "$vocabulary", "$recursive", `\`}
		if slices.ContainsFunc(odd, func(s string) bool { return bytes.Contains(raw, []byte(s)) }) || repeatsKeys(raw) || repeatsKeys(value) {
			return
		}
		if rawjson.Check(value) != nil {
			return
		}
		s, err := Compile(raw)
		if err != nil {
			return
		}
		problems := s.Check(value)
		want, ok := library(t, raw, value)
		if ok && want != (len(problems) == 0) {
			t.Fatalf("%s of %s: %v; the library says %v", raw, value, problems, want)
		}
	})
}

func repeatsKeys(raw []byte) bool {
	n, err := rawjson.Parse(raw)
	return err == nil && repeatsIn(n)
}

func repeatsIn(n *rawjson.Node) bool {
	for i, key := range n.Keys {
		if slices.Contains(n.Keys[:i], key) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, repeatsIn)
}

const flat = `{"type":"object","properties":{"title":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":100},"state":{"type":"string","enum":["open","closed"]},"tags":{"type":"array","items":{"type":"string"}}},"required":["title"],"additionalProperties":false}`

func TestCheckAllocatesLittle(t *testing.T) {
	s := compile(t, flat)
	value := []byte(`{"title":"a title","limit":20,"state":"open","tags":["a","b"]}`)
	if got := testing.AllocsPerRun(100, func() { s.Check(value) }); got > 3 {
		t.Errorf("Check: %v allocations", got)
	}
	if got := testing.AllocsPerRun(100, func() { s.Fit(value) }); got > 0 {
		t.Errorf("Fit: %v allocations", got)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := compile(b, flat)
	value := []byte(`{"title":"a title","limit":20,"state":"open","tags":["a","b"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Check(value)) > 0 {
			b.Fatal("does not fit")
		}
	}
}

func BenchmarkCheckNested(b *testing.B) {
	s := compile(b, `{"type":"object","properties":{"name":{"type":"string"},"steps":{"type":"array","items":{"$ref":"#/$defs/step"}}},"required":["name"],"$defs":{"step":{"type":"object","properties":{"match":{"type":"object","properties":{"field":{"type":"string"},"op":{"enum":["eq","ne"]},"value":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["field"]},"act":{"oneOf":[{"type":"object","properties":{"type":{"const":"page"},"who":{"type":"string"}},"required":["type","who"]},{"type":"object","properties":{"type":{"const":"drop"}},"required":["type"]}]}},"required":["match"],"additionalProperties":false}}}`)
	var steps []string
	for i := range 20 {
		steps = append(steps, fmt.Sprintf(`{"match":{"field":"f%d","op":"eq","value":%d},"act":{"type":"page","who":"me"}}`, i, i))
	}
	value := []byte(`{"name":"n","steps":[` + strings.Join(steps, ",") + `]}`)
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Check(value)) > 0 {
			b.Fatal("does not fit")
		}
	}
}
