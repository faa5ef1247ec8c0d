package cli

import (
	"encoding/json"

	"github.com/twodoor/twodoor/internal/rawjson"
)

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
	layers   []layer
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
	for _, l := range t.layers {
		if t.kinds == 0 {
			t.kinds = declared(l)
		}
		if t.format == "" {
			t.format = l.text("format")
		}
		if t.encoding == "" {
			t.encoding = l.text("contentEncoding")
		}
		if t.values == nil {
			t.values = listed(l)
		}
		if items, ok := l.get("items"); ok && t.items == nil {
			t.items = s.read(items, depth+1)
		}
		for _, word := range [...]string{"anyOf", "oneOf"} {
			if branches, ok := l.get(word); ok {
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
func declared(l layer) kinds {
	raw, ok := l.get("type")
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
func listed(l layer) []json.RawMessage {
	if value, ok := l.get("const"); ok {
		return []json.RawMessage{value}
	}
	var values []json.RawMessage
	if enum, ok := l.get("enum"); ok {
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
	for _, l := range t.layers {
		if raw, ok := l.get(keyword); ok {
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
