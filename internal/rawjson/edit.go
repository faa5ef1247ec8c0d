package rawjson

// Set returns a new object in which the member key has the value: in its old
// place, or at the end. A raw that is not an object counts as an empty one.
func Set(raw []byte, key string, value []byte) []byte {
	if from, to := find(raw, key); to > 0 {
		out := make([]byte, 0, len(raw)+len(value))
		out = append(out, raw[:from]...)
		out = append(out, value...)
		return append(out, raw[to:]...)
	}
	body := openObject(raw)
	out := make([]byte, 0, len(body)+len(key)+len(value)+5)
	out = append(out, body...)
	if len(body) > 1 {
		out = append(out, ',')
	}
	out = AppendString(out, key)
	out = append(out, ':')
	out = append(out, value...)
	return append(out, '}')
}

// Delete returns the object without the members named key; raw itself when it
// has none.
func Delete(raw []byte, key string) []byte {
	if _, to := find(raw, key); to == 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	out = append(out, '{')
	for k, v := range RawMembers(raw) {
		if KeyIs(k, key) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, k...)
		out = append(out, ':')
		out = append(out, v...)
	}
	return append(out, '}')
}

// openObject returns the text of an object without its closing brace and the
// white space around it; "{" for anything else.
func openObject(raw []byte) []byte {
	raw = Trim(raw)
	if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return []byte{'{'}
	}
	return Trim(raw[:len(raw)-1])
}

// Compact appends raw without the white space between tokens.
func Compact(dst, raw []byte) []byte {
	done := 0
	for at := 0; at < len(raw); {
		switch c := raw[at]; {
		case c == '"':
			at = max(skipString(raw, at), at+1)
		case isSpace(c):
			dst = append(dst, raw[done:at]...)
			at = skipSpace(raw, at)
			done = at
		default:
			at++
		}
	}
	return append(dst, raw[done:]...)
}

// Indent appends raw on several lines, each level one indent deeper. Empty
// objects and arrays stay on one line.
func Indent(dst, raw []byte, indent string) []byte {
	depth := 0
	newline := func() {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, indent...)
		}
	}
	for at := 0; at < len(raw); at++ {
		switch c := raw[at]; c {
		case ' ', '\t', '\n', '\r':
		case '"':
			end := max(skipString(raw, at), at+1)
			dst = append(dst, raw[at:end]...)
			at = end - 1
		case '{', '[':
			dst = append(dst, c)
			next := skipSpace(raw, at+1)
			if next < len(raw) && (raw[next] == '}' || raw[next] == ']') {
				dst = append(dst, raw[next])
				at = next
				continue
			}
			depth++
			newline()
		case '}', ']':
			depth = max(depth-1, 0)
			newline()
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, c, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
