package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
)

// Surfaces are what may have to follow a change.
type Surfaces struct {
	Guides   *guide.Library
	Profiles map[string]*twodoor.Profile
	Cards    bool // there are cards
}

// Reach tells of each change which guides, cards and profiles it concerns.
func (s Surfaces) Reach(changes []Change) {
	for i := range changes {
		changes[i].Reaches = s.of(&changes[i])
	}
}

func (s Surfaces) of(c *Change) (reached []string) {
	if s.Guides != nil {
		for _, g := range s.Guides.Guides {
			if names(&g, c.ID) || c.Before != "" && names(&g, c.Before) {
				reached = append(reached, "guide "+g.Name)
			}
		}
	}
	if group := groupOf(c.ID); s.Cards && group != "" {
		reached = append(reached, "card "+group)
	}
	for name, p := range s.Profiles {
		if (len(p.Include)+len(p.Exclude)+len(p.Effects)+len(p.Pins) > 0) && p.Includes(c.ID) {
			reached = append(reached, "profile "+name)
		}
	}
	slices.Sort(reached)
	return reached
}

// names reports whether a guide covers an operation, or speaks of it in one of its spellings.
func names(g *guide.Guide, id string) bool {
	if g.Covers(id) {
		return true
	}
	source, rest, _ := strings.Cut(id, ".")
	for _, text := range []string{id, strings.ReplaceAll(id, ".", " "), twodoor.Spell(id, "").MCP} {
		if speaks(g.Text, text) {
			return true
		}
	}
	return g.Source == source && speaks(g.Text, "`"+rest+"`")
}

// speaks reports whether a word stands in a text, not as the beginning of a longer one.
func speaks(text, word string) bool {
	for at := 0; ; {
		n := strings.Index(text[at:], word)
		if n < 0 {
			return false
		}
		at += n + len(word)
		if at == len(text) || !isWordByte(text[at]) || strings.HasSuffix(word, "`") {
			return true
		}
	}
}

func isWordByte(b byte) bool {
	return b == '-' || b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func groupOf(id string) string {
	parts := strings.Split(id, ".")
	if len(parts) < 3 {
		return ""
	}
	return parts[0] + "." + parts[1]
}

// Changelog writes the changes as a note in Markdown: what breaks a caller first.
func Changelog(changes []Change) string {
	var out strings.Builder
	section := func(title string, keep func(Change) bool) {
		first := true
		for _, c := range changes {
			if !keep(c) {
				continue
			}
			if first {
				fmt.Fprintf(&out, "## %s\n\n", title)
				first = false
			}
			fmt.Fprintf(&out, "- `%s`: %s%s\n", c.ID, c.Message, breaks(c))
		}
		if !first {
			out.WriteString("\n")
		}
	}
	section("Breaking", Change.Breaks)
	section("New", func(c Change) bool { return !c.Breaks() && c.Kind == Added })
	section("Changed", func(c Change) bool { return !c.Breaks() && c.Kind != Added })
	return out.String()
}

func breaks(c Change) string {
	switch {
	case c.CLI && c.MCP || !c.Breaks():
		return ""
	case c.CLI:
		return " (command line)"
	}
	return " (tool)"
}
