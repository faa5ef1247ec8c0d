package schemas

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// offer adds a field that one of several shapes has; where two shapes differ in it, it may be either.
func (m *merger) offer(name string, prop document.Place) {
	props := m.into.Get("properties")
	old := props.Get(name)
	m.moved(prop)
	if old == nil {
		props.Put(name, prop.Node)
		return
	}
	if m.madeUnion(old) {
		if !slices.ContainsFunc(old.Get("anyOf").Items, func(n *rawjson.Node) bool { return document.Same(n, prop.Node) }) {
			old.Get("anyOf").Items = append(old.Get("anyOf").Items, prop.Node)
		}
		return
	}
	if !document.Same(old, prop.Node) {
		props.Put(name, m.either(old, prop.Node))
	}
}

// either is the union of two schemas; two lists of values are united.
func (m *merger) either(a, b *rawjson.Node) *rawjson.Node {
	if values := unitedValues(a, b); values != nil {
		n := document.Without(document.Without(a, "const"), "enum")
		n.Put("enum", &rawjson.Node{Kind: rawjson.KindArray, Items: values})
		return n
	}
	n := document.Object("anyOf", &rawjson.Node{Kind: rawjson.KindArray, Items: []*rawjson.Node{a, b}})
	m.own[n] = true
	return n
}

func (m *merger) madeUnion(n *rawjson.Node) bool {
	return m.own[n] && n.Get("anyOf") != nil && n.Len() == 1
}

// unitedValues are the values of two enums (or constants) of one type, or nil.
func unitedValues(a, b *rawjson.Node) []*rawjson.Node {
	first, second := constantsOf(a), constantsOf(b)
	if first == nil || second == nil || !document.Same(a.Get("type"), b.Get("type")) {
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
