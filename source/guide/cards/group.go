package cards

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
)

// group is the commands below two words: "harbor incident". In a program with a brand it is one word.
type group struct {
	id       string // "harbor.incident", the first words of the ids
	words    []string
	commands []*guide.Command
}

// verb is what of a command's id stands after its group.
func (g *group) verb(c *guide.Command) string { return strings.TrimPrefix(c.ID, g.id+".") }

// groupsOf sorts the commands of operations into groups, in the order of ids. The program's own
// operations are none of them.
func groupsOf(tree *guide.Tree) []*group {
	var list []*group
	byID := map[string]*group{}
	for i := range tree.Commands {
		c := &tree.Commands[i]
		parts := strings.Split(c.ID, ".")
		if len(parts) < 3 || parts[0] == twodoor.OwnSource {
			continue
		}
		id := parts[0] + "." + parts[1]
		g := byID[id]
		if g == nil {
			words := c.Words(tree.Program)
			g = &group{id: id, words: words[:max(len(words)-(len(parts)-2), 0)]}
			byID[id] = g
			list = append(list, g)
		}
		g.commands = append(g.commands, c)
	}
	slices.SortFunc(list, func(a, b *group) int { return strings.Compare(a.id, b.id) })
	return list
}
