package openapi

import (
	"maps"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/naming"
)

// nameAll names the operations, those that will turn out as exceptions too, so that no name moves
// when they are mended. Annotations of the configuration find their operations by the names that
// these have without them.
func (r *reader) nameAll(compilers []*compiler) ([]string, naming.Choice) {
	s := r.source
	routes := make([]naming.Route, len(compilers))
	for i, c := range compilers {
		routes[i] = c.route()
	}
	rule, kept := s.Naming, (*naming.Choice)(nil)
	if rule == "" {
		rule = naming.Auto
	}
	if s.Kept.Rule != "" {
		kept = &naming.Choice{Rule: s.Kept.Rule, Dropped: s.Kept.Dropped, Split: s.Kept.Split}
	}
	names, used, notes := naming.Names(routes, s.Name, rule, kept, s.Kept.Names)
	if len(s.Operations) > 0 {
		plain, _, _ := naming.Names(routes, s.Name, rule, kept, nil)
		renamed := false
		for i, c := range compilers {
			c.configure(twodoor.Globs(s.Operations, s.Name+"."+names[i], s.Name+"."+plain[i], c.found.key()))
			renamed = renamed || c.said.Name != routes[i].Name
			routes[i].Name = c.said.Name
		}
		if renamed {
			names, used, notes = naming.Names(routes, s.Name, rule, kept, s.Kept.Names)
		}
	}
	if used.Report != "" && len(routes) > 0 {
		r.Note("named by %s", used.Report)
	}
	for _, text := range notes {
		r.Note("%s", text)
	}
	r.lock(routes, names, used)
	return names, used
}

// lock keeps the names. Those of operations that are gone stay reserved.
func (r *reader) lock(routes []naming.Route, names []string, used naming.Choice) {
	all := maps.Clone(r.source.Kept.Names)
	if all == nil {
		all = map[string]string{}
	}
	for i, each := range routes {
		all[each.Key()] = names[i]
	}
	r.reading.Lock = twodoor.Lock{Rule: used.Rule, Dropped: used.Dropped, Split: used.Split, Names: all}
}

// infer gives each operation its name and its effect.
func (r *reader) infer(compilers []*compiler, names []string, used naming.Choice) {
	routes := make([]naming.Route, len(compilers))
	for i, c := range compilers {
		routes[i] = c.route()
	}
	effects := naming.Effects(routes, used)
	for i, c := range compilers {
		c.identify(names[i], effects[i])
	}
}

// groups says of each group what the description says of the tag that is called so, or that nine of
// ten of its operations have and nothing else has.
func (r *reader) groups(compilers []*compiler) map[string]string {
	about := map[string]string{}
	for tag := range r.document.Root.Get("tags").Elements() {
		about[tag.Get("name").Str()] = firstLine(tag.Get("description").Str(), 200)
	}
	sizes, total, tags := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for _, c := range compilers {
		sizes[c.group]++
		if tags[c.group] == nil {
			tags[c.group] = map[string]int{}
		}
		for _, tag := range c.found.op.Node.Get("tags").Strings() {
			tags[c.group][tag]++
			total[tag]++
		}
	}
	groups := map[string]string{}
	for group, counts := range tags {
		for _, tag := range slices.Sorted(maps.Keys(counts)) {
			alone := naming.NineOfTen(counts[tag], sizes[group]) && counts[tag] == total[tag]
			if about[tag] != "" && (naming.Slug(tag) == group || alone && groups[group] == "") {
				groups[group] = about[tag]
			}
		}
	}
	return groups
}
