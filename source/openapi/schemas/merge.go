package schemas

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// Forms of a merged schema.
const (
	plainForm = iota // its allOf merged into it
	wholeForm        // with the fields of its subtypes too, where a discriminator names them
)

// Merged is a schema with its allOf merged into it and, where it is a parent with a discriminator,
// with the fields of its subtypes. What cannot be merged stays as it is.
func (s *Set) Merged(p document.Place) document.Place { return s.merge(p, wholeForm) }

// Whole is the schema that a place means: what it refers to, merged.
func (s *Set) Whole(p document.Place) (document.Place, error) {
	target, err := s.Resolve(s.Merged(p))
	if err != nil {
		return document.Place{}, err
	}
	return s.Merged(target), nil
}

func (s *Set) merge(p document.Place, form int) document.Place {
	n := p.Node
	choice := orNull(n)
	if !n.Is(rawjson.KindObject) || n.Get("allOf") == nil && choice == nil && (form == plainForm || !isParent(n)) {
		return p
	}
	if known, ok := s.merges[form][n]; ok {
		return known
	}
	s.merges[form][n] = p // a schema that holds itself is merged without itself
	m := p
	switch {
	case n.Get("allOf").Len() > 0:
		m = s.mergeParts(p)
	case choice != nil:
		m = s.merge(s.nullable(p, choice), form)
	}
	if form == wholeForm && isParent(n) {
		m = s.withHeirs(p, m)
	}
	s.merges[form][n] = m
	return m
}

// orNull is the other branch of a union with null, where nothing else is said of the value's shape.
func orNull(n *rawjson.Node) *rawjson.Node {
	for _, key := range []string{"anyOf", "oneOf"} {
		union := n.Get(key)
		if !union.Is(rawjson.KindArray) || union.Len() != 2 || !onlyAnnotates(document.Without(n, key)) {
			continue
		}
		for i, branch := range union.Items {
			if TypesOf(branch).none {
				return union.Items[1-i]
			}
		}
	}
	return nil
}

// nullable is a branch that may be null, with what stands beside the union.
func (s *Set) nullable(p document.Place, branch *rawjson.Node) document.Place {
	own := document.Without(document.Without(p.Node, "anyOf"), "oneOf")
	own.Put("nullable", document.Bool(true))
	return s.alias(p, own, branch)
}

// mergeParts merges an allOf and what stands beside it.
func (s *Set) mergeParts(p document.Place) document.Place {
	s.merging[p.Node] = true
	defer delete(s.merging, p.Node)
	own := document.Without(p.Node, "allOf")
	parts := p.Node.Get("allOf").Items
	if len(parts) == 1 && onlyAnnotates(own) {
		if _, is := document.Ref(parts[0]); is {
			return s.alias(p, own, parts[0])
		}
	}
	m := merger{Set: s, doc: p.Doc, into: &rawjson.Node{Kind: rawjson.KindObject, Line: p.Node.Line}}
	for _, part := range parts {
		target, err := s.Resolve(s.child(p, part))
		if err != nil {
			s.Note("%s: %s; it is left out", p.At(), err)
			continue
		}
		target = s.merge(target, plainForm)
		if !m.add(target, len(parts) == 1) {
			return p
		}
	}
	if !m.add(p.Doc.Place(own), true) {
		return p
	}
	m.finish()
	return p.Doc.Place(m.into)
}

// alias is a schema with what stands beside the allOf or union that held it.
func (s *Set) alias(p document.Place, own, ref *rawjson.Node) document.Place {
	n := document.Joined(ref, own)
	n.Line = p.Node.Line
	s.own[n] = true
	return s.child(p, ref).Doc.Place(n)
}

// onlyAnnotates reports whether a schema says nothing of the shape of a value.
func onlyAnnotates(n *rawjson.Node) bool {
	for key := range n.Members() {
		switch key {
		case "description", "title", "nullable", "readOnly", "writeOnly", "deprecated", "default", "example", "examples", "xml", "externalDocs":
		default:
			if !strings.HasPrefix(key, "x-") {
				return false
			}
		}
	}
	return true
}

// merger gathers the keywords of several schemas that all hold.
type merger struct {
	*Set
	doc    *document.File
	into   *rawjson.Node
	closed int // parts that take no further properties
	parts  int // parts that have properties
	left   []*rawjson.Node
}

// add merges one more schema; it is false where the two cannot be told as one. last says that the
// schema's own word on the value as a whole counts, as it does of the one that holds the allOf.
func (m *merger) add(p document.Place, last bool) bool {
	if !p.Node.Is(rawjson.KindObject) {
		return p.Node.Is(rawjson.KindBool) && p.Node.Bool()
	}
	if p.Node.Get(document.TooDeepKey) != nil || slices.ContainsFunc(p.Node.Items, func(n *rawjson.Node) bool { return n.Get(document.TooDeepKey) != nil }) {
		return false
	}
	if p.Node.Get("properties").Len() > 0 {
		m.parts++
	}
	for key, item := range p.Node.Members() {
		if key == "allOf" && m.merging[p.Node] {
			continue // it holds itself, which says nothing
		}
		value := m.child(p, item)
		if !m.keyword(key, value, last) {
			return false
		}
	}
	return true
}

func (m *merger) keyword(key string, value document.Place, last bool) bool {
	n := value.Node
	switch key {
	case "properties":
		m.properties(value)
	case "required":
		m.required(n)
	case "additionalProperties", "unevaluatedProperties":
		if n.Is(rawjson.KindBool) && !n.Bool() {
			m.closed++
			return true
		}
		m.put("additionalProperties", value)
	case "description", "title", "default":
		m.put(key, value)
	case "nullable", "x-nullable", "readOnly", "writeOnly", "deprecated", "example", "examples", "x-twodoor":
		if last {
			m.put(key, value)
		}
	case "type":
		return m.types(value)
	case "oneOf", "anyOf":
		m.alternatives(key, value)
	case "discriminator", "xml", "externalDocs", "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions":
		if last && key == "discriminator" {
			m.put(key, value)
		}
	case "allOf": // what could not be merged there
		m.left = append(m.left, n.Items...)
	default:
		if strings.HasPrefix(key, "x-") {
			return true
		}
		return m.same(key, value)
	}
	return true
}

// put sets a keyword, the later schema wins.
func (m *merger) put(key string, value document.Place) {
	m.moved(value)
	m.into.Put(key, value.Node)
}

// moved remembers which document a node came from, where that is another one.
func (m *merger) moved(value document.Place) {
	if value.Doc != m.doc {
		m.home[value.Node] = value.Doc
	}
}

// same sets a keyword that two schemas may both have only with the same value.
func (m *merger) same(key string, value document.Place) bool {
	old := m.into.Get(key)
	if old == nil {
		m.put(key, value)
		return true
	}
	return document.Same(old, value.Node)
}

func (m *merger) types(value document.Place) bool {
	old := m.into.Get("type")
	if old == nil {
		m.put("type", value)
		return true
	}
	both := []string{old.Str(), value.Node.Str()}
	if slices.Equal(both, []string{"number", "integer"}) {
		m.put("type", value)
		return true
	}
	return slices.Equal(both, []string{"integer", "number"}) || document.Same(old, value.Node)
}

func (m *merger) required(n *rawjson.Node) {
	names := m.into.Get("required").Strings()
	for _, name := range n.Strings() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		m.into.Put("required", document.Strings(names))
	}
}

func (m *merger) properties(value document.Place) {
	props := m.into.Get("properties")
	if props == nil {
		props = &rawjson.Node{Kind: rawjson.KindObject, Line: value.Node.Line}
		m.into.Put("properties", props)
	}
	for name, item := range value.Node.Members() {
		prop := m.child(value, item)
		old := props.Get(name)
		switch {
		case old != nil && document.Same(old, item):
			continue
		case old != nil && !onlyAnnotates(item):
			m.moved(prop)
			item = document.Object("allOf", &rawjson.Node{Kind: rawjson.KindArray, Items: []*rawjson.Node{old, item}})
		case old != nil:
			item = m.annotated(old, item)
		}
		m.moved(prop.Doc.Place(item))
		props.Put(name, item)
	}
}

// annotated is a property with the annotations that a later schema gives it.
func (m *merger) annotated(old, notes *rawjson.Node) *rawjson.Node {
	n := document.Joined(old, notes)
	m.own[n] = true
	if doc, moved := m.home[old]; moved {
		m.home[n] = doc
	}
	return n
}

// alternatives keeps the first union where it is; a second one has to hold as well.
func (m *merger) alternatives(key string, value document.Place) {
	m.moved(value)
	if m.into.Get(key) == nil {
		m.into.Put(key, value.Node)
		return
	}
	m.left = append(m.left, document.Object(key, value.Node))
}

// finish settles what depends on all parts together.
func (m *merger) finish() {
	if m.closed > 0 && m.closed >= m.parts {
		m.into.Put("additionalProperties", document.Bool(false))
	}
	if len(m.left) > 0 {
		m.into.Put("allOf", &rawjson.Node{Kind: rawjson.KindArray, Items: m.left})
		for form := range m.merges {
			m.merges[form][m.into] = m.doc.Place(m.into)
		}
	}
}
