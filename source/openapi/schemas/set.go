package schemas

import (
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// Set turns the schemas of one description into JSON Schema 2020-12. What several operations
// share becomes a definition, written once and only when it is reached.
type Set struct {
	*document.Library
	root   *document.File
	legacy bool // 3.0 and 2.0: what stands beside a $ref does not count

	definitions map[definitionKey]*Definition
	names       map[string]bool
	queue       []*Definition

	home    map[*rawjson.Node]*document.File    // documents of nodes that were merged into another one's
	merges  [2]map[*rawjson.Node]document.Place // merged schemas: plain, and with their subtypes
	merging map[*rawjson.Node]bool              // schemas whose allOf is being merged
	own     map[*rawjson.Node]bool              // nodes made here, whose siblings of a $ref count
	marks   map[*rawjson.Node]bool              // schemas that differ by direction
	heirs   map[*rawjson.Node][]heir            // schemas by the parent in their allOf; built on first use
	told    map[string]bool                     // notes given
	Notes   []string
}

// New serves the schemas of a description: its root document, and its version, 2.0, 3.0 or 3.1.
func New(l *document.Library, root *document.File, version string) *Set {
	return &Set{
		Library: l, root: root,
		legacy:      version != "3.1",
		definitions: map[definitionKey]*Definition{},
		names:       map[string]bool{},
		home:        map[*rawjson.Node]*document.File{},
		merges:      [2]map[*rawjson.Node]document.Place{{}, {}},
		merging:     map[*rawjson.Node]bool{},
		own:         map[*rawjson.Node]bool{},
		marks:       map[*rawjson.Node]bool{},
		told:        map[string]bool{},
	}
}

// Belongs says that a node is of another document than the node that it will stand in.
func (s *Set) Belongs(p document.Place) { s.home[p.Node] = p.Doc }

// child is a node below p, in the document that it came from.
func (s *Set) child(p document.Place, n *rawjson.Node) document.Place {
	if doc, moved := s.home[n]; moved {
		return doc.Place(n)
	}
	return p.Doc.Place(n)
}

// ChildAt is a member of p, in the document that it came from.
func (s *Set) ChildAt(p document.Place, key string) document.Place {
	return s.child(p, p.Node.Get(key))
}

// Note tells a reader of the description something once.
func (s *Set) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !s.told[text] {
		s.told[text] = true
		s.Notes = append(s.Notes, text)
	}
}
