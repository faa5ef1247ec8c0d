package jsonpath

import (
	"slices"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// logic is a filter expression.
type logic interface {
	holds(node, root *rawjson.Node) bool
}

type (
	anyTrue  []logic
	allTrue  []logic
	notTrue  struct{ of logic }
	exists   struct{ query operand }
	compared struct {
		left, right operand
		sign        string
	}
)

func (l anyTrue) holds(node, root *rawjson.Node) bool {
	return slices.ContainsFunc(l, func(each logic) bool { return each.holds(node, root) })
}

func (l allTrue) holds(node, root *rawjson.Node) bool {
	return !slices.ContainsFunc(l, func(each logic) bool { return !each.holds(node, root) })
}

func (l notTrue) holds(node, root *rawjson.Node) bool { return !l.of.holds(node, root) }

func (l exists) holds(node, root *rawjson.Node) bool { return len(l.query.nodes(node, root)) > 0 }

func (l compared) holds(node, root *rawjson.Node) bool {
	left, right := l.left.value(node, root), l.right.value(node, root)
	equal := left == nil && right == nil || left != nil && right != nil && rawjson.Equal(left.JSON(), right.JSON())
	switch l.sign {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return lessThan(left, right)
	case "<=":
		return equal || lessThan(left, right)
	case ">":
		return lessThan(right, left)
	}
	return equal || lessThan(right, left)
}

func lessThan(a, b *rawjson.Node) bool {
	switch {
	case a.Is(rawjson.KindString) && b.Is(rawjson.KindString):
		return a.Str() < b.Str()
	case a.Is(rawjson.KindNumber) && b.Is(rawjson.KindNumber):
		x, _ := strconv.ParseFloat(string(a.Text), 64)
		y, _ := strconv.ParseFloat(string(b.Text), 64)
		return x < y
	}
	return false
}

// operand is one side of a comparison: a constant, or a query from the node (@) or the root ($),
// maybe counted.
type operand struct {
	constant *rawjson.Node
	query    Path
	fromRoot bool
	function string // length, count
}

func (o operand) nodes(node, root *rawjson.Node) []Spot {
	if o.fromRoot {
		node = root
	}
	return o.query.Find(node)
}

func (o operand) value(node, root *rawjson.Node) *rawjson.Node {
	if o.constant != nil {
		return o.constant
	}
	found := o.nodes(node, root)
	if o.function == "count" {
		return intNode(len(found))
	}
	if len(found) != 1 {
		return nil
	}
	value := found[0].Node
	if o.function != "length" {
		return value
	}
	if value.Is(rawjson.KindString) {
		return intNode(len([]rune(value.Str())))
	}
	if !value.Is(rawjson.KindArray) && !value.Is(rawjson.KindObject) {
		return nil
	}
	return intNode(value.Len())
}

func intNode(n int) *rawjson.Node {
	return &rawjson.Node{Kind: rawjson.KindNumber, Text: strconv.AppendInt(nil, int64(n), 10)}
}
