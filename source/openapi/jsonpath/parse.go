package jsonpath

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Compile reads a query. An error names what stands where it stops to be understood.
func Compile(text string) (q Path, err error) {
	p := &parser{rest: strings.TrimSpace(text)}
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

// parser reads a query from its beginning. depth bounds filters in filters.
type parser struct {
	rest  string
	depth int
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) take(text string) bool {
	rest, found := strings.CutPrefix(p.rest, text)
	p.rest = rest
	return found
}

func (p *parser) segments() (q Path, err error) {
	for {
		before := p.rest
		p.space()
		s := segment{}
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

func (p *parser) dotted() ([]selector, error) {
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

func (p *parser) word(in func(rune) bool) string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return !in(r) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func (p *parser) bracketed() (list []selector, err error) {
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

func (p *parser) selector() (selector, error) {
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
func (p *parser) numbered() (selector, error) {
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
func (p *parser) quoted() (string, error) {
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

func (p *parser) or() (logic, error) {
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

func (p *parser) and() (logic, error) {
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

func (p *parser) joined(sign string, part func() (logic, error)) (list []logic, err error) {
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

func (p *parser) term() (logic, error) {
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

func (p *parser) operand() (o operand, err error) {
	p.space()
	for _, function := range []string{"length", "count"} {
		if p.take(function + "(") {
			if p.depth++; p.depth > maxFilterDepth {
				return o, fmt.Errorf("its filters nest too deep")
			}
			defer func() { p.depth-- }()
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

func (p *parser) literal() (*rawjson.Node, error) {
	word := p.word(func(r rune) bool {
		return r == '-' || r == '+' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == 'E'
	})
	if rawjson.Check([]byte(word)) != nil {
		return nil, fmt.Errorf("%q is not understood", word+p.rest)
	}
	return &rawjson.Node{Kind: rawjson.KindOf([]byte(word)), Text: []byte(word)}, nil
}
