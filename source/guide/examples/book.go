package examples

import (
	"strings"

	"github.com/twodoor/twodoor/source/guide"
)

// book is a tree with its ways in.
type book struct {
	*guide.Tree
	byWords map[string]*guide.Command
	byID    map[string]*guide.Command
	levels  map[string]bool // words that lead to commands and are none
}

func bookOf(tree *guide.Tree) *book {
	b := &book{Tree: tree, byWords: map[string]*guide.Command{}, byID: map[string]*guide.Command{}, levels: map[string]bool{"": true}}
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
func (b *book) lead(words []string) (c *guide.Command, used int) {
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
