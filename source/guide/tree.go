package guide

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// Tree is the command line as plain data, as its door describes itself.
type Tree struct {
	Program  string    `json:"program"`  // as it is typed: "twodoor"
	Commands []Command `json:"commands"` // in the order in which they are listed
}

// Command is one command that can be carried out.
type Command struct {
	ID           string         `json:"id,omitempty"` // of the operation; empty: a command of the program itself
	Command      string         `json:"command"`      // "twodoor harbor incident ack"
	Usage        string         `json:"usage"`        // with its operands
	Title        string         `json:"title,omitempty"`
	Description  string         `json:"description,omitempty"`
	Origin       string         `json:"origin,omitempty"` // "POST /incidents/{id}/ack"; translations are matched by it
	Effect       twodoor.Effect `json:"effect,omitempty"`
	Permission   string         `json:"permission,omitempty"`
	Deprecated   string         `json:"deprecated,omitempty"`
	Inputs       []Input        `json:"inputs,omitempty"`
	Combinations []string       `json:"combinations,omitempty"` // which inputs go together, in words
	Answer       *Answer        `json:"answer,omitempty"`
	Example      string         `json:"example,omitempty"` // a line that fits
	Guides       []string       `json:"guides,omitempty"`
}

// Input is one input of a command.
type Input struct {
	Name        string          `json:"name"`
	Path        string          `json:"path,omitempty"`     // as --set takes it
	Flag        string          `json:"flag,omitempty"`     // "--severity"; empty: it is nested
	Position    string          `json:"position,omitempty"` // "<incident-id>"; an ending ... takes several
	Driven      bool            `json:"driven,omitempty"`   // the flag is the common one of that name
	Type        string          `json:"type"`
	Required    bool            `json:"required,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Bounds      string          `json:"bounds,omitempty"`
	Description string          `json:"description,omitempty"`
	Fields      []Input         `json:"fields,omitempty"`
}

// Answer is what a command answers.
type Answer struct {
	Root    string `json:"root,omitempty"`  // jq path of the records: ".items[]"
	Shape   string `json:"shape,omitempty"` // "{id: integer, title: string}"
	Meaning string `json:"meaning,omitempty"`
	Empty   string `json:"empty,omitempty"`
}

// Words are the words of the command after the program's name.
func (c *Command) Words(program string) []string {
	return strings.Fields(strings.TrimPrefix(c.Command, program))
}

// input is the input of a flag in any of its spellings, or nil.
func (c *Command) input(flag string) *Input {
	for i := range c.Inputs {
		if in := &c.Inputs[i]; in.Flag == flag {
			return in
		}
	}
	plain := plainFlag(flag)
	for i := range c.Inputs {
		if in := &c.Inputs[i]; plainFlag(in.Flag) == plain || plainFlag(in.Name) == plain {
			return in
		}
	}
	return nil
}

func plainFlag(flag string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(flag))
}

// operand is the input of the n-th operand, or nil. A list takes all that come after it.
func (c *Command) operand(n int) *Input {
	at := 0
	for i := range c.Inputs {
		in := &c.Inputs[i]
		if in.Position == "" {
			continue
		}
		if at == n || strings.HasSuffix(in.Position, "...") && n > at {
			return in
		}
		at++
	}
	return nil
}

// book is a tree with its ways in.
type book struct {
	*Tree
	byWords map[string]*Command
	byID    map[string]*Command
	levels  map[string]bool // words that lead to commands and are none
}

func bookOf(tree *Tree) *book {
	b := &book{Tree: tree, byWords: map[string]*Command{}, byID: map[string]*Command{}, levels: map[string]bool{"": true}}
	for i := range tree.Commands {
		c := &tree.Commands[i]
		words := c.Words(tree.Program)
		b.byWords[strings.Join(words, " ")] = c
		if c.ID != "" {
			b.byID[c.ID] = c
		}
		for n := range words {
			b.levels[strings.Join(words[:n], " ")] = true
		}
	}
	return b
}

// lead follows the leading words of a line as far as they are known: to a command, or to a level.
func (b *book) lead(words []string) (c *Command, used int) {
	for n := min(len(words), 6); n > 0; n-- {
		if c := b.byWords[strings.Join(words[:n], " ")]; c != nil {
			return c, n
		}
	}
	for used < len(words) && b.levels[strings.Join(words[:used+1], " ")] {
		used++
	}
	return nil, used
}

// group is the commands below two words: "harbor incident". In a program with a brand it is one word.
type group struct {
	id       string // "harbor.incident", the first words of the ids
	words    []string
	commands []*Command
}

// verb is what of a command's id stands after its group.
func (g *group) verb(c *Command) string { return strings.TrimPrefix(c.ID, g.id+".") }

// groups sorts the commands of operations into groups, in the order of ids. The program's own
// operations are none of them.
func (b *book) groups() []*group {
	var list []*group
	byID := map[string]*group{}
	for i := range b.Commands {
		c := &b.Commands[i]
		parts := strings.Split(c.ID, ".")
		if len(parts) < 3 || parts[0] == twodoor.OwnSource {
			continue
		}
		id := parts[0] + "." + parts[1]
		g := byID[id]
		if g == nil {
			words := c.Words(b.Program)
			g = &group{id: id, words: words[:max(len(words)-(len(parts)-2), 0)]}
			byID[id] = g
			list = append(list, g)
		}
		g.commands = append(g.commands, c)
	}
	slices.SortFunc(list, func(a, b *group) int { return strings.Compare(a.id, b.id) })
	return list
}

// common are the flags that every command of an operation takes (contracts §2), each with a value
// that fits; empty: it is a switch.
func common(flag string) (sample string, known bool) {
	switch flag {
	case "--output", "-o":
		return "json", true
	case "--fields", "--want-fields":
		return "id", true
	case "--jq", "--want-jq":
		return ".", true
	case "--limit", "--want-limit", "--page", "--want-page":
		return "1", true
	case "--budget", "--want-budget":
		return "1000", true
	case "--profile", "--account":
		return "default", true
	case "--timeout", "--want-timeout":
		return "30s", true
	case "--data":
		return "-", true
	case "--set":
		return "a=b", true
	case "--field-file":
		return "a=@b", true
	case "--out", "--config":
		return "file", true
	case "--all", "--want-all", "--summary", "--want-summary", "--quiet", "--dry-run", "--yes", "--no-input", "--trust", "--help", "-h", "--version":
		return "", true
	}
	return "", false
}
