package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// describe says in a few words what a schema wants: "an integer from 1 to 100".
func (s *Schema) describe() string { return s.describeAt(0) }

func (s *Schema) describeAt(depth int) string {
	if s.never {
		return "nothing"
	}
	if s.hasRef && depth < 5 && s.types == 0 && s.enum == nil {
		return s.resolve().describeAt(depth + 1)
	}
	if s.enum != nil {
		return oneOf(s.enum)
	}
	if branches := slices.Concat(s.any, s.one); len(branches) > 0 && s.types == 0 && depth < 3 {
		return describeBranches(branches, depth)
	}
	ks := s.kinds(0)
	text := ks.names()
	switch {
	case ks&(kindNumber|kindInteger) != 0:
		text += s.bounds.span()
	case ks&kindString != 0:
		text += counts(s.bounds.minLength, s.bounds.maxLength, "characters")
		if format, ok := rawjson.Get(s.raw, "format"); ok {
			text += " (" + strings.Trim(string(brief(format)), `"`) + ")"
		}
	case ks&kindArray != 0:
		text += counts(s.bounds.minItems, s.bounds.maxItems, "elements")
		if s.items != nil && depth < 2 {
			text += ", each " + s.items.describeAt(depth+1)
		}
	case ks&kindObject != 0:
		text += s.describeRequired()
	}
	return text
}

func describeBranches(branches []*Schema, depth int) string {
	const most = 5
	var texts []string
	for _, branch := range branches {
		text := branch.describeAt(depth + 1)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > most {
		texts = append(texts[:most], "one of "+strconv.Itoa(len(branches)-most)+" more forms")
	}
	return strings.Join(texts, ", or ")
}

func (s *Schema) describeRequired() string {
	var names []string
	for _, p := range s.properties {
		if p.required {
			names = append(names, p.name)
		}
	}
	if names = append(names, s.required...); len(names) == 0 {
		return ""
	}
	return " with " + few(names, 10)
}

// span tells the bounds of a number: " from 1 to 100".
func (b *bounds) span() string {
	switch {
	case b.minimum != nil && b.maximum != nil && !b.aboveMinimum && !b.belowMaximum:
		return " from " + string(b.minimum) + " to " + string(b.maximum)
	case b.minimum != nil && b.maximum != nil:
		return " " + b.least() + " and " + b.most()
	case b.minimum != nil:
		return " " + b.least()
	case b.maximum != nil:
		return " " + b.most()
	}
	return ""
}

func (b *bounds) least() string {
	if b.aboveMinimum {
		return "above " + string(b.minimum)
	}
	return "at least " + string(b.minimum)
}

func (b *bounds) most() string {
	if b.belowMaximum {
		return "below " + string(b.maximum)
	}
	return "at most " + string(b.maximum)
}

func counts(least, most int, what string) string {
	switch {
	case least > 0 && most == least:
		return " of " + plural(least, what)
	case least > 0 && most >= 0:
		return " of " + strconv.Itoa(least) + " to " + plural(most, what)
	case least > 0:
		return " of at least " + plural(least, what)
	case most >= 0:
		return " of at most " + plural(most, what)
	}
	return ""
}

// plural writes a count with its word, which is given in the plural.
func plural(n int, what string) string {
	if n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return strconv.Itoa(n) + " " + what
}

// describeValue says what a value is, and shows it when it is short.
func describeValue(value []byte) string {
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		return "an object"
	case rawjson.KindArray:
		return "an array"
	case rawjson.KindString:
		return "the string " + brief(value)
	case rawjson.KindNumber:
		return "the number " + brief(value)
	}
	return brief(value)
}

// brief cuts a long text, at a rune.
func brief(value []byte) string {
	const most = 60
	if len(value) <= most {
		return string(value)
	}
	return strings.ToValidUTF8(string(value[:most]), "") + "…"
}

func oneOf(values [][]byte) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = brief(v)
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "one of " + few(texts, 20)
}

// few joins texts, at most so many, and tells how many there are.
func few(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:most], ", ") + ", … (" + strconv.Itoa(len(texts)) + " in all)"
}

func wantsOneOf(values [][]byte, value []byte) string {
	text := "wants " + oneOf(values) + ", is " + describeValue(value)
	if near, ok := nearestValue(values, value); ok {
		text += "; nearest is " + near
	}
	return text
}

func nearestValue(values [][]byte, value []byte) (string, bool) {
	word, ok := rawjson.String(value)
	if !ok || len(values) < 2 {
		return "", false
	}
	names := make([]string, 0, len(values))
	for _, v := range values {
		if name, ok := rawjson.String(v); ok {
			names = append(names, name)
		}
	}
	if near := rawjson.Nearest(names, word, 1); len(near) > 0 {
		return brief(rawjson.Quote(near[0])), true
	}
	return "", false
}

func (s *Schema) propertyNames() []string {
	names := make([]string, len(s.properties))
	for i, p := range s.properties {
		names[i] = p.name
	}
	return names
}

// nearestName helps out with an unknown name.
func nearestName(names []string, name string) string {
	if near := rawjson.Nearest(names, name, 1); len(near) > 0 {
		return "did you mean " + near[0] + "?"
	}
	if len(names) == 0 {
		return "nothing is"
	}
	return "known are " + few(names, 20)
}

// pathText writes a path as filter.items[2].id; an odd key stands in quotes.
func pathText(path []step) string {
	var out []byte
	for _, at := range path {
		if at.key == nil {
			out = append(out, '[')
			out = strconv.AppendInt(out, int64(at.index), 10)
			out = append(out, ']')
			continue
		}
		name, _ := rawjson.String(at.key)
		if name == "" || strings.ContainsAny(name, ".[]\" ") {
			out = append(out, '[')
			out = append(out, at.key...)
			out = append(out, ']')
			continue
		}
		if len(out) > 0 {
			out = append(out, '.')
		}
		out = append(out, name...)
	}
	return string(out)
}
