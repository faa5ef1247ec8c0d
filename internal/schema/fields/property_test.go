package fields

import (
	"fmt"
	"strings"
	"testing"
)

func TestProperties(t *testing.T) {
	defs := map[string]string{
		"base":  `{"type":"object","properties":{"id":{"type":"string","format":"uuid"}},"required":["id"]}`,
		"state": `{"type":"string","enum":["open","closed"],"description":"inner"}`,
		"loop":  `{"$ref":"#/$defs/loop"}`,
	}
	resolve := func(name string) []byte { return []byte(defs[name]) }
	root := `{"allOf":[{"$ref":"#/$defs/base"}],"required":["state"],"properties":{
		"state":{"$ref":"#/$defs/state","description":"outer","default":"open"},
		"limit":{"type":["integer","null"],"minimum":1,"maximum":100,"deprecated":true},
		"tags":{"type":"array","items":{"$ref":"#/$defs/state"},"maxItems":3},
		"who":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]},
		"either":{"oneOf":[{"type":"string"},{"type":"integer"}]},
		"one":{"allOf":[{"$ref":"#/$defs/state"}],"nullable":true},
		"filter":{"properties":{"a":{}}},
		"rows":{"type":"array","items":{"type":"object"}},
		"mode":{"const":5},
		"free":{},
		"loop":{"$ref":"#/$defs/loop"}},
		"oneOf":[{"properties":{"x":{"type":"number"}},"required":["x","limit"]},{"properties":{"y":{"type":"number"}},"required":["limit"]}]}`
	want := strings.TrimSpace(`
state string required enum["open" "closed"] default"open" "outer" flat
limit integer required nullable min1 max100 deprecated flat
tags array<string> enum["open" "closed"] items:3 flat
who string nullable length2: flat
either any
one string nullable enum["open" "closed"] "inner" flat
filter object
rows array<object>
mode integer enum[5] flat
free any
loop any
id string(uuid) required flat
x number flat
y number flat`)
	var lines []string
	for _, p := range Properties([]byte(root), resolve) {
		lines = append(lines, line(p))
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	own := Properties([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/c"}}},"c":{"type":"boolean"}}}`), nil)
	if len(own) != 1 || own[0].Type != "boolean" || string(own[0].Raw) != `{"$ref":"#/$defs/c"}` {
		t.Errorf("own definitions: %+v", own)
	}
}

func line(p Property) string {
	text := p.Name + " " + p.Type
	if p.ItemType != "" {
		text += "<" + p.ItemType + ">"
	}
	if p.Format != "" {
		text += "(" + p.Format + ")"
	}
	add := func(when bool, more string) {
		if when {
			text += " " + more
		}
	}
	add(p.Required, "required")
	add(p.Nullable, "nullable")
	add(p.Enum != nil, "enum"+fmt.Sprint(p.Enum))
	add(p.Default != nil, "default"+string(p.Default))
	add(p.Min != "", "min"+p.Min)
	add(p.Max != "", "max"+p.Max)
	add(p.MinLength+p.MaxLength != "", "length"+p.MinLength+":"+p.MaxLength)
	add(p.MinItems+p.MaxItems != "", "items"+p.MinItems+":"+p.MaxItems)
	add(p.Description != "", fmt.Sprintf("%q", p.Description))
	add(p.Deprecated, "deprecated")
	add(p.Flat, "flat")
	return text
}
