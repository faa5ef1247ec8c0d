package rawjson

// Part is a value inside a text: where it stands, and what is in it.
type Part struct {
	Key      []byte // of a member, quoted; nil: it is none
	From, To int    // in the text; To is 0 where there is no whole value
	Kind     Kind
	Len      int    // of an array: how many elements it has
	First    Kind   // of an array: the kind of its first element
	Members  []Part // of an object that was looked into
	Opened   bool   // of an object: it was looked into
}

// maxOpened is how many objects an outline looks into, besides the value itself.
const maxOpened = 64

// Outline walks the value that begins at from, white space aside, once: it looks
// into objects so many levels deep, at most [maxOpened] of them, and counts the
// elements of the arrays on the way.
func Outline(raw []byte, from, levels int) Part {
	o := outliner{raw: raw, left: maxOpened}
	part, end := o.part(skipSpace(raw, from), levels)
	part.To = end
	return part
}

type outliner struct {
	raw  []byte
	left int // objects that may still be looked into
}

// part reads the value at pos; end is 0 where there is no whole value.
func (o *outliner) part(pos, levels int) (p Part, end int) {
	p.From, p.Kind = pos, KindOf(o.raw[min(pos, len(o.raw)):])
	switch {
	case p.Kind == KindArray:
		end = o.elements(&p)
	case p.Kind == KindObject && levels > 0 && o.left >= 0:
		o.left--
		end = o.members(&p, levels-1)
	default:
		if end = skipValue(o.raw, pos); end == pos {
			end = 0
		}
	}
	p.To = end
	return p, end
}

func (o *outliner) elements(p *Part) (end int) {
	for pos := p.From; ; {
		from := skipSpace(o.raw, pos+1)
		to := skipValue(o.raw, from)
		if to == from {
			return o.closed(from, ']')
		}
		if p.Len++; p.Len == 1 {
			p.First = KindOf(o.raw[from:])
		}
		if pos = skipSpace(o.raw, to); pos == len(o.raw) || o.raw[pos] != ',' {
			return o.closed(pos, ']')
		}
	}
}

func (o *outliner) members(p *Part, levels int) (end int) {
	p.Opened = true
	for pos := p.From; ; {
		start := skipSpace(o.raw, pos+1)
		keyEnd := skipString(o.raw, start)
		if keyEnd == start {
			return o.closed(start, '}')
		}
		colon := skipSpace(o.raw, keyEnd)
		if colon == len(o.raw) || o.raw[colon] != ':' {
			return 0
		}
		member, to := o.part(skipSpace(o.raw, colon+1), levels)
		if to == 0 {
			return 0
		}
		member.Key = o.raw[start:keyEnd:keyEnd]
		p.Members = append(p.Members, member)
		if pos = skipSpace(o.raw, to); pos == len(o.raw) || o.raw[pos] != ',' {
			return o.closed(pos, '}')
		}
	}
}

// closed is the place after a closing bracket at pos, 0 where there is none.
func (o *outliner) closed(pos int, closing byte) int {
	if pos < len(o.raw) && o.raw[pos] == closing {
		return pos + 1
	}
	return 0
}
