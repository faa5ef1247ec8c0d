package rawjson

// Parse reads a document into a tree. It is as strict as [Check], but skips a
// byte order mark. The tree refers to data, which must not change afterwards.
// A fault is a *[SyntaxError].
func Parse(data []byte) (*Node, error) {
	p := parser{scanner: scanner{data: data}, names: make(map[string]string)}
	if err := p.encoding(); err != nil {
		return nil, err
	}
	p.skipMark()
	root, err := p.node(0)
	if err != nil {
		return nil, err
	}
	return root, p.end()
}

func (s *scanner) skipMark() {
	const mark = "\ufeff"
	if len(s.data) >= len(mark) && string(s.data[:len(mark)]) == mark {
		s.pos = len(mark)
	}
}

// parser builds nodes. Members and elements gather on the two stacks until
// their object or array is whole, then move to slabs of their exact number.
type parser struct {
	scanner
	names map[string]string // each key once
	keys  []string
	items []*Node

	nodeSlab []Node
	keySlab  []string
	itemSlab []*Node
}

func (p *parser) node(depth int) (*Node, error) {
	var err error
	first := p.peek()
	n := p.newNode()
	n.Line = int32(p.line + 1)
	start := p.pos
	switch first {
	case '{':
		n.Kind = KindObject
		err = p.members(n, depth+1)
	case '[':
		n.Kind = KindArray
		err = p.elements(n, depth+1)
	default:
		n.Kind, err = p.scalar()
	}
	if err != nil {
		return nil, err
	}
	n.Text = p.data[start:p.pos:p.pos]
	return n, nil
}

func (p *parser) members(n *Node, depth int) error {
	if err := p.open(depth); err != nil {
		return err
	}
	if p.peek() == '}' {
		p.pos++
		return nil
	}
	keysFrom, itemsFrom := len(p.keys), len(p.items)
	for {
		p.space()
		start := p.pos
		if err := p.key(); err != nil {
			return err
		}
		p.keys = append(p.keys, p.name(start))
		item, err := p.node(depth)
		if err != nil {
			return err
		}
		p.items = append(p.items, item)
		more, err := p.next('}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	n.Keys = take(&p.keySlab, p.keys[keysFrom:])
	n.Items = take(&p.itemSlab, p.items[itemsFrom:])
	p.keys, p.items = p.keys[:keysFrom], p.items[:itemsFrom]
	return nil
}

func (p *parser) elements(n *Node, depth int) error {
	if err := p.open(depth); err != nil {
		return err
	}
	if p.peek() == ']' {
		p.pos++
		return nil
	}
	from := len(p.items)
	for {
		item, err := p.node(depth)
		if err != nil {
			return err
		}
		p.items = append(p.items, item)
		more, err := p.next(']')
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	n.Items = take(&p.itemSlab, p.items[from:])
	p.items = p.items[:from]
	return nil
}

// name returns the key that starts at start, the same string for the same key.
func (p *parser) name(start int) string {
	length := skipString(p.data[start:], 0)
	quoted := p.data[start : start+length]
	inner := quoted[1 : length-1]
	if known, found := p.names[string(inner)]; found {
		return known
	}
	name := keyText(quoted)
	p.names[string(inner)] = name
	return name
}

// slabMin and slabMax bound the slabs: a small document stays small, and a node
// that outlives its document holds on to little.
const slabMin, slabMax = 16, 1024

func (p *parser) newNode() *Node {
	if len(p.nodeSlab) == cap(p.nodeSlab) {
		p.nodeSlab = make([]Node, 0, min(max(2*cap(p.nodeSlab), slabMin), slabMax))
	}
	p.nodeSlab = p.nodeSlab[:len(p.nodeSlab)+1]
	return &p.nodeSlab[len(p.nodeSlab)-1]
}

// take copies part into the slab, or into a new slab when it does not fit.
func take[T any](slab *[]T, part []T) []T {
	if cap(*slab)-len(*slab) < len(part) {
		*slab = make([]T, 0, max(len(part), min(max(2*cap(*slab), slabMin), slabMax)))
	}
	from := len(*slab)
	*slab = append(*slab, part...)
	return (*slab)[from:len(*slab):len(*slab)]
}
