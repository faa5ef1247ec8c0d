package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Place is a node, and the document that references in it are relative to.
type Place struct {
	Doc  *File
	Node *rawjson.Node
}

// Place is a node of the file.
func (d *File) Place(n *rawjson.Node) Place { return Place{d, n} }

// In is a place below p, in the same document.
func (p Place) In(n *rawjson.Node) Place { return Place{p.Doc, n} }

// Get is a member of the node, in the same file.
func (p Place) Get(key string) Place { return Place{p.Doc, p.Node.Get(key)} }

// At is where the node stands, as file:line.
func (p Place) At() string { return p.Doc.At(p.Node) }

// Ref is the reference that a node is.
func Ref(n *rawjson.Node) (string, bool) {
	ref := n.Get("$ref")
	return ref.Str(), ref.Is(rawjson.KindString)
}

// MaxHops bounds a chain of references.
const MaxHops = 100

// ErrCircle says that references lead back to where they began.
var ErrCircle = errors.New("the reference leads in a circle")

// Resolve follows references until something else is found.
func (l *Library) Resolve(p Place) (Place, error) {
	for range MaxHops {
		ref, is := Ref(p.Node)
		if !is {
			return p, nil
		}
		next, err := l.Step(p, ref)
		if err != nil {
			return Place{}, err
		}
		p = next
	}
	return Place{}, ErrCircle
}

// Step follows one reference.
func (l *Library) Step(from Place, ref string) (Place, error) {
	file, fragment, _ := strings.Cut(ref, "#")
	doc := from.Doc
	if file != "" {
		var err error
		if doc, err = l.follow(from.Doc, file); err != nil {
			return Place{}, fmt.Errorf("the reference %q leads nowhere: %w", ref, err)
		}
	}
	if fragment != "" && fragment[0] != '/' {
		if n := doc.anchor(fragment); n != nil {
			return Place{doc, n}, nil
		}
		return Place{}, fmt.Errorf("the reference %q leads nowhere: no $anchor of that name", ref)
	}
	n, err := doc.Root.At(fragment)
	if err != nil {
		return Place{}, fmt.Errorf("the reference %q leads nowhere", ref)
	}
	return Place{doc, n}, nil
}
