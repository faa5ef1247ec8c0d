package twodoor

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// OwnSource is the reserved source of twodoor's own operations. Their spellings leave it out.
const OwnSource = "twodoor"

// Bounds of an MCP tool name: hosts take 64 characters including the prefix they put before it.
const (
	maxTool    = 64
	hostPrefix = "mcp__twodoor__"
	// MaxToolName is the longest MCP spelling of an operation, in characters.
	MaxToolName = maxTool - len(hostPrefix)
)

// Spelling is an operation's id as each door writes it. Nothing takes a spelling apart again: the
// way back leads through the catalog's table of names only.
type Spelling struct {
	CLI  []string // words after the program's name
	MCP  string   // tool name: A-Za-z0-9_-, at most MaxToolName characters
	REST string   // path below /api/v1/call/
}

// Spell makes every door's spelling of an id. The prefix, where there is one, stands for the
// source's name at the front of the MCP spelling. It is a pure function (contracts §1): hyphens of
// the verb become underscores there, those of source and group stay, so that alert.event-list and
// alert-event.list keep two names.
func Spell(id, prefix string) Spelling {
	s := Spelling{CLI: strings.Split(id, "."), REST: id}
	source, rest, _ := strings.Cut(id, ".")
	if group, verb, ok := strings.Cut(rest, "."); ok {
		rest = group + "_" + strings.ReplaceAll(verb, "-", "_")
	}
	switch {
	case source == OwnSource:
		s.CLI = s.CLI[1:]
		s.MCP = strings.ReplaceAll(rest, "-", "_")
	case prefix != "":
		s.MCP = prefix + "_" + rest
	default:
		s.MCP = source + "_" + rest
	}
	s.MCP = fitTool(strings.Map(toolRune, s.MCP), id)
	return s
}

// Spelling is how each door writes the operation's id. A tool name that the description gave
// verbatim stands, unless hosts would refuse it.
func (o *Operation) Spelling() Spelling {
	s := Spell(o.ID, o.Prefix)
	if o.Tool != "" {
		s.MCP = fitTool(strings.Map(toolRune, o.Tool), o.ID)
	}
	return s
}

func toolRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		return r
	}
	return '_'
}

// fitTool shortens a name over the bound: head and tail stay, a hash of the id stands between, so
// that two long ids which differ in the middle keep two names.
func fitTool(name, id string) string {
	if len(name) <= MaxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	hash := "_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:6]) + "_"
	half := (MaxToolName - len(hash)) / 2
	return strings.TrimRight(name[:half], "_") + hash + strings.TrimLeft(name[len(name)-half:], "_")
}

// nearest sorts the candidates that are near to a word, best first, at most n of them.
func nearest(word string, candidates []string, n int) []string {
	type scored struct {
		text string
		cost int
	}
	best := make([]scored, 0, n+1)
	for _, c := range candidates {
		cost := distance(word, c)
		if cost*5 > 2*max(len(word), len(c)) {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].cost > cost {
			at--
		}
		best = append(best[:at], append([]scored{{c, cost}}, best[at:]...)...)
		best = best[:min(len(best), n)]
	}
	out := make([]string, len(best))
	for i, b := range best {
		out[i] = b.text
	}
	return out
}

// distance is the Levenshtein distance of two short ASCII words.
func distance(a, b string) int {
	line := make([]int, len(b)+1)
	for j := range line {
		line[j] = j
	}
	for i := range len(a) {
		corner := line[0]
		line[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = line[j+1]
			line[j+1] = min(cost, line[j]+1, corner+1)
		}
	}
	return line[len(b)]
}

// splitList takes a comma list apart; blanks around its words and empty words are dropped.
func splitList(text string) []string {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}
