package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// Bounds under which the automatic exposure lists everything (contracts §6): ListBudget where a
// profile has none.
const (
	ListBudget   = 5000 // estimated tokens
	maxFullTools = 40
	maxFull      = 25_000 // estimated tokens of a full list, as long as no tool needs to weigh less than leastTool
	leastTool    = 100
)

// searchTools are the own operations by which others are found and called. A full list does not need
// them, a short one is made of them.
var searchTools = []string{
	"twodoor.find-operations", "twodoor.describe-operations",
	"twodoor.read-operation", "twodoor.write-operation", "twodoor.destroy-operation",
}

// exposure is how operations are listed to a caller: as the request says, else the door, else the
// profile.
func (d *Door) exposure(c caller, profile *twodoor.Profile) twodoor.Expose {
	for _, x := range []twodoor.Expose{c.expose, d.Expose, profile.Expose} {
		if x != "" {
			return x
		}
	}
	return twodoor.ExposeAuto
}

// picked are the tools that an exposure shows. The tools of a full list are made only as long as
// it may still be the one.
type picked struct {
	profile    *twodoor.Profile
	expose     twodoor.Expose
	searchable bool // the catalog has the tools that find others
	full       [][]byte
	fixed      []bool // of full, whose definitions are not ours to change
	search     [][]byte
	weight     int // estimated tokens of the full list
}

// pick makes the tools that a caller is shown, and notes in the listing whether others see more.
func (d *Door) pick(catalog *twodoor.Catalog, profile *twodoor.Profile, principal twodoor.Principal, expose twodoor.Expose, l *listing) [][]byte {
	finder, _, _ := catalog.Find(searchTools[0])
	p := &picked{profile: profile, expose: expose, searchable: finder != nil}
	for i, entry := range catalog.Entries() {
		if !profile.Shows(entry, principal, twodoor.DoorMCP) {
			l.whole = l.whole && !profile.Shows(entry, twodoor.Operator, twodoor.DoorMCP)
			continue
		}
		if !p.wants(entry.ID) {
			continue
		}
		op, err := catalog.At(i)
		if err != nil { // one damaged operation must not take the list from all others; a call tells the fault
			continue
		}
		p.add(op, d.toolOf(op, entry, profile))
	}
	if p.short() {
		return p.search
	}
	p.level()
	return p.full
}

// level brings the heaviest tools of a full list down until all together are light enough. Upstream
// definitions stay as they are.
func (p *picked) level() {
	weights := make([]int, len(p.full))
	for i, tool := range p.full {
		weights[i] = rawjson.Weigh(tool)
	}
	most := hosts.Level(weights, maxFull, leastTool)
	for i, tool := range p.full {
		if weights[i] > most && !p.fixed[i] {
			input, _ := rawjson.Get(tool, "inputSchema")
			room := most - weights[i] + rawjson.Weigh(input)
			p.full[i] = rawjson.Set(tool, "inputSchema", hosts.Slim(input, max(room, 1)))
		}
	}
}

// wants reports whether a tool may still be listed.
func (p *picked) wants(id string) bool {
	if p.onShort(id) {
		return true
	}
	return !p.short() && !slices.Contains(searchTools, id)
}

// onShort reports whether the short list shows an operation: our own, and what is pinned.
func (p *picked) onShort(id string) bool {
	return strings.HasPrefix(id, twodoor.OwnSource+".") ||
		slices.ContainsFunc(p.profile.Pins, func(glob string) bool { return twodoor.Match(glob, id) })
}

func (p *picked) add(op *twodoor.Operation, tool []byte) {
	if p.onShort(op.ID) {
		p.search = append(p.search, tool)
	}
	if !slices.Contains(searchTools, op.ID) {
		p.full = append(p.full, tool)
		p.fixed = append(p.fixed, op.Verbatim)
		p.weight += rawjson.Weigh(tool)
	}
}

// short reports whether the short list is shown: it is asked for, or the full one is already too much
// to read. Without tools that find others there is only the full one.
func (p *picked) short() bool {
	if !p.searchable || p.expose == twodoor.ExposeFull {
		return false
	}
	budget := p.profile.ListBudget
	if budget == 0 {
		budget = ListBudget
	}
	return p.expose == twodoor.ExposeSearch || len(p.full) > maxFullTools || p.weight > budget
}

// Tools lists the tools that a principal is shown in a profile, in one exposure: what tools/list
// answers on all its pages, for weighing and for snapshots. The empty exposure is the door's own.
func (d *Door) Tools(principal twodoor.Principal, profile string, expose twodoor.Expose) ([]json.RawMessage, error) {
	list, err := d.listing(caller{principal: principal, profile: profile, expose: expose})
	if err != nil {
		return nil, err
	}
	var tools []json.RawMessage
	for _, page := range list.pages {
		for tool := range rawjson.Elements(page) {
			tools = append(tools, tool)
		}
	}
	return tools, nil
}
