package diff

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// Kind is what sort of change it is.
type Kind string

// The kinds of changes.
const (
	Added         Kind = "added"
	Removed       Kind = "removed"
	Renamed       Kind = "renamed"
	Moved         Kind = "moved"          // the same name, elsewhere at the far side
	InputAdded    Kind = "input-added"    // an optional one
	InputRemoved  Kind = "input-removed"  //
	InputRequired Kind = "input-required" // newly: a new one, or one that was optional
	InputOptional Kind = "input-optional" // no longer required
	InputNarrowed Kind = "input-narrowed" // takes less than before
	InputWidened  Kind = "input-widened"  // takes more than before
	FieldAdded    Kind = "field-added"    // of the answer
	FieldRemoved  Kind = "field-removed"  // of the answer
	FieldChanged  Kind = "field-changed"  // of the answer: another type
	FieldWidened  Kind = "field-widened"  // of the answer: values or types that were not there before
	FieldNarrowed Kind = "field-narrowed" // of the answer: fewer values or types than before
	EffectChanged Kind = "effect-changed"
	Permission    Kind = "permission-changed"
	Operands      Kind = "operands-changed" // what is taken by position
	ToolRenamed   Kind = "tool-renamed"     // the MCP spelling alone
	Deprecated    Kind = "deprecated"
	Hidden        Kind = "hidden" // a door does not show it any more
)

// Change is one difference.
type Change struct {
	Kind    Kind     `json:"kind"`
	ID      string   `json:"operation"`         // of the new catalog, where it is there
	Origin  string   `json:"origin,omitempty"`  // "POST /incidents/{id}/ack"
	Path    string   `json:"path,omitempty"`    // of the input or the field: "filter.items[].id"
	Before  string   `json:"before,omitempty"`  // the old id or the old origin, where one changed
	Message string   `json:"message"`           //
	CLI     bool     `json:"breaks_cli"`        // a line that worked may fail
	MCP     bool     `json:"breaks_mcp"`        // a call of the tool that worked may fail
	Reaches []string `json:"reaches,omitempty"` // guides, cards and profiles that it concerns
}

// Breaks reports whether the change breaks a caller.
func (c Change) Breaks() bool { return c.CLI || c.MCP }

// Between lists what changed from one catalog to another, in the order of operations.
func Between(before, after *twodoor.Catalog) ([]Change, error) {
	olds, err := operationsOf(before)
	if err != nil {
		return nil, err
	}
	news, err := operationsOf(after)
	if err != nil {
		return nil, err
	}
	p := pair(olds, news)
	var changes []Change
	memo := newMemo()
	for _, m := range p.matched {
		changes = append(changes, compare(m.before, m.after, memo)...)
	}
	for _, op := range p.gone {
		changes = append(changes, change(Removed, op, "", true, true, "%s is gone", op.ID))
	}
	for _, op := range p.fresh {
		changes = append(changes, change(Added, op, "", false, false, "%s is new: %s", op.ID, op.Title))
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path)) })
	return changes, nil
}

// Breaking are the changes that break a caller.
func Breaking(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.Breaks() })
}

func change(kind Kind, op *twodoor.Operation, path string, cli, mcp bool, format string, args ...any) Change {
	return Change{Kind: kind, ID: op.ID, Origin: op.Origin, Path: path, CLI: cli, MCP: mcp, Message: fmt.Sprintf(format, args...)}
}

func operationsOf(catalog *twodoor.Catalog) ([]*twodoor.Operation, error) {
	var list []*twodoor.Operation
	for i := range catalog.Entries() {
		op, err := catalog.At(i)
		if err != nil {
			return nil, err
		}
		list = append(list, op)
	}
	return list, nil
}

type match struct{ before, after *twodoor.Operation }

type pairs struct {
	matched     []match
	gone, fresh []*twodoor.Operation
}

// pair finds the same operation on both sides: of the same origin, else of the same id. Names of path
// parameters do not count.
func pair(olds, news []*twodoor.Operation) (p pairs) {
	byOrigin, byID := map[string]*twodoor.Operation{}, map[string]*twodoor.Operation{}
	for _, op := range news {
		byID[op.ID] = op
		if op.Origin != "" {
			byOrigin[originOf(op)] = op
		}
	}
	taken := map[*twodoor.Operation]bool{}
	for _, op := range olds {
		found := byOrigin[originOf(op)]
		if found == nil || op.Origin == "" || taken[found] {
			found = byID[op.ID]
			if found != nil && (found.Origin != "" && op.Origin != "" && sameOriginElsewhere(olds, found)) {
				found = nil
			}
		}
		if found == nil || taken[found] {
			p.gone = append(p.gone, op)
			continue
		}
		taken[found] = true
		p.matched = append(p.matched, match{op, found})
	}
	for _, op := range news {
		if !taken[op] {
			p.fresh = append(p.fresh, op)
		}
	}
	return p
}

// sameOriginElsewhere reports whether an operation has its own counterpart on the old side.
func sameOriginElsewhere(olds []*twodoor.Operation, op *twodoor.Operation) bool {
	return slices.ContainsFunc(olds, func(old *twodoor.Operation) bool { return originOf(old) == originOf(op) })
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

func originOf(op *twodoor.Operation) string {
	return op.Source() + " " + parameter.ReplaceAllString(op.Origin, "{}")
}

// compare lists what changed in one operation.
func compare(before, after *twodoor.Operation, memo *memo) []Change {
	var list []Change
	add := func(kind Kind, path string, cli, mcp bool, format string, args ...any) {
		list = append(list, change(kind, after, path, cli, mcp, format, args...))
	}
	if before.ID != after.ID {
		kept := slices.Contains(twodoor.OldNames(after), before.ID)
		note := ""
		if kept {
			note = "; the old name still works"
		}
		add(Renamed, "", !kept, !kept, "%s is now %s%s", before.ID, after.ID, note)
		list[len(list)-1].Before = before.ID
	} else if old, now := before.Spelling().MCP, after.Spelling().MCP; old != now {
		add(ToolRenamed, "", false, !slices.Contains(twodoor.OldNames(after), old), "the tool %s is now %s", old, now)
	}
	if originOf(before) != originOf(after) {
		add(Moved, "", false, false, "at the far side it is %s now, and %s before", after.Origin, before.Origin)
		list[len(list)-1].Before = before.Origin
	}
	if before.Effect != after.Effect {
		add(EffectChanged, "", after.Effect == twodoor.Destroys, true, "it %s, and %s before", after.Effect, before.Effect)
	}
	if before.Permission != after.Permission {
		strict := after.Permission != ""
		add(Permission, "", strict, strict, "it needs the permission %q, and %q before", after.Permission, before.Permission)
	}
	if !slices.Equal(before.Positional, after.Positional) {
		broken := len(after.Positional) < len(before.Positional) || !slices.Equal(before.Positional, after.Positional[:len(before.Positional)])
		add(Operands, "", broken, false, "by position it takes %s, and %s before", operands(after), operands(before))
	}
	if after.Deprecated != "" && before.Deprecated == "" {
		add(Deprecated, "", false, false, "it is deprecated: %s", after.Deprecated)
	}
	cli := before.Export.Reaches(twodoor.DoorCLI) && !after.Export.Reaches(twodoor.DoorCLI)
	mcp := before.Export.Reaches(twodoor.DoorMCP) && !after.Export.Reaches(twodoor.DoorMCP)
	if cli || mcp {
		add(Hidden, "", cli, mcp, "it is exported to %s now", after.Export)
	}
	for _, d := range memo.inputs(before, after) {
		list = append(list, d.ofInput(after))
	}
	for _, d := range memo.outputs(before, after) {
		list = append(list, d.ofAnswer(after))
	}
	return list
}

func operands(op *twodoor.Operation) string {
	if len(op.Positional) == 0 {
		return "nothing"
	}
	return strings.Join(op.Positional, ", ")
}
