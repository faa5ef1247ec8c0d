package typing

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// Shape is what is known of a value before there is one: the schemas that may describe it, or the
// fields that a jq program gave it. The zero value is of no kind: nothing comes out.
type Shape struct {
	any     bool // nothing is known, so nothing is wrong
	kinds   kinds
	layers  []json.RawMessage // schemas of objects and lists, without references
	fields  map[string]Shape  // of an object that was built; wins over layers
	only    bool              // it has these fields and no others
	element *Shape            // of a list that was built
	scope   *scope
}

// kinds is a set of JSON types.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBool
	isNumber
	isString
	isList
	isObject
)

// scope resolves the references of one operation's schemas. Where there is a value, only those
// alternatives count that take it.
type scope struct {
	op    *twodoor.Operation
	value json.RawMessage
}

var unknown = Shape{any: true}

func scalar(k kinds) Shape { return Shape{kinds: k} }

func listOf(element Shape) Shape { return Shape{kinds: isList, element: &element} }

// ShapeOf is the shape that a schema describes. An operation without one answers something unknown.
func ShapeOf(op *twodoor.Operation, raw json.RawMessage) Shape {
	if len(raw) == 0 {
		return unknown
	}
	s := &scope{op: op}
	out := Shape{scope: s}
	s.add(&out, raw, 0)
	return out
}

// add lays a schema over a shape. Alternatives and parts are taken alike: what one of them has may be
// there.
func (s *scope) add(to *Shape, raw json.RawMessage, hops int) {
	if hops > 20 || rawjson.KindOf(raw) != rawjson.KindObject {
		to.any = to.any || hops > 20 || string(rawjson.Trim(raw)) == "true"
		return
	}
	said := false
	if ref, ok := rawjson.Get(raw, "$ref"); ok {
		said = true
		s.add(to, s.target(ref), hops+1)
	}
	for _, word := range [...]string{"allOf", "anyOf", "oneOf"} {
		list, _ := rawjson.Get(raw, word)
		for _, part := range s.alternatives(word, list) {
			said = true
			s.add(to, part, hops+1)
		}
	}
	own := kindsOf(raw)
	if own == 0 && !said {
		to.any = true
		return
	}
	to.kinds |= own
	if own&(isObject|isList) != 0 {
		to.layers = append(to.layers, raw)
	}
}

// alternatives are the parts of a combination: of a union, those that take the value at hand, or all
// where none does.
func (s *scope) alternatives(word string, list json.RawMessage) (parts []json.RawMessage) {
	for part := range rawjson.Elements(list) {
		parts = append(parts, part)
	}
	if s.value == nil || word == "allOf" || len(parts) < 2 {
		return parts
	}
	fits := slices.DeleteFunc(slices.Clone(parts), func(part json.RawMessage) bool {
		check, err := schema.CompileWith(part, func(name string) []byte { return s.op.Definition(name) })
		return err == nil && !check.Accepts(s.value)
	})
	if len(fits) == 0 {
		return parts
	}
	return fits
}

func (s *scope) target(ref json.RawMessage) json.RawMessage {
	text, _ := rawjson.String(ref)
	name, ok := strings.CutPrefix(text, "#/$defs/")
	if !ok {
		return json.RawMessage(`true`)
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	for _, own := range []json.RawMessage{s.op.Input, s.op.Output} {
		if raw, ok := rawjson.GetPath(own, "$defs", name); ok {
			return raw
		}
	}
	if raw := s.op.Definition(name); raw != nil {
		return raw
	}
	return json.RawMessage(`true`)
}

// kindsOf are the types that a schema itself speaks of.
func kindsOf(raw json.RawMessage) (all kinds) {
	value, _ := rawjson.Get(raw, "type")
	if name, ok := rawjson.String(value); ok {
		return kindNamed(name)
	}
	for element := range rawjson.Elements(value) {
		name, _ := rawjson.String(element)
		all |= kindNamed(name)
	}
	if all != 0 {
		return all
	}
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "properties", "additionalProperties", "required":
			all |= isObject
		case "items", "prefixItems":
			all |= isList
		case "enum":
			for element := range rawjson.Elements(value) {
				all |= kindOf(element)
			}
		case "const":
			all |= kindOf(value)
		}
	}
	return all
}

func kindNamed(name string) kinds {
	switch name {
	case "null":
		return isNull
	case "boolean":
		return isBool
	case "integer", "number":
		return isNumber
	case "string":
		return isString
	case "array":
		return isList
	case "object":
		return isObject
	}
	return 0
}

func kindOf(value json.RawMessage) kinds { return kindNamed(rawjson.KindOf(value).String()) }

// Field is the shape of a member. It is not found where the object is described and has no such
// member.
func (t Shape) Field(name string) (Shape, bool) {
	if t.any {
		return unknown, true
	}
	if f, ok := t.fields[name]; ok {
		return f, true
	}
	out, found := Shape{scope: t.scope}, false
	for _, raw := range t.layers {
		if t.only || kindsOf(raw)&isObject == 0 {
			continue
		}
		found = t.scope.member(&out, raw, name) || found
	}
	if !found && t.scope.names(t, name) {
		return scalar(isString), true
	}
	return out, found
}

// names reports whether a member is the name that stands beside an id in an answer: assignee_name
// beside assignee_id.
func (s *scope) names(t Shape, member string) bool {
	if s == nil {
		return false
	}
	base, ok := strings.CutSuffix(strings.ToLower(member), "name")
	for id := range s.op.Answer.IDNames {
		beside := strings.HasPrefix(strings.ToLower(id), strings.TrimRight(base, "_-"))
		if ok && beside && slices.Contains(t.Names(), id) {
			return true
		}
	}
	return false
}

// member adds what a schema says of a member.
func (s *scope) member(to *Shape, raw json.RawMessage, name string) bool {
	properties, has := rawjson.Get(raw, "properties")
	if value, ok := rawjson.Get(properties, name); ok {
		s.add(to, value, 0)
		return true
	}
	if patterns, ok := rawjson.Get(raw, "patternProperties"); ok && rawjson.Len(patterns) > 0 {
		to.any = true
		return true
	}
	more, told := rawjson.Get(raw, "additionalProperties")
	switch {
	case rawjson.KindOf(more) == rawjson.KindObject:
		s.add(to, more, 0)
		return true
	case told:
		open := string(rawjson.Trim(more)) == "true" && (!has || rawjson.Len(properties) == 0)
		to.any = to.any || open
		return open
	case !has || rawjson.Len(properties) == 0:
		to.any = true
		return true
	}
	return false
}

// IsKnownList reports whether the value may be a list, and what it holds is known.
func (t Shape) IsKnownList() bool { return t.kinds&isList != 0 && !t.any }

// elements is the shape of what a list holds.
func (t Shape) elements() Shape {
	if t.any {
		return unknown
	}
	if t.element != nil {
		return *t.element
	}
	out := Shape{scope: t.scope}
	for _, raw := range t.layers {
		if kindsOf(raw)&isList == 0 {
			continue
		}
		items, ok := rawjson.Get(raw, "items")
		if _, tuple := rawjson.Get(raw, "prefixItems"); tuple || !ok {
			return unknown
		}
		t.scope.add(&out, items, 0)
	}
	return out
}

// values is what .[] gives of a shape: elements of a list, values of an object.
func (t Shape) values() Shape {
	if t.any || t.kinds&isObject != 0 {
		if t.only && t.kinds == isObject {
			out := Shape{}
			for _, f := range t.fields {
				out = union(out, f)
			}
			return out
		}
		return unknown
	}
	return t.elements()
}

// Names lists the members that are described.
func (t Shape) Names() []string {
	var names []string
	for name := range t.fields {
		names = append(names, name)
	}
	for _, raw := range t.layers {
		properties, _ := rawjson.Get(raw, "properties")
		for name := range rawjson.Members(properties) {
			if !t.only {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// union is a value of either shape.
func union(a, b Shape) Shape {
	if a.any || b.any {
		return unknown
	}
	out := Shape{kinds: a.kinds | b.kinds, layers: append(slices.Clone(a.layers), b.layers...), only: a.only && b.only, scope: a.scope}
	if out.scope == nil {
		out.scope = b.scope
	}
	switch {
	case a.element != nil && b.kinds&isList != 0, b.element != nil && a.kinds&isList != 0:
		e := union(a.elements(), b.elements())
		out.element = &e
	case a.element != nil:
		out.element = a.element
	case b.element != nil:
		out.element = b.element
	}
	for _, side := range []Shape{a, b} {
		for name, f := range side.fields {
			if out.fields == nil {
				out.fields = map[string]Shape{}
			}
			out.fields[name] = f
		}
	}
	for name := range out.fields {
		x, inA := a.Field(name)
		y, inB := b.Field(name)
		if inA && inB {
			out.fields[name] = union(x, y)
		}
	}
	if len(out.layers) > 0 {
		out.only = false
	}
	return out
}

// Follow is the shape at a dotted path; lists on the way stand for their elements. Where it is not
// found, at is the part of the path that leads nowhere and near what there is instead.
func (t Shape) Follow(path string) (out Shape, at string, near []string) {
	for step := range strings.SplitSeq(path, ".") {
		step, isIndex := strings.CutSuffix(step, "[]")
		for t.kinds&isObject == 0 && t.kinds&isList != 0 && !t.any {
			t = t.elements()
		}
		if _, err := strconv.Atoi(step); err == nil && !isIndex {
			continue
		}
		if step == "" {
			continue
		}
		next, ok := t.Field(step)
		if !ok {
			return unknown, step, rawjson.Nearest(t.Names(), step, 2)
		}
		t = next
	}
	return t, "", nil
}

// with is the shape with another member at a dotted path.
func (t Shape) with(path string, member Shape) Shape {
	if path == "" {
		return member
	}
	name, rest, _ := strings.Cut(path, ".")
	inner, _ := t.Field(name)
	out := t
	out.fields = map[string]Shape{}
	for key, f := range t.fields {
		out.fields[key] = f
	}
	out.fields[name] = inner.with(rest, member)
	return out
}

// pick is the shape with nothing but some fields.
func (t Shape) pick(fields []string) Shape {
	if t.any {
		return unknown
	}
	if t.kinds&isObject == 0 && t.kinds&isList != 0 {
		return listOf(t.elements().pick(fields))
	}
	deeper := map[string][]string{}
	for _, path := range fields {
		name, rest, _ := strings.Cut(path, ".")
		if rest != "" {
			deeper[name] = append(deeper[name], rest)
		} else {
			deeper[name] = nil
		}
	}
	out := Shape{kinds: isObject, only: true, fields: map[string]Shape{}}
	for name, rest := range deeper {
		f, ok := t.Field(name)
		if !ok {
			continue
		}
		if len(rest) > 0 {
			f = f.pick(rest)
		}
		out.fields[name] = f
	}
	return out
}
