package schema

import (
	"regexp"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// rare holds the keywords that few schemas have.
type rare struct {
	prefix     []*Schema // of prefixItems
	contains   *Schema
	least      int     // elements that contains asks for
	most       int     // -1 when absent
	names      *Schema // of propertyNames
	patterns   []patterned
	dependents []dependent
	condition  *Schema // if
	then       *Schema
	otherwise  *Schema
	members    *Schema // of unevaluatedProperties
	elements   *Schema // of unevaluatedItems
}

// patterned is one of patternProperties. An expression that Go cannot compile is
// nil: it may mean any name, and refuses nothing.
type patterned struct {
	name   *regexp.Regexp
	schema *Schema
}

// dependent is what an object must have, or be, when it has a member.
type dependent struct {
	name     string
	required []string
	schema   *Schema
}

func (s *Schema) more() *rare {
	if s.rare == nil {
		s.rare = &rare{least: 1, most: -1}
	}
	return s.rare
}

// rareKeyword takes one keyword of the rarer vocabulary in, and passes over
// what only annotates.
func (s *Schema) rareKeyword(key string, value []byte, depth int) (err error) {
	switch key {
	case "prefixItems":
		s.more().prefix, err = s.parts(key, value, depth)
	case "additionalItems": // beside the tuples of old drafts
		if items, _ := rawjson.Get(s.raw, "items"); rawjson.KindOf(items) == rawjson.KindArray {
			s.items, err = s.part(value, "/"+key, depth)
		}
	case "contains":
		s.more().contains, err = s.part(value, "/"+key, depth)
	case "minContains":
		setSmall(&s.more().least, value)
	case "maxContains":
		setSmall(&s.more().most, value)
	case "propertyNames":
		s.more().names, err = s.part(value, "/"+key, depth)
	case "patternProperties":
		err = s.setPatterns(value, depth)
	case "dependentRequired", "dependentSchemas", "dependencies":
		err = s.setDependents(key, value, depth)
	case "if":
		s.more().condition, err = s.part(value, "/"+key, depth)
	case "then":
		s.more().then, err = s.part(value, "/"+key, depth)
	case "else":
		s.more().otherwise, err = s.part(value, "/"+key, depth)
	case "unevaluatedProperties":
		s.more().members, err = s.part(value, "/"+key, depth)
	case "unevaluatedItems":
		s.more().elements, err = s.part(value, "/"+key, depth)
	case "$dynamicRef":
		if ref, _ := rawjson.String(value); strings.HasPrefix(ref, "#") {
			s.refer(ref[1:])
		}
	case "$recursiveRef":
		if anchor := s.recursiveAnchor(); anchor != nil {
			s.refer(anchor.pointer())
		}
	}
	return err
}

func setSmall(into *int, value []byte) {
	if rawjson.KindOf(value) != rawjson.KindNumber || !rawjson.IsInteger(value) {
		return
	}
	if count, ok := smallInt(value); ok {
		*into = count
	}
}

func (s *Schema) setPatterns(value []byte, depth int) error {
	if rawjson.KindOf(value) != rawjson.KindObject {
		return s.fault("patternProperties is an object, not %.40s", value)
	}
	for expression, raw := range rawjson.Members(value) {
		part, err := s.part(raw, "/patternProperties/"+refs.Escape(expression), depth)
		if err != nil {
			return err
		}
		compiled, _ := regexp.Compile(expression)
		s.more().patterns = append(s.more().patterns, patterned{compiled, part})
	}
	return nil
}

// setDependents reads the two keywords of 2019-09, and the one before that they
// came from.
func (s *Schema) setDependents(key string, value []byte, depth int) error {
	if rawjson.KindOf(value) != rawjson.KindObject {
		return s.fault("%s is an object, not %.40s", key, value)
	}
	for name, raw := range rawjson.Members(value) {
		d := dependent{name: name}
		if rawjson.KindOf(raw) == rawjson.KindArray && key != "dependentSchemas" {
			for v := range rawjson.Elements(raw) {
				text, _ := rawjson.String(v)
				d.required = append(d.required, text)
			}
		} else if key != "dependentRequired" {
			part, err := s.part(raw, "/"+key+"/"+refs.Escape(name), depth)
			if err != nil {
				return err
			}
			d.schema = part
		}
		s.more().dependents = append(s.more().dependents, d)
	}
	return nil
}

// refer reads a dynamic reference as a plain one beside the others: there is one
// document, in which an anchor has one meaning. One that leads nowhere refuses
// nothing.
func (s *Schema) refer(pointer string) {
	s.all = append(s.all, &Schema{raw: s.raw, doc: s.doc, up: s.up, step: s.step, bounds: noBounds, ref: pointer, hasRef: true})
}

// recursiveAnchor is the schema that $recursiveRef of 2019-09 means: the nearest
// around it that is marked, or nil.
func (s *Schema) recursiveAnchor() *Schema {
	for around := s; around != nil; around = around.up {
		if mark, _ := rawjson.Get(around.raw, "$recursiveAnchor"); string(mark) == "true" {
			return around
		}
	}
	return nil
}

// element is the schema of the i-th element, or nil.
func (s *Schema) element(i int) *Schema {
	if s.rare != nil && i < len(s.rare.prefix) {
		return s.rare.prefix[i]
	}
	return s.items
}
