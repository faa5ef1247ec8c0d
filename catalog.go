package twodoor

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/twodoor/twodoor/internal/schema"
)

// Catalog is a fixed, sorted snapshot of operations with a two-way table of all their names. It is
// safe for concurrent use. When an upstream changes a new one is built, and the engine swaps.
type Catalog struct {
	table  Table
	loaded []atomic.Pointer[Operation]
}

// Table is what a catalog stands on: operations in memory, or a bundle on disk that decodes only
// what is asked for. Positions are those of the ids in sorted order.
type Table interface {
	Len() int
	Entry(i int) Entry                                      // decodes no operation
	Operation(i int) (*Operation, error)                    // decodes this one only
	Lookup(name string) (i int, alias bool, ok bool)        // any spelling
	Definition(source, name string) (json.RawMessage, bool) // a shared schema
	Sources() []SourceInfo                                  // sorted by name
}

// Entry is what lists and checks need of an operation.
type Entry struct {
	ID         string
	Tool       string // its MCP spelling
	Title      string
	Effect     Effect
	Export     Export
	Permission string
	Deprecated bool
}

// SourceInfo is what a catalog knows of a source as a whole.
type SourceInfo struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Version     string            `json:"version,omitempty"`
	Groups      map[string]string `json:"groups,omitempty"`
	Origins     []string          `json:"origins,omitempty"`
	Starts      []string          `json:"starts,omitempty"`
	Keys        []string          `json:"keys,omitempty"`
	Operations  int               `json:"operations"`
}

// EntryOf is the entry of an operation.
func EntryOf(o *Operation) Entry {
	return Entry{
		ID: o.ID, Tool: o.Spelling().MCP, Title: o.Title, Effect: o.Effect,
		Export: o.Export, Permission: o.Permission, Deprecated: o.Deprecated != "",
	}
}

// NewCatalog builds a catalog in memory. The error names every clash of names and every operation
// without an id, a kind or an effect.
func NewCatalog(readings ...*Reading) (*Catalog, error) {
	table, err := newMemory(readings)
	if err != nil {
		return nil, err
	}
	return OpenCatalog(table), nil
}

// OpenCatalog stands a catalog on a table that is already checked: a bundle.
func OpenCatalog(table Table) *Catalog {
	return &Catalog{table: table, loaded: make([]atomic.Pointer[Operation], table.Len())}
}

// ToolName is how MCP hosts and tool lists know an operation; a name that leads nowhere stays as it is.
func (c *Catalog) ToolName(id string) string {
	if op, _, err := c.Find(id); err == nil && op != nil {
		return op.Spelling().MCP
	}
	return id
}

// Len is the number of operations.
func (c *Catalog) Len() int { return c.table.Len() }

// Sources tells of the sources, sorted by name.
func (c *Catalog) Sources() []SourceInfo { return c.table.Sources() }

// Entries lists all operations in the order of their ids, with their positions.
func (c *Catalog) Entries() iter.Seq2[int, Entry] { return c.Below("") }

// Below lists the operations whose id begins with a prefix of whole words ("harbor.incident."), in
// order, with their positions.
func (c *Catalog) Below(prefix string) iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		first := sort.Search(c.Len(), func(i int) bool { return c.table.Entry(i).ID >= prefix })
		for i := first; i < c.Len(); i++ {
			entry := c.table.Entry(i)
			if !strings.HasPrefix(entry.ID, prefix) || !yield(i, entry) {
				return
			}
		}
	}
}

// Find is the operation of a name in any spelling, and whether the name is an old one. It is nil
// where there is none; an error means that the catalog itself is damaged.
func (c *Catalog) Find(name string) (op *Operation, alias bool, err error) {
	i, alias, ok := c.table.Lookup(name)
	if !ok {
		return nil, false, nil
	}
	op, err = c.At(i)
	return op, alias, err
}

// At is the operation at a position. It is shared: nobody changes it.
func (c *Catalog) At(i int) (*Operation, error) {
	if op := c.loaded[i].Load(); op != nil {
		return op, nil
	}
	op, err := c.table.Operation(i)
	if err != nil {
		return nil, fmt.Errorf("read operation %d of the catalog: %w", i, err)
	}
	op.kept = c.keep(op)
	c.loaded[i].CompareAndSwap(nil, op)
	return c.loaded[i].Load(), nil
}

// keep ties an operation to its shared schemas; its input schema is compiled once, when first asked for.
func (c *Catalog) keep(op *Operation) *kept {
	source := op.Source()
	define := func(name string) json.RawMessage {
		raw, _ := c.table.Definition(source, name)
		return raw
	}
	return &kept{
		define: define,
		input: sync.OnceValues(func() (*schema.Schema, error) {
			return schema.CompileWith(op.input(), func(name string) []byte { return define(name) })
		}),
	}
}

// Nearest lists the ids that are near to a name, best first, at most n.
func (c *Catalog) Nearest(name string, n int, show func(Entry) bool) []string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	ids := make([]string, 0, c.Len())
	for _, entry := range c.Entries() {
		if show(entry) {
			ids = append(ids, entry.ID)
		}
	}
	if near := nearest(strings.ReplaceAll(name, " ", "."), ids, n); len(near) > 0 {
		return near
	}
	return sharingWords(name, ids, n)
}

// sharingWords lists the ids that hold most words of a name, for names too far off to be typing errors.
func sharingWords(name string, ids []string, n int) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' || r == ' ' })
	count := func(id string) (hits int) {
		for _, word := range words {
			if len(word) > 2 && strings.Contains(id, word) {
				hits++
			}
		}
		return hits
	}
	var hits []string
	for _, id := range ids {
		if count(id) > 0 {
			hits = append(hits, id)
		}
	}
	slices.SortStableFunc(hits, func(a, b string) int { return count(b) - count(a) })
	return hits[:min(n, len(hits))]
}

// memory is the Table of a catalog that was just read.
type memory struct {
	operations  []*Operation
	entries     []Entry
	names       map[string]nameRef
	definitions map[string]map[string]json.RawMessage
	sources     []SourceInfo
}

type nameRef struct {
	at    int
	alias bool
}

func newMemory(readings []*Reading) (*memory, error) {
	m := &memory{names: map[string]nameRef{}, definitions: map[string]map[string]json.RawMessage{}}
	for _, r := range readings {
		m.sources = append(m.sources, InfoOf(r))
		m.definitions[r.Source] = r.Definitions
		for i := range r.Operations {
			m.operations = append(m.operations, &r.Operations[i])
		}
	}
	slices.SortFunc(m.sources, func(a, b SourceInfo) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(m.operations, func(a, b *Operation) int { return strings.Compare(a.ID, b.ID) })
	var clashes []error
	for i, op := range m.operations {
		m.entries = append(m.entries, EntryOf(op))
		clashes = append(clashes, op.lacks(), m.name(i, op))
	}
	return m, errors.Join(clashes...)
}

// InfoOf is what a catalog keeps of a reading as a whole.
func InfoOf(r *Reading) SourceInfo {
	return SourceInfo{r.Source, r.Title, r.Description, r.Version, r.Groups, r.Origins, r.Starts, r.Keys, len(r.Operations)}
}

// lacks says what an operation must have and has not.
func (o *Operation) lacks() error {
	switch {
	case !strings.Contains(o.ID, "."):
		return fmt.Errorf("operation %q from %s: its id is not source.group.verb", o.ID, o.At)
	case o.Kind == "":
		return fmt.Errorf("operation %s: no kind of source", o.ID)
	case o.Effect != Reads && o.Effect != Writes && o.Effect != Destroys:
		return fmt.Errorf("operation %s: effect %q is not reads, writes or destroys", o.ID, o.Effect)
	}
	return nil
}

// name enters all spellings of an operation. Old names never displace a present one.
func (m *memory) name(at int, op *Operation) error {
	var clashes []error
	for _, name := range Names(op) {
		if old, taken := m.names[name]; taken && old.at != at && !old.alias {
			other := m.operations[old.at]
			clashes = append(clashes, fmt.Errorf("%s (%s) and %s (%s) are both spelled %q: name one of them by x-twodoor.name, by an overlay or in the configuration",
				other.ID, other.Origin, op.ID, op.Origin, name))
			continue
		}
		m.names[name] = nameRef{at: at}
	}
	for _, name := range OldNames(op) {
		if _, taken := m.names[name]; !taken {
			m.names[name] = nameRef{at: at, alias: true}
		}
	}
	return errors.Join(clashes...)
}

// Names lists the spellings under which an operation is found: its id and its MCP spelling.
func Names(op *Operation) []string {
	if tool := op.Spelling().MCP; tool != op.ID {
		return []string{op.ID, tool}
	}
	return []string{op.ID}
}

// OldNames lists the spellings of an operation's aliases.
func OldNames(op *Operation) []string {
	var names []string
	for _, alias := range op.Aliases {
		if !strings.Contains(alias, ".") || strings.Count(alias, ".") == 1 && !strings.HasPrefix(alias, op.Source()+".") {
			alias = op.Source() + "." + alias
		}
		names = append(names, alias, Spell(alias, op.Prefix).MCP)
	}
	return names
}

func (m *memory) Len() int              { return len(m.operations) }
func (m *memory) Entry(i int) Entry     { return m.entries[i] }
func (m *memory) Sources() []SourceInfo { return m.sources }

func (m *memory) Operation(i int) (*Operation, error) {
	op := *m.operations[i]
	return &op, nil
}

func (m *memory) Lookup(name string) (int, bool, bool) {
	ref, ok := m.names[name]
	return ref.at, ref.alias, ok
}

func (m *memory) Definition(source, name string) (json.RawMessage, bool) {
	raw, ok := m.definitions[source][name]
	return raw, ok
}
