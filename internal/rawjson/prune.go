package rawjson

// DropEmpty leaves out, at any depth and in one walk, the members that are null
// or the empty string; never an empty list or object, never an element of a
// list. keep, which may be nil, tells which stay all the same: it gets the keys
// from the top, without those of lists, and must not hold on to them; at are the
// keys that lead to raw itself. Where nothing is left out, raw is returned.
func DropEmpty(raw []byte, keep func(path []string) bool, at ...string) []byte {
	p := pruner{raw: raw, keep: keep}
	if keep != nil {
		p.keys = make([][]byte, len(at), len(at)+16)
		p.path = append(make([]string, 0, len(at)+16), at...)
		p.known = len(at)
	}
	if end := p.value(skipSpace(raw, 0), 0); p.broken || p.out == nil || end == 0 {
		return raw
	}
	return append(p.out, raw[p.copied:]...)
}

// pruner copies what stays, from the first change on.
type pruner struct {
	raw    []byte
	out    []byte
	copied int // so far raw is in out, as far as it stays
	broken bool

	keep  func(path []string) bool
	keys  [][]byte // quoted, of the objects being walked
	path  []string // those of them that were asked for, decoded
	known int      // how many of them are
	names map[string]string
}

// value steps over the value at pos.
func (p *pruner) value(pos, depth int) (end int) {
	switch {
	case pos == len(p.raw):
	case p.raw[pos] == '{' && depth <= MaxDepth:
		return p.object(pos, depth+1)
	case p.raw[pos] == '[' && depth <= MaxDepth:
		return p.array(pos, depth+1)
	default:
		if end = skipValue(p.raw, pos); end > pos {
			return end
		}
	}
	p.broken = true
	return len(p.raw)
}

func (p *pruner) array(pos, depth int) (end int) {
	for {
		from := skipSpace(p.raw, pos+1)
		if from < len(p.raw) && p.raw[from] == ']' {
			return from + 1
		}
		pos = skipSpace(p.raw, p.value(from, depth))
		if pos == len(p.raw) || p.raw[pos] != ',' {
			return p.closed(pos, ']')
		}
	}
}

func (p *pruner) object(pos, depth int) (end int) {
	stays, dropping := pos+1, false // where the last member that stays ends; one after it does not
	for first := true; ; {
		start := skipSpace(p.raw, pos+1)
		keyEnd := skipString(p.raw, start)
		colon := skipSpace(p.raw, keyEnd)
		if keyEnd == start || colon == len(p.raw) || p.raw[colon] != ':' {
			pos = start
			break
		}
		from := skipSpace(p.raw, colon+1)
		to := p.empty(from, p.raw[start:keyEnd])
		if to > 0 {
			dropping = true
		} else {
			if dropping {
				p.skip(stays, start, !first)
				dropping = false
			}
			to = p.member(p.raw[start:keyEnd], from, depth)
			stays, first = to, false
		}
		if pos = skipSpace(p.raw, to); pos == len(p.raw) || p.raw[pos] != ',' {
			break
		}
	}
	if dropping {
		p.skip(stays, pos, false)
	}
	return p.closed(pos, '}')
}

func (p *pruner) member(key []byte, from, depth int) (end int) {
	if p.keep == nil {
		return p.value(from, depth)
	}
	p.keys = append(p.keys, key)
	end = p.value(from, depth)
	p.keys = p.keys[:len(p.keys)-1]
	p.known = min(p.known, len(p.keys))
	return end
}

// empty is where the value at from ends, if it is one that does not stay; else 0.
func (p *pruner) empty(from int, key []byte) (end int) {
	rest := p.raw[from:]
	switch {
	case len(rest) >= 2 && rest[0] == '"' && rest[1] == '"':
		end = from + 2
	case len(rest) >= 4 && string(rest[:4]) == "null":
		end = from + 4
	default:
		return 0
	}
	if p.keep != nil && p.keep(p.pathTo(key)) {
		return 0
	}
	return end
}

// pathTo decodes the keys that lead to a member, each once.
func (p *pruner) pathTo(key []byte) []string {
	p.path = p.path[:p.known]
	for ; p.known < len(p.keys); p.known++ {
		p.path = append(p.path, p.name(p.keys[p.known]))
	}
	return append(p.path, p.name(key))
}

func (p *pruner) name(key []byte) string {
	if name, known := p.names[string(key)]; known {
		return name
	}
	if p.names == nil {
		p.names = map[string]string{}
	}
	name, _ := String(key)
	p.names[string(key)] = name
	return name
}

// skip leaves out what stands between two places.
func (p *pruner) skip(from, to int, comma bool) {
	if p.out == nil {
		p.out = make([]byte, 0, len(p.raw))
	}
	p.out = append(p.out, p.raw[p.copied:from]...)
	if comma {
		p.out = append(p.out, ',')
	}
	p.copied = to
}

func (p *pruner) closed(pos int, closing byte) int {
	if pos < len(p.raw) && p.raw[pos] == closing {
		return pos + 1
	}
	p.broken = true
	return len(p.raw)
}
