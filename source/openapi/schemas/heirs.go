package schemas

import (
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// heir is a schema with a parent in its allOf.
type heir struct {
	name  string
	place document.Place
}

// withHeirs is a parent with the fields of its subtypes, none of them required.
func (s *Set) withHeirs(p, parent document.Place) document.Place {
	heirs := s.heirsOf(p)
	if len(heirs) == 0 {
		return parent
	}
	m := merger{Set: s, doc: parent.Doc, into: document.Without(parent.Node, "additionalProperties")}
	own := m.into.Get("properties")
	m.into.Put("properties", document.Without(own, ""))
	var names []string
	for _, h := range heirs {
		names = append(names, h.name)
		target, err := s.Resolve(h.place)
		if err != nil {
			continue
		}
		target = s.merge(target, plainForm)
		props := s.ChildAt(target, "properties")
		for name, item := range props.Node.Members() {
			if own.Get(name) == nil {
				m.offer(name, s.child(props, item))
			}
		}
	}
	m.discriminate(p.Node, names)
	return parent.Doc.Place(m.into)
}

// discriminate lists the values of the property that picks a subtype.
func (m *merger) discriminate(parent *rawjson.Node, names []string) {
	name := discriminatorOf(parent)
	prop := m.into.Get("properties").Get(name)
	if name == "" || prop.Get("enum") != nil || prop.Get("const") != nil || prop.Get("$ref") != nil {
		return
	}
	n := document.Joined(prop)
	n.Line = parent.Line
	n.Put("type", rawjson.StringNode("string"))
	n.Put("enum", document.Strings(names))
	m.into.Get("properties").Put(name, n)
}

// heirsOf are the subtypes that a parent's mapping names, else those that have it in their allOf.
func (s *Set) heirsOf(p document.Place) []heir {
	mapping := p.Node.Get("discriminator").Get("mapping")
	var heirs []heir
	for name, to := range mapping.Members() {
		target, err := s.mapped(p, to.Str())
		if err != nil {
			s.Note("%s: %s; that subtype is left out", p.At(), err)
			continue
		}
		if target.Node != p.Node {
			heirs = append(heirs, heir{name, target})
		}
	}
	if mapping != nil {
		return heirs
	}
	return s.children(p.Node)
}

// mapped is what a value of a discriminator's mapping means: a reference, or the name of a schema.
func (s *Set) mapped(p document.Place, to string) (document.Place, error) {
	if !strings.ContainsAny(to, "#/") {
		named := s.root.Place(s.root.Root.Path("components", "schemas").Get(to))
		if named.Node != nil {
			return named, nil
		}
	}
	return s.Step(p, to)
}

// children are the schemas of the description that have a parent in their allOf.
func (s *Set) children(parent *rawjson.Node) []heir {
	if s.heirs == nil {
		s.heirs = map[*rawjson.Node][]heir{}
		s.findHeirs(s.root.Place(s.root.Root.Path("components", "schemas")))
		s.findHeirs(s.root.Place(s.root.Root.Get("definitions")))
	}
	return s.heirs[parent]
}

func (s *Set) findHeirs(all document.Place) {
	for name, schema := range all.Node.Members() {
		for part := range schema.Get("allOf").Elements() {
			if _, is := document.Ref(part); !is {
				continue
			}
			if parent, err := s.Resolve(all.In(part)); err == nil {
				s.heirs[parent.Node] = append(s.heirs[parent.Node], heir{name, all.In(schema)})
			}
		}
	}
}

// discriminatorOf is the property that picks among subtypes: an object since 3.0, a name in 2.0.
func discriminatorOf(n *rawjson.Node) string {
	d := n.Get("discriminator")
	if d.Is(rawjson.KindString) {
		return d.Str()
	}
	return d.Get("propertyName").Str()
}

// isParent reports whether a discriminator points to subtypes that the schema itself does not list.
func isParent(n *rawjson.Node) bool {
	return n.Get("discriminator") != nil && n.Get("oneOf") == nil && n.Get("anyOf") == nil
}
