package cards

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
)

// folder is the files of a set while they are made.
type folder struct {
	set   *Set
	files map[string]string
}

func (f *folder) write(name, text string) { f.files[name] = text }

func (f *folder) list() []File {
	files := make([]File, 0, len(f.files))
	for name, text := range f.files {
		files = append(files, File{name, []byte(text)})
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// fences are all fences of the folder, in the order of files and places.
func (f *folder) fences() []fence {
	var all []fence
	for _, file := range f.list() {
		list, _ := fencesOf(file)
		all = append(all, list...)
	}
	return all
}

// byGroup sorts the fences by group and language.
func (f *folder) byGroup() map[fenceID][]fence {
	all := map[fenceID][]fence{}
	for _, one := range f.fences() {
		key := fenceID{group: one.id.group, language: one.id.language}
		all[key] = append(all[key], one)
	}
	return all
}

// hold makes sure that a file has a fence: at its end, where it has none yet.
func (f *folder) hold(name string, id fenceID, head string) {
	text, exists := f.files[name]
	if list, _ := fencesOf(File{name, []byte(text)}); slices.ContainsFunc(list, func(one fence) bool { return one.id == id }) {
		return
	}
	if !exists {
		text = head
	}
	if text != "" && !strings.HasSuffix(text, "\n\n") {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	f.files[name] = text + id.wrap("")
}

// cards makes sure that every command has a fence: new groups get cards of their own, a group that is
// there keeps its division, and what nobody takes there gets a fence for the rest.
func (f *folder) cards(dir string) {
	there := f.byGroup()
	languages := []string{""}
	for _, l := range f.set.Languages {
		languages = append(languages, l.Code)
	}
	for _, g := range f.set.groups {
		for _, language := range languages {
			list := there[fenceID{group: g.id, language: language}]
			if len(list) == 0 {
				f.newCards(dir, g, language)
				continue
			}
			if _, left := claims(g, list); len(left) > 0 {
				f.hold(list[0].file, fenceID{group: g.id, language: language}, "")
			}
		}
	}
}

// newCards divides a group into cards within the budget: the first holds the rest and tells of the
// others.
func (f *folder) newCards(dir string, g *group, language string) {
	parts := f.set.divide(g, language)
	for i, prefixes := range parts {
		id := fenceID{group: g.id, language: language, prefixes: strings.Join(prefixes, ",")}
		if i == 0 {
			id.prefixes = ""
		}
		f.hold(path.Join(dir, f.set.cardName(g, prefixes, i, language)), id, f.set.cardHead(g, language))
	}
}

// cardName is the file of a card.
func (s *Set) cardName(g *group, prefixes []string, part int, language string) string {
	name := strings.ReplaceAll(g.id, ".", "-")
	if s.oneSource() {
		_, name, _ = strings.Cut(g.id, ".")
	}
	if part > 0 {
		name += "--" + prefixes[0]
	}
	if language != "" {
		name += "." + language
	}
	return name + ".md"
}

func (s *Set) oneSource() bool {
	source := ""
	for _, g := range s.groups {
		first, _, _ := strings.Cut(g.id, ".")
		if source != "" && source != first {
			return false
		}
		source = first
	}
	return true
}

func (s *Set) cardHead(g *group, language string) string {
	return "# " + strings.Join(g.words, " ") + "\n\n"
}

// divide packs the verbs of a group into parts of at most a card's budget. The first part takes the
// rest: what its prefixes are does not matter.
func (s *Set) divide(g *group, language string) [][]string {
	weights := map[*guide.Command]int{}
	total := 0
	card := &card{set: s, group: g, language: language, seen: map[string]string{}}
	for _, c := range g.commands {
		weights[c] = rawjson.Weigh([]byte(card.command(c)))
		total += weights[c]
	}
	const around = 400 // the table of mistakes and the head
	room := max(s.budget()-around, s.budget()/2)
	if total <= room {
		return [][]string{nil}
	}
	var parts [][]string
	used := room + 1
	for _, u := range units(g, g.commands, weights, 1, room) {
		if used+u.weight > room {
			parts, used = append(parts, nil), 0
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], u.prefix)
		used += u.weight
	}
	return parts
}

// unit is a family of verbs that stays together.
type unit struct {
	prefix string
	weight int
}

// units are the families of verbs by their first words, one more of them where a family is too heavy.
func units(g *group, commands []*guide.Command, weights map[*guide.Command]int, depth, room int) []unit {
	families := map[string][]*guide.Command{}
	var order []string
	for _, c := range commands {
		words := strings.Split(g.verb(c), "-")
		prefix := strings.Join(words[:min(depth, len(words))], "-")
		if families[prefix] == nil {
			order = append(order, prefix)
		}
		families[prefix] = append(families[prefix], c)
	}
	slices.Sort(order)
	var list []unit
	for _, prefix := range order {
		weight := 0
		for _, c := range families[prefix] {
			weight += weights[c]
		}
		if weight > room && len(families[prefix]) > 1 {
			list = append(list, units(g, families[prefix], weights, depth+1, room)...)
			continue
		}
		list = append(list, unit{prefix, weight})
	}
	return list
}

// fill writes the content of every fence.
func (f *folder) fill() {
	for name, text := range f.files {
		list, _ := fencesOf(File{name, []byte(text)})
		if len(list) == 0 {
			continue
		}
		var out strings.Builder
		at := 0
		for _, one := range list {
			out.WriteString(text[at:one.from])
			out.WriteString(f.content(one, text[one.from:one.to]))
			at = one.to
		}
		f.files[name] = out.String() + text[at:]
	}
}

// content is what belongs between the marks of a fence; as it is, where nobody knows the fence.
func (f *folder) content(one fence, now string) string {
	text := now
	switch g := f.set.group(one.id.group); {
	case isWhole(one.id) && one.id != f.set.whole(one.id.group):
		return now // it is of other sources
	case one.id.group == "skill":
		text = f.set.index(f, one.file)
	case one.id.group == "agents":
		text = f.set.agents()
	case g != nil:
		if one.id.language != "" && f.set.language(one.id.language) == nil {
			return now
		}
		list := f.byGroup()[fenceID{group: one.id.group, language: one.id.language}]
		taken, _ := claims(g, list)
		c := &card{set: f.set, group: g, language: one.id.language, seen: map[string]string{}}
		text = c.text(taken[one.id], others(one, list, taken, g))
	default:
		return now
	}
	if one.newline != "\n" {
		text = strings.ReplaceAll(text, "\n", one.newline)
	}
	return text
}

// others tells, in the fence that takes the rest, where the other parts of the group are.
func others(one fence, list []fence, taken map[fenceID][]*guide.Command, g *group) []string {
	if one.id.prefixes != "" {
		return nil
	}
	var rows []string
	for _, other := range list {
		if other.id == one.id {
			continue
		}
		var verbs []string
		for _, c := range taken[other.id] {
			verbs = append(verbs, g.verb(c))
		}
		const most = 8
		if len(verbs) > most {
			verbs = append(verbs[:most], "…")
		}
		rows = append(rows, "- ["+path.Base(other.file)+"]("+path.Base(other.file)+"): "+strings.Join(verbs, ", "))
	}
	return rows
}

// stale finds fences that hold something else than what would be generated now.
func (f *folder) stale() (findings []guide.Finding) {
	for _, one := range f.fences() {
		text := f.files[one.file]
		now := text[one.from:one.to]
		if want := f.content(one, now); want != now {
			line := one.line + 1 + differsAt(now, want)
			findings = append(findings, guide.Finding{File: one.file, Line: line + 1, Column: 1, Kind: guide.StaleFence,
				Message: "the text of the fence " + one.id.String() + " is not what would be generated now", Fix: "generate the cards again, or check --fix",
				Edit: &guide.Edit{Start: one.from, End: one.to, Text: want}})
		}
	}
	return findings
}

// differsAt is the first line in which two texts differ, from 0.
func differsAt(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			n++
		}
	}
	return n
}
