package schemas

import (
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

type definitionKey struct {
	node *rawjson.Node
	way  direction
}

// Definition is a shared schema.
type Definition struct {
	name  string
	place document.Place
	way   direction
	text  json.RawMessage
	uses  []*Definition
	err   error // it cannot be written, and so cannot what uses it
}

// define is the definition of a schema that a reference points at.
func (s *Set) define(target document.Place, ref string, way direction) *Definition {
	if way == Inward && !s.differs(target) {
		way = Outward
	}
	key := definitionKey{target.Node, way}
	if d, known := s.definitions[key]; known {
		return d
	}
	name := nameOf(ref)
	if way == Inward {
		name += "_input"
	}
	d := &Definition{name: s.free(name), place: target, way: way}
	s.definitions[key] = d
	s.queue = append(s.queue, d)
	return d
}

func (s *Set) free(name string) string {
	unique := name
	for n := 2; s.names[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	s.names[unique] = true
	return unique
}

// Drain writes the definitions that were reached, and those that they reach.
func (s *Set) Drain() {
	for len(s.queue) > 0 {
		d := s.queue[0]
		s.queue = s.queue[1:]
		e := Emitter{Set: s, Way: d.way, self: d.place}
		e.schema(d.place)
		d.text, d.uses, d.err = e.buf, e.Uses, e.Err
	}
}

// Written is what was reached, by name.
func (s *Set) Written() map[string]json.RawMessage {
	texts := make(map[string]json.RawMessage, len(s.definitions))
	for _, d := range s.definitions {
		if d.err == nil {
			texts[d.name] = d.text
		}
	}
	return texts
}

// BrokenBy is why a definition or one that it reaches cannot be written.
func BrokenBy(uses []*Definition, seen map[*Definition]bool) error {
	for _, d := range uses {
		if seen[d] {
			continue
		}
		seen[d] = true
		if d.err != nil {
			return fmt.Errorf("schema %s: %w", d.name, d.err)
		}
		if err := BrokenBy(d.uses, seen); err != nil {
			return err
		}
	}
	return nil
}

// Broken reports whether any definition could not be written.
func (s *Set) Broken() bool {
	for _, d := range s.definitions {
		if d.err != nil {
			return true
		}
	}
	return false
}
