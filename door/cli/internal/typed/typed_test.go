package typed

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

func typeOf(schema string) *Type {
	return Scope{Root: json.RawMessage(schema), Op: &twodoor.Operation{}}.TypeOf(json.RawMessage(schema))
}

func TestConvert(t *testing.T) {
	cases := []struct{ schema, text, want string }{ // want empty: refused
		{`{"type":"string"}`, "12", `"12"`},
		{`{"type":"integer"}`, "007", `7`},
		{`{"type":"integer"}`, "+5", `5`},
		{`{"type":"integer"}`, "-0", `-0`},
		{`{"type":"integer"}`, "1152921504606846977", `1152921504606846977`},
		{`{"type":"integer"}`, "1.0", ``},
		{`{"type":"integer"}`, "1e3", ``},
		{`{"type":"integer"}`, "", ``},
		{`{"type":"integer"}`, "--5", ``},
		{`{"type":"integer"}`, "5 ", `5`},
		{`{"type":"number"}`, ".5", `0.5`},
		{`{"type":"number"}`, "1.50e-7", `1.50e-7`},
		{`{"type":"number"}`, "NaN", ``},
		{`{"type":"boolean"}`, "Yes", `true`},
		{`{"type":"boolean"}`, "0", `false`},
		{`{"type":"boolean"}`, "maybe", ``},
		{`{"type":["integer","null"]}`, "null", `null`},
		{`{"type":"string","enum":["a","b"]}`, "b", `"b"`},
		{`{"type":"string","enum":["a","b"]}`, "c", ``},
		{`{"enum":[1,2,null]}`, "2", `2`},
		{`{"enum":[1,2,null]}`, "null", `null`},
		{`{"const":"x"}`, "x", `"x"`},
		{`{"anyOf":[{"type":"integer"},{"enum":["auto"]}]}`, "auto", `"auto"`},
		{`{"anyOf":[{"type":"integer"},{"enum":["auto"]}]}`, "8", `8`},
		{`{"anyOf":[{"type":"integer"},{"enum":["auto"]}]}`, "x", ``},
		{`{"anyOf":[{"type":"string"},{"enum":["a"]}]}`, "z", `"z"`},
		{`{"allOf":[{"type":"integer"},{"minimum":1}]}`, "3", `3`},
		{`{"$ref":"#/$defs/N","$defs":{"N":{"type":"number"}}}`, "3", `3`},
		{`{"$ref":"#/$defs/L","$defs":{"L":{"$ref":"#/$defs/L"}}}`, "3", `"3"`},
		{`{"type":"object"}`, `{"a":1}`, `{"a":1}`},
		{`{"type":"object"}`, `x`, ``},
		{`{}`, "7", `"7"`},
	}
	for _, c := range cases {
		got, err := typeOf(c.schema).Convert(c.text)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q as %s is %s (%v), want %s", c.text, c.schema, got, err, c.want)
		}
	}
}

func TestTime(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, zone)
	cases := []struct{ format, kind, text, want string }{
		{"unix-time", "integer", "now", `1772359200`},
		{"unix-time", "integer", "1w", `1771754400`},
		{"unix-time", "integer", "+1h30m", `1772364600`},
		{"unix-time", "integer", "2026-03-01", `1772316000`},
		{"unix-time", "integer", "2026-03-01T12:00", `1772359200`},
		{"unix-time", "integer", "1772359200123", `1772359200`},
		{"unix-time", "string", "now", `"1772359200"`},
		{"unix-time-ms", "integer", "1772359200", `1772359200000`},
		{"date", "string", "1d", `"2026-02-28"`},
		{"date", "string", "2026-02-30", ``},
		{"date-time", "string", "-1s", `"2026-03-01T09:59:59Z"`},
		{"date-time", "string", "2026-03-01T00:00:00.5+01:00", `"2026-03-01T00:00:00.5+01:00"`},
		{"date-time", "string", "soon", ``},
		{"date-time", "string", "5x", ``},
		{"date-time", "string", "", ``},
		{"date-time", "string", "+-1h", ``},
	}
	for _, c := range cases {
		kind := typeOf(`{"type":"` + c.kind + `","format":"` + c.format + `"}`)
		got, err := kind.Time(c.text, now)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q as %s is %s (%v), want %s", c.text, c.format, got, err, c.want)
		}
	}
	if typeOf(`{"type":"array","format":"date"}`).IsTime() || !typeOf(`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`).IsTime() {
		t.Error("a time is a text or a number in one of four formats")
	}
}

func TestWords(t *testing.T) {
	cases := []struct{ schema, brief, bounds string }{
		{`{"type":"integer","minimum":1,"maximum":100}`, "integer", "1 to 100"},
		{`{"type":"string","maxLength":39,"pattern":"^a"}`, "string", "at most 39 characters, like ^a"},
		{`{"type":"array","minItems":1,"items":{"enum":["a","b"]}}`, "list of a|b", "at least 1 items"},
		{`{"type":["string","null"],"contentEncoding":"base64"}`, "file (@PATH)", ""},
		{`{"type":"integer","format":"unix-time"}`, "time", ""},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "string|integer", ""},
		{`{"anyOf":[{"enum":["auto"]},{"type":"integer"}]}`, "auto|integer", ""},
		{`{"properties":{}}`, "object", ""},
		{`{}`, "any", ""},
	}
	for _, c := range cases {
		kind := typeOf(c.schema)
		if kind.Brief() != c.brief || kind.Bounds() != c.bounds {
			t.Errorf("%s is %q, %q; want %q, %q", c.schema, kind.Brief(), kind.Bounds(), c.brief, c.bounds)
		}
	}
}

func TestRecordsAndOutline(t *testing.T) {
	cases := []struct {
		output, root string // root as the operation names it
		path, shape  string
	}{
		{`{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}}`, "", ".[]", "{id: integer}"},
		{`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"owner":{"type":"object","properties":{"deep":{"type":"object","properties":{"x":{}}}}}}}},"total":{"type":"integer"}}}`, "", ".items[]", "{id: integer, owner: {deep: {…}}}"},
		{`{"type":"object","properties":{"data":{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}}}`, "data.list", ".data.list[]", "string"},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}},"b":{"type":"array","items":{"type":"object"}}}}`, "", ".", "{a: [object], b: [object]}"},
		{`{"type":"string"}`, "", ".", "string"},
	}
	for _, c := range cases {
		op := &twodoor.Operation{Output: json.RawMessage(c.output), Answer: twodoor.Answer{Root: c.root}}
		s := Scope{Root: op.Output, Op: op}
		path, record := s.Records(op)
		if shape := s.Outline(record, 0, 2); path != c.path || shape != c.shape {
			t.Errorf("%s: %s %s, want %s %s", c.output, path, shape, c.path, c.shape)
		}
	}
}

// A span from now is told to the second: nobody who writes 24h means nanoseconds, and not every API
// takes them.
func TestSpansAreWholeSeconds(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 672654156, time.UTC)
	for text, want := range map[string]string{
		"now": `"2026-03-01T12:00:00Z"`, "24h": `"2026-02-28T12:00:00Z"`, "1772366400250": `"2026-03-01T12:00:00.25Z"`,
	} {
		if got, err := typeOf(`{"type":"string","format":"date-time"}`).Time(text, now); string(got) != want {
			t.Errorf("%q is %s (%v), want %s", text, got, err, want)
		}
	}
}
