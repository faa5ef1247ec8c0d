package hosts

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxInlined is how deep a definition may be to stand in its place.
const maxInlined = 60

// place puts definitions used once, and tiny ones, where they are used, and
// lists the rest in $defs. The later ones come first, so that what they hold is
// in place already.
func (s *slimmer) place(out *rawjson.Node) {
	kept := newObject(out)
	for _, d := range slices.Backward(s.inOrder) {
		collapse(d.slim)
		if d.placed() {
			continue
		}
		kept.Keys = append(kept.Keys, d.name)
		kept.Items = append(kept.Items, d.slim)
	}
	collapse(out)
	slices.Reverse(kept.Keys)
	slices.Reverse(kept.Items)
	if kept.Len() > 0 {
		out.Put("$defs", kept)
	}
}

// placed puts a definition at its sites where that costs no more.
func (d *definition) placed() bool {
	reference := len(`{"$ref":"#/$defs/"}`) + len(d.name)
	if len(d.sites) > 1 && (len(d.slim.JSON()) > reference+8 || holdsReference(d.slim)) {
		return false
	}
	if height(d.slim) > maxInlined || slices.ContainsFunc(d.sites, func(site *rawjson.Node) bool { return within(d.slim, site) }) {
		return false
	}
	for _, site := range d.sites {
		copied := d.slim
		if len(d.sites) > 1 {
			copied = d.slim.Clone()
		}
		site.Remove("$ref")
		for key, value := range copied.Members() {
			site.Put(key, value)
		}
	}
	return true
}

func holdsReference(n *rawjson.Node) bool {
	found := false
	walk(n, "", func(_ string, part *rawjson.Node) { found = found || part.Get("$ref").Is(rawjson.KindString) })
	return found
}

func within(n, site *rawjson.Node) bool {
	return n == site || slices.ContainsFunc(n.Items, func(item *rawjson.Node) bool { return within(item, site) })
}

func height(n *rawjson.Node) int {
	most := 0
	for _, item := range n.Items {
		most = max(most, height(item)+1)
	}
	return most
}

// collapse folds a choice or sum of one part into the schema around it, where
// the two do not speak of the same thing. The outer words win.
func collapse(n *rawjson.Node) {
	for _, part := range partsOf(n) {
		collapse(part.node)
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		parts := n.Get(keyword)
		if !parts.Is(rawjson.KindArray) || parts.Len() != 1 || !foldable(n, parts.Items[0]) {
			continue
		}
		inner := parts.Items[0]
		n.Remove(keyword)
		for key, value := range inner.Members() {
			if n.Get(key) == nil {
				n.Put(key, value)
			}
		}
	}
}

// foldable tells whether two schemas can become one.
func foldable(outer, inner *rawjson.Node) bool {
	if inner.Kind != rawjson.KindObject || inner.Len() == 0 || inner.Get("$ref") != nil {
		return false
	}
	for key, value := range inner.Members() {
		switch key {
		case "description", "title", "default", "deprecated":
			continue
		}
		other := outer.Get(key)
		if outer.Get(key) != nil && (key == "anyOf" || key == "allOf" || string(other.JSON()) != string(value.JSON())) {
			return false
		}
	}
	return true
}
