package openapi

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Forms of a merged schema.
const (
	plainForm = iota // its allOf merged into it
	wholeForm        // with the fields of its subtypes too, where a discriminator names them
)

// merged is a schema with its allOf merged into it and, where it is a parent with a discriminator,
// with the fields of its subtypes. What cannot be merged stays as it is.
func (s *schemas) merged(p place) place { return s.merge(p, wholeForm) }

func (s *schemas) merge(p place, form int) place {
	n := p.node
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

// isParent reports whether a discriminator points to subtypes that the schema itself does not list.
func isParent(n *rawjson.Node) bool {
	return n.Get("discriminator") != nil && n.Get("oneOf") == nil && n.Get("anyOf") == nil
}

// orNull is the other branch of a union with null, where nothing else is said of the value's shape.
func orNull(n *rawjson.Node) *rawjson.Node {
	for _, key := range []string{"anyOf", "oneOf"} {
		union := n.Get(key)
		if !union.Is(rawjson.KindArray) || union.Len() != 2 || !onlyAnnotates(without(n, key)) {
			continue
		}
		for i, branch := range union.Items {
			if typesOf(branch).none {
				return union.Items[1-i]
			}
		}
	}
	return nil
}

// nullable is a branch that may be null, with what stands beside the union.
func (s *schemas) nullable(p place, branch *rawjson.Node) place {
	own := without(without(p.node, "anyOf"), "oneOf")
	own.Put("nullable", boolNode(true))
	return s.alias(p, own, branch)
}

// mergeParts merges an allOf and what stands beside it.
func (s *schemas) mergeParts(p place) place {
	s.merging[p.node] = true
	defer delete(s.merging, p.node)
	own := without(p.node, "allOf")
	parts := p.node.Get("allOf").Items
	if len(parts) == 1 && onlyAnnotates(own) {
		if _, is := refOf(parts[0]); is {
			return s.alias(p, own, parts[0])
		}
	}
	m := merger{schemas: s, doc: p.doc, into: &rawjson.Node{Kind: rawjson.KindObject, Line: p.node.Line}}
	for _, part := range parts {
		target, err := s.resolve(s.child(p, part))
		if err != nil {
			s.note("%s: %s; it is left out", p.at(), err)
			continue
		}
		target = s.merge(target, plainForm)
		if !m.add(target, len(parts) == 1) {
			return p
		}
	}
	if !m.add(place{p.doc, own}, true) {
		return p
	}
	m.finish()
	return place{p.doc, m.into}
}

// alias is a schema with what stands beside the allOf or union that held it.
func (s *schemas) alias(p place, own, ref *rawjson.Node) place {
	n := &rawjson.Node{Kind: rawjson.KindObject, Line: p.node.Line}
	for _, from := range []*rawjson.Node{ref, own} {
		for key, item := range from.Members() {
			n.Put(key, item)
		}
	}
	s.own[n] = true
	return place{s.child(p, ref).doc, n}
}

func without(n *rawjson.Node, key string) *rawjson.Node {
	rest := &rawjson.Node{Kind: rawjson.KindObject}
	if n != nil {
		rest.Line = n.Line
	}
	for name, item := range n.Members() {
		if name != key {
			rest.Keys = append(rest.Keys, name)
			rest.Items = append(rest.Items, item)
		}
	}
	return rest
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
	*schemas
	doc    *document
	into   *rawjson.Node
	closed int // parts that take no further properties
	parts  int // parts that have properties
	left   []*rawjson.Node
}

// add merges one more schema; it is false where the two cannot be told as one. last says that the
// schema's own word on the value as a whole counts, as it does of the one that holds the allOf.
func (m *merger) add(p place, last bool) bool {
	if !p.node.Is(rawjson.KindObject) {
		return p.node.Is(rawjson.KindBool) && p.node.Bool()
	}
	if p.node.Get(tooDeepKey) != nil || slices.ContainsFunc(p.node.Items, func(n *rawjson.Node) bool { return n.Get(tooDeepKey) != nil }) {
		return false
	}
	if p.node.Get("properties").Len() > 0 {
		m.parts++
	}
	for key, item := range p.node.Members() {
		if key == "allOf" && m.merging[p.node] {
			continue // it holds itself, which says nothing
		}
		value := m.child(p, item)
		if !m.keyword(key, value, last) {
			return false
		}
	}
	return true
}

func (m *merger) keyword(key string, value place, last bool) bool {
	n := value.node
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
func (m *merger) put(key string, value place) {
	m.moved(value)
	m.into.Put(key, value.node)
}

// moved remembers which document a node came from, where that is another one.
func (m *merger) moved(value place) {
	if value.doc != m.doc {
		m.home[value.node] = value.doc
	}
}

// same sets a keyword that two schemas may both have only with the same value.
func (m *merger) same(key string, value place) bool {
	old := m.into.Get(key)
	if old == nil {
		m.put(key, value)
		return true
	}
	return string(old.JSON()) == string(value.node.JSON())
}

func (m *merger) types(value place) bool {
	old := m.into.Get("type")
	if old == nil {
		m.put("type", value)
		return true
	}
	both := []string{old.Str(), value.node.Str()}
	if slices.Equal(both, []string{"number", "integer"}) {
		m.put("type", value)
		return true
	}
	return slices.Equal(both, []string{"integer", "number"}) || string(old.JSON()) == string(value.node.JSON())
}

func (m *merger) required(n *rawjson.Node) {
	names := m.into.Get("required").Strings()
	for _, name := range n.Strings() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		m.into.Put("required", stringsNode(names))
	}
}

func (m *merger) properties(value place) {
	props := m.into.Get("properties")
	if props == nil {
		props = &rawjson.Node{Kind: rawjson.KindObject, Line: value.node.Line}
		m.into.Put("properties", props)
	}
	for name, item := range value.node.Members() {
		prop := m.child(value, item)
		old := props.Get(name)
		switch {
		case old != nil && string(old.JSON()) == string(item.JSON()):
			continue
		case old != nil && !onlyAnnotates(item):
			m.moved(prop)
			item = objectNode("allOf", &rawjson.Node{Kind: rawjson.KindArray, Items: []*rawjson.Node{old, item}})
		case old != nil:
			item = m.annotated(old, item)
		}
		m.moved(place{prop.doc, item})
		props.Put(name, item)
	}
}

// annotated is a property with the annotations that a later schema gives it.
func (m *merger) annotated(old, notes *rawjson.Node) *rawjson.Node {
	n := &rawjson.Node{Kind: rawjson.KindObject, Line: old.Line}
	for key, item := range old.Members() {
		n.Put(key, item)
	}
	for key, item := range notes.Members() {
		n.Put(key, item)
	}
	m.own[n] = true
	if doc, moved := m.home[old]; moved {
		m.home[n] = doc
	}
	return n
}

// alternatives keeps the first union where it is; a second one has to hold as well.
func (m *merger) alternatives(key string, value place) {
	m.moved(value)
	if m.into.Get(key) == nil {
		m.into.Put(key, value.node)
		return
	}
	m.left = append(m.left, objectNode(key, value.node))
}

// finish settles what depends on all parts together.
func (m *merger) finish() {
	if m.closed > 0 && m.closed >= m.parts {
		m.into.Put("additionalProperties", boolNode(false))
	}
	if len(m.left) > 0 {
		m.into.Put("allOf", &rawjson.Node{Kind: rawjson.KindArray, Items: m.left})
		for form := range m.merges {
			m.merges[form][m.into] = place{m.doc, m.into}
		}
	}
}

// heir is a schema with a parent in its allOf.
type heir struct {
	name  string
	place place
}

// withHeirs is a parent with the fields of its subtypes, none of them required.
func (s *schemas) withHeirs(p, parent place) place {
	heirs := s.heirsOf(p)
	if len(heirs) == 0 {
		return parent
	}
	m := merger{schemas: s, doc: parent.doc, into: without(parent.node, "additionalProperties")}
	own := m.into.Get("properties")
	m.into.Put("properties", without(own, ""))
	var names []string
	for _, h := range heirs {
		names = append(names, h.name)
		target, err := s.resolve(h.place)
		if err != nil {
			continue
		}
		target = s.merge(target, plainForm)
		props := s.childAt(target, "properties")
		for name, item := range props.node.Members() {
			if own.Get(name) == nil {
				m.offer(name, s.child(props, item))
			}
		}
	}
	m.discriminate(p.node, names)
	return place{parent.doc, m.into}
}

// offer adds a field that one of several shapes has; where two shapes differ in it, it may be either.
func (m *merger) offer(name string, prop place) {
	props := m.into.Get("properties")
	old := props.Get(name)
	m.moved(prop)
	if old == nil {
		props.Put(name, prop.node)
		return
	}
	if m.madeUnion(old) {
		if !slices.ContainsFunc(old.Get("anyOf").Items, func(n *rawjson.Node) bool { return sameSchema(n, prop.node) }) {
			old.Get("anyOf").Items = append(old.Get("anyOf").Items, prop.node)
		}
		return
	}
	if !sameSchema(old, prop.node) {
		props.Put(name, m.either(old, prop.node))
	}
}

func sameSchema(a, b *rawjson.Node) bool { return string(a.JSON()) == string(b.JSON()) }

// either is the union of two schemas; two lists of values are united.
func (m *merger) either(a, b *rawjson.Node) *rawjson.Node {
	if values := unitedValues(a, b); values != nil {
		n := without(without(a, "const"), "enum")
		n.Put("enum", &rawjson.Node{Kind: rawjson.KindArray, Items: values})
		return n
	}
	n := objectNode("anyOf", &rawjson.Node{Kind: rawjson.KindArray, Items: []*rawjson.Node{a, b}})
	m.own[n] = true
	return n
}

func (m *merger) madeUnion(n *rawjson.Node) bool {
	return m.own[n] && n.Get("anyOf") != nil && n.Len() == 1
}

// unitedValues are the values of two enums (or constants) of one type, or nil.
func unitedValues(a, b *rawjson.Node) []*rawjson.Node {
	first, second := constantsOf(a), constantsOf(b)
	if first == nil || second == nil || string(a.Get("type").JSON()) != string(b.Get("type").JSON()) {
		return nil
	}
	all := slices.Clone(first)
	for _, v := range second {
		if !slices.ContainsFunc(all, func(old *rawjson.Node) bool { return string(old.Text) == string(v.Text) }) {
			all = append(all, v)
		}
	}
	return all
}

func constantsOf(n *rawjson.Node) []*rawjson.Node {
	if value := n.Get("const"); value != nil {
		return []*rawjson.Node{value}
	}
	if enum := n.Get("enum"); enum.Is(rawjson.KindArray) {
		return enum.Items
	}
	return nil
}

// discriminate lists the values of the property that picks a subtype.
func (m *merger) discriminate(parent *rawjson.Node, names []string) {
	name := discriminatorOf(parent)
	prop := m.into.Get("properties").Get(name)
	if name == "" || prop.Get("enum") != nil || prop.Get("const") != nil || prop.Get("$ref") != nil {
		return
	}
	n := &rawjson.Node{Kind: rawjson.KindObject, Line: parent.Line}
	for key, item := range prop.Members() {
		n.Put(key, item)
	}
	n.Put("type", rawjson.StringNode("string"))
	n.Put("enum", stringsNode(names))
	m.into.Get("properties").Put(name, n)
}

// discriminatorOf is the property that picks among subtypes: an object since 3.0, a name in 2.0.
func discriminatorOf(n *rawjson.Node) string {
	d := n.Get("discriminator")
	if d.Is(rawjson.KindString) {
		return d.Str()
	}
	return d.Get("propertyName").Str()
}

// heirsOf are the subtypes that a parent's mapping names, else those that have it in their allOf.
func (s *schemas) heirsOf(p place) []heir {
	mapping := p.node.Get("discriminator").Get("mapping")
	var heirs []heir
	for name, to := range mapping.Members() {
		target, err := s.mapped(p, to.Str())
		if err != nil {
			s.note("%s: %s; that subtype is left out", p.at(), err)
			continue
		}
		if target.node != p.node {
			heirs = append(heirs, heir{name, target})
		}
	}
	if mapping != nil {
		return heirs
	}
	return s.children(p.node)
}

// mapped is what a value of a discriminator's mapping means: a reference, or the name of a schema.
func (s *schemas) mapped(p place, to string) (place, error) {
	if !strings.ContainsAny(to, "#/") {
		named := place{s.root, s.root.root.Path("components", "schemas").Get(to)}
		if named.node != nil {
			return named, nil
		}
	}
	return s.step(p, to)
}

// children are the schemas of the description that have a parent in their allOf.
func (s *schemas) children(parent *rawjson.Node) []heir {
	if s.heirs == nil {
		s.heirs = map[*rawjson.Node][]heir{}
		s.findHeirs(place{s.root, s.root.root.Path("components", "schemas")})
		s.findHeirs(place{s.root, s.root.root.Get("definitions")})
	}
	return s.heirs[parent]
}

func (s *schemas) findHeirs(all place) {
	for name, schema := range all.node.Members() {
		for part := range schema.Get("allOf").Elements() {
			if _, is := refOf(part); !is {
				continue
			}
			if parent, err := s.resolve(all.in(part)); err == nil {
				s.heirs[parent.node] = append(s.heirs[parent.node], heir{name, all.in(schema)})
			}
		}
	}
}

func stringsNode(texts []string) *rawjson.Node {
	n := &rawjson.Node{Kind: rawjson.KindArray}
	for _, text := range texts {
		n.Items = append(n.Items, rawjson.StringNode(text))
	}
	return n
}

func objectNode(key string, value *rawjson.Node) *rawjson.Node {
	return &rawjson.Node{Kind: rawjson.KindObject, Keys: []string{key}, Items: []*rawjson.Node{value}}
}

func boolNode(yes bool) *rawjson.Node {
	if yes {
		return &rawjson.Node{Kind: rawjson.KindBool, Text: []byte("true")}
	}
	return &rawjson.Node{Kind: rawjson.KindBool, Text: []byte("false")}
}
