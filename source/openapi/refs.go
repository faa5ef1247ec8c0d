package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// place is a node, and the document that references in it are relative to.
type place struct {
	doc  *document
	node *rawjson.Node
}

// in is a place below p, in the same document.
func (p place) in(n *rawjson.Node) place { return place{p.doc, n} }

func (p place) get(key string) place { return place{p.doc, p.node.Get(key)} }

func (p place) at() string { return p.doc.at(p.node) }

// refOf is the reference that a node is.
func refOf(n *rawjson.Node) (string, bool) {
	ref := n.Get("$ref")
	return ref.Str(), ref.Is(rawjson.KindString)
}

// maxHops bounds a chain of references.
const maxHops = 100

var errCircle = errors.New("the reference leads in a circle")

// resolve follows references until something else is found.
func (l *library) resolve(p place) (place, error) {
	for range maxHops {
		ref, is := refOf(p.node)
		if !is {
			return p, nil
		}
		next, err := l.step(p, ref)
		if err != nil {
			return place{}, err
		}
		p = next
	}
	return place{}, errCircle
}

// step follows one reference.
func (l *library) step(from place, ref string) (place, error) {
	file, fragment, _ := strings.Cut(ref, "#")
	doc := from.doc
	if file != "" {
		var err error
		if doc, err = l.follow(from.doc, file); err != nil {
			return place{}, fmt.Errorf("the reference %q leads nowhere: %w", ref, err)
		}
	}
	if fragment != "" && fragment[0] != '/' {
		if n := doc.anchor(fragment); n != nil {
			return place{doc, n}, nil
		}
		return place{}, fmt.Errorf("the reference %q leads nowhere: no $anchor of that name", ref)
	}
	n, err := doc.root.At(fragment)
	if err != nil {
		return place{}, fmt.Errorf("the reference %q leads nowhere", ref)
	}
	return place{doc, n}, nil
}

// anchor is the schema that names itself so by $anchor or $dynamicAnchor.
func (d *document) anchor(name string) *rawjson.Node {
	if d.anchors == nil {
		d.anchors = map[string]*rawjson.Node{}
		d.findAnchors(d.root)
	}
	return d.anchors[name]
}

func (d *document) findAnchors(n *rawjson.Node) {
	for i, item := range n.Items {
		if n.Kind == rawjson.KindObject && (n.Keys[i] == "$anchor" || n.Keys[i] == "$dynamicAnchor") && item.Is(rawjson.KindString) {
			d.anchors[item.Str()] = n
		}
		d.findAnchors(item)
	}
}

// nameOf is a readable name of what a reference points at: "Incident", "Incident_owner", "pet".
func nameOf(ref string) string {
	file, pointer, _ := strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	var words []string
	for word := range strings.SplitSeq(pointer, "/") {
		switch word {
		case "", "components", "schemas", "definitions", "$defs", "properties", "paths", "items":
		default:
			words = append(words, strings.NewReplacer("~1", "_", "~0", "_").Replace(word))
		}
	}
	if len(words) == 0 {
		file = file[strings.LastIndexAny(file, `/\`)+1:]
		base, _, _ := strings.Cut(file, ".")
		words = append(words, base)
	}
	return legalDefinition(strings.Join(words, "_"))
}

func legalDefinition(text string) string {
	legal := strings.Trim(squeeze(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, text)), "_")
	if legal == "" {
		return "Schema"
	}
	return legal
}
