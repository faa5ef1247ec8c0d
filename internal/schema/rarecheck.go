package schema

import (
	"slices"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// checkMember holds a member against propertyNames and patternProperties, and
// tells whether a pattern knows it.
func (c *checker) checkMember(s *Schema, key, value []byte) (known bool) {
	if s.rare.names != nil {
		c.checkName(s, key)
	}
	if len(s.rare.patterns) == 0 {
		return false
	}
	name, _ := rawjson.String(key)
	for _, p := range s.rare.patterns {
		switch {
		case p.name == nil:
			known = true
		case p.name.MatchString(name):
			known = true
			c.into(p.schema, step{key: key}, value)
		}
	}
	return known
}

func (c *checker) checkName(s *Schema, key []byte) {
	before := len(c.problems)
	c.into(s.rare.names, step{key: key}, key)
	for i := before; i < len(c.problems); i++ {
		c.problems[i].Message = "as a name: " + c.problems[i].Message
	}
}

// checkContains counts the elements that fit.
func (c *checker) checkContains(s *Schema, value []byte) {
	count := 0
	for v := range rawjson.Elements(value) {
		if c.holds(s.rare.contains, v) {
			count++
		}
	}
	if count < s.rare.least {
		c.add(s, "wants at least "+strconv.Itoa(s.rare.least)+" with "+s.rare.contains.describe()+" in it, has "+strconv.Itoa(count))
	}
	if s.rare.most >= 0 && count > s.rare.most {
		c.add(s, "wants at most "+strconv.Itoa(s.rare.most)+" with "+s.rare.contains.describe()+" in it, has "+strconv.Itoa(count))
	}
}

// holds tells whether a part of the value fits.
func (c *checker) holds(s *Schema, part []byte) bool {
	floor := c.floor
	c.floor = len(c.active)
	fits := c.passes(s, part)
	c.floor = floor
	return fits
}

// checkRare checks what depends on the rest of the value or of the schema.
// before is the count of problems when the schema began.
func (c *checker) checkRare(s *Schema, kind kinds, value []byte, before int) {
	if next := c.consequence(s.rare, value); next != nil {
		c.hop(next, value)
	}
	if kind == kindObject {
		c.checkDependents(s, value)
	}
	if c.count > before {
		return // what did not fit has evaluated nothing
	}
	switch {
	case kind == kindObject && s.rare.members != nil:
		c.checkLeft(s, s.rare.members, value)
	case kind == kindArray && s.rare.elements != nil:
		c.checkLeft(s, s.rare.elements, value)
	}
}

// consequence is the schema that if leads to, or nil.
func (c *checker) consequence(r *rare, value []byte) *Schema {
	switch {
	case r.condition == nil || r.then == nil && r.otherwise == nil || c.done():
		return nil
	case c.passes(r.condition, value):
		return r.then
	}
	return r.otherwise
}

func (c *checker) checkDependents(s *Schema, value []byte) {
	for _, d := range s.rare.dependents {
		if _, there := rawjson.Get(value, d.name); !there || c.done() {
			continue
		}
		if d.schema != nil {
			c.hop(d.schema, value)
		}
		for _, name := range d.required {
			if _, found := rawjson.Get(value, name); !found {
				c.addBelow(s, step{key: rawjson.Quote(name)}, "is required with "+d.name)
			}
		}
	}
}

// leftover is a member or element, and whether a keyword has evaluated it
// (JSON Schema 2020-12, section 11).
type leftover struct {
	at        step
	value     []byte
	evaluated bool
}

// checkLeft holds against a schema what no other keyword has evaluated.
func (c *checker) checkLeft(s, left *Schema, value []byte) {
	list := leftovers(value)
	c.evaluate(s, value, list, nil)
	for _, l := range list {
		switch {
		case l.evaluated || c.done():
		case left.never && l.at.key != nil:
			name, _ := rawjson.String(l.at.key)
			c.addBelow(s, l.at, "is not known here; "+nearestName(s.knownNames(), name))
		default:
			c.into(left, l.at, l.value)
		}
	}
}

func leftovers(value []byte) []leftover {
	var list []leftover
	for key, v := range rawjson.RawMembers(value) {
		list = append(list, leftover{at: step{key: key}, value: v})
	}
	for v := range rawjson.Elements(value) {
		list = append(list, leftover{at: step{index: len(list)}, value: v})
	}
	return list
}

// evaluate marks what a schema that the value fits has evaluated. trail are the
// schemas that it is part of.
func (c *checker) evaluate(s *Schema, value []byte, list []leftover, trail []*Schema) {
	if c.work++; c.work > maxWork || slices.Contains(trail, s) {
		return
	}
	for i := range list {
		l := &list[i]
		l.evaluated = l.evaluated || c.evaluates(s, l) || len(trail) > 0 && s.evaluatesRest(l)
	}
	trail = append(trail, s)
	if s.hasRef {
		c.evaluate(s.resolve(), value, list, trail)
	}
	for _, part := range s.all {
		c.evaluate(part, value, list, trail)
	}
	for _, branch := range slices.Concat(s.any, s.one) {
		if c.passes(branch, value) {
			c.evaluate(branch, value, list, trail)
		}
	}
	if s.rare != nil {
		c.evaluateRare(s.rare, value, list, trail)
	}
}

func (c *checker) evaluateRare(r *rare, value []byte, list []leftover, trail []*Schema) {
	if r.condition != nil {
		next := r.otherwise
		if c.passes(r.condition, value) {
			c.evaluate(r.condition, value, list, trail)
			next = r.then
		}
		if next != nil {
			c.evaluate(next, value, list, trail)
		}
	}
	for _, d := range r.dependents {
		if _, there := rawjson.Get(value, d.name); there && d.schema != nil {
			c.evaluate(d.schema, value, list, trail)
		}
	}
}

// evaluates tells whether a keyword of the schema itself speaks of a part.
func (c *checker) evaluates(s *Schema, l *leftover) bool {
	if l.at.key == nil {
		return s.element(l.at.index) != nil || s.rare != nil && s.rare.contains != nil && c.holds(s.rare.contains, l.value)
	}
	if s.additional != nil || s.property(l.at.key) >= 0 {
		return true
	}
	return s.rare != nil && s.rare.matches(l.at.key)
}

// evaluatesRest tells whether a schema inside takes all that is left to it.
func (s *Schema) evaluatesRest(l *leftover) bool {
	if s.rare == nil {
		return false
	}
	if l.at.key == nil {
		return s.rare.elements != nil
	}
	return s.rare.members != nil
}

func (r *rare) matches(key []byte) bool {
	name, _ := rawjson.String(key)
	return slices.ContainsFunc(r.patterns, func(p patterned) bool { return p.name == nil || p.name.MatchString(name) })
}

// knownNames lists the properties of a schema and of all that holds beside it.
func (s *Schema) knownNames() []string {
	var f fields
	f.gather(s, 0)
	for _, branch := range slices.Concat(s.any, s.one) {
		f.gather(branch, 0)
	}
	names := make([]string, len(f.list))
	for i, field := range f.list {
		names[i] = field.name
	}
	return names
}
