package document

import "github.com/twodoor/twodoor/internal/rawjson"

// Without is an object without one member; the other members are the same nodes.
func Without(n *rawjson.Node, key string) *rawjson.Node {
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

// Object is an object of one member.
func Object(key string, value *rawjson.Node) *rawjson.Node {
	return &rawjson.Node{Kind: rawjson.KindObject, Keys: []string{key}, Items: []*rawjson.Node{value}}
}

// Strings is an array of texts.
func Strings(texts []string) *rawjson.Node {
	n := &rawjson.Node{Kind: rawjson.KindArray}
	for _, text := range texts {
		n.Items = append(n.Items, rawjson.StringNode(text))
	}
	return n
}

// Bool is true or false.
func Bool(yes bool) *rawjson.Node {
	if yes {
		return &rawjson.Node{Kind: rawjson.KindBool, Text: []byte("true")}
	}
	return &rawjson.Node{Kind: rawjson.KindBool, Text: []byte("false")}
}

// Joined is an object with the members of several, the same nodes; the later one wins. It stands in
// the line of the first.
func Joined(of ...*rawjson.Node) *rawjson.Node {
	n := &rawjson.Node{Kind: rawjson.KindObject}
	for i, each := range of {
		if i == 0 && each != nil {
			n.Line = each.Line
		}
		for key, item := range each.Members() {
			n.Put(key, item)
		}
	}
	return n
}

// Same reports whether two nodes are written alike.
func Same(a, b *rawjson.Node) bool {
	return a == b || string(a.JSON()) == string(b.JSON())
}
