package schema

import (
	"math/rand/v2"
	"testing"
)

func TestExample(t *testing.T) {
	cases := []struct{ schema, want, all string }{
		{`{"type":"string"}`, `"text"`, `"text"`},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, `{"b":1}`, `{"a":"text","b":1}`},
		{`{"type":"string","example":5,"examples":["x"]}`, `"x"`, `"x"`},
		{`{"type":"integer","default":7}`, `7`, `7`},
		{`{"enum":["a","b"]}`, `"a"`, `"a"`},
		{`{"const":[1]}`, `[1]`, `[1]`},
		{`{"type":"string","format":"date-time"}`, `"2026-01-15T09:30:00Z"`, `"2026-01-15T09:30:00Z"`},
		{`{"type":"string","format":"uuid","minLength":36}`, `"123e4567-e89b-12d3-a456-426614174000"`, `"123e4567-e89b-12d3-a456-426614174000"`},
		{`{"type":"string","maxLength":2}`, `"te"`, `"te"`},
		{`{"type":"string","minLength":6}`, `"texttt"`, `"texttt"`},
		{`{"type":"string","pattern":"^[a-z]{2,5}-\\d+$"}`, `"aa-0"`, `"aa-0"`},
		{`{"type":"string","pattern":"^(foo|bar)\\.[A-F0-9]{4}$"}`, `"foo.AAAA"`, `"foo.AAAA"`},
		{`{"type":"integer","minimum":1152921504606846976}`, `1152921504606846976`, `1152921504606846976`},
		{`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.5`, `0.5`},
		{`{"type":"integer","minimum":11,"multipleOf":5}`, `15`, `15`},
		{`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`, `[1,0,2]`, `[1,0,2]`},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":2,"uniqueItems":true}`, `["a","b"]`, `["a","b"]`},
		{`{"type":"array","maxItems":0}`, `[]`, `[]`},
		{`{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"c":{"type":"boolean"}},"required":["c"]}],"$defs":{"a":{"properties":{"b":{"type":"integer"}},"required":["b"]}}}`, `{"b":1,"c":true}`, `{"b":1,"c":true}`},
		{`{"properties":{"k":{"type":"string"}},"required":["k"],"oneOf":[{"properties":{"t":{"const":"a"}},"required":["t"]},{"properties":{"u":{"type":"integer"}},"required":["u"]}]}`, `{"k":"text","t":"a"}`, `{"k":"text","t":"a"}`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"},"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["v"]}}}`, `{"v":1}`, `{"v":1}`},
		{`{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}`, `{"key1":1,"key2":1}`, `{"key1":1,"key2":1}`},
		{`{"allOf":[{"properties":{"by":{"enum":["a","b"]}},"required":["by"]}],"properties":{"by":{"enum":["b","c"]}}}`, `{"by":"b"}`, `{"by":"b"}`},
		{`{"type":"object","required":["free"]}`, `{"free":"text"}`, `{"free":"text"}`},
		{`{`, `null`, `null`},
	}
	for _, c := range cases {
		if got := string(Example([]byte(c.schema))); got != c.want {
			t.Errorf("Example(%s) = %s, want %s", c.schema, got, c.want)
		}
		if got := string(ExampleAll([]byte(c.schema))); got != c.all {
			t.Errorf("ExampleAll(%s) = %s, want %s", c.schema, got, c.all)
		}
	}
}

// simpleSchema grows schemas that can be met, whatever is drawn.
func simpleSchema(r *rand.Rand, depth int) string {
	leaves := []string{`{"type":"string","minLength":3}`, `{"type":"string","format":"email"}`, `{"type":"integer","minimum":5,"maximum":9}`, `{"type":"number","multipleOf":0.25,"exclusiveMinimum":1}`,
		`{"type":"boolean"}`, `{"enum":[null,"x"]}`, `{"type":["null","string"]}`, `{"const":{"a":1}}`, `{"type":"string","pattern":"^[0-9a-f]{8}$"}`, `{}`, `true`, `{"$ref":"#/$defs/d1"}`}
	if depth == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	part := func() string { return simpleSchema(r, depth-1) }
	switch r.IntN(6) {
	case 0:
		return `{"type":"array","items":` + part() + `,"minItems":2}`
	case 1:
		return `{"anyOf":[` + part() + `,` + part() + `]}`
	case 2:
		return `{"allOf":[` + part() + `]}`
	}
	return `{"type":"object","properties":{"a":` + part() + `,"b":` + part() + `,"c":` + part() + `},"required":["c","a"],"additionalProperties":false}`
}

func TestExamplesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		raw := `{"allOf":[` + simpleSchema(r, 4) + `],"$defs":{"d1":` + simpleSchema(r, 0) + `}}`
		s := compile(t, raw)
		for _, value := range [][]byte{Example([]byte(raw)), ExampleAll([]byte(raw))} {
			if problems := s.Check(value); len(problems) > 0 {
				t.Fatalf("%s\ngives %s: %+v", raw, value, problems)
			}
		}
	}
}

// TestExampleOfRequiredByBranch holds that a field which only a branch requires is made as the
// schema beside it says.
func TestExampleOfRequiredByBranch(t *testing.T) {
	raw := []byte(`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"integer"},"minItems":1},"all":{"type":"boolean"}},"anyOf":[{"required":["ids"]},{"required":["all"]}],"additionalProperties":false}`)
	if got := string(Example(raw)); got != `{"ids":[1]}` {
		t.Errorf("example: %s", got)
	}
}
