package render

import (
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// appendYAML writes block style YAML that any reader of 1.1 or 1.2 takes for the same value.
func appendYAML(dst, value []byte) []byte {
	if isBlock(value) {
		return appendBlock(dst, value, 0)
	}
	return append(appendYAMLScalar(dst, value), '\n')
}

// isBlock reports whether a value takes lines of its own.
func isBlock(value []byte) bool {
	kind := rawjson.KindOf(value)
	return (kind == rawjson.KindObject || kind == rawjson.KindArray) && rawjson.Len(value) > 0
}

// appendBlock writes an object or a list that is not empty, its first line where the cursor is.
func appendBlock(dst, value []byte, depth int) []byte {
	first := true
	begin := func() {
		if !first {
			dst = indent(dst, depth)
		}
		first = false
	}
	if rawjson.KindOf(value) == rawjson.KindArray {
		for element := range rawjson.Elements(value) {
			begin()
			dst = append(dst, "- "...)
			if isBlock(element) {
				dst = appendBlock(dst, element, depth+1)
			} else {
				dst = append(appendYAMLScalar(dst, element), '\n')
			}
		}
		return dst
	}
	for key, member := range rawjson.Members(value) {
		begin()
		dst = appendYAMLText(dst, key)
		dst = append(dst, ':')
		if isBlock(member) {
			dst = append(dst, '\n')
			dst = indent(dst, depth+1)
			dst = appendBlock(dst, member, depth+1)
			continue
		}
		dst = append(dst, ' ')
		dst = append(appendYAMLScalar(dst, member), '\n')
	}
	return dst
}

func indent(dst []byte, depth int) []byte {
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

func appendYAMLScalar(dst, value []byte) []byte {
	if text, ok := rawjson.String(value); ok {
		return appendYAMLText(dst, text)
	}
	return rawjson.Compact(dst, value)
}

// appendYAMLText writes a text plain where no reader could take it for anything else.
func appendYAMLText(dst []byte, text string) []byte {
	if isPlainYAML(text) {
		return append(dst, text...)
	}
	quoted := rawjson.Quote(text)
	for _, r := range text {
		switch r {
		case 0x7f, 0x85, 0xa0, 0x2028, 0x2029, 0xfeff:
			return append(dst, escaped(quoted)...)
		}
	}
	return append(dst, quoted...)
}

// escaped writes the characters that YAML does not take bare.
func escaped(quoted []byte) string {
	return strings.NewReplacer("\x7f", `\x7f`, "\u0085", `\N`, "\u00a0", `\_`, "\u2028", `\L`, "\u2029", `\P`, "\ufeff", `\ufeff`).Replace(string(quoted))
}

func isPlainYAML(text string) bool {
	if text == "" || !isLetter(text[0]) || text[len(text)-1] == ' ' {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) && !isDigit(c) && !strings.ContainsRune("_-./ @()+", rune(c)) {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
