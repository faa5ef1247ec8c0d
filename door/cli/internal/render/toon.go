package render

import (
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// appendTOON writes Token-Oriented Object Notation (toonformat.dev, specification 2.0, comma as
// delimiter, two spaces of indent).
func appendTOON(dst, value []byte) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		return toonMembers(dst, value, 0)
	case rawjson.KindArray:
		return toonArray(dst, value, 0)
	}
	return append(toonScalar(dst, value), '\n')
}

func toonMembers(dst, object []byte, depth int) []byte {
	for key, member := range rawjson.Members(object) {
		dst = indent(dst, depth)
		dst = toonMember(dst, key, member, depth)
	}
	return dst
}

// toonMember writes one member where the cursor is, what belongs to it a level deeper.
func toonMember(dst []byte, key string, member []byte, depth int) []byte {
	dst = toonKey(dst, key)
	switch rawjson.KindOf(member) {
	case rawjson.KindObject:
		dst = append(dst, ":\n"...)
		return toonMembers(dst, member, depth+1)
	case rawjson.KindArray:
		return toonArray(dst, member, depth)
	}
	dst = append(dst, ": "...)
	return append(toonScalar(dst, member), '\n')
}

// toonArray writes the header of a list where the cursor is, and its elements: on the same line if
// they are scalars, as rows if they are alike, else as items.
func toonArray(dst, list []byte, depth int) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(rawjson.Len(list)), 10)
	dst = append(dst, ']')
	if columns := alike(list); len(columns) > 0 {
		return toonRows(dst, list, columns, depth)
	}
	dst = append(dst, ':')
	if flat(list) {
		sep := " "
		for element := range rawjson.Elements(list) {
			dst = toonScalar(append(dst, sep...), element)
			sep = ","
		}
		return append(dst, '\n')
	}
	dst = append(dst, '\n')
	for element := range rawjson.Elements(list) {
		dst = toonItem(indent(dst, depth+1), element, depth+1)
	}
	return dst
}

func toonRows(dst, list []byte, columns []string, depth int) []byte {
	dst = append(dst, '{')
	for i, column := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = toonKey(dst, column)
	}
	dst = append(dst, "}:\n"...)
	for record := range rawjson.Elements(list) {
		dst = indent(dst, depth+1)
		for i, column := range columns {
			if i > 0 {
				dst = append(dst, ',')
			}
			value, _ := rawjson.Get(record, column)
			dst = toonScalar(dst, value)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// toonItem writes one element of a mixed list. The first member of an object stands on the line of
// the hyphen, the others below it.
func toonItem(dst, element []byte, depth int) []byte {
	dst = append(dst, '-')
	switch rawjson.KindOf(element) {
	case rawjson.KindArray:
		return toonArray(append(dst, ' '), element, depth)
	case rawjson.KindObject:
		first := true
		for key, member := range rawjson.Members(element) {
			if first {
				dst = append(dst, ' ')
			} else {
				dst = indent(dst, depth+1)
			}
			first = false
			dst = toonMember(dst, key, member, depth+1)
		}
		if first {
			dst = append(dst, '\n')
		}
		return dst
	}
	return append(toonScalar(append(dst, ' '), element), '\n')
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

func toonScalar(dst, value []byte) []byte {
	text, ok := rawjson.String(value)
	switch {
	case !ok:
		return append(dst, rawjson.Trim(value)...)
	case toonNeedsQuotes(text):
		return toonQuote(dst, text)
	}
	return append(dst, text...)
}

// toonNeedsQuotes follows §7.2 of the specification.
func toonNeedsQuotes(text string) bool {
	switch {
	case text == "", text == "true", text == "false", text == "null", text[0] == '-':
		return true
	case strings.TrimSpace(text) != text, looksNumeric(text):
		return true
	}
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || strings.ContainsRune(`:"\[]{},`, r) }) >= 0
}

func looksNumeric(text string) bool {
	digits := strings.TrimLeft(text, "0")
	return isDigit(text[0]) && (rawjson.Check([]byte(text)) == nil || digits == "" || rawjson.Check([]byte(digits)) == nil)
}

// toonQuote writes a text with the five escapes that §7.1 knows; other control characters are JSON's.
func toonQuote(dst []byte, text string) []byte { return rawjson.AppendString(dst, text) }

// toonKey follows §7.3: letters, digits, underscores and dots stand bare.
func toonKey(dst []byte, key string) []byte {
	for i := range len(key) {
		c := key[i]
		if !isLetter(c) && c != '_' && (i == 0 || !isDigit(c) && c != '.') {
			return toonQuote(dst, key)
		}
	}
	if key == "" {
		return toonQuote(dst, key)
	}
	return append(dst, key...)
}
