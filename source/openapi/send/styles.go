package send

import (
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// style is how a parameter's value becomes text: an operator of RFC 6570 §3.2 with the names that
// OpenAPI 3.1 gives them ("Style Values").
type style struct {
	first  string // before everything
	sep    string // between exploded items
	delim  string // between items that are not exploded
	named  bool   // the name stands before the value
	bare   bool   // a name without a value has no equals sign
	escape escaper
}

// styleOf is the style of a parameter. One that OpenAPI does not define there is the default there.
func styleOf(p *plan.Param) style {
	s := style{sep: ",", delim: ",", escape: escapeStrict}
	switch p.In {
	case "path":
		if p.Reserved {
			s.escape = escapePath
		}
		switch p.Style {
		case "label":
			s.first, s.sep = ".", "."
		case "matrix":
			s.first, s.sep, s.named, s.bare = ";", ";", true, true
		}
	case "header":
		s.escape = escapeNothing
	case "cookie":
		s.sep, s.named = "; ", true
	default:
		return formStyle(p.Style, p.Reserved)
	}
	return s
}

// formStyle is a style of query strings and urlencoded bodies.
func formStyle(name string, reserved bool) style {
	s := style{sep: "&", delim: ",", named: true, escape: escapeStrict}
	if reserved {
		s.escape = escapeQuery
	}
	switch name {
	case "spaceDelimited":
		s.delim = "%20"
	case "pipeDelimited":
		s.delim = "%7C"
	}
	return s
}

// append adds a value in this style. What RFC 6570 §2.3 calls undefined (null, an empty array or
// object, and null inside of one) adds nothing. Values nested deeper are sent as their JSON.
func (s style) append(dst []byte, name string, value []byte, explode bool) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindNull, rawjson.KindInvalid:
		return dst
	case rawjson.KindArray:
		return s.appendArray(dst, name, value, explode)
	case rawjson.KindObject:
		return s.appendObject(dst, name, value, explode)
	}
	dst = append(dst, s.first...)
	return s.appendPair(dst, name, scalarText(value))
}

func (s style) appendArray(dst []byte, name string, value []byte, explode bool) []byte {
	sep := s.first
	for item := range rawjson.Elements(value) {
		if rawjson.KindOf(item) == rawjson.KindNull {
			continue
		}
		first := sep == s.first
		dst = append(dst, sep...)
		if explode || first {
			dst = s.appendPair(dst, name, scalarText(item))
		} else {
			dst = s.escape(dst, scalarText(item))
		}
		sep = s.between(explode)
	}
	return dst
}

func (s style) appendObject(dst []byte, name string, value []byte, explode bool) []byte {
	sep, opened := s.first, false
	for key, item := range rawjson.Members(value) {
		if rawjson.KindOf(item) == rawjson.KindNull {
			continue
		}
		dst = append(dst, sep...)
		if s.named && !explode && !opened {
			dst = escapeStrict(dst, name)
			dst = append(dst, '=')
		}
		dst, opened = s.escape(dst, key), true
		if explode {
			dst = append(dst, '=')
		} else {
			dst = append(dst, s.delim...)
		}
		dst = s.escape(dst, scalarText(item))
		sep = s.between(explode)
	}
	return dst
}

func (s style) between(explode bool) string {
	if explode {
		return s.sep
	}
	return s.delim
}

// appendPair adds name=value, or the value alone where the style has no names.
func (s style) appendPair(dst []byte, name, value string) []byte {
	if s.named {
		dst = escapeStrict(dst, name)
		if s.bare && value == "" {
			return dst
		}
		dst = append(dst, '=')
	}
	return s.escape(dst, value)
}

// appendDeep adds a value in the style deepObject, name[key]=value, to the pairs that begin at start.
// OpenAPI defines it for flat objects; nested ones get further brackets and arrays their indexes, as
// Stripe, Rails and PHP read them.
func appendDeep(dst []byte, start int, name string, value []byte, escape escaper) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindNull, rawjson.KindInvalid:
		return dst
	case rawjson.KindArray:
		index := 0
		for item := range rawjson.Elements(value) {
			dst = appendDeep(dst, start, name+"["+strconv.Itoa(index)+"]", item, escape)
			index++
		}
		return dst
	case rawjson.KindObject:
		for key, item := range rawjson.Members(value) {
			dst = appendDeep(dst, start, name+"["+key+"]", item, escape)
		}
		return dst
	}
	if len(dst) > start {
		dst = append(dst, '&')
	}
	dst = escapeStrict(dst, name)
	dst = append(dst, '=')
	return escape(dst, scalarText(value))
}

// scalarText is a value as text: a string without its quotes, a number with its own digits, anything
// nested as its JSON.
func scalarText(value []byte) string {
	if text, ok := rawjson.String(value); ok {
		return text
	}
	return string(rawjson.Compact(nil, rawjson.Trim(value)))
}

// escaper appends text in percent-encoding (RFC 3986 §2.1).
type escaper func(dst []byte, text string) []byte

// escapeStrict keeps unreserved characters alone (RFC 3986 §2.3). A space is %20, never +.
func escapeStrict(dst []byte, text string) []byte { return escapeBut(dst, text, "", false) }

// escapeQuery is allowReserved: reserved characters stay, as far as a query string survives them
// (OpenAPI 3.1.1, "allowReserved"): # & + [ ] do not, and nor does a % that begins no triple.
func escapeQuery(dst []byte, text string) []byte { return escapeBut(dst, text, ":/?@!$'()*,;=", true) }

// escapePath is allowReserved in a path: ? and # would end it.
func escapePath(dst []byte, text string) []byte { return escapeBut(dst, text, ":/@!$&'()*+,;=", false) }

func escapeNothing(dst []byte, text string) []byte { return append(dst, text...) }

func escapeBut(dst []byte, text, keep string, triples bool) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isUnreserved(c) || holds(keep, c) || triples && isTriple(text[i:]) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func holds(set string, c byte) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

func isTriple(text string) bool {
	return len(text) >= 3 && text[0] == '%' && isHex(text[1]) && isHex(text[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
