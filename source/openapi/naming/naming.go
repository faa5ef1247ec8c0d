package naming

import (
	"slices"
	"strings"
)

// Route is what naming and effects look at of one operation, in document order.
type Route struct {
	Method  string   // required; upper case
	Path    string   // required; as the description keys it, with what follows # or ?
	ID      string   // operationId
	Tags    []string // in the order of the description
	Summary string
	Paged   bool   // takes a page, cursor or offset parameter
	Name    string // an override (x-twodoor.name): "group.verb" or "verb"
}

// Key is how the lock and the notes call a route.
func (r Route) Key() string { return r.Method + " " + r.Path }

// The naming rules of contracts §1.
const (
	Auto        = "auto"
	Path        = "path"
	OperationID = "operation-id"
)

// Choice is how the operations of one description were named. It goes to twodoor.lock and comes
// back as kept, so that a description that grew is named as it was.
type Choice struct {
	Rule    string   // path or operation-id
	Dropped []string // leading path nouns left out of every name, and ".json" if that ending is
	Split   []string // groups so large that the next noun is the group
	Report  string   // the counts and why, for a person
}

// Names gives every route its "group.verb" by the naming rule of contracts §1.
//
// rule is auto, path or operation-id; kept is the naming of an earlier run, which auto obeys.
// locked maps "METHOD /path" to the name given earlier: such a name never moves, and stays reserved
// when its route is gone; only an override takes its route from it. All names differ, and their
// words are [a-z0-9] with hyphens inside. A newcomer that collides gets the longer name. notes tell
// each collision and what came of it. The same input gives the same names.
func Names(routes []Route, source, rule string, kept *Choice, locked map[string]string) (names []string, used Choice, notes []string) {
	s := readSurface(routes, source, kept)
	used = s.chooseRule(rule, kept)
	book := newNameBook(s.candidates(used.Rule))
	book.reserve(locked)
	book.override(routes, source)
	book.settle(ladder(used.Rule))
	book.settle(lastRungs)
	book.number()
	names, notes = book.finish()
	return names, used, notes
}

// candidates are the names a rule proposes, one a route, not yet told apart.
func (s *surface) candidates(rule string) []*candidate {
	list := make([]*candidate, len(s.routes))
	for i, r := range s.routes {
		list[i] = &candidate{route: i, key: r.Key(), method: r.Method, path: s.paths[i]}
		if rule == OperationID {
			s.nameByID(list[i])
		} else {
			s.nameByPath(list[i])
		}
	}
	if rule == OperationID {
		dropGroupWords(list)
	}
	return list
}

func (s *surface) nameByPath(c *candidate) {
	group, rest := s.groupAndRest(c.route)
	c.group, c.verb = group, strings.Join(rest, "-")
	verb := s.methodVerb(c.route)
	switch {
	case len(rest) == 0:
		c.verb = verb
	case s.leavesMethodOut(c.route):
		c.leftOut = verb
	default:
		c.verb += "-" + verb
	}
}

func (s *surface) nameByID(c *candidate) {
	r := s.routes[c.route]
	head, tail := cutID(r.ID)
	switch {
	case head != "":
		c.group = Slug(head)
	case len(r.Tags) > 0:
		c.group = Slug(r.Tags[0])
	default:
		c.group = s.firstNoun(c.route)
	}
	c.verb = strings.Join(Words(tail), "-")
	if c.verb == "" {
		c.emptyID = r.ID != ""
		c.verb = s.verbWithoutID(c.route)
	}
}

// cutID parts an operationId at its first / or ".".
func cutID(id string) (head, tail string) {
	if at := strings.IndexAny(id, "/."); at >= 0 {
		return id[:at], id[at+1:]
	}
	return "", id
}

func (s *surface) firstNoun(i int) string {
	if nouns := s.nouns(i); len(nouns) > 0 {
		return s.paths[i][nouns[0]].word
	}
	return s.source
}

// verbWithoutID spells an operation that lacks an id beside others that have one.
func (s *surface) verbWithoutID(i int) string {
	var words []string
	for _, noun := range s.nouns(i) {
		words = append(words, s.paths[i][noun].word)
	}
	return strings.Join(append(words, s.methodVerb(i)), "-")
}

// dropGroupWords leaves the group's words out of each verb once, unless that empties the verb or
// makes two alike.
func dropGroupWords(list []*candidate) {
	long := make([]string, len(list))
	for i, c := range list {
		long[i] = c.verb
		if short := withoutRun(strings.Split(c.verb, "-"), strings.Split(c.group, "-")); len(short) > 0 {
			c.verb = strings.Join(short, "-")
		}
	}
	for again := true; again; {
		again = false
		for _, set := range clashes(list) {
			for _, c := range set {
				if c.verb != long[c.route] {
					c.verb, again = long[c.route], true
				}
			}
		}
	}
}

// withoutRun is words without the first place where run stands in them.
func withoutRun(words, run []string) []string {
	for i := 0; i+len(run) <= len(words); i++ {
		if slices.Equal(words[i:i+len(run)], run) {
			return slices.Concat(words[:i], words[i+len(run):])
		}
	}
	return words
}
