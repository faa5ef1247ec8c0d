package document

import (
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// File is one file of a description, read into a tree.
type File struct {
	Location string // absolute path or URL: what references are relative to
	Shown    string // as people write it
	Root     *rawjson.Node
	anchors  map[string]*rawjson.Node // built on first use
}

// At is the place of a node, as file:line.
func (d *File) At(n *rawjson.Node) string {
	if n == nil || n.Line == 0 {
		return d.Shown
	}
	return fmt.Sprintf("%s:%d", d.Shown, n.Line)
}

// anchor is the schema that names itself so by $anchor or $dynamicAnchor.
func (d *File) anchor(name string) *rawjson.Node {
	if d.anchors == nil {
		d.anchors = map[string]*rawjson.Node{}
		d.findAnchors(d.Root)
	}
	return d.anchors[name]
}

func (d *File) findAnchors(n *rawjson.Node) {
	for i, item := range n.Items {
		if n.Kind == rawjson.KindObject && (n.Keys[i] == "$anchor" || n.Keys[i] == "$dynamicAnchor") && item.Is(rawjson.KindString) {
			d.anchors[item.Str()] = n
		}
		d.findAnchors(item)
	}
}
