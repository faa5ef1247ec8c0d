package parity

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// maker makes values that fit a schema. Every scalar that may be anything is another one, so that
// what arrives can be told apart; texts hold what encodings get wrong.
type maker struct {
	resolve func(ref string) any // what a reference points at
	most    bool                 // all properties, not only the required ones
	plain   bool                 // texts of letters alone
	turn    int                  // which branch of a union to take
	n       int                  // scalars made
	nodes   int
	under   map[string]int // references on the way down
}

// bounds of a value: below them only what is required is made.
const (
	fullDepth = 3
	fullNodes = 150
	maxDepth  = 14
)

// value makes one; ok is false where the schema allows none that ends.
func (m *maker) value(schema any, depth int) (v any, ok bool) {
	if m.under == nil {
		m.under = map[string]int{}
	}
	before := maps.Clone(m.under)
	defer func() { m.under = before }()
	s, ok := m.flat(schema, 0)
	if m.nodes++; !ok || depth > maxDepth {
		return nil, false
	}
	if c, has := s["const"]; has {
		return c, true
	}
	if values := list(s["enum"]); len(values) > 0 {
		return m.pick(values), true
	}
	switch m.kind(s) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "boolean":
		m.n++
		return m.n%2 == 0, true
	case "integer":
		return m.number(s, true), true
	case "number":
		return m.number(s, false), true
	case "null":
		return nil, true
	}
	return m.text(s), true
}

// pick takes values in turn, null and "" only where there is nothing else.
func (m *maker) pick(values []any) any {
	m.n++
	for i := range values {
		if v := values[(m.n+i)%len(values)]; v != nil && v != "" {
			return v
		}
	}
	return values[0]
}

// look is a schema as one object, for who asks and makes nothing.
func (m *maker) look(schema any) map[string]any {
	flat, _ := (&maker{resolve: m.resolve, under: map[string]int{}}).flat(schema, 0)
	return flat
}

// flat is a schema with its references, its allOf and one branch of its unions merged into it.
func (m *maker) flat(schema any, hops int) (map[string]any, bool) {
	s := object(schema)
	if s == nil {
		return map[string]any{}, schema != false
	}
	out := map[string]any{}
	if ref, is := s["$ref"].(string); is {
		if m.under[ref]++; m.under[ref] > 2 || hops > 20 {
			return nil, false
		}
		target, ok := m.flat(m.resolve(ref), hops+1)
		if !ok {
			return nil, false
		}
		m.merge(out, target)
	}
	m.merge(out, s)
	for _, part := range list(s["allOf"]) {
		flat, ok := m.flat(part, hops+1)
		if !ok {
			return nil, false
		}
		m.merge(out, flat)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if branches := list(s[word]); len(branches) > 0 {
			flat, ok := m.branch(branches, hops)
			if !ok {
				return nil, false
			}
			m.merge(out, flat)
		}
	}
	return out, true
}

// branch takes the branch whose turn it is, or the next that can be made.
func (m *maker) branch(branches []any, hops int) (map[string]any, bool) {
	first := 0
	if m.turn%2 == 1 {
		first = len(branches) - 1
	}
	for i := range branches {
		before := maps.Clone(m.under)
		flat, ok := m.flat(branches[(first+i)%len(branches)], hops+1)
		if ok && flat["type"] != "null" {
			return flat, true
		}
		m.under = before
	}
	return map[string]any{}, false
}

func (m *maker) merge(into, from map[string]any) {
	for key, value := range from {
		old, has := into[key]
		switch {
		case key == "$ref" || key == "allOf" || key == "oneOf" || key == "anyOf":
		case key == "required":
			into[key] = slices.Concat(list(old), list(value))
		case key == "properties" && has:
			props := maps.Clone(object(old))
			for name, prop := range object(value) {
				if other, twice := props[name]; twice {
					prop = map[string]any{"allOf": []any{prop, other}}
				}
				props[name] = prop
			}
			into[key] = props
		case has && key != "const" && key != "enum":
		default:
			into[key] = value
		}
	}
}

func (m *maker) kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, name := range t {
			if name != "null" {
				return text(name)
			}
		}
		return "null"
	}
	switch {
	case s["properties"] != nil || object(s["additionalProperties"]) != nil || len(list(s["required"])) > 0:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}

func (m *maker) object(s map[string]any, depth int) (any, bool) {
	out, props := map[string]any{}, object(s["properties"])
	needed := texts(s["required"])
	all := m.most && (depth == 0 || depth < fullDepth && m.nodes < fullNodes)
	for _, name := range sorted(props) {
		must := slices.Contains(needed, name)
		if !must && !all {
			continue
		}
		if v, ok := m.value(props[name], depth+1); ok {
			out[name] = v
		} else if must {
			return nil, false
		}
	}
	for _, name := range sorted(props) { // an empty object leaves no trace in a form
		if len(out) > 0 || depth == 0 {
			break
		}
		if v, ok := m.value(props[name], depth+1); ok {
			out[name] = v
		}
	}
	for _, name := range needed {
		if _, has := out[name]; !has {
			out[name], _ = m.value(s["additionalProperties"], depth+1)
		}
	}
	least := intOf(s["minProperties"], 0)
	if rest, closed := s["additionalProperties"]; rest != false && ((all || depth > 0) && (len(props) == 0 || closed && all) || len(out) < least) {
		for len(out) < max(least, 1) || all && closed && len(out) == len(props) {
			m.n++
			v, ok := m.value(rest, depth+1)
			if !ok {
				break
			}
			out[fmt.Sprintf("k%d", m.n)] = v
		}
	}
	return out, true
}

func (m *maker) array(s map[string]any, depth int) (any, bool) {
	count := max(intOf(s["minItems"], 0), 1)
	if m.most && depth < fullDepth {
		count = max(count, 2)
	}
	count = min(count, intOf(s["maxItems"], count))
	out := []any{}
	for range count {
		v, ok := m.value(s["items"], depth+1)
		switch {
		case !ok && len(out) >= intOf(s["minItems"], 0):
			return out, true
		case !ok:
			return nil, false
		case truth(s["uniqueItems"]) && slices.ContainsFunc(out, func(old any) bool { return equal(old, v) }):
			continue
		}
		out = append(out, v)
	}
	return out, true
}

func intOf(v any, otherwise int) int {
	var n int
	if number, ok := v.(json.Number); !ok {
		return otherwise
	} else if _, err := fmt.Sscan(string(number), &n); err != nil {
		return otherwise
	}
	return n
}

// big is what a float cannot hold.
const big60 = 1 << 60

func (m *maker) number(s map[string]any, whole bool) any {
	m.n++
	least, most := bound(s, "minimum", "exclusiveMinimum", 1), bound(s, "maximum", "exclusiveMaximum", -1)
	n := int64(1000 + m.n)
	switch format := text(s["format"]); {
	case format == "unix-time":
		n = 1_900_000_000 + int64(m.n)
	case format == "unix-time-ms":
		n = 1_900_000_000_000 + int64(m.n)
	case most == nil && format != "int32" && whole && !m.plain:
		n = big60 + int64(m.n)
	}
	if most != nil {
		n = min(n, *most)
	}
	if least != nil {
		n = max(n, *least)
	}
	if step := intOf(s["multipleOf"], 1); step > 1 {
		n -= n % int64(step)
	}
	if !whole && (most == nil || n < *most) {
		return json.Number(fmt.Sprintf("%d.25", n))
	}
	return json.Number(fmt.Sprint(n))
}

// bound is a limit of a number as the last whole number within it.
func bound(s map[string]any, word, exclusive string, inward int64) *int64 {
	var n float64
	number, ok := s[word].(json.Number)
	step := int64(0)
	if truth(s[exclusive]) {
		step = inward
	}
	if number2, has := s[exclusive].(json.Number); has {
		number, ok, step = number2, true, inward
	}
	if !ok {
		return nil
	}
	if _, err := fmt.Sscan(string(number), &n); err != nil || n > 1<<62 || n < -(1<<62) {
		return nil
	}
	at := int64(n) + step
	return &at
}

// nasty are texts that encodings get wrong: reserved signs, what looks like a number or a word of
// JSON, other alphabets.
var nasty = []string{"s%d", "s%d a+b", "é%d/ü?", "s%d&x=%%41", "0%d", "s%d \"q\" \\", "a%d,b;c", "s%d#[0]", "true%d", "{%d}:@!$'()*"}

func (m *maker) text(s map[string]any) string {
	m.n++
	out := fmt.Sprintf("s%d", m.n)
	switch format := text(s["format"]); {
	case s["contentEncoding"] == "base64" || format == "byte":
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "bytes\x00\xff%d", m.n))
	case formats[format] != "":
		return fmt.Sprintf(formats[format], m.n%60)
	case text(s["pattern"]) != "":
		return m.patterned(s)
	case !m.plain:
		out = fmt.Sprintf(nasty[m.n%len(nasty)], m.n)
	}
	least, most := intOf(s["minLength"], 0), intOf(s["maxLength"], 1<<20)
	if runes := []rune(out); len(runes) > most {
		out = string(runes[:most])
	}
	return out + strings.Repeat("x", max(0, least-len([]rune(out))))
}

var formats = map[string]string{
	"date-time": "2031-04-05T06:07:%02dZ", "date": "20%02d-04-05", "time": "06:07:%02dZ", "email": "a%d@example.com",
	"uuid": "123e4567-e89b-42d3-a456-4266141740%02d", "uri": "https://example.com/a?b=%d&c=d", "url": "https://example.com/a?b=%d&c=d",
	"ipv4": "10.0.0.%d", "ipv6": "2001:db8::%d", "hostname": "h%d.example.com", "uri-reference": "/a?b=%d", "duration": "PT%dS",
}

func (m *maker) patterned(s map[string]any) string {
	pattern := text(s["pattern"])
	re, err := regexp.Compile(pattern)
	for _, given := range append(list(s["examples"]), s["example"], s["default"]) {
		if t, ok := given.(string); ok && (err != nil || re.MatchString(t)) {
			return t
		}
	}
	tree, parseErr := syntax.Parse(pattern, syntax.Perl)
	if err != nil || parseErr != nil {
		return fmt.Sprintf("s%d", m.n)
	}
	out := spell(tree.Simplify(), m.n)
	for least := intOf(s["minLength"], 0); len(out) < least && re.MatchString(out+"a"); {
		out += "a"
	}
	return out
}

// spell writes a text that a regular expression matches.
func spell(re *syntax.Regexp, n int) (out string) {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for _, r := range []rune{'a' + rune(n%6), '0' + rune(n%10), 'A'} {
				if r >= re.Rune[i] && r <= re.Rune[i+1] {
					return string(r)
				}
			}
		}
		return string(re.Rune[:1])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpPlus, syntax.OpCapture:
		return spell(re.Sub[0], n)
	case syntax.OpRepeat:
		return strings.Repeat(spell(re.Sub[0], n), max(re.Min, min(1, re.Max)))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			out += spell(sub, n)
		}
		return out
	case syntax.OpAlternate:
		return spell(re.Sub[0], n)
	}
	return ""
}
