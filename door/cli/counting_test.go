package cli

import (
	"encoding/json"
	"testing"

	"github.com/twodoor/twodoor"
)

// countingTable counts the operations that are decoded.
type countingTable struct {
	twodoor.Table
	decoded int
}

func (c *countingTable) Operation(i int) (*twodoor.Operation, error) {
	c.decoded++
	return c.Table.Operation(i)
}

// plainTable stands on a catalog, as a bundle stands on a file.
type plainTable struct {
	catalog *twodoor.Catalog
	entries []twodoor.Entry
	reading *twodoor.Reading
}

func tableOf(t testing.TB, reading *twodoor.Reading) *plainTable {
	t.Helper()
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	p := &plainTable{catalog: catalog, reading: reading}
	for _, entry := range catalog.Entries() {
		p.entries = append(p.entries, entry)
	}
	return p
}

func (p *plainTable) Len() int                      { return len(p.entries) }
func (p *plainTable) Entry(i int) twodoor.Entry     { return p.entries[i] }
func (p *plainTable) Sources() []twodoor.SourceInfo { return p.catalog.Sources() }
func (p *plainTable) Definition(_, name string) (json.RawMessage, bool) {
	raw, ok := p.reading.Definitions[name]
	return raw, ok
}

func (p *plainTable) Operation(i int) (*twodoor.Operation, error) {
	op, err := p.catalog.At(i)
	if err != nil {
		return nil, err
	}
	again := *op
	return &again, nil
}

func (p *plainTable) Lookup(name string) (int, bool, bool) {
	for i, entry := range p.entries {
		if entry.ID == name || entry.Tool == name {
			return i, false, true
		}
	}
	return 0, false, false
}
