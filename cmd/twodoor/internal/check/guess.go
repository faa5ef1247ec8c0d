package check

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide/cards"
)

// Finder is the operation that a search for words finds first, among those that are shown; empty: none.
type Finder func(words string, show func(id string) bool) (id string)

// Guesses are, by operation, other words that an agent may write for its verb: its old names, and the
// word for the deed that its title begins with ("Escalate an incident" for escalation-create), where a
// search among the commands of the group leads to it. Words seen in the journal come in as old names:
// the friction report proposes them as aliases. Cards must not differ from machine to machine.
func Guesses(catalog *twodoor.Catalog, find Finder) (map[string][]string, error) {
	all := map[string][]string{}
	for i, entry := range catalog.Entries() {
		if strings.HasPrefix(entry.ID, twodoor.OwnSource+".") {
			continue
		}
		op, err := catalog.At(i)
		if err != nil {
			return nil, err
		}
		for _, alias := range op.Aliases {
			all[op.ID] = append(all[op.ID], alias[strings.LastIndexByte(alias, '.')+1:])
		}
		if guess := deedOf(op); guess != "" {
			group := op.ID[:strings.LastIndexByte(op.ID, '.')+1]
			if find(guess, func(id string) bool { return strings.HasPrefix(id, group) }) == op.ID {
				all[op.ID] = append(all[op.ID], guess)
			}
		}
	}
	return all, nil
}

// deedOf is what the title begins with, as a verb would be written; empty where the verb says it too.
// A word that fits everything is told with what it is done to.
func deedOf(op *twodoor.Operation) string {
	first, rest, _ := strings.Cut(strings.ToLower(op.Title), " ")
	verb := strings.Split(op.ID[strings.LastIndexByte(op.ID, '.')+1:], "-")
	if len(first) < 3 || rest == "" || strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") != "" || slices.Contains(verb, first) || cards.IsPlain(first) && len(verb) == 1 {
		return ""
	}
	if cards.IsPlain(first) {
		return first + "-" + strings.Join(verb[:len(verb)-1], "-")
	}
	return first
}
