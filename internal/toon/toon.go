package toon

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Append writes a value, which is valid JSON, with a comma as delimiter and two spaces of indent. What
// it adds ends in a line break; an empty object adds nothing.
func Append(dst, value []byte) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		return appendMembers(dst, value, 0)
	case rawjson.KindArray:
		return appendArray(dst, value, 0)
	}
	return append(appendScalar(dst, value), '\n')
}

// Smaller is an object or a list as TOON, without a line break at its end, where that weighs at least
// a fifth less than compact JSON, as [rawjson.Weigh] counts, and has no more bytes; nil where not.
func Smaller(value []byte) []byte {
	if kind := rawjson.KindOf(value); kind != rawjson.KindObject && kind != rawjson.KindArray {
		return nil
	}
	compact := rawjson.Compact(nil, value)
	out := bytes.TrimSuffix(Append(make([]byte, 0, len(compact)), compact), []byte("\n"))
	if len(out) == 0 || len(out) > len(compact) || 5*rawjson.Weigh(out) > 4*rawjson.Weigh(compact) {
		return nil
	}
	return out
}

func appendMembers(dst, object []byte, depth int) []byte {
	for key, member := range rawjson.Members(object) {
		dst = indent(dst, depth)
		dst = appendMember(dst, key, member, depth)
	}
	return dst
}

// appendMember writes one member where the cursor is, what belongs to it a level deeper.
func appendMember(dst []byte, key string, member []byte, depth int) []byte {
	dst = appendKey(dst, key)
	switch rawjson.KindOf(member) {
	case rawjson.KindObject:
		dst = append(dst, ":\n"...)
		return appendMembers(dst, member, depth+1)
	case rawjson.KindArray:
		return appendArray(dst, member, depth)
	}
	dst = append(dst, ": "...)
	return append(appendScalar(dst, member), '\n')
}

// appendArray writes the header of a list where the cursor is, and its elements: on the same line if
// they are scalars, as rows if they are alike, else as items.
func appendArray(dst, list []byte, depth int) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(rawjson.Len(list)), 10)
	dst = append(dst, ']')
	if columns := alike(list); len(columns) > 0 {
		return appendRows(dst, list, columns, depth)
	}
	dst = append(dst, ':')
	if flat(list) {
		sep := " "
		for element := range rawjson.Elements(list) {
			dst = appendScalar(append(dst, sep...), element)
			sep = ","
		}
		return append(dst, '\n')
	}
	dst = append(dst, '\n')
	for element := range rawjson.Elements(list) {
		dst = appendItem(indent(dst, depth+1), element, depth+1)
	}
	return dst
}

func appendRows(dst, list []byte, columns []string, depth int) []byte {
	dst = append(dst, '{')
	for i, column := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendKey(dst, column)
	}
	dst = append(dst, "}:\n"...)
	for record := range rawjson.Elements(list) {
		dst = indent(dst, depth+1)
		for i, column := range columns {
			if i > 0 {
				dst = append(dst, ',')
			}
			value, _ := rawjson.Get(record, column)
			dst = appendScalar(dst, value)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendItem writes one element of a mixed list. The first member of an object stands on the line of
// the hyphen, the others below it.
func appendItem(dst, element []byte, depth int) []byte {
	dst = append(dst, '-')
	switch rawjson.KindOf(element) {
	case rawjson.KindArray:
		return appendArray(append(dst, ' '), element, depth)
	case rawjson.KindObject:
		first := true
		for key, member := range rawjson.Members(element) {
			if first {
				dst = append(dst, ' ')
			} else {
				dst = indent(dst, depth+1)
			}
			first = false
			dst = appendMember(dst, key, member, depth+1)
		}
		if first {
			dst = append(dst, '\n')
		}
		return dst
	}
	return append(appendScalar(append(dst, ' '), element), '\n')
}

// alike are the members of all records, if each has the same ones and they are scalars.
func alike(list []byte) []string {
	var columns []string
	n := 0
	for record := range rawjson.Elements(list) {
		if rawjson.KindOf(record) != rawjson.KindObject {
			return nil
		}
		for key, value := range rawjson.Members(record) {
			if kind := rawjson.KindOf(value); kind == rawjson.KindObject || kind == rawjson.KindArray {
				return nil
			}
			if n == 0 && slices.Contains(columns, key) {
				return nil
			}
			if n == 0 {
				columns = append(columns, key)
			}
		}
		if rawjson.Len(record) != len(columns) {
			return nil
		}
		for _, column := range columns {
			if _, ok := rawjson.Get(record, column); !ok {
				return nil
			}
		}
		n++
	}
	return columns
}

// flat reports whether all elements are scalars.
func flat(list []byte) bool {
	for element := range rawjson.Elements(list) {
		if kind := rawjson.KindOf(element); kind == rawjson.KindObject || kind == rawjson.KindArray {
			return false
		}
	}
	return true
}

func appendScalar(dst, value []byte) []byte {
	text, ok := rawjson.String(value)
	switch {
	case !ok:
		return append(dst, rawjson.Trim(value)...)
	case strings.ContainsRune(text, utf8.RuneError): // half a surrogate pair: only JSON can write it
		return append(dst, rawjson.Trim(value)...)
	case needsQuotes(text):
		return appendQuoted(dst, text)
	}
	return append(dst, text...)
}

// needsQuotes follows §7.2 of the specification.
func needsQuotes(text string) bool {
	switch {
	case text == "", text == "true", text == "false", text == "null", text[0] == '-':
		return true
	case strings.TrimSpace(text) != text, looksNumeric(text):
		return true
	}
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || strings.ContainsRune(`:"\[]{},`, r) }) >= 0
}

// looksNumeric tells digits, with a fraction and an exponent or without; leading zeros count too.
func looksNumeric(text string) bool {
	rest, ok := cutDigits(text)
	if fraction, has := strings.CutPrefix(rest, "."); ok && has {
		rest, ok = cutDigits(fraction)
	}
	if ok && rest != "" && rest[0]|0x20 == 'e' {
		rest, ok = cutDigits(strings.TrimLeft(rest[1:], "+-"))
	}
	return ok && rest == ""
}

func cutDigits(text string) (rest string, found bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, len(rest) < len(text)
}

// appendQuoted writes a text with the five escapes that §7.1 knows; other control characters are JSON's.
func appendQuoted(dst []byte, text string) []byte { return rawjson.AppendString(dst, text) }

// appendKey follows §7.3: letters, digits, underscores and dots stand bare.
func appendKey(dst []byte, key string) []byte {
	for i := range len(key) {
		c := key[i]
		if !isLetter(c) && c != '_' && (i == 0 || !isDigit(c) && c != '.') {
			return appendQuoted(dst, key)
		}
	}
	if key == "" {
		return appendQuoted(dst, key)
	}
	return append(dst, key...)
}

func indent(dst []byte, depth int) []byte {
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
