package cli

import (
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// scope is where the references of a schema lead.
type scope struct {
	root json.RawMessage // the whole schema
	op   *twodoor.Operation
}

// Bounds of reading a schema: descriptions are allowed to be circular.
const (
	maxLayers = 32
	maxNested = 6
)

// layers lists a schema and all that holds of the same value with it, outermost first: what it
// refers to, and the members of its allOf.
func (s scope) layers(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	var add func(raw json.RawMessage)
	add = func(raw json.RawMessage) {
		if len(all) == maxLayers || rawjson.KindOf(raw) != rawjson.KindObject {
			return
		}
		all = append(all, raw)
		if ref, ok := text(raw, "$ref"); ok {
			add(s.resolve(ref))
		}
		if parts, ok := rawjson.Get(raw, "allOf"); ok {
			for part := range rawjson.Elements(parts) {
				add(part)
			}
		}
	}
	add(raw)
	return all
}

// resolve is what a reference inside the schema points at, or nil.
func (s scope) resolve(ref string) json.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		if ref == "#" {
			return s.root
		}
		return nil
	}
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	if raw, ok := rawjson.GetPath(s.root, steps...); ok {
		return raw
	}
	if steps[0] != "$defs" || len(steps) < 2 {
		return nil
	}
	raw := s.op.Definition(steps[1])
	if len(steps) > 2 {
		raw, _ = rawjson.GetPath(raw, steps[2:]...)
	}
	return raw
}

// kinds is a set of JSON types.
type kinds uint8

const (
	isText kinds = 1 << iota
	isInteger
	isNumber
	isBool
	isNull
	isArray
	isObject
)

func kindNamed(name string) kinds {
	switch name {
	case "string":
		return isText
	case "integer":
		return isInteger
	case "number":
		return isNumber
	case "boolean":
		return isBool
	case "null":
		return isNull
	case "array":
		return isArray
	case "object":
		return isObject
	}
	return 0
}

// valueType is what a schema says of the values that a command line can write.
type valueType struct {
	kinds    kinds             // none: anything
	values   []json.RawMessage // the enum; nil: none
	free     kinds             // those of kinds that are not bound to the enum
	format   string
	encoding string // contentEncoding
	items    *valueType
	layers   []json.RawMessage
}

func (t *valueType) is(k kinds) bool { return t.kinds&k != 0 }

func (t *valueType) isFree(k kinds) bool { return t.free&k != 0 }

// flat reports whether one flag can hold a value: a scalar, or a list of scalars.
func (t *valueType) flat() bool {
	switch {
	case t.kinds == 0 || t.is(isText|isInteger|isNumber|isBool):
		return true
	case t.is(isArray):
		return t.items == nil || t.items.kinds == 0 || t.items.is(isText|isInteger|isNumber|isBool)
	}
	return !t.is(isObject)
}

// isSwitch reports whether a flag alone says true.
func (t *valueType) isSwitch() bool { return t.kinds&^isNull == isBool && t.values == nil }

// binary reports whether the value is content in base64.
func (t *valueType) binary() bool { return t.is(isText) && t.encoding == "base64" }

func (s scope) typeOf(raw json.RawMessage) *valueType { return s.read(raw, 0) }

func (s scope) read(raw json.RawMessage, depth int) *valueType {
	t := &valueType{layers: s.layers(raw)}
	if depth > maxNested {
		return t
	}
	for _, layer := range t.layers {
		if t.kinds == 0 {
			t.kinds = declared(layer)
		}
		if t.format == "" {
			t.format, _ = text(layer, "format")
		}
		if t.encoding == "" {
			t.encoding, _ = text(layer, "contentEncoding")
		}
		if t.values == nil {
			t.values = listed(layer)
		}
		if items, ok := rawjson.Get(layer, "items"); ok && t.items == nil {
			t.items = s.read(items, depth+1)
		}
		for _, word := range [...]string{"anyOf", "oneOf"} {
			if branches, ok := rawjson.Get(layer, word); ok {
				s.unite(t, branches, depth)
			}
		}
	}
	if t.kinds == 0 {
		t.kinds = t.implied()
	}
	if t.values == nil {
		t.free = t.kinds
	}
	return t
}

// unite adds to a type what the branches of a union allow.
func (s scope) unite(t *valueType, branches json.RawMessage, depth int) {
	var all valueType
	for branch := range rawjson.Elements(branches) {
		b := s.read(branch, depth+1)
		all.kinds |= b.kinds
		all.values = append(all.values, b.values...)
		all.free |= b.free
		if all.format == "" {
			all.format = b.format
		}
		if all.encoding == "" {
			all.encoding = b.encoding
		}
		if all.items == nil {
			all.items = b.items
		}
	}
	if t.kinds == 0 {
		t.kinds = all.kinds
	}
	if t.values == nil {
		t.values, t.free = all.values, all.free
	}
	if t.format == "" {
		t.format = all.format
	}
	if t.encoding == "" {
		t.encoding = all.encoding
	}
	if t.items == nil {
		t.items = all.items
	}
}

// declared are the types that a schema names.
func declared(layer json.RawMessage) kinds {
	raw, ok := rawjson.Get(layer, "type")
	if !ok {
		return 0
	}
	if name, ok := rawjson.String(raw); ok {
		return kindNamed(name)
	}
	var all kinds
	for element := range rawjson.Elements(raw) {
		name, _ := rawjson.String(element)
		all |= kindNamed(name)
	}
	return all
}

// listed are the values of an enum or a const.
func listed(layer json.RawMessage) []json.RawMessage {
	if value, ok := rawjson.Get(layer, "const"); ok {
		return []json.RawMessage{value}
	}
	var values []json.RawMessage
	if enum, ok := rawjson.Get(layer, "enum"); ok {
		for value := range rawjson.Elements(enum) {
			values = append(values, value)
		}
	}
	return values
}

// implied are the types of a schema that names none, by what else it says.
func (t *valueType) implied() kinds {
	var all kinds
	for _, value := range t.values {
		all |= kindNamed(rawjson.KindOf(value).String())
	}
	switch {
	case all != 0:
		return all
	case t.has("properties") || t.has("additionalProperties"):
		return isObject
	case t.items != nil:
		return isArray
	case t.format != "" || t.encoding != "" || t.has("pattern") || t.has("maxLength"):
		return isText
	}
	return 0
}

func (t *valueType) has(keyword string) bool {
	_, ok := t.get(keyword)
	return ok
}

// get is what the outermost layer that has the keyword says.
func (t *valueType) get(keyword string) (json.RawMessage, bool) {
	for _, layer := range t.layers {
		if raw, ok := rawjson.Get(layer, keyword); ok {
			return raw, true
		}
	}
	return nil, false
}

func (t *valueType) text(keyword string) string {
	raw, _ := t.get(keyword)
	s, _ := rawjson.String(raw)
	return s
}

// valueTexts are the values of the enum as one types them.
func (t *valueType) valueTexts() []string {
	texts := make([]string, 0, len(t.values))
	for _, value := range t.values {
		texts = append(texts, plain(value))
	}
	return texts
}

// property is the schema of a member of an object, in whichever layer it stands.
func (s scope) property(layers []json.RawMessage, name string) (json.RawMessage, bool) {
	for _, layer := range layers {
		if raw, ok := rawjson.GetPath(layer, "properties", name); ok {
			return raw, true
		}
	}
	return nil, false
}

// text is a string member of a schema.
func text(raw json.RawMessage, key string) (string, bool) {
	value, ok := rawjson.Get(raw, key)
	if !ok {
		return "", false
	}
	return rawjson.String(value)
}

// plain is a scalar as one types it: a string without its quotes.
func plain(raw json.RawMessage) string {
	if s, ok := rawjson.String(raw); ok {
		return s
	}
	return string(raw)
}
