package schema

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// Schema is a compiled schema, or a part of one. It may be used by several
// goroutines.
type Schema struct {
	raw  []byte // compact
	doc  *document
	up   *Schema // the schema that this is a part of, if its pointer is needed
	step string  // from up to here, as a JSON pointer

	never      bool // the schema false
	types      kinds
	required   []string
	properties []property
	index      map[string]int // of properties, when there are many
	additional *Schema
	items      *Schema
	enum       [][]byte
	bounds     bounds
	pattern    *regexp.Regexp
	unique     bool
	all        []*Schema
	any        []*Schema
	one        []*Schema
	not        *Schema
	ref        string // a JSON pointer, "" is the root; or an anchor
	hasRef     bool
	target     atomic.Pointer[Schema]
	rare       *rare // nil for most
}

type property struct {
	name     string
	schema   *Schema
	required bool
}

// bounds holds the numbers of a schema as they are written; nil is absent.
// Counts are -1 when absent.
type bounds struct {
	minimum, maximum           []byte
	aboveMinimum, belowMaximum bool // the bound itself is out
	multipleOf                 []byte
	minLength, maxLength       int
	minItems, maxItems         int
	minProperties              int
	maxProperties              int
}

// document is the whole schema that references lead into.
type document struct {
	*refs.Document
	mu   sync.Mutex
	refs map[string]*Schema
}

func newDocument(compact []byte, define func(name string) []byte) *document {
	return &document{Document: refs.New(compact, define), refs: make(map[string]*Schema)}
}

// Compile reads a self-contained schema. What a reference leads to is compiled
// when a value first gets there, so a big schema costs only what is reached.
// A regular expression that Go cannot compile is ignored.
func Compile(raw []byte) (*Schema, error) { return CompileWith(raw, nil) }

// CompileWith is Compile for a schema that leans on others: define hands out
// what #/$defs/NAME means where the schema's own $defs lack it, when a value
// first gets there. A name that it does not know takes everything.
func CompileWith(raw []byte, define func(name string) []byte) (*Schema, error) {
	if err := rawjson.Check(raw); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compact := rawjson.Compact(make([]byte, 0, len(raw)), raw)
	doc := newDocument(compact, define)
	s, err := doc.compile(compact, nil, "", 0)
	if err != nil {
		return nil, err
	}
	doc.refs[""] = s
	return s, nil
}

// Close makes a schema self-contained: see [refs.Close].
func Close(root []byte, def func(name string) []byte) []byte { return refs.Close(root, def) }

// Raw is the schema as compact JSON; it must not be changed.
func (s *Schema) Raw() []byte { return s.raw }

// resolve returns the schema that the reference leads to. A fault in there
// counts as a schema that takes everything: Compile has looked that it exists.
func (s *Schema) resolve() *Schema {
	if target := s.target.Load(); target != nil {
		return target
	}
	target := s.doc.at(s.ref)
	s.target.Store(target)
	return target
}

func (d *document) at(pointer string) *Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.refs[pointer]; known != nil {
		return known
	}
	s := &Schema{raw: []byte("{}"), doc: d, bounds: noBounds}
	if raw, found := d.Find(pointer); found {
		if compiled, err := d.compile(raw, nil, pointer, 0); err == nil {
			s = compiled
		}
	}
	d.refs[pointer] = s
	return s
}

// property finds a declared property by its quoted key, or returns -1.
func (s *Schema) property(quoted []byte) int {
	if s.index != nil {
		name, _ := rawjson.String(quoted)
		return s.propertyNamed(name)
	}
	for i := range s.properties {
		if rawjson.KeyIs(quoted, s.properties[i].name) {
			return i
		}
	}
	return -1
}

// pointer tells where in the document the schema stands.
func (s *Schema) pointer() string {
	if s.up == nil {
		return s.step
	}
	return s.up.pointer() + s.step
}
