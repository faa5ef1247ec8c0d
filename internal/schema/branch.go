package schema

import (
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func (c *checker) checkBranches(s *Schema, value []byte) {
	for _, part := range s.all {
		c.hop(part, value)
	}
	if len(s.any) > 0 && !c.done() {
		c.checkAny(s, value)
	}
	if len(s.one) > 0 && !c.done() {
		c.checkOne(s, value)
	}
	if s.not != nil && !c.done() && c.passes(s.not, value) {
		c.add(s, "must not be "+s.not.describe())
	}
}

func (c *checker) checkAny(s *Schema, value []byte) {
	for _, branch := range s.any {
		if c.passes(branch, value) {
			return
		}
	}
	c.explain(s, s.any, value)
}

func (c *checker) checkOne(s *Schema, value []byte) {
	first := -1
	for i, branch := range s.one {
		if !c.passes(branch, value) {
			continue
		}
		if first >= 0 {
			c.add(s, "fits the forms "+strconv.Itoa(first+1)+" and "+strconv.Itoa(i+1)+" at once; must fit one alone")
			return
		}
		first = i
	}
	if first < 0 {
		c.explain(s, s.one, value)
	}
}

// passes tries a branch and keeps no problem of it.
func (c *checker) passes(branch *Schema, value []byte) bool {
	count := c.try(branch, value, true)
	return count == 0
}

// try checks a branch apart from the problems so far and leaves its own in
// c.problems only for as long as the caller looks: see explain.
func (c *checker) try(branch *Schema, value []byte, stopEarly bool) int {
	problems, count, early := c.problems, c.count, c.stopEarly
	c.problems, c.count, c.stopEarly = nil, 0, stopEarly
	c.hop(branch, value)
	found := c.count
	c.problems, c.count, c.stopEarly = problems, count, early
	return found
}

// explain tells why no branch fits: the problems of the branch that was most
// likely meant, or all that is wanted when none has the kind of the value.
func (c *checker) explain(s *Schema, branches []*Schema, value []byte) {
	if c.stopEarly {
		c.count++
		return
	}
	meant, best := (*Schema)(nil), 0
	for _, branch := range branches {
		if !branch.kinds(0).has(kindOf(value)) {
			continue
		}
		score := c.try(branch, value, false)
		if branch.marks(value) {
			score -= 1000
		}
		if meant == nil || score < best {
			meant, best = branch, score
		}
	}
	if meant == nil {
		c.add(s, "wants "+s.describe()+", is "+describeValue(value))
		return
	}
	c.hop(meant, value)
}

// marks tells whether an object carries the constant by which a branch is
// known, such as {"type": "card"}.
func (s *Schema) marks(value []byte) bool {
	s = s.behind(0)
	for _, p := range s.properties {
		target := p.schema.behind(0)
		if len(target.enum) != 1 {
			continue
		}
		if v, found := rawjson.Get(value, p.name); found && rawjson.Equal(v, target.enum[0]) {
			return true
		}
	}
	return false
}

// behind follows references, and an allOf of one.
func (s *Schema) behind(hops int) *Schema {
	switch {
	case hops > 20:
		return s
	case s.hasRef:
		return s.resolve().behind(hops + 1)
	case len(s.all) == 1 && s.types == 0:
		return s.all[0].behind(hops + 1)
	}
	return s
}

// kinds returns the kinds of value that may fit; zero is any.
func (s *Schema) kinds(hops int) kinds {
	ks := s.types
	if hops > 20 {
		return ks
	}
	if s.hasRef {
		ks = ks.and(s.resolve().kinds(hops + 1))
	}
	for _, part := range s.all {
		ks = ks.and(part.kinds(hops + 1))
	}
	for _, branches := range [][]*Schema{s.any, s.one} {
		var union kinds
		for _, branch := range branches {
			inner := branch.kinds(hops + 1)
			if inner == 0 {
				union = 0
				break
			}
			union |= inner
		}
		ks = ks.and(union)
	}
	if s.enum != nil && ks == 0 {
		for _, v := range s.enum {
			ks |= kindOf(v)
		}
	}
	return ks
}
