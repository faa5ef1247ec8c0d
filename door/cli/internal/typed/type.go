package typed

import (
	"encoding/json"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Kinds is a set of JSON types.
type Kinds uint8

// The JSON types.
const (
	Text Kinds = 1 << iota
	Integer
	Number
	Bool
	Null
	Array
	Object
)

func kindNamed(name string) Kinds {
	switch name {
	case "string":
		return Text
	case "integer":
		return Integer
	case "number":
		return Number
	case "boolean":
		return Bool
	case "null":
		return Null
	case "array":
		return Array
	case "object":
		return Object
	}
	return 0
}

// Type is what a schema says of the values that a command line can write.
type Type struct {
	Kinds    Kinds             // none: anything
	Values   []json.RawMessage // the enum; nil: none
	Free     Kinds             // those of Kinds that are not bound to the enum
	Format   string
	Encoding string // contentEncoding
	Items    *Type  // of an array
	Layers   []Layer
}

// Is reports whether values may be of one of these JSON types.
func (t *Type) Is(k Kinds) bool { return t.Kinds&k != 0 }

// IsFree reports whether values of one of these types may be others than the enum has.
func (t *Type) IsFree(k Kinds) bool { return t.Free&k != 0 }

// Flat reports whether one flag can hold a value: a scalar, or a list of scalars.
func (t *Type) Flat() bool {
	switch {
	case t.Kinds == 0 || t.Is(Text|Integer|Number|Bool):
		return true
	case t.Is(Array):
		return t.Items == nil || t.Items.Kinds == 0 || t.Items.Is(Text|Integer|Number|Bool)
	}
	return !t.Is(Object)
}

// IsSwitch reports whether a flag alone says true.
func (t *Type) IsSwitch() bool { return t.Kinds&^Null == Bool && t.Values == nil }

// Binary reports whether the value is content in base64.
func (t *Type) Binary() bool { return t.Is(Text) && t.Encoding == "base64" }

// TypeOf reads what a schema says of its values.
func (s Scope) TypeOf(raw json.RawMessage) *Type { return s.read(raw, 0) }

func (s Scope) read(raw json.RawMessage, depth int) *Type {
	t := &Type{Layers: s.Layers(raw)}
	if depth > maxNested {
		return t
	}
	for _, l := range t.Layers {
		if t.Kinds == 0 {
			t.Kinds = declared(l)
		}
		if t.Format == "" {
			t.Format = l.Text("format")
		}
		if t.Encoding == "" {
			t.Encoding = l.Text("contentEncoding")
		}
		if t.Values == nil {
			t.Values = listed(l)
		}
		if items, ok := l.Get("items"); ok && t.Items == nil {
			t.Items = s.read(items, depth+1)
		}
		for _, word := range [...]string{"anyOf", "oneOf"} {
			if branches, ok := l.Get(word); ok {
				s.unite(t, branches, depth)
			}
		}
	}
	if t.Kinds == 0 {
		t.Kinds = t.implied()
	}
	if t.Values == nil {
		t.Free = t.Kinds
	}
	return t
}

// unite adds to a type what the branches of a union allow.
func (s Scope) unite(t *Type, branches json.RawMessage, depth int) {
	var all Type
	for branch := range rawjson.Elements(branches) {
		b := s.read(branch, depth+1)
		all.Kinds |= b.Kinds
		all.Values = append(all.Values, b.Values...)
		all.Free |= b.Free
		if all.Format == "" {
			all.Format = b.Format
		}
		if all.Encoding == "" {
			all.Encoding = b.Encoding
		}
		if all.Items == nil {
			all.Items = b.Items
		}
	}
	if t.Kinds == 0 {
		t.Kinds = all.Kinds
	}
	if t.Values == nil {
		t.Values, t.Free = all.Values, all.Free
	}
	if t.Format == "" {
		t.Format = all.Format
	}
	if t.Encoding == "" {
		t.Encoding = all.Encoding
	}
	if t.Items == nil {
		t.Items = all.Items
	}
}

// declared are the types that a schema names.
func declared(l Layer) Kinds {
	raw, ok := l.Get("type")
	if !ok {
		return 0
	}
	if name, ok := rawjson.String(raw); ok {
		return kindNamed(name)
	}
	var all Kinds
	for element := range rawjson.Elements(raw) {
		name, _ := rawjson.String(element)
		all |= kindNamed(name)
	}
	return all
}

// listed are the values of an enum or a const.
func listed(l Layer) []json.RawMessage {
	if value, ok := l.Get("const"); ok {
		return []json.RawMessage{value}
	}
	var values []json.RawMessage
	if enum, ok := l.Get("enum"); ok {
		for value := range rawjson.Elements(enum) {
			values = append(values, value)
		}
	}
	return values
}

// implied are the types of a schema that names none, by what else it says.
func (t *Type) implied() Kinds {
	var all Kinds
	for _, value := range t.Values {
		all |= kindNamed(rawjson.KindOf(value).String())
	}
	switch {
	case all != 0:
		return all
	case t.Has("properties") || t.Has("additionalProperties"):
		return Object
	case t.Items != nil:
		return Array
	case t.Format != "" || t.Encoding != "" || t.Has("pattern") || t.Has("maxLength"):
		return Text
	}
	return 0
}

// Has reports whether the schema has a keyword.
func (t *Type) Has(keyword string) bool {
	_, ok := t.Get(keyword)
	return ok
}

// Get is what the outermost layer that has the keyword says.
func (t *Type) Get(keyword string) (json.RawMessage, bool) {
	for _, l := range t.Layers {
		if raw, ok := l.Get(keyword); ok {
			return raw, true
		}
	}
	return nil, false
}

// Text is a keyword that is a string; empty where there is none.
func (t *Type) Text(keyword string) string {
	raw, _ := t.Get(keyword)
	s, _ := rawjson.String(raw)
	return s
}

// ValueTexts are the values of the enum as one types them.
func (t *Type) ValueTexts() []string {
	texts := make([]string, 0, len(t.Values))
	for _, value := range t.Values {
		texts = append(texts, Plain(value))
	}
	return texts
}
