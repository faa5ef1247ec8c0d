package rawjson

import (
	"bytes"
	"iter"
	"strconv"
)

// Members yields the members of an object in order: the key decoded, the value
// as a sub-slice of raw. Anything but an object yields nothing.
func Members(raw []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		walkObject(raw, func(m member) bool {
			return yield(keyText(raw[m.keyFrom:m.keyTo]), raw[m.from:m.to:m.to])
		})
	}
}

// RawMembers yields the members of an object in order, each key as the quoted
// text that stands in raw. It allocates nothing; compare a key with [KeyIs].
func RawMembers(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		walkObject(raw, func(m member) bool {
			return yield(raw[m.keyFrom:m.keyTo:m.keyTo], raw[m.from:m.to:m.to])
		})
	}
}

// Elements yields the elements of an array as sub-slices of raw. Anything but
// an array yields nothing.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		walkArray(raw, yield)
	}
}

// Get returns the value of a member of an object, as a sub-slice of raw.
func Get(raw []byte, key string) (value []byte, found bool) {
	from, to := find(raw, key)
	return raw[from:to:to], to > 0
}

// find tells where the value of a member stands; to is 0 when there is none.
func find(raw []byte, key string) (from, to int) {
	walkObject(raw, func(m member) bool {
		if KeyIs(raw[m.keyFrom:m.keyTo], key) {
			from, to = m.from, m.to
		}
		return true
	})
	return from, to
}

// GetPath follows member names, and decimal indexes into arrays, and returns
// the value at the end.
func GetPath(raw []byte, path ...string) ([]byte, bool) {
	for _, step := range path {
		next, found := Get(raw, step)
		if !found {
			next, found = element(raw, step)
		}
		if !found {
			return nil, false
		}
		raw = next
	}
	return raw, true
}

// Len counts the members of an object or the elements of an array.
func Len(raw []byte) int {
	n := 0
	if KindOf(raw) == KindArray {
		walkArray(raw, func([]byte) bool { n++; return true })
		return n
	}
	walkObject(raw, func(member) bool { n++; return true })
	return n
}

// KeyIs tells whether a quoted key, as [RawMembers] yields it, reads as name.
func KeyIs(quoted []byte, name string) bool {
	if len(quoted) < 2 {
		return false
	}
	inner := quoted[1 : len(quoted)-1]
	if string(inner) == name {
		return !hasEscape(inner)
	}
	if len(inner) <= len(name) || !hasEscape(inner) {
		return false
	}
	text, ok := String(quoted)
	return ok && text == name
}

func hasEscape(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' {
			return true
		}
	}
	return false
}

func element(raw []byte, index string) (value []byte, found bool) {
	want, err := strconv.Atoi(index)
	if err != nil || want < 0 || index[0] == '+' {
		return nil, false
	}
	at := 0
	walkArray(raw, func(v []byte) bool {
		if at == want {
			value, found = v, true
			return false
		}
		at++
		return true
	})
	return value, found
}

func keyText(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; !hasEscape(inner) {
		return string(inner)
	}
	text, _ := String(quoted)
	return text
}

// member tells where a key (with its quotes) and its value stand in the text.
type member struct{ keyFrom, keyTo, from, to int }

func walkObject(raw []byte, yield func(member) bool) {
	pos := skipSpace(raw, 0)
	if pos == len(raw) || raw[pos] != '{' {
		return
	}
	for {
		start := skipSpace(raw, pos+1)
		end := skipString(raw, start)
		colon := skipSpace(raw, end)
		if end == start || colon == len(raw) || raw[colon] != ':' {
			return
		}
		from := skipSpace(raw, colon+1)
		to := skipValue(raw, from)
		if to == from || !yield(member{start, end, from, to}) {
			return
		}
		pos = skipSpace(raw, to)
		if pos == len(raw) || raw[pos] != ',' {
			return
		}
	}
}

func walkArray(raw []byte, yield func(value []byte) bool) {
	pos := skipSpace(raw, 0)
	if pos == len(raw) || raw[pos] != '[' {
		return
	}
	for {
		from := skipSpace(raw, pos+1)
		to := skipValue(raw, from)
		if to == from || !yield(raw[from:to:to]) {
			return
		}
		pos = skipSpace(raw, to)
		if pos == len(raw) || raw[pos] != ',' {
			return
		}
	}
}

func skipSpace(raw []byte, pos int) int {
	for pos < len(raw) && isSpace(raw[pos]) {
		pos++
	}
	return pos
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// skipString returns the position after the string that starts at pos, or pos
// itself if no whole string does.
func skipString(raw []byte, pos int) int {
	if pos >= len(raw) || raw[pos] != '"' {
		return pos
	}
	for at := pos + 1; ; at++ {
		next := bytes.IndexByte(raw[at:], '"')
		if next < 0 {
			return pos
		}
		at += next
		escapes := at
		for raw[escapes-1] == '\\' { // ends at the opening quote
			escapes--
		}
		if (at-escapes)%2 == 0 {
			return at + 1
		}
	}
}

// skipValue returns the position after the value that starts at pos, or pos
// itself if no whole value does. It counts brackets and does not recurse.
func skipValue(raw []byte, pos int) int {
	if pos >= len(raw) {
		return pos
	}
	switch raw[pos] {
	case '"':
		return skipString(raw, pos)
	case '{', '[':
		return skipNested(raw, pos)
	default:
		at := pos
		for at < len(raw) && isBare(raw[at]) {
			at++
		}
		return at
	}
}

// isBare tells the bytes of numbers, true, false and null.
func isBare(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

func skipNested(raw []byte, pos int) int {
	open := 0
	for at := pos; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			end := skipString(raw, at)
			if end == at {
				return pos
			}
			at = end - 1
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				return at + 1
			}
		}
	}
	return pos
}
