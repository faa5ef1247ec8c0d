package twodoor

import (
	"slices"
	"strings"
)

// Profile is a named cut of a catalog: which operations, shown in which way, under which limits.
// The zero value shows everything.
type Profile struct {
	Include       []string // globs over ids; empty: all
	Exclude       []string // globs over ids
	Effects       []Effect // empty: all
	Expose        Expose   // empty: ExposeAuto
	ListBudget    int      // estimated tokens of a full list under ExposeAuto; 0: 5,000
	AnswerBudget  int      // estimated tokens of an answer at MCP and REST; 0: 4,000
	AnswerFormat  Format   // of answers over MCP, where a call does not say; empty: FormatJSON
	Pins          []string // globs over ids, listed in every exposure
	Confirm       Confirm  // empty: ConfirmNever
	OutputSchemas bool     // list relaxed output schemas and send structuredContent
}

// DefaultProfile is the name of the profile of a Call that names none.
const DefaultProfile = "default"

// Expose is the way in which operations are listed over MCP.
type Expose string

// The exposures (contracts §6).
const (
	ExposeAuto   Expose = "auto"
	ExposeFull   Expose = "full"
	ExposeSearch Expose = "search"
)

// Confirm says whether operations that destroy need a yes.
type Confirm string

// The values of Confirm; the empty one means ConfirmNever.
const (
	ConfirmNever Confirm = "never"
	ConfirmAsk   Confirm = "ask"
)

// Includes reports whether the profile's cut holds an operation of this id, whatever its effect.
// Twodoor's own operations are in every cut that does not exclude them: they show no more than it.
func (p *Profile) Includes(id string) bool {
	if matchAny(p.Exclude, id) {
		return false
	}
	return len(p.Include) == 0 || strings.HasPrefix(id, OwnSource+".") || matchAny(p.Include, id)
}

// Allows reports whether operations of this effect may be called.
func (p *Profile) Allows(effect Effect) bool {
	return len(p.Effects) == 0 || slices.Contains(p.Effects, effect)
}

// Shows reports whether a door lists the operation to the principal: it can be called there by it.
func (p *Profile) Shows(entry Entry, principal Principal, door string) bool {
	return entry.Export.Reaches(door) && p.Allows(entry.Effect) && p.Includes(entry.ID) && principal.Holds(entry.Permission)
}

func matchAny(globs []string, id string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return Match(glob, id) })
}

// Match reports whether an id fits a glob. A star stands for any run of characters, dots included;
// everything else stands for itself.
func Match(glob, id string) bool {
	star, mark := -1, 0
	g, i := 0, 0
	for i < len(id) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, i
			g++
		case g < len(glob) && glob[g] == id[i]:
			g++
			i++
		case star >= 0:
			mark++
			g, i = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}
