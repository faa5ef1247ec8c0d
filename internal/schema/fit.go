package schema

import (
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Fit mends what models and clients get wrong about types, led by the schema:
// a string that holds an object or array where one of those is wanted is opened,
// a string of digits becomes the number, "true" and "false" the boolean. A
// string stays where a string may stand. Numbers keep their digits. When nothing
// changes, value itself is returned and nothing is allocated.
func (s *Schema) Fit(value []byte) []byte { return s.fit(value, 0) }

// maxFitDepth bounds references and branches followed for one value.
const maxFitDepth = 20

func (s *Schema) fit(value []byte, hops int) []byte {
	if hops > maxFitDepth || s.never {
		return value
	}
	kind := rawjson.KindOf(value)
	if kind == rawjson.KindString {
		value = s.open(value)
		kind = rawjson.KindOf(value)
	}
	if kind != rawjson.KindObject && kind != rawjson.KindArray {
		return value
	}
	if s.hasRef {
		value = s.resolve().fit(value, hops+1)
	}
	for _, part := range s.all {
		value = part.fit(value, hops+1)
	}
	value = s.fitBranch(s.any, value, hops)
	value = s.fitBranch(s.one, value, hops)
	if s.rare != nil && s.rare.condition != nil {
		value = s.rare.fitConsequence(value, hops)
	}
	return s.fitParts(value)
}

func (r *rare) fitConsequence(value []byte, hops int) []byte {
	c := checker{stopEarly: true}
	if next := c.consequence(r, value); next != nil {
		return next.fit(value, hops+1)
	}
	return value
}

// fitBranch takes the first branch that the value fits once it is mended.
func (s *Schema) fitBranch(branches []*Schema, value []byte, hops int) []byte {
	for _, branch := range branches {
		if branch.Accepts(value) {
			return value
		}
	}
	for _, branch := range branches {
		if mended := branch.fit(value, hops+1); branch.Accepts(mended) {
			return mended
		}
	}
	return value
}

func (s *Schema) fitParts(value []byte) []byte {
	if rawjson.KindOf(value) == rawjson.KindArray {
		if s.items == nil && s.rare == nil {
			return value
		}
		return rawjson.Rewrite(value, func(_ []byte, i int, v []byte) []byte {
			if part := s.element(i); part != nil {
				return part.Fit(v)
			}
			return v
		})
	}
	if len(s.properties) == 0 && s.additional == nil && s.rare == nil {
		return value
	}
	return rawjson.Rewrite(value, func(key []byte, _ int, v []byte) []byte {
		if at := s.property(key); at >= 0 {
			return s.properties[at].schema.Fit(v)
		}
		if s.rare != nil && s.rare.matches(key) {
			return s.rare.fitMember(key, v)
		}
		if s.additional != nil {
			return s.additional.Fit(v)
		}
		return v
	})
}

func (r *rare) fitMember(key, value []byte) []byte {
	name, _ := rawjson.String(key)
	for _, p := range r.patterns {
		if p.name != nil && p.name.MatchString(name) {
			value = p.schema.Fit(value)
		}
	}
	return value
}

// open returns the value that a string holds, if the schema wants such a value
// and no string.
func (s *Schema) open(value []byte) []byte {
	wanted := s.kinds(0)
	if wanted == 0 || wanted&kindString != 0 {
		return value
	}
	text, ok := rawjson.String(value)
	if !ok {
		return value
	}
	inner := rawjson.Trim([]byte(text))
	if rawjson.Check(inner) != nil {
		return value
	}
	switch kind := kindOf(inner); kind {
	case kindObject, kindArray, kindBoolean, kindInteger, kindNumber:
		if wanted.has(kind) {
			return rawjson.Compact(nil, inner)
		}
	}
	return value
}

// Default fills in the default of each absent property that is marked
// "x-fill": true, at the top and in objects that are there. Other defaults
// document what the far side does and are left to it.
func (s *Schema) Default(value []byte) []byte { return s.fill(value, 0) }

func (s *Schema) fill(value []byte, hops int) []byte {
	if hops > maxFitDepth || rawjson.KindOf(value) != rawjson.KindObject {
		return value
	}
	if s.hasRef {
		value = s.resolve().fill(value, hops+1)
	}
	for _, part := range s.all {
		value = part.fill(value, hops+1)
	}
	if len(s.properties) == 0 {
		return value
	}
	value = rawjson.Rewrite(value, func(key []byte, _ int, v []byte) []byte {
		if at := s.property(key); at >= 0 {
			return s.properties[at].schema.Default(v)
		}
		return v
	})
	for i := range s.properties {
		p := &s.properties[i]
		filler := p.schema.filler()
		if filler == nil {
			continue
		}
		if _, there := rawjson.Get(value, p.name); !there {
			value = rawjson.Set(value, p.name, filler)
		}
	}
	return value
}

// filler is the default that is to be sent, or nil.
func (s *Schema) filler() []byte {
	mark, _ := rawjson.Get(s.raw, "x-fill")
	if string(mark) != "true" {
		return nil
	}
	value, _ := rawjson.Get(s.raw, "default")
	return value
}
