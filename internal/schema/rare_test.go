package schema

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// rareCases follow the sections of JSON Schema 2020-12 (core: 8 to 11, validation: 6).
var rareCases = []struct {
	section, schema string
	fits, not       []string // one value each
}{
	{"core 10.2.2.1 if, then, else", `{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`,
		[]string{`{"a":1,"b":0}`, `{"c":0}`, `{"a":2,"c":0}`, `7`}, []string{`{"a":1}`, `{"a":1,"c":0}`, `{}`, `{"b":0}`}},
	{"if alone, and then or else alone, say nothing", `{"allOf":[{"if":{"const":1}},{"then":{"const":2}},{"else":{"const":2}}]}`, []string{`0`, `1`}, nil},
	{"if without else", `{"if":{"type":"string"},"then":{"minLength":2}}`, []string{`1`, `"ab"`}, []string{`"a"`}},
	{"10.2.2.4 dependentSchemas", `{"dependentSchemas":{"a":{"properties":{"b":{"type":"integer"}},"minProperties":2},"n":false}}`,
		[]string{`{"a":1,"b":2}`, `{"b":"x"}`, `{}`, `["a"]`}, []string{`{"a":1}`, `{"a":1,"b":"x"}`, `{"n":1}`}},
	{"validation 6.5.4 dependentRequired", `{"dependentRequired":{"a":["b","c"],"d":[]}}`, []string{`{"a":1,"b":2,"c":3}`, `{"b":1}`, `{"d":1}`, `"a"`}, []string{`{"a":1,"b":2}`, `{"a":null}`}},
	{"dependencies of older drafts", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []string{`{"a":1,"b":2}`, `{"c":1,"d":2}`}, []string{`{"a":1}`, `{"c":1}`}},
	{"10.3.1.1 prefixItems, and items after it", `{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"boolean"}}`,
		[]string{`[]`, `[1]`, `[1,"a"]`, `[1,"a",true,false]`, `{"0":"x"}`}, []string{`["a"]`, `[1,2]`, `[1,"a",1]`}},
	{"a closed tuple", `{"prefixItems":[{},true],"items":false}`, []string{`[1]`, `[1,2]`}, []string{`[1,2,3]`}},
	{"10.3.1.3 contains", `{"contains":{"minimum":5}}`, []string{`[1,5]`, `[5,6]`, `{}`}, []string{`[]`, `[1,4]`}},
	{"validation 6.4.4 maxContains, 6.4.5 minContains", `{"contains":{"const":1},"minContains":2,"maxContains":3.0}`, []string{`[1,1]`, `[1,2,1,1.0]`}, []string{`[1]`, `[1,1,1,1]`, `[]`}},
	{"minContains of nothing", `{"contains":{"const":1},"minContains":0,"maxContains":1}`, []string{`[]`, `[1,2]`}, []string{`[1,1]`}},
	{"minContains without contains", `{"minContains":2,"maxContains":0}`, []string{`[]`, `[1]`}, nil},
	{"contains leads into itself", `{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[{"const":1},{"type":"array","contains":{"$ref":"#/$defs/t"}}]}}}`, []string{`1`, `[1]`, `[2,[1]]`}, []string{`[2]`, `[[]]`}},
	{"10.3.2.4 propertyNames", `{"propertyNames":{"pattern":"^[a-c]+$","maxLength":2}}`, []string{`{}`, `{"ab":1}`, `["long one"]`}, []string{`{"d":1}`, `{"abc":1}`, `{"":1}`}},
	{"propertyNames of enum and false", `{"properties":{"a":{"propertyNames":{"enum":["x","\n"]}},"b":{"propertyNames":false}}}`, []string{`{"a":{"x":1,"\n":1},"b":{}}`}, []string{`{"a":{"y":1}}`, `{"b":{"x":1}}`}},
	{"10.3.2.2 patternProperties beside properties and additionalProperties", `{"properties":{"ab":{"minimum":2}},"patternProperties":{"^a":{"type":"integer"},"b$":{"maximum":9}},"additionalProperties":{"type":"string"}}`,
		[]string{`{"ab":3}`, `{"ax":1}`, `{"xb":"s"}`, `{"z":"s"}`}, []string{`{"ab":1}`, `{"ab":10}`, `{"ab":2.5}`, `{"ax":"s"}`, `{"xb":10}`, `{"z":1}`}},
	{"patternProperties with nothing additional", `{"patternProperties":{"^x-":true,"^y-":false},"additionalProperties":false}`, []string{`{"x-a":1}`, `{}`}, []string{`{"y-a":1}`, `{"a":1}`}},
	{"validation 6.5.1 minProperties and maxProperties", `{"minProperties":1,"maxProperties":2}`, []string{`{"a":1}`, `{"a":1,"b":2}`, `[]`}, []string{`{}`, `{"a":1,"b":2,"c":3}`}},
	{"11.3 unevaluatedProperties over allOf", `{"allOf":[{"properties":{"a":{}}},{"patternProperties":{"^p":{}}}],"properties":{"b":{}},"unevaluatedProperties":false}`,
		[]string{`{"a":1,"b":2,"p1":3}`, `{}`, `7`}, []string{`{"c":1}`, `{"a":1,"x":2}`}},
	{"over the branch that fits alone", `{"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"const":1}},"required":["b"]}],"unevaluatedProperties":{"type":"string"}}`,
		[]string{`{"a":1}`, `{"a":1,"b":1}`, `{"a":1,"b":"s"}`}, []string{`{"a":1,"b":2}`, `{"a":1,"c":3}`}},
	{"over oneOf by reference", `{"$ref":"#/$defs/base","unevaluatedProperties":false,"properties":{"own":{}},"$defs":{"base":{"oneOf":[{"required":["x"],"properties":{"x":{}}},{"required":["y"],"properties":{"y":{}}}]}}}`,
		[]string{`{"x":1,"own":1}`, `{"y":1}`}, []string{`{"x":1,"y":1}`, `{"own":1}`, `{"x":1,"z":1}`}},
	{"over if, then and else", `{"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"properties":{"t":{}}},"else":{"properties":{"k":{},"e":{}}},"unevaluatedProperties":false}`,
		[]string{`{"k":1,"t":1}`, `{"k":2,"e":1}`, `{"e":1}`}, []string{`{"k":1,"e":1}`, `{"k":2,"t":1}`}},
	{"over dependentSchemas", `{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}},"unevaluatedProperties":false}`, []string{`{"a":1,"b":1}`, `{}`}, []string{`{"b":1}`}},
	{"not evaluates nothing", `{"not":{"not":{"properties":{"a":{}},"required":["a"]}},"unevaluatedProperties":false}`, nil, []string{`{"a":1}`, `{}`}},
	{"an additionalProperties inside evaluates all", `{"allOf":[{"additionalProperties":true}],"unevaluatedProperties":false}`, []string{`{"a":1}`}, nil},
	{"an unevaluatedProperties inside evaluates the rest", `{"allOf":[{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}],"unevaluatedProperties":false}`, []string{`{"a":"s","b":1}`}, []string{`{"b":"s"}`}},
	{"cousins do not see each other", `{"allOf":[{"properties":{"a":{}}},{"unevaluatedProperties":false}]}`, []string{`{}`}, []string{`{"a":1}`}},
	{"a schema that recurses and closes", `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"v":{},"kid":{"$ref":"#/$defs/n"}},"unevaluatedProperties":false}}}`, []string{`{"v":1,"kid":{"v":2}}`}, []string{`{"kid":{"x":1}}`}},
	{"11.2 unevaluatedItems after prefixItems", `{"allOf":[{"prefixItems":[{"type":"integer"}]}],"prefixItems":[{},{}],"unevaluatedItems":false}`, []string{`[1,2]`, `[]`, `{}`}, []string{`[1,2,3]`, `["a"]`}},
	{"contains evaluates what it fits", `{"contains":{"type":"integer"},"unevaluatedItems":{"type":"string"}}`, []string{`[1,"a",2]`}, []string{`[1,true]`, `["a"]`}},
	{"items evaluates all", `{"anyOf":[{"items":{"type":"integer"}},{"prefixItems":[{}]}],"unevaluatedItems":false}`, []string{`[1,2]`, `["a"]`}, []string{`["a",1]`}},
	{"8.2.2 anchors", `{"properties":{"a":{"$ref":"#here"},"b":{"$ref":"#/$defs/x/properties/deep"}},"$defs":{"x":{"$anchor":"here","type":"object","properties":{"deep":{"type":"integer"}}}}}`,
		[]string{`{"a":{},"b":1}`}, []string{`{"a":1}`, `{"b":"s"}`, `{"a":{"deep":"s"}}`}},
	{"8.2.3.2 dynamic references within one resource", `{"type":"object","properties":{"kids":{"type":"array","items":{"$dynamicRef":"#node"}},"v":{"type":"integer"}},"$dynamicAnchor":"node"}`,
		[]string{`{"v":1,"kids":[{"v":2}]}`}, []string{`{"kids":[{"v":"s"}]}`, `{"kids":[1]}`}},
	{"numbers keep all digits", `{"contains":{"const":1152921504606846977},"propertyNames":{"minLength":1}}`, []string{`[1152921504606846977]`}, []string{`[1152921504606846976]`}},
	{"empty steps of a pointer", `{"$ref":"#/$defs//$defs/","$defs":{"":{"$defs":{"":{"type":"integer"}}}}}`, []string{`1`}, []string{`"s"`}},
}

func TestRareKeywords(t *testing.T) {
	for _, c := range rareCases {
		s := compile(t, c.schema)
		try := func(value string, fits bool) {
			if got := s.Check([]byte(value)); (len(got) == 0) != fits || s.Accepts([]byte(value)) != fits {
				t.Errorf("%s: %s of %s: %v", c.section, value, c.schema, got)
			}
			want, ok := library(t, []byte(c.schema), []byte(value))
			if !ok || want != fits {
				t.Errorf("%s: %s of %s: the library says %v, %v", c.section, value, c.schema, want, ok)
			}
		}
		for _, value := range c.fits {
			try(value, true)
		}
		for _, value := range c.not {
			try(value, false)
		}
	}
}

func TestRareProblems(t *testing.T) {
	cases := []struct{ schema, value, want string }{
		{`{"properties":{"a":{},"b":{"type":"string"}},"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "b: is required with a"},
		{`{"contains":{"type":"integer"},"minContains":2}`, `[1,"a"]`, ": wants at least 2 with an integer in it, has 1"},
		{`{"contains":{"type":"integer"},"maxContains":0}`, `[1]`, ": wants at most 0 with an integer in it, has 1"},
		{`{"allOf":[{"properties":{"state":{}}}],"unevaluatedProperties":false}`, `{"stat":1}`, "stat: is not known here; did you mean state?"},
		{`{"prefixItems":[{}],"unevaluatedItems":false}`, `[1,2]`, "[1]: nothing may stand here; leave it out"},
		{`{"patternProperties":{"^x":{"type":"integer"}},"properties":{"abc":{}},"additionalProperties":false}`, `{"x":"s","abd":1}`, `x: wants an integer, is the string "s"; abd: is not known here; did you mean abc?`},
		{`{"$ref":"#/$defs/f","$defs":{"f":{"$recursiveAnchor":true,"properties":{"all":{"items":{"$recursiveRef":"#"}},"n":{"type":"integer"}}}}}`, `{"all":[{"n":"s"}]}`, `all[0].n: wants an integer, is the string "s"`},
		{`{"items":[{"type":"integer"}],"additionalItems":false}`, `["a",2]`, `[0]: wants an integer, is the string "a"; [1]: nothing may stand here; leave it out`},
	}
	for _, c := range cases {
		var texts []string
		for _, p := range compile(t, c.schema).Check([]byte(c.value)) {
			texts = append(texts, p.Path+": "+p.Message)
		}
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", c.schema, c.value, got, c.want)
		}
	}
}

func TestRareFitAndExample(t *testing.T) {
	s := compile(t, `{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"patternProperties":{"^n":{"type":"number"}},"additionalProperties":{"type":"boolean"}}}`)
	if got := string(s.Fit([]byte(`["1","2",{"n1":"1.50","b":"true"}]`))); got != `[1,"2",{"n1":1.50,"b":true}]` {
		t.Errorf("Fit: %s", got)
	}
	s = compile(t, `{"if":{"required":["a"]},"then":{"properties":{"a":{"type":"integer"}}},"else":{"properties":{"b":{"type":"integer"}}}}`)
	if got := string(s.Fit([]byte(`{"a":"1","b":"1"}`))); got != `{"a":1,"b":"1"}` {
		t.Errorf("Fit: %s", got)
	}
	for _, raw := range []string{
		`{"type":"array","prefixItems":[{"type":"integer"},{"enum":["x"]}],"minItems":2,"items":false}`,
		`{"type":"array","contains":{"type":"string","minLength":3},"minContains":2}`,
		`{"type":"object","properties":{"k":{"const":1},"b":{"type":"string"}},"required":["k"],"if":{"properties":{"k":{"const":1}}},"then":{"required":["b"]}}`,
		`{"type":"object","required":["a"],"properties":{"a":{}},"dependentSchemas":{"a":{"required":["z"],"properties":{"z":{"type":"integer"}}}}}`,
	} {
		s := compile(t, raw)
		for _, value := range [][]byte{Example([]byte(raw)), ExampleAll([]byte(raw))} {
			if problems := s.Check(value); len(problems) > 0 {
				t.Errorf("%s is no example of %s: %v", value, raw, problems)
			}
		}
	}
}

// randomRare grows a schema of all keywords over few names and small values, so
// that values often fit.
func randomRare(r *rand.Rand, depth int) string {
	part := func() string { return randomRare(r, depth-1) }
	if depth <= 0 {
		leaves := []string{`true`, `false`, `{}`, `{"type":"integer"}`, `{"type":"string"}`, `{"const":1}`, `{"enum":["a",2]}`, `{"minimum":2}`, `{"required":["a"]}`, `{"$ref":"#/$defs/d"}`, `{"maxLength":1}`, `{"type":"array"}`, `{"$ref":"#d"}`}
		return leaves[r.IntN(len(leaves))]
	}
	members := func(names ...string) string {
		return `{"` + names[r.IntN(len(names))] + `":` + part() + `}`
	}
	keywords := map[string]func() string{
		"if": part, "then": part, "else": part, "not": part, "contains": part, "items": part, "propertyNames": part,
		"unevaluatedProperties": part, "unevaluatedItems": part, "additionalProperties": part,
		"allOf": func() string { return "[" + part() + "," + part() + "]" }, "anyOf": func() string { return "[" + part() + "," + part() + "]" },
		"oneOf": func() string { return "[" + part() + "," + part() + "]" }, "prefixItems": func() string { return "[" + part() + "]" },
		"properties": func() string { return members("a", "b") }, "patternProperties": func() string { return members("^a", "b", "") },
		"dependentSchemas": func() string { return members("a", "b") }, "dependentRequired": func() string { return `{"a":["b"]}` },
		"minContains": func() string { return strconv.Itoa(r.IntN(3)) }, "maxContains": func() string { return strconv.Itoa(r.IntN(3)) },
		"minProperties": func() string { return strconv.Itoa(r.IntN(3)) }, "uniqueItems": func() string { return "true" },
	}
	names := []string{"if", "then", "else", "not", "contains", "items", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "additionalProperties", "allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties", "dependentSchemas", "dependentRequired", "minContains", "maxContains", "minProperties", "uniqueItems"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var parts []string
	for _, name := range names[:1+r.IntN(4)] {
		parts = append(parts, strconv.Quote(name)+":"+keywords[name]())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	leaves := []string{`1`, `2`, `"a"`, `"bb"`, `null`, `true`, `1.5`}
	if depth <= 0 || r.IntN(4) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	var parts []string
	if r.IntN(2) == 0 {
		for range r.IntN(4) {
			parts = append(parts, randomValue(r, depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, name := range []string{"a", "b", "ab", "c"} {
		if r.IntN(2) == 0 {
			parts = append(parts, strconv.Quote(name)+":"+randomValue(r, depth-1))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestRandomSchemasAgreeWithTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fits := [2]int{}
	for range 400 {
		shared := strings.NewReplacer(`"#/$defs/d"`, `"#/$defs/e"`, `"#d"`, `"#/$defs/e"`).Replace(randomRare(r, 2))
		raw := `{"allOf":[` + randomRare(r, 3) + `],"$defs":{"e":{"maxLength":1},"d":{"$anchor":"d","allOf":[` + shared + `]}}}`
		s, err := Compile([]byte(raw))
		if err != nil {
			t.Fatal(raw, err)
		}
		accepts := libraryOf([]byte(raw), "")
		if accepts == nil {
			t.Fatalf("the library cannot compile %s", raw)
		}
		for range 20 {
			value := []byte(randomValue(r, 3))
			want := accepts(value)
			if got := s.Accepts(value); got != want {
				t.Fatalf("%s of %s: %v; the library says %v", value, raw, s.Check(value), want)
			}
			if want {
				fits[0]++
			} else {
				fits[1]++
			}
		}
	}
	if fits[0] < 1000 || fits[1] < 1000 {
		t.Errorf("%d fit and %d do not: too few of one kind to tell", fits[0], fits[1])
	}
}
