package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// jsonPath is a compiled JSONPath query (RFC 9535): all of it but the function extensions other
// than length and count.
type jsonPath []pathSegment

// pathSegment selects among the children of a node, or among all its descendants.
type pathSegment struct {
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

// spot is a selected node and where it hangs, so that it can be removed.
type spot struct {
	node, parent *rawjson.Node
	at           int // among the parent's items
}

// find lists what a query selects, each once, in the order of the document.
func (q jsonPath) find(root *rawjson.Node) []spot {
	spots := []spot{{node: root}}
	for _, s := range q {
		var next []spot
		seen := map[*rawjson.Node]bool{}
		for _, at := range spots {
			s.from(at.node, root, func(found spot) {
				if !seen[found.node] {
					seen[found.node] = true
					next = append(next, found)
				}
			})
		}
		spots = next
	}
	return spots
}

func (s pathSegment) from(n, root *rawjson.Node, found func(spot)) {
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

func (sel selector) from(n, root *rawjson.Node, found func(spot)) {
	items := children(n)
	switch {
	case sel.name != nil:
		if child := n.Get(*sel.name); child != nil {
			found(spot{child, n, slices.Index(n.Items, child)})
		}
	case sel.index != nil:
		at := *sel.index
		if at < 0 {
			at += len(items)
		}
		if n.Is(rawjson.KindArray) && at >= 0 && at < len(items) {
			found(spot{items[at], n, at})
		}
	case sel.slice != nil:
		if n.Is(rawjson.KindArray) {
			for _, at := range sliced(*sel.slice, len(items)) {
				found(spot{items[at], n, at})
			}
		}
	default:
		for at, item := range items {
			if sel.filter == nil || sel.filter.holds(item, root) {
				found(spot{item, n, at})
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
	query    jsonPath
	fromRoot bool
	function string // length, count
}

func (o operand) nodes(node, root *rawjson.Node) []spot {
	if o.fromRoot {
		node = root
	}
	return o.query.find(node)
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
	value := found[0].node
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

// compilePath reads a query. A fault names what stands where it stops to be understood.
func compilePath(text string) (q jsonPath, err error) {
	p := &pathParser{rest: strings.TrimSpace(text)}
	if !p.take("$") {
		return nil, fmt.Errorf("%q is no JSONPath: it does not begin with $", text)
	}
	q, err = p.segments()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q is not understood", p.rest)
	}
	if err != nil {
		return nil, fmt.Errorf("the JSONPath %q: %w", text, err)
	}
	return q, nil
}

// pathParser reads a query from its beginning. depth bounds filters in filters.
type pathParser struct {
	rest  string
	depth int
}

func (p *pathParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *pathParser) take(text string) bool {
	rest, found := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return found
}

func (p *pathParser) segments() (q jsonPath, err error) {
	for {
		before := p.rest
		p.space()
		s := pathSegment{}
		switch {
		case strings.HasPrefix(p.rest, "[") || strings.HasPrefix(p.rest, "..["):
			s.deep = p.take("..")
			s.selectors, err = p.bracketed()
		case p.take(".."):
			s.deep = true
			s.selectors, err = p.dotted()
		case p.take("."):
			s.selectors, err = p.dotted()
		default:
			p.rest = before
			return q, nil
		}
		if err != nil {
			return nil, err
		}
		q = append(q, s)
	}
}

func (p *pathParser) dotted() ([]selector, error) {
	if p.take("*") {
		return []selector{{}}, nil
	}
	name := p.word(func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
	})
	if name == "" {
		return nil, fmt.Errorf("a name is missing before %q", p.rest)
	}
	return []selector{{name: &name}}, nil
}

func (p *pathParser) word(in func(rune) bool) string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !in(r) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func (p *pathParser) bracketed() (list []selector, err error) {
	p.take("[")
	for {
		p.space()
		sel, err := p.selector()
		if err != nil {
			return nil, err
		}
		list = append(list, sel)
		p.space()
		switch {
		case p.take(","):
		case p.take("]"):
			return list, nil
		default:
			return nil, fmt.Errorf("a ] is missing before %q", p.rest)
		}
	}
}

func (p *pathParser) selector() (selector, error) {
	switch {
	case p.take("*"):
		return selector{}, nil
	case p.take("?"):
		filter, err := p.or()
		return selector{filter: filter}, err
	case strings.HasPrefix(p.rest, "'") || strings.HasPrefix(p.rest, `"`):
		name, err := p.quoted()
		return selector{name: &name}, err
	}
	return p.numbered()
}

// numbered reads an index or a slice.
func (p *pathParser) numbered() (selector, error) {
	var parts [3]*int
	at := 0
	for {
		p.space()
		if digits := p.word(func(r rune) bool { return r == '-' || r >= '0' && r <= '9' }); digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil {
				return selector{}, fmt.Errorf("%q is no number", digits)
			}
			parts[at] = &n
		}
		p.space()
		if at == 2 || !p.take(":") {
			break
		}
		at++
	}
	switch {
	case at > 0:
		return selector{slice: &parts}, nil
	case parts[0] != nil:
		return selector{index: parts[0]}, nil
	}
	return selector{}, fmt.Errorf("a selector is missing before %q", p.rest)
}

// quoted reads a text in single or double quotes.
func (p *pathParser) quoted() (string, error) {
	quote := p.rest[0]
	var text []byte
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == quote:
			p.rest = p.rest[i+1:]
			whole, ok := rawjson.String([]byte(`"` + string(text) + `"`))
			if !ok {
				return "", fmt.Errorf("the text %q is not understood", text)
			}
			return whole, nil
		case c == '\\' && i+1 < len(p.rest) && p.rest[i+1] == '\'':
			text = append(text, '\'')
			i++
		case c == '\\' && i+1 < len(p.rest):
			text = append(text, c, p.rest[i+1])
			i++
		case c == '"':
			text = append(text, '\\', '"')
		default:
			text = append(text, c)
		}
	}
	return "", fmt.Errorf("the text %q does not end", p.rest)
}

// maxFilterDepth bounds parentheses and filters within filters.
const maxFilterDepth = 50

func (p *pathParser) or() (logic, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, fmt.Errorf("its filters nest too deep")
	}
	defer func() { p.depth-- }()
	list, err := p.joined("||", p.and)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return anyTrue(list), nil
}

func (p *pathParser) and() (logic, error) {
	list, err := p.joined("&&", p.term)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return allTrue(list), nil
}

func first(list []logic) logic {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (p *pathParser) joined(sign string, part func() (logic, error)) (list []logic, err error) {
	for {
		each, err := part()
		if err != nil {
			return nil, err
		}
		list = append(list, each)
		p.space()
		if !p.take(sign) {
			return list, nil
		}
	}
}

func (p *pathParser) term() (logic, error) {
	p.space()
	if p.take("!") {
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > maxFilterDepth {
			return nil, fmt.Errorf("its filters nest too deep")
		}
		inner, err := p.term()
		return notTrue{inner}, err
	}
	if p.take("(") {
		inner, err := p.or()
		p.space()
		if err == nil && !p.take(")") {
			err = fmt.Errorf("a ) is missing before %q", p.rest)
		}
		return inner, err
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	p.space()
	for _, sign := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.take(sign) {
			right, err := p.operand()
			return compared{left, right, sign}, err
		}
	}
	if left.constant != nil || left.function != "" {
		return nil, fmt.Errorf("a comparison is missing before %q", p.rest)
	}
	return exists{left}, nil
}

func (p *pathParser) operand() (o operand, err error) {
	p.space()
	for _, function := range []string{"length", "count"} {
		if p.take(function + "(") {
			o, err = p.operand()
			o.function = function
			p.space()
			if err == nil && !p.take(")") {
				err = fmt.Errorf("a ) is missing before %q", p.rest)
			}
			return o, err
		}
	}
	switch {
	case p.take("@"):
		o.query, err = p.segments()
	case p.take("$"):
		o.fromRoot = true
		o.query, err = p.segments()
	case strings.HasPrefix(p.rest, "'") || strings.HasPrefix(p.rest, `"`):
		var text string
		text, err = p.quoted()
		o.constant = rawjson.StringNode(text)
	default:
		o.constant, err = p.literal()
	}
	return o, err
}

func (p *pathParser) literal() (*rawjson.Node, error) {
	word := p.word(func(r rune) bool {
		return r == '-' || r == '+' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == 'E'
	})
	if rawjson.Check([]byte(word)) != nil {
		return nil, fmt.Errorf("%q is not understood", word+p.rest)
	}
	return &rawjson.Node{Kind: rawjson.KindOf([]byte(word)), Text: []byte(word)}, nil
}
