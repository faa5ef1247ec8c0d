package openapi

import (
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// direction says which way a value goes: fields that are read only do not go in, fields that are
// written only do not come out.
type direction uint8

const (
	inward direction = iota
	outward
)

// schemas turns the schemas of one description into JSON Schema 2020-12. What several operations
// share becomes a definition, written once and only when it is reached.
type schemas struct {
	*library
	root   *document
	legacy bool // 3.0 and 2.0: what stands beside a $ref does not count

	definitions map[definitionKey]*definition
	names       map[string]bool
	queue       []*definition

	home    map[*rawjson.Node]*document // documents of nodes that were merged into another one's
	merges  [2]map[*rawjson.Node]place  // merged schemas: plain, and with their subtypes
	merging map[*rawjson.Node]bool      // schemas whose allOf is being merged
	own     map[*rawjson.Node]bool      // nodes made here, whose siblings of a $ref count
	marks   map[*rawjson.Node]bool      // schemas that differ by direction
	heirs   map[*rawjson.Node][]heir    // schemas by the parent in their allOf; built on first use
	told    map[string]bool             // notes given
	notes   []string
}

type definitionKey struct {
	node *rawjson.Node
	way  direction
}

// definition is a shared schema.
type definition struct {
	name  string
	place place
	way   direction
	text  json.RawMessage
	uses  []*definition
	err   error // it cannot be written, and so cannot what uses it
}

func newSchemas(l *library, root *document, version string) *schemas {
	return &schemas{
		library: l, root: root,
		legacy:      version != "3.1",
		definitions: map[definitionKey]*definition{},
		names:       map[string]bool{},
		home:        map[*rawjson.Node]*document{},
		merges:      [2]map[*rawjson.Node]place{{}, {}},
		merging:     map[*rawjson.Node]bool{},
		own:         map[*rawjson.Node]bool{},
		marks:       map[*rawjson.Node]bool{},
		told:        map[string]bool{},
	}
}

// child is a node below p, in the document that it came from.
func (s *schemas) child(p place, n *rawjson.Node) place {
	if doc, moved := s.home[n]; moved {
		return place{doc, n}
	}
	return place{p.doc, n}
}

func (s *schemas) childAt(p place, key string) place { return s.child(p, p.node.Get(key)) }

// note tells a reader of the description something once.
func (s *schemas) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !s.told[text] {
		s.told[text] = true
		s.notes = append(s.notes, text)
	}
}

// define is the definition of a schema that a reference points at.
func (s *schemas) define(target place, ref string, way direction) *definition {
	if way == inward && !s.differs(target) {
		way = outward
	}
	key := definitionKey{target.node, way}
	if d, known := s.definitions[key]; known {
		return d
	}
	name := nameOf(ref)
	if way == inward {
		name += "_input"
	}
	d := &definition{name: s.free(name), place: target, way: way}
	s.definitions[key] = d
	s.queue = append(s.queue, d)
	return d
}

func (s *schemas) free(name string) string {
	unique := name
	for n := 2; s.names[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	s.names[unique] = true
	return unique
}

// drain writes the definitions that were reached, and those that they reach.
func (s *schemas) drain() {
	for len(s.queue) > 0 {
		d := s.queue[0]
		s.queue = s.queue[1:]
		e := emitter{schemas: s, way: d.way, self: d.place}
		e.schema(d.place)
		d.text, d.uses, d.err = e.buf, e.uses, e.err
	}
}

// written is what was reached, by name.
func (s *schemas) written() map[string]json.RawMessage {
	texts := make(map[string]json.RawMessage, len(s.definitions))
	for _, d := range s.definitions {
		if d.err == nil {
			texts[d.name] = d.text
		}
	}
	return texts
}

// brokenBy is why a definition or one that it reaches cannot be written.
func brokenBy(uses []*definition, seen map[*definition]bool) error {
	for _, d := range uses {
		if seen[d] {
			continue
		}
		seen[d] = true
		if d.err != nil {
			return fmt.Errorf("schema %s: %w", d.name, d.err)
		}
		if err := brokenBy(d.uses, seen); err != nil {
			return err
		}
	}
	return nil
}

// broken reports whether any definition could not be written.
func (s *schemas) broken() bool {
	for _, d := range s.definitions {
		if d.err != nil {
			return true
		}
	}
	return false
}

// differs reports whether a schema, or one that it reaches, is not the same in both directions.
func (s *schemas) differs(target place) bool {
	if differs, known := s.marks[target.node]; known {
		return differs
	}
	reached := map[*rawjson.Node]bool{target.node: true}
	queue := []place{target}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		marked := s.marks[p.node]
		if !marked {
			s.scan(p, func(ref place) {
				if !reached[ref.node] {
					reached[ref.node] = true
					queue = append(queue, ref)
				}
			}, func() { marked = true })
		}
		if marked {
			s.marks[target.node] = true
			return true
		}
	}
	for node := range reached {
		s.marks[node] = false
	}
	return false
}

// scan walks a schema as it stands: the schemas that it refers to, and whether it marks itself.
func (s *schemas) scan(p place, refers func(place), marks func()) {
	n := p.node
	if n.Is(rawjson.KindArray) {
		for item := range n.Elements() {
			s.scan(p.in(item), refers, marks)
		}
		return
	}
	for key, item := range n.Members() {
		switch key {
		case "readOnly", "writeOnly":
			if item.Bool() {
				marks()
			}
		case "x-twodoor":
			marks()
		case "$ref":
			if target, err := s.resolve(p); err == nil {
				refers(target)
			}
		case "example", "examples", "default", "enum", "const":
		case "mapping":
			for _, to := range item.Members() {
				if target, err := s.mapped(p, to.Str()); err == nil {
					refers(target)
				}
			}
		case "properties":
			for name := range item.Members() {
				if !legalKey(name) {
					marks()
				}
			}
			s.scan(p.in(item), refers, marks)
		default:
			s.scan(p.in(item), refers, marks)
		}
	}
}
