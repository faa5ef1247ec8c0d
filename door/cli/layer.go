package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// layer is a schema taken apart into its keywords once: schemas are big, and asked often.
type layer []keyword

type keyword struct{ name, value json.RawMessage } // the name in its quotes

func layerOf(raw json.RawMessage) layer {
	var l layer
	for name, value := range rawjson.RawMembers(raw) {
		l = append(l, keyword{name, value})
	}
	return l
}

func (l layer) get(name string) (json.RawMessage, bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if rawjson.KeyIs(l[i].name, name) {
			return l[i].value, true
		}
	}
	return nil, false
}

func (l layer) text(name string) string {
	value, _ := l.get(name)
	text, _ := rawjson.String(value)
	return text
}

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
func (s scope) layers(raw json.RawMessage) []layer {
	var all []layer
	var add func(raw json.RawMessage)
	add = func(raw json.RawMessage) {
		if len(all) == maxLayers || rawjson.KindOf(raw) != rawjson.KindObject {
			return
		}
		l := layerOf(raw)
		all = append(all, l)
		if ref := l.text("$ref"); ref != "" {
			add(s.resolve(ref))
		}
		if parts, ok := l.get("allOf"); ok {
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
	if steps[0] != "$defs" || len(steps) < 2 || s.op == nil {
		return nil
	}
	raw := s.op.Definition(steps[1])
	if len(steps) > 2 {
		raw, _ = rawjson.GetPath(raw, steps[2:]...)
	}
	return raw
}

// property is a member that an object schema describes.
type property struct {
	name     string
	raw      json.RawMessage
	required bool
}

// propertiesOf lists the members of an object in the order of its schema, the outermost layer first.
func propertiesOf(layers []layer) []property {
	need := map[string]bool{}
	for _, l := range layers {
		if list, ok := l.get("required"); ok {
			for name := range rawjson.Elements(list) {
				need[plain(name)] = true
			}
		}
	}
	var all []property
	seen := map[string]bool{}
	for _, l := range layers {
		members, _ := l.get("properties")
		for name, raw := range rawjson.Members(members) {
			if !seen[name] {
				seen[name] = true
				all = append(all, property{name, raw, need[name]})
			}
		}
	}
	return all
}

// propertyOf is the schema of one member of an object.
func propertyOf(layers []layer, name string) (json.RawMessage, bool) {
	for _, l := range layers {
		if members, ok := l.get("properties"); ok {
			if raw, ok := rawjson.Get(members, name); ok {
				return raw, true
			}
		}
	}
	return nil, false
}

// elementOf is the schema of an array's elements, where a step is an index, or of the members of an
// object that it does not name.
func elementOf(layers []layer, step string) (json.RawMessage, bool) {
	word := "additionalProperties"
	if _, err := strconv.Atoi(step); err == nil {
		word = "items"
	}
	for _, l := range layers {
		if raw, ok := l.get(word); ok && rawjson.KindOf(raw) == rawjson.KindObject {
			return raw, true
		}
	}
	return nil, false
}

// plain is a scalar as one types it: a string without its quotes.
func plain(raw json.RawMessage) string {
	if s, ok := rawjson.String(raw); ok {
		return s
	}
	return string(raw)
}
