package typed

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Layer is a schema taken apart into its keywords once: schemas are big, and asked often.
type Layer []keyword

type keyword struct{ name, value json.RawMessage } // the name in its quotes

func layerOf(raw json.RawMessage) Layer {
	var l Layer
	for name, value := range rawjson.RawMembers(raw) {
		l = append(l, keyword{name, value})
	}
	return l
}

// Get is the value of a keyword.
func (l Layer) Get(name string) (json.RawMessage, bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if rawjson.KeyIs(l[i].name, name) {
			return l[i].value, true
		}
	}
	return nil, false
}

// Text is a keyword that is a string; empty where there is none.
func (l Layer) Text(name string) string {
	value, _ := l.Get(name)
	text, _ := rawjson.String(value)
	return text
}

// Scope is where the references of a schema lead.
type Scope struct {
	Root json.RawMessage    // the whole schema
	Op   *twodoor.Operation // whose shared schemas they are; nil: there are none
}

// Bounds of reading a schema: descriptions are allowed to be circular.
const (
	maxLayers = 32
	maxNested = 6
)

// Layers lists a schema and all that holds of the same value with it, outermost first: what it
// refers to, and the members of its allOf.
func (s Scope) Layers(raw json.RawMessage) []Layer {
	var all []Layer
	var add func(raw json.RawMessage)
	add = func(raw json.RawMessage) {
		if len(all) == maxLayers || rawjson.KindOf(raw) != rawjson.KindObject {
			return
		}
		l := layerOf(raw)
		all = append(all, l)
		if ref := l.Text("$ref"); ref != "" {
			add(s.resolve(ref))
		}
		if parts, ok := l.Get("allOf"); ok {
			for part := range rawjson.Elements(parts) {
				add(part)
			}
		}
	}
	add(raw)
	return all
}

// resolve is what a reference inside the schema points at, or nil.
func (s Scope) resolve(ref string) json.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		if ref == "#" {
			return s.Root
		}
		return nil
	}
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	if raw, ok := rawjson.GetPath(s.Root, steps...); ok {
		return raw
	}
	if steps[0] != "$defs" || len(steps) < 2 || s.Op == nil {
		return nil
	}
	raw := s.Op.Definition(steps[1])
	if len(steps) > 2 {
		raw, _ = rawjson.GetPath(raw, steps[2:]...)
	}
	return raw
}

// Property is a member that an object schema describes.
type Property struct {
	Name     string
	Raw      json.RawMessage
	Required bool
}

// Properties lists the members of an object in the order of its schema, the outermost layer first.
func Properties(layers []Layer) []Property {
	need := map[string]bool{}
	for _, l := range layers {
		if list, ok := l.Get("required"); ok {
			for name := range rawjson.Elements(list) {
				need[Plain(name)] = true
			}
		}
	}
	var all []Property
	seen := map[string]bool{}
	for _, l := range layers {
		members, _ := l.Get("properties")
		for name, raw := range rawjson.Members(members) {
			if !seen[name] {
				seen[name] = true
				all = append(all, Property{name, raw, need[name]})
			}
		}
	}
	return all
}

// PropertyOf is the schema of one member of an object.
func PropertyOf(layers []Layer, name string) (json.RawMessage, bool) {
	for _, l := range layers {
		if members, ok := l.Get("properties"); ok {
			if raw, ok := rawjson.Get(members, name); ok {
				return raw, true
			}
		}
	}
	return nil, false
}

// ElementOf is the schema of an array's elements, where a step is an index, or of the members of an
// object that it does not name.
func ElementOf(layers []Layer, step string) (json.RawMessage, bool) {
	word := "additionalProperties"
	if _, err := strconv.Atoi(step); err == nil {
		word = "items"
	}
	for _, l := range layers {
		if raw, ok := l.Get(word); ok && rawjson.KindOf(raw) == rawjson.KindObject {
			return raw, true
		}
	}
	return nil, false
}

// Plain is a scalar as one types it: a string without its quotes.
func Plain(raw json.RawMessage) string {
	if s, ok := rawjson.String(raw); ok {
		return s
	}
	return string(raw)
}
