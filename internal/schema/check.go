package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Problem is one thing in a value that does not fit its schema.
type Problem struct {
	// Path leads to the value: "filter.items[2].id"; "" is the root.
	Path string
	// Message says what is wanted there.
	Message string
	// Part is the schema that is not met, as compact JSON; it must not be changed.
	Part []byte
}

// maxProblems bounds what one check reports: an agent mends the first ones anyway.
const maxProblems = 50

// Check returns all problems of a value, at most fifty, in the order of the
// schema's properties; none means that it fits. The value must be valid JSON.
func (s *Schema) Check(value []byte) []Problem {
	c := checker{}
	c.check(s, value)
	return c.problems
}

// Accepts tells whether a value fits.
func (s *Schema) Accepts(value []byte) bool {
	c := checker{stopEarly: true}
	c.check(s, value)
	return c.count == 0
}

// checker is one run over a value.
type checker struct {
	path      []step
	problems  []Problem
	count     int       // of all problems, also those not kept
	stopEarly bool      // keep none, stop at the first
	active    []*Schema // whose check is not finished
	floor     int       // from here on in active they check the current value
	work      int
}

// step is one step into the value: a quoted key, or an index where key is nil.
type step struct {
	key   []byte
	index int
}

// maxWork bounds the schemas looked at in one check, since branches of branches
// multiply. A value that needs more is not looked at further.
const maxWork = 1_000_000

func (c *checker) done() bool {
	return c.count > 0 && c.stopEarly || len(c.problems) >= maxProblems || c.work > maxWork
}

func (c *checker) check(s *Schema, value []byte) {
	if c.work++; c.done() {
		return
	}
	if s.never {
		c.add(s, "nothing may stand here; leave it out")
		return
	}
	if s.hasRef {
		c.hop(s.resolve(), value)
	}
	kind := kindOf(value)
	if !s.types.has(kind) {
		if c.silent() {
			return
		}
		c.add(s, "wants "+s.describe()+", is "+describeValue(value))
		return
	}
	if s.enum != nil && !c.checkEnum(s, value) {
		return
	}
	before := c.count
	c.checkKind(s, kind, value)
	c.checkBranches(s, value)
	if s.rare != nil {
		c.checkRare(s, kind, value, before)
	}
}

// hop checks the same value by another schema. A schema that leads back to
// itself without getting into the value adds nothing.
func (c *checker) hop(s *Schema, value []byte) {
	if slices.Contains(c.active[c.floor:], s) {
		return
	}
	c.active = append(c.active, s)
	c.check(s, value)
	c.active = c.active[:len(c.active)-1]
}

// into checks a part of the value.
func (c *checker) into(s *Schema, at step, value []byte) {
	floor := c.floor
	c.floor = len(c.active)
	c.path = append(c.path, at)
	c.check(s, value)
	c.path = c.path[:len(c.path)-1]
	c.floor = floor
}

func (c *checker) checkKind(s *Schema, kind kinds, value []byte) {
	switch kind {
	case kindObject:
		c.checkObject(s, value)
	case kindArray:
		c.checkArray(s, value)
	case kindString:
		c.checkString(s, value)
	case kindInteger, kindNumber:
		c.checkNumber(s, value)
	}
}

func (c *checker) checkEnum(s *Schema, value []byte) bool {
	for _, allowed := range s.enum {
		if rawjson.Equal(allowed, value) {
			return true
		}
	}
	if !c.silent() {
		c.add(s, wantsOneOf(s.enum, value))
	}
	return false
}

func (c *checker) checkObject(s *Schema, value []byte) {
	members := 0
	var seen bitset
	for key, v := range rawjson.RawMembers(value) {
		members++
		at := s.property(key)
		if at >= 0 {
			seen.set(at)
			c.into(s.properties[at].schema, step{key: key}, v)
		}
		known := at >= 0
		if s.rare != nil && c.checkMember(s, key, v) {
			known = true
		}
		if !known && s.additional != nil {
			c.checkAdditional(s, key, v)
		}
		if c.done() {
			return
		}
	}
	c.checkMissing(s, value, &seen)
	c.checkCount(s, members, s.bounds.minProperties, s.bounds.maxProperties, "members")
}

func (c *checker) checkAdditional(s *Schema, key, value []byte) {
	if !s.additional.never {
		c.into(s.additional, step{key: key}, value)
		return
	}
	if c.silent() {
		return
	}
	name, _ := rawjson.String(key)
	c.addBelow(s.additional, step{key: key}, "is not known here; "+nearestName(s.propertyNames(), name))
}

func (c *checker) checkMissing(s *Schema, value []byte, seen *bitset) {
	for i := range s.properties {
		p := &s.properties[i]
		if p.required && !seen.has(i) && !c.silent() {
			c.addBelow(p.schema, step{key: rawjson.Quote(p.name)}, "is required: "+p.schema.describe())
		}
	}
	for _, name := range s.required {
		if _, found := rawjson.Get(value, name); !found {
			c.addBelow(s, step{key: rawjson.Quote(name)}, "is required")
		}
	}
}

func (c *checker) checkArray(s *Schema, value []byte) {
	count := 0
	for v := range rawjson.Elements(value) {
		if part := s.element(count); part != nil {
			c.into(part, step{index: count}, v)
		}
		count++
		if c.done() {
			return
		}
	}
	c.checkCount(s, count, s.bounds.minItems, s.bounds.maxItems, "elements")
	if s.unique && count > 1 {
		c.checkUnique(s, value)
	}
	if s.rare != nil && s.rare.contains != nil {
		c.checkContains(s, value)
	}
}

func (c *checker) checkUnique(s *Schema, value []byte) {
	seen := make(map[string]int)
	i := 0
	for v := range rawjson.Elements(value) {
		key := string(rawjson.AppendCanonical(nil, v))
		if first, twice := seen[key]; twice {
			c.addBelow(s, step{index: i}, "is the same as ["+strconv.Itoa(first)+"]; each element must differ")
			return
		}
		seen[key] = i
		i++
	}
}

func (c *checker) checkString(s *Schema, value []byte) {
	b := &s.bounds
	if b.minLength < 0 && b.maxLength < 0 && s.pattern == nil {
		return
	}
	text, _ := rawjson.String(value)
	c.checkCount(s, utf8.RuneCountInString(text), b.minLength, b.maxLength, "characters")
	if s.pattern != nil && !s.pattern.MatchString(text) {
		c.add(s, "wants text that matches "+s.pattern.String())
	}
}

func (c *checker) checkCount(s *Schema, count, least, most int, what string) {
	if least >= 0 && count < least {
		c.add(s, "wants at least "+plural(least, what)+", has "+strconv.Itoa(count))
	}
	if most >= 0 && count > most {
		c.add(s, "wants at most "+plural(most, what)+", has "+strconv.Itoa(count))
	}
}

func (c *checker) checkNumber(s *Schema, value []byte) {
	b := &s.bounds
	if b.minimum != nil {
		order := rawjson.CompareNumbers(value, b.minimum)
		if order < 0 || order == 0 && b.aboveMinimum {
			c.add(s, "wants "+b.least()+", is "+brief(value))
		}
	}
	if b.maximum != nil {
		order := rawjson.CompareNumbers(value, b.maximum)
		if order > 0 || order == 0 && b.belowMaximum {
			c.add(s, "wants "+b.most()+", is "+brief(value))
		}
	}
	if b.multipleOf != nil && !isMultiple(value, b.multipleOf) {
		c.add(s, "wants a multiple of "+string(b.multipleOf)+", is "+brief(value))
	}
}

// isMultiple divides exactly. Numbers of absurd size are let through.
func isMultiple(value, of []byte) bool {
	const most = 400
	x, okX := rational(value, most)
	y, okY := rational(of, most)
	if !okX || !okY || y.Sign() == 0 {
		return true
	}
	return x.Quo(x, y).IsInt()
}

func rational(number []byte, most int) (*big.Rat, bool) {
	if len(number) > most {
		return nil, false
	}
	text := string(number)
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exp, err := strconv.Atoi(text[at+1:])
		if err != nil || exp > most || exp < -most {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// silent counts a problem whose words nobody will read, and tells so.
func (c *checker) silent() bool {
	if c.stopEarly {
		c.count++
	}
	return c.stopEarly
}

func (c *checker) add(s *Schema, message string) {
	c.count++
	if c.stopEarly || len(c.problems) >= maxProblems {
		return
	}
	c.problems = append(c.problems, Problem{Path: pathText(c.path), Message: message, Part: s.raw})
}

// addBelow adds a problem of a member or element of the current value.
func (c *checker) addBelow(s *Schema, at step, message string) {
	c.path = append(c.path, at)
	c.add(s, message)
	c.path = c.path[:len(c.path)-1]
}

// bitset remembers which properties were there; up to 64 without allocation.
type bitset struct {
	low  uint64
	high []uint64
}

func (b *bitset) set(i int) {
	if i < 64 {
		b.low |= 1 << i
		return
	}
	word := i/64 - 1
	for len(b.high) <= word {
		b.high = append(b.high, 0)
	}
	b.high[word] |= 1 << (i % 64)
}

func (b *bitset) has(i int) bool {
	if i < 64 {
		return b.low&(1<<i) != 0
	}
	word := i/64 - 1
	return word < len(b.high) && b.high[word]&(1<<(i%64)) != 0
}
