package naming

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// candidate is a name on its way to being the only one of its kind.
type candidate struct {
	route       int    // index, or -1 for a name that is reserved only
	key         string // "METHOD /path"
	method      string
	path        urlPath
	group, verb string
	leftOut     string // the method's verb, where it was left out
	emptyID     bool   // the id held no word for the verb
	fixed       bool   // locked or overridden: does not move
	climbed     []string
}

func (c *candidate) name() string { return c.group + "." + c.verb }

// rung makes a name longer so that it leaves its rivals; "" says that it has nothing to add.
type rung struct {
	name string
	add  func(c *candidate, rivals []*candidate) string
}

var (
	methodRung = rung{"method", func(c *candidate, _ []*candidate) string { return c.leftOut }}
	manyRung   = rung{"many", func(c *candidate, rivals []*candidate) string {
		if !c.path.onItem() && replaces(c) && slices.ContainsFunc(rivals, func(r *candidate) bool { return replaces(r) && r.path.onItem() }) {
			return "many"
		}
		return ""
	}}
	paramRung = rung{"param", func(c *candidate, rivals []*candidate) string {
		if param := lastLacking(c, rivals, func(c *candidate) []string { return c.path.params() }); param != "" {
			return "by-" + param
		}
		return ""
	}}
	pathRung = rung{"path", func(c *candidate, rivals []*candidate) string {
		return lastLacking(c, rivals, func(c *candidate) []string { return append([]string{Slug(c.method)}, c.path.allWords()...) })
	}}

	// lastRungs follow where the rule of contracts §1 ends: any word of the path, versions included,
	// or the method. A number comes after them.
	lastRungs = []rung{pathRung}
)

// ladder is what a rule does, in order, where two names fall together.
func ladder(rule string) []rung {
	if rule == OperationID {
		return []rung{paramRung}
	}
	return []rung{methodRung, manyRung, paramRung}
}

func replaces(c *candidate) bool {
	return c.method == "PUT" || c.method == "PATCH" || c.method == "DELETE"
}

// lastLacking is the last of a candidate's words that none of its rivals has.
func lastLacking(c *candidate, rivals []*candidate, words func(*candidate) []string) string {
	own := words(c)
	for _, word := range slices.Backward(own) {
		if !slices.ContainsFunc(rivals, func(r *candidate) bool { return r != c && slices.Contains(words(r), word) }) {
			return word
		}
	}
	return ""
}

// clashes are the sets of candidates that share a name and can still move, in document order.
func clashes(list []*candidate) [][]*candidate {
	at := map[string]int{}
	var sets [][]*candidate
	for _, c := range list {
		i, ok := at[c.name()]
		if !ok {
			i = len(sets)
			at[c.name()] = i
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], c)
	}
	return slices.DeleteFunc(sets, func(set []*candidate) bool {
		return len(set) < 2 || !slices.ContainsFunc(set, func(c *candidate) bool { return !c.fixed })
	})
}

// nameBook tells candidates apart and remembers what it did. Its first candidates are the routes.
type nameBook struct {
	list   []*candidate
	routes int
	held   map[string]*candidate // the fixed ones by name
	met    []meeting
	notes  []string
}

// meeting is a name that several candidates wanted.
type meeting struct {
	name string
	who  []*candidate
}

func newNameBook(list []*candidate) *nameBook {
	return &nameBook{list: slices.Clone(list), routes: len(list), held: map[string]*candidate{}}
}

// reserve fixes the names that the lock holds, also those whose route is gone.
func (b *nameBook) reserve(locked map[string]string) {
	gone := maps.Clone(locked)
	for _, c := range b.list[:b.routes] {
		if name, ok := gone[c.key]; ok {
			delete(gone, c.key)
			b.fix(c, name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		b.keep(key, gone[key])
	}
}

// keep reserves the name of an operation that does not have it any more.
func (b *nameBook) keep(key, name string) {
	method, path, _ := strings.Cut(key, " ")
	c := &candidate{route: -1, key: key, method: method, path: readURLPath(path, false)}
	c.group, c.verb = cutName(name)
	if b.hold(c) == nil {
		b.list = append(b.list, c)
	}
}

// hold fixes a candidate's name, unless an owner has it already.
func (b *nameBook) hold(c *candidate) (owner *candidate) {
	if owner = b.held[c.name()]; owner == nil {
		b.held[c.name()] = c
		c.fixed = true
	}
	return owner
}

// fix gives a candidate its locked name, unless a lock edited by hand holds no name or one twice.
func (b *nameBook) fix(c *candidate, name string) {
	named := *c
	named.group, named.verb = cutName(name)
	owner := b.held[named.name()]
	switch {
	case strings.Count(name, ".") != 1:
		b.notes = append(b.notes, fmt.Sprintf("twodoor.lock: %q of %s is not group.verb: named anew", name, c.key))
	case owner != nil:
		b.notes = append(b.notes, fmt.Sprintf("twodoor.lock gives %s to %s and to %s: the second is named anew", name, owner.key, c.key))
	default:
		c.group, c.verb, c.leftOut = named.group, named.verb, ""
		b.hold(c)
	}
}

// cutName spells a name of a lock or an override: what stands before its first dot is the group.
func cutName(name string) (group, verb string) {
	group, verb, _ = strings.Cut(name, ".")
	return Slug(group), Slug(verb)
}

// override gives the routes that carry a name of their own just that name. What the lock said
// before stays reserved.
func (b *nameBook) override(routes []Route, source string) {
	for i, r := range routes {
		if r.Name == "" {
			continue
		}
		c, old := b.list[i], *b.list[i]
		group, verb := overrideName(r.Name, source, old.group)
		if old.fixed && old.group == group && old.verb == verb {
			continue
		}
		if old.fixed {
			delete(b.held, old.name())
			b.keep(old.key, old.name())
			b.notes = append(b.notes, fmt.Sprintf("%s: its x-twodoor name is %s.%s now; %s stays reserved", c.key, group, verb, old.name()))
		}
		c.group, c.verb, c.leftOut, c.emptyID, c.fixed = group, verb, "", false, false
		b.hold(c)
	}
}

// overrideName takes "verb", "group.verb" and "source.group.verb".
func overrideName(name, source, group string) (string, string) {
	if rest, ok := strings.CutPrefix(name, source+"."); ok && strings.Contains(rest, ".") {
		name = rest
	}
	if name = strings.Trim(name, "."); strings.Contains(name, ".") {
		return cutName(name)
	}
	return group, Slug(name)
}

// settle lets those that clash climb the rungs, one rung at a time and each once.
func (b *nameBook) settle(rungs []rung) {
	for _, step := range rungs {
		for moved := true; moved; {
			moved = false
			for _, set := range clashes(b.list) {
				b.meet(set)
				for _, c := range set {
					moved = c.climb(step, set) || moved
				}
			}
		}
	}
}

func (c *candidate) climb(step rung, rivals []*candidate) bool {
	if c.fixed || slices.Contains(c.climbed, step.name) {
		return false
	}
	word := step.add(c, rivals)
	if word == "" {
		return false
	}
	c.climbed = append(c.climbed, step.name)
	c.verb += "-" + word
	return true
}

// number is what is left for names that nothing tells apart: the first keeps its name.
func (b *nameBook) number() {
	taken := map[string]bool{}
	for _, c := range b.list {
		taken[c.name()] = true
	}
	for _, set := range clashes(b.list) {
		b.meet(set)
		held := slices.ContainsFunc(set, func(c *candidate) bool { return c.fixed })
		for _, c := range set {
			if c.fixed || !held {
				held = true
				continue
			}
			c.number(taken)
		}
	}
}

// number appends the first number that makes the name free.
func (c *candidate) number(taken map[string]bool) {
	verb := c.verb
	for n := 2; taken[c.name()]; n++ {
		c.verb = verb + "-" + strconv.Itoa(n)
	}
	taken[c.name()] = true
}

// meet remembers who wanted one name.
func (b *nameBook) meet(set []*candidate) {
	name := set[0].name()
	known := func(m meeting) bool {
		return m.name == name || !slices.ContainsFunc(set, func(c *candidate) bool { return !slices.Contains(m.who, c) })
	}
	if !slices.ContainsFunc(b.met, known) {
		b.met = append(b.met, meeting{name, slices.Clone(set)})
	}
}

// finish gives the names of the routes, and the notes.
func (b *nameBook) finish() (names, notes []string) {
	for _, c := range b.list[:b.routes] {
		names = append(names, c.name())
	}
	for _, m := range b.met {
		b.notes = append(b.notes, m.String())
	}
	return names, b.notes
}

func (m meeting) String() string {
	var keys, names []string
	for _, c := range m.who {
		key := c.key
		if c.route < 0 {
			key += " (no longer so named)"
		}
		keys, names = append(keys, key), append(names, c.name())
	}
	return fmt.Sprintf("%s meet in %s: named %s", strings.Join(keys, " and "), m.name, strings.Join(names, " and "))
}
