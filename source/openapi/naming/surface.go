package naming

import (
	"slices"
	"strings"
)

// surface is a description seen as paths: what the rules ask of an operation's neighbours.
type surface struct {
	source  string
	routes  []Route
	paths   []urlPath           // one a route
	items   map[string]bool     // shapes of paths that have items under them
	methods map[string][]string // methods by shape
	shared  string              // the method that nine of ten operations share, or ""
	dropped []string            // leading nouns
	json    bool                // the ending .json is left out
	split   []string
}

func readSurface(routes []Route, source string, kept *Choice) *surface {
	s := &surface{source: Slug(source), routes: routes, shared: sharedMethod(routes), items: map[string]bool{}, methods: map[string][]string{}}
	if kept != nil && kept.Rule == "" {
		kept = nil
	}
	if kept != nil {
		s.json = slices.Contains(kept.Dropped, ".json")
	} else {
		s.json = sharedEnding(routes, ".json")
	}
	for _, r := range routes {
		s.add(r)
	}
	if kept != nil {
		s.dropped = slices.DeleteFunc(slices.Clone(kept.Dropped), func(word string) bool { return word == ".json" })
	} else {
		s.dropped = sharedNouns(s.distinctPaths(), s.keepNouns())
	}
	if kept != nil && kept.Rule == Path {
		s.split = kept.Split
	} else {
		s.splitLargeGroups()
	}
	return s
}

func (s *surface) add(r Route) {
	p := readURLPath(r.Path, s.json)
	s.paths = append(s.paths, p)
	s.methods[p.shape(len(p))] = append(s.methods[p.shape(len(p))], r.Method)
	for i, seg := range p {
		if seg.item() {
			s.items[p.shape(i)] = true
		}
	}
}

// NineOfTen is the measure of "shared" in all rules.
func NineOfTen(n, of int) bool { return n > 0 && n*10 >= of*9 }

func sharedMethod(routes []Route) string {
	count := map[string]int{}
	for _, r := range routes {
		if count[r.Method]++; NineOfTen(count[r.Method], len(routes)) {
			return r.Method
		}
	}
	return ""
}

func sharedEnding(routes []Route, ending string) bool {
	seen, n := map[string]bool{}, 0
	for _, r := range routes {
		if plain, _ := cutVariant(r.Path); !seen[r.Path] && strings.HasSuffix(plain, ending) {
			n++
		}
		seen[r.Path] = true
	}
	return NineOfTen(n, len(seen))
}

func (s *surface) distinctPaths() [][]string {
	var nouns [][]string
	seen := map[string]bool{}
	for i, r := range s.routes {
		if !seen[r.Path] {
			seen[r.Path] = true
			nouns = append(nouns, s.paths[i].nounWords())
		}
	}
	return nouns
}

// ofPosts knows an API of POSTs, whose names are simply the first segment and the rest joined by
// hyphens, also of its few GETs.
func (s *surface) ofPosts() bool { return s.shared == "POST" }

// keepNouns is how many nouns of a path are never dropped. An API of POSTs keeps two, so that
// POST /incident/ack is incident.ack even where it is alone.
func (s *surface) keepNouns() int {
	if s.ofPosts() {
		return 2
	}
	return 1
}

// sharedNouns is the longest run of leading nouns that nine of ten paths share, as far as a path
// loses something by it.
func sharedNouns(paths [][]string, keep int) []string {
	var prefix []string
	for {
		word := commonNoun(paths, prefix, keep)
		if word == "" {
			return prefix
		}
		prefix = append(prefix, word)
	}
}

// commonNoun is the noun after prefix in nine of ten paths, or "".
func commonNoun(paths [][]string, prefix []string, keep int) string {
	at := len(prefix)
	count, loses := map[string]int{}, map[string]bool{}
	found := ""
	for _, nouns := range paths {
		if len(nouns) <= at || !slices.Equal(nouns[:at], prefix) {
			continue
		}
		word := nouns[at]
		loses[word] = loses[word] || len(nouns) > at+keep
		if count[word]++; NineOfTen(count[word], len(paths)) {
			found = word
		}
	}
	if !loses[found] {
		return ""
	}
	return found
}

// nouns are the indexes of the segments of route i's path that make its name.
func (s *surface) nouns(i int) []int {
	nouns := s.paths[i].nouns()
	for _, word := range s.dropped {
		if len(nouns) <= s.keepNouns() || s.paths[i][nouns[0]].word != word {
			break
		}
		nouns = nouns[1:]
	}
	return nouns
}

// groupAt is which of the nouns is the group.
func (s *surface) groupAt(i int, nouns []int) int {
	at := 0
	for at+1 < len(nouns) && slices.Contains(s.split, s.paths[i][nouns[at]].word) && s.hasItems(i, nouns[at+1]) {
		at++
	}
	return at
}

// hasItems tells whether something like /noun/{param} is described for the segment at.
func (s *surface) hasItems(i, at int) bool { return s.items[s.paths[i].shape(at+1)] }

// splitLargeGroups finds the groups over 40 % and over 20 operations, and splits them where that
// moves anything.
func (s *surface) splitLargeGroups() {
	if s.shared != "" {
		return
	}
	for tried := map[string]bool{}; ; {
		group := s.largeGroup(tried)
		if group == "" {
			return
		}
		tried[group] = true
		unsplit, before := s.split, s.pathGroups()
		s.split = append(slices.Clone(unsplit), group)
		if slices.Equal(before, s.pathGroups()) {
			s.split = unsplit
		}
	}
}

func (s *surface) largeGroup(tried map[string]bool) string {
	count := map[string]int{}
	groups := s.pathGroups()
	for _, group := range groups {
		if count[group]++; count[group] > 20 && count[group]*10 > len(groups)*4 && !tried[group] {
			return group
		}
	}
	return ""
}

func (s *surface) pathGroups() []string {
	groups := make([]string, len(s.routes))
	for i := range s.routes {
		groups[i], _ = s.groupAndRest(i)
	}
	return groups
}

// groupAndRest are the group of the path rule and the nouns after it.
func (s *surface) groupAndRest(i int) (group string, rest []string) {
	nouns := s.nouns(i)
	if len(nouns) == 0 {
		return s.source, nil
	}
	at := s.groupAt(i, nouns)
	for _, noun := range nouns[at+1:] {
		rest = append(rest, s.paths[i][noun].word)
	}
	return s.paths[i][nouns[at]].word, rest
}

// methodVerb is what the method adds to the nouns of route i.
func (s *surface) methodVerb(i int) string {
	p := s.paths[i]
	onItem := p.onItem()
	methods := s.methods[p.shape(len(p))]
	switch method := s.routes[i].Method; {
	case method == "GET" && !onItem && s.listsMany(i):
		return "list"
	case method == "POST" && onItem && !slices.Contains(methods, "PUT") && !slices.Contains(methods, "PATCH"):
		return "update"
	case method == "POST":
		return "create"
	case method == "PUT" && slices.Contains(methods, "PATCH"):
		return "replace"
	case method == "PUT" || method == "PATCH":
		return "update"
	default:
		return Slug(method)
	}
}

func (s *surface) listsMany(i int) bool {
	nouns := s.paths[i].resource().nouns()
	if len(nouns) == 0 {
		return false
	}
	last := nouns[len(nouns)-1]
	return isPlural(s.paths[i][last].words()) || s.hasItems(i, last) || s.routes[i].Paged
}

// leavesMethodOut tells whether the nouns of route i say enough without its method's verb.
func (s *surface) leavesMethodOut(i int) bool {
	method, words := s.routes[i].Method, s.lastWords(i)
	switch {
	case method == s.shared:
		return true
	case method == "DELETE":
		return false
	case s.ofPosts():
		return true
	}
	if method == "GET" {
		return edgeWord(words, isReadingWord) != ""
	}
	return edgeWord(words, isVerbWord) != ""
}

// lastWords are the words of a path's last segment, none if that is an item or has items.
func (s *surface) lastWords(i int) []string {
	p := s.paths[i]
	last := p.end() - 1
	if last < 0 || p[last].item() || s.hasItems(i, last) {
		return nil
	}
	return p[last].words()
}
