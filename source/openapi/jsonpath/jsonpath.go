package jsonpath

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Path is a query, ready to be asked.
type Path []segment

// segment selects among the children of a node, or among all its descendants.
type segment struct {
	deep      bool
	selectors []selector
}

// selector picks children: a name, an index, a slice, all of them, or those that a filter is true of.
type selector struct {
	name   *string
	index  *int
	slice  *[3]*int
	filter logic
}

// Spot is a selected node and where it hangs, so that it can be replaced or removed.
type Spot struct {
	Node   *rawjson.Node
	Parent *rawjson.Node // nil: it is the root
	At     int           // among the parent's items
}

// Find lists what a query selects, each once, in the order of the document.
func (q Path) Find(root *rawjson.Node) []Spot {
	spots := []Spot{{Node: root}}
	for _, s := range q {
		var next []Spot
		seen := map[*rawjson.Node]bool{}
		for _, at := range spots {
			s.from(at.Node, root, func(found Spot) {
				if !seen[found.Node] {
					seen[found.Node] = true
					next = append(next, found)
				}
			})
		}
		spots = next
	}
	return spots
}

func (s segment) from(n, root *rawjson.Node, found func(Spot)) {
	for _, sel := range s.selectors {
		sel.from(n, root, found)
	}
	if s.deep {
		for _, child := range children(n) {
			s.from(child, root, found)
		}
	}
}

// children are the members of an object or the elements of an array.
func children(n *rawjson.Node) []*rawjson.Node {
	if n.Is(rawjson.KindObject) || n.Is(rawjson.KindArray) {
		return n.Items
	}
	return nil
}

func (sel selector) from(n, root *rawjson.Node, found func(Spot)) {
	items := children(n)
	switch {
	case sel.name != nil:
		if child := n.Get(*sel.name); child != nil {
			found(Spot{child, n, slices.Index(n.Items, child)})
		}
	case sel.index != nil:
		at := *sel.index
		if at < 0 {
			at += len(items)
		}
		if n.Is(rawjson.KindArray) && at >= 0 && at < len(items) {
			found(Spot{items[at], n, at})
		}
	case sel.slice != nil:
		if n.Is(rawjson.KindArray) {
			for _, at := range sliced(*sel.slice, len(items)) {
				found(Spot{items[at], n, at})
			}
		}
	default:
		for at, item := range items {
			if sel.filter == nil || sel.filter.holds(item, root) {
				found(Spot{item, n, at})
			}
		}
	}
}

// sliced lists the indexes of start:end:step (RFC 9535 section 2.3.4.2).
func sliced(s [3]*int, size int) (list []int) {
	step := 1
	if s[2] != nil {
		step = *s[2]
	}
	bound := func(given *int, unset int) int {
		if given == nil {
			return unset
		}
		at := *given
		if at < 0 {
			at += size
		}
		return at
	}
	switch {
	case step > 0:
		for at := max(bound(s[0], 0), 0); at < min(bound(s[1], size), size); at += step {
			list = append(list, at)
		}
	case step < 0:
		for at := min(bound(s[0], size-1), size-1); at > max(bound(s[1], -1), -1); at += step {
			list = append(list, at)
		}
	}
	return list
}
