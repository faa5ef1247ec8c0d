package bundle

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// Names of the sections that this package writes. Others are their owners'.
const (
	secStamp       = "stamp"
	secSources     = "sources"
	secReadings    = "readings"
	secEntries     = "entries"
	secNames       = "names"
	secOperations  = "operations"
	secDefinitions = "definitions"
	secSchemas     = "schemas"
)

// Section is a part of a bundle that another room makes of the catalog, and reads by its name.
type Section struct {
	Name string // required; none of this package's own
	Make func(*twodoor.Catalog) ([]byte, error)
}

// Write compiles readings into a bundle at a path, with sections of others beside its own. It
// replaces a bundle that is there as one step. The error names every clash of names.
func Write(path string, stamp Stamp, readings []*twodoor.Reading, others ...Section) error {
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		return err
	}
	sections, err := compile(stamp, catalog, readings)
	if err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	for _, other := range others {
		data, err := other.Make(catalog)
		if err != nil {
			return fmt.Errorf("write the section %q of a bundle: %w", other.Name, err)
		}
		sections = append(sections, section{other.Name, data})
	}
	if err := writeFile(path, sections); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

func compile(stamp Stamp, catalog *twodoor.Catalog, readings []*twodoor.Reading) ([]section, error) {
	entries, operations, err := compileOperations(catalog)
	if err != nil {
		return nil, err
	}
	names, err := compileNames(catalog)
	if err != nil {
		return nil, err
	}
	definitions, schemas := compileDefinitions(readings)
	sections := []section{}
	for _, part := range []struct {
		name  string
		value any
	}{{secStamp, stamp}, {secSources, catalog.Sources()}, {secReadings, readings}} {
		data, err := json.Marshal(part.value)
		if err != nil {
			return nil, err
		}
		sections = append(sections, section{part.name, data})
	}
	return append(sections,
		section{secEntries, entries}, section{secNames, names}, section{secDefinitions, definitions},
		section{secOperations, operations}, section{secSchemas, schemas}), nil
}

// compileOperations writes one entry an operation, in order, and the pile of the operations.
func compileOperations(catalog *twodoor.Catalog) (entries, operations []byte, err error) {
	var records [][]byte
	var all pile
	for i, entry := range catalog.Entries() {
		op, err := catalog.At(i)
		if err != nil {
			return nil, nil, err
		}
		data, err := encode(op)
		if err != nil {
			return nil, nil, fmt.Errorf("encode %s: %w", op.ID, err)
		}
		records = append(records, all.add(appendEntry(nil, entry), data))
	}
	return listOf(records), all.data, nil
}

// encode writes a value as JSON. What is JSON in it stays as it is: no character is escaped anew.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func appendEntry(dst []byte, e twodoor.Entry) []byte {
	for _, text := range []string{e.ID, e.Tool, e.Title, string(e.Effect), string(e.Export), e.Permission} {
		dst = appendText(dst, text)
	}
	return append(dst, flag(e.Deprecated))
}

func entryOf(f *fields) twodoor.Entry {
	return twodoor.Entry{
		ID: f.text(), Tool: f.text(), Title: f.text(), Effect: twodoor.Effect(f.text()),
		Export: twodoor.Export(f.text()), Permission: f.text(), Deprecated: f.number() == 1,
	}
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// compileNames writes the sorted table of all spellings: name, position, whether it is an old one.
func compileNames(catalog *twodoor.Catalog) ([]byte, error) {
	type ref struct {
		at  int
		old bool
	}
	all := map[string]ref{}
	for pass := range 2 {
		for i := range catalog.Entries() {
			op, err := catalog.At(i)
			if err != nil {
				return nil, err
			}
			names := twodoor.Names(op)
			if pass == 1 {
				names = twodoor.OldNames(op)
			}
			for _, name := range names {
				if _, taken := all[name]; !taken {
					all[name] = ref{i, pass == 1}
				}
			}
		}
	}
	var records [][]byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		record := binary.AppendUvarint(appendText(nil, name), uint64(all[name].at))
		records = append(records, append(record, flag(all[name].old)))
	}
	return listOf(records), nil
}

// compileDefinitions writes the shared schemas of all sources, sorted by source and name.
func compileDefinitions(readings []*twodoor.Reading) (definitions, schemas []byte) {
	var records [][]byte
	var all pile
	sorted := slices.SortedFunc(slices.Values(readings), func(a, b *twodoor.Reading) int { return strings.Compare(a.Source, b.Source) })
	type named struct {
		key  string
		data json.RawMessage
	}
	var defs []named
	for _, r := range sorted {
		for name, data := range r.Definitions {
			defs = append(defs, named{definitionKey(r.Source, name), data})
		}
	}
	slices.SortFunc(defs, func(a, b named) int { return strings.Compare(a.key, b.key) })
	for _, d := range defs {
		records = append(records, all.add(appendText(nil, d.key), d.data))
	}
	return listOf(records), all.data
}

func definitionKey(source, name string) string { return source + "\x00" + name }
