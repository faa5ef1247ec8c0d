package bundle

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/twodoor/twodoor"
)

// Bundle is an open bundle. It is safe for concurrent use until it is closed.
type Bundle struct {
	// Heal reads the descriptions again. It is asked once, when a record turns out to be damaged
	// after opening; nil: the damage is an error.
	Heal func() (*twodoor.Catalog, error)

	file     io.ReaderAt
	close    func() error
	sections map[string]span
	stamp    Stamp
	entries  list
	names    func() (list, error)
	defs     func() (list, error)
	sources  func() ([]twodoor.SourceInfo, error)
	healed   func() (*twodoor.Catalog, error)
}

// Open opens a bundle and checks what every run needs of it. It is fs.ErrNotExist where there is
// none and ErrDamaged where it cannot be trusted: write it again.
func Open(path string) (*Bundle, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b := &Bundle{file: file, close: file.Close}
	if err := b.open(); err != nil {
		file.Close()
		return nil, fmt.Errorf("open bundle %s: %w", path, err)
	}
	return b, nil
}

// OpenIn opens a bundle that lies somewhere else than in a file of its own, as [Open] does. It is not
// closed with the bundle.
func OpenIn(file io.ReaderAt) (*Bundle, error) {
	b := &Bundle{file: file, close: func() error { return nil }}
	if err := b.open(); err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	return b, nil
}

func (b *Bundle) open() (err error) {
	if b.sections, err = readHeader(b.file); err != nil {
		return err
	}
	stamp, err := b.Section(secStamp)
	if err != nil {
		return err
	}
	if json.Unmarshal(stamp, &b.stamp) != nil {
		return ErrDamaged
	}
	if b.entries, err = b.list(secEntries); err != nil {
		return err
	}
	for _, name := range []string{secOperations, secSchemas} {
		if _, ok := b.sections[name]; !ok {
			return ErrDamaged
		}
	}
	b.names = sync.OnceValues(func() (list, error) { return b.list(secNames) })
	b.defs = sync.OnceValues(func() (list, error) { return b.list(secDefinitions) })
	b.sources = sync.OnceValues(b.readSources)
	b.healed = sync.OnceValues(b.heal)
	return nil
}

// Close closes the file. Operations already handed out stay good.
func (b *Bundle) Close() error { return b.close() }

// Stamp is what the bundle was made from.
func (b *Bundle) Stamp() Stamp { return b.stamp }

// Catalog is the catalog in the bundle. It reads from the file as long as it is used.
func (b *Bundle) Catalog() *twodoor.Catalog { return twodoor.OpenCatalog(table{b}) }

// Readings is what reading each source had to say, without the operations.
func (b *Bundle) Readings() ([]*twodoor.Reading, error) {
	data, err := b.Section(secReadings)
	if err != nil {
		return nil, err
	}
	var readings []*twodoor.Reading
	if json.Unmarshal(data, &readings) != nil {
		return nil, ErrDamaged
	}
	return readings, nil
}

// Section is the content of a named section: fs.ErrNotExist where the bundle has none of the name,
// ErrDamaged where it is not what was written.
func (b *Bundle) Section(name string) ([]byte, error) {
	where, ok := b.sections[name]
	if !ok {
		return nil, fmt.Errorf("section %q: %w", name, fs.ErrNotExist)
	}
	return where.read(b.file)
}

func (b *Bundle) list(name string) (list, error) {
	data, err := b.Section(name)
	if err != nil {
		return "", err
	}
	if l := list(data); l.fits() {
		return l, nil
	}
	return "", ErrDamaged
}

func (b *Bundle) readSources() ([]twodoor.SourceInfo, error) {
	data, err := b.Section(secSources)
	if err != nil {
		return nil, err
	}
	var infos []twodoor.SourceInfo
	if json.Unmarshal(data, &infos) != nil {
		return nil, ErrDamaged
	}
	return infos, nil
}

func (b *Bundle) heal() (*twodoor.Catalog, error) {
	if b.Heal == nil {
		return nil, ErrDamaged
	}
	return b.Heal()
}

// table is the bundle as a catalog stands on it.
type table struct{ b *Bundle }

func (t table) Len() int { return t.b.entries.Len() }

func (t table) Entry(i int) twodoor.Entry {
	record := t.b.entries.at(i)
	return entryOf(&record)
}

func (t table) Operation(i int) (*twodoor.Operation, error) {
	record := t.b.entries.at(i)
	entry := entryOf(&record)
	data, err := record.span(t.b.sections[secOperations].at).read(t.b.file)
	if err == nil {
		op := new(twodoor.Operation)
		if json.Unmarshal(data, op) == nil {
			return op, nil
		}
	}
	return t.healed(entry.ID)
}

// healed is an operation read anew, because its record is damaged.
func (t table) healed(id string) (*twodoor.Operation, error) {
	catalog, err := t.b.healed()
	if err != nil {
		return nil, err
	}
	op, _, err := catalog.Find(id)
	if err == nil && op == nil {
		return nil, ErrDamaged
	}
	if err != nil {
		return nil, err
	}
	again := *op
	return &again, nil
}

func (t table) Lookup(name string) (int, bool, bool) {
	names, err := t.b.names()
	if err != nil {
		return t.lookupSlowly(name)
	}
	record, ok := names.search(name)
	if !ok {
		return 0, false, false
	}
	at := int(record.number())
	return at, record.number() == 1, at < t.Len()
}

// lookupSlowly does without the table of names, where that one is damaged.
func (t table) lookupSlowly(name string) (int, bool, bool) {
	for i := range t.Len() {
		if e := t.Entry(i); e.ID == name || e.Tool == name {
			return i, false, true
		}
	}
	return 0, false, false
}

func (t table) Definition(source, name string) (json.RawMessage, bool) {
	defs, err := t.b.defs()
	if err == nil {
		record, ok := defs.search(definitionKey(source, name))
		if !ok {
			return nil, false
		}
		data, err := record.span(t.b.sections[secSchemas].at).read(t.b.file)
		if err == nil {
			return data, true
		}
	}
	return t.healedDefinition(source, name)
}

func (t table) healedDefinition(source, name string) (json.RawMessage, bool) {
	catalog, err := t.b.healed()
	if err != nil {
		return nil, false
	}
	for _, entry := range catalog.Below(source + ".") {
		op, _, err := catalog.Find(entry.ID)
		if err != nil || op == nil {
			continue
		}
		raw := op.Definition(name)
		return raw, raw != nil
	}
	return nil, false
}

func (t table) Sources() []twodoor.SourceInfo {
	infos, err := t.b.sources()
	if err != nil {
		catalog, err := t.b.healed()
		if err != nil {
			return nil
		}
		return catalog.Sources()
	}
	return infos
}
