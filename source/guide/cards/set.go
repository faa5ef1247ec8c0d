package cards

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
)

// cardBudget is the weight that a card is split at, in estimated tokens.
const cardBudget = 3000

// Set is what a folder of cards is made of. Its fields are set before it is used.
type Set struct {
	Name        string // required; of the skill: lower-case words with hyphens
	Title       string // empty: the name
	Description string // what it is for; one sentence
	Version     string
	Tree        *guide.Tree         // required
	Groups      map[string]string   // what the description says of a group, by "harbor.incident"
	Sources     []string            // whose commands; empty: all
	Languages   []Language          // other languages than the description's own
	Guides      *guide.Library      // nil: there are none
	Guesses     map[string][]string // by id, other words for a command: old names, words seen in the journal
	Budget      int                 // of a card; 0: 3000
	// Fits reports whether an example is right; nil: all are. One that is not is replaced or left out.
	Fits func(example string) bool
	// Catalog gives the arguments of examples that are too large for a line; nil: these are left out.
	Catalog *twodoor.Catalog

	owned  map[string]bool   // words of the program's own commands; nil: not yet made ready
	shown  map[string]string // id → example
	groups []*group
}

// Language is what is said of the commands in another language.
type Language struct {
	Code   string                   // "zh"
	Groups map[string]string        // by "harbor.incident"
	Words  map[string]twodoor.Words // by id
}

// Variant is a form in which the cards are handed out.
type Variant string

// The variants.
const (
	Skill  Variant = "skill"  // NAME/SKILL.md and NAME/references: Agent Skills
	Claude Variant = "claude" // a Claude Code plugin with the skill in it
	Gemini Variant = "gemini" // a Gemini CLI extension
	LLMs   Variant = "llms"   // llms.txt
	Agents Variant = "agents" // a section of AGENTS.md
)

// Variants lists them all.
func Variants() []Variant { return []Variant{Skill, Claude, Gemini, LLMs, Agents} }

func (s *Set) ready() {
	if s.owned != nil {
		return
	}
	s.owned = map[string]bool{}
	for i := range s.Tree.Commands {
		if c := &s.Tree.Commands[i]; c.ID == "" {
			s.owned[strings.Join(c.Words(s.Tree.Program), " ")] = true
		}
	}
	s.shown = map[string]string{}
	for _, g := range groupsOf(s.Tree) {
		source, _, _ := strings.Cut(g.id, ".")
		if len(s.Sources) == 0 || slices.Contains(s.Sources, source) {
			s.groups = append(s.groups, g)
		}
	}
	if s.Title == "" {
		s.Title = s.Name
	}
}

// language is the language of a code, or nil.
func (s *Set) language(code string) *Language {
	for i := range s.Languages {
		if s.Languages[i].Code == code {
			return &s.Languages[i]
		}
	}
	return nil
}

func (s *Set) budget() int {
	if s.Budget > 0 {
		return s.Budget
	}
	return cardBudget
}

// root is the folder of the skill in a variant.
func (s *Set) root(v Variant) string {
	if v == Claude {
		return path.Join("skills", s.Name)
	}
	return s.Name
}

// Generate makes the files of a variant anew. What stands outside of the fences of old files is kept,
// byte for byte, and so is the way in which they divide a group. Files that need no change are
// returned too.
func (s *Set) Generate(v Variant, old []File) []File {
	s.ready()
	f := &folder{set: s, files: map[string]string{}}
	for _, file := range old {
		f.files[file.Path] = string(file.Text)
	}
	switch v {
	case LLMs:
		f.write("llms.txt", s.llms())
	case Agents:
		f.hold("AGENTS.md", s.whole("agents"), "")
	case Gemini:
		f.write("gemini-extension.json", s.manifest("contextFileName", "GEMINI.md"))
		f.cards("references")
		f.hold("GEMINI.md", s.whole("skill"), "")
	case Claude, Skill:
		if v == Claude {
			f.write(".claude-plugin/plugin.json", s.manifest("", ""))
		}
		f.cards(path.Join(s.root(v), "references"))
		f.hold(path.Join(s.root(v), "SKILL.md"), s.whole("skill"), s.front())
	}
	f.fill()
	return f.list()
}

// manifest is the JSON file of a plugin.
func (s *Set) manifest(key, value string) string {
	var o rawjson.Object
	o.PutString("name", s.Name)
	o.PutString("version", cmp.Or(s.Version, "0.0.0"))
	o.PutString("description", s.about())
	if key != "" {
		o.PutString(key, value)
	}
	return string(rawjson.Indent(nil, o.Bytes(), "  ")) + "\n"
}

// Check finds what is wrong with the fences of a folder's files: not what would be generated now, or no
// partition of a group.
func (s *Set) Check(files []File) []guide.Finding {
	s.ready()
	f := &folder{set: s, files: map[string]string{}}
	var findings []guide.Finding
	for _, file := range files {
		_, broken := fencesOf(file)
		findings = append(findings, broken...)
		f.files[file.Path] = string(file.Text)
	}
	for _, list := range f.byGroup() {
		g := s.group(list[0].id.group)
		if g == nil {
			if !isWhole(list[0].id) {
				findings = append(findings, guide.Finding{File: list[0].file, Line: list[0].line + 1, Column: 1, Kind: guide.FenceTopology,
					Message: fmt.Sprintf("there is no group %s", list[0].id.group), Fix: strings.Join(rawjson.Nearest(s.groupIDs(), list[0].id.group, 1), "")})
			}
			continue
		}
		findings = append(findings, topology(g, list)...)
	}
	return guide.Sort(append(findings, f.stale()...))
}

func (s *Set) group(id string) *group {
	for _, g := range s.groups {
		if g.id == id {
			return g
		}
	}
	return nil
}

func (s *Set) groupIDs() []string {
	var ids []string
	for _, g := range s.groups {
		ids = append(ids, g.id)
	}
	return ids
}

// whole is a fence of the folder as a whole: "skill", or "skill[harbor]" where it is of some sources only.
func (s *Set) whole(group string) fenceID {
	return fenceID{group: group, prefixes: strings.Join(s.Sources, ",")}
}

// SourcesOf are the sources that the fences of some files are made of; nil: of all.
func SourcesOf(files []File) []string {
	for _, file := range files {
		list, _ := fencesOf(file)
		for _, one := range list {
			if isWhole(one.id) && one.id.prefixes != "" {
				return strings.Split(one.id.prefixes, ",")
			}
		}
	}
	return nil
}

// isWhole reports whether a fence is of the folder as a whole.
func isWhole(id fenceID) bool { return id.group == "skill" || id.group == "agents" }
