package rawjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// String decodes a JSON string. A lone surrogate and a byte that is not UTF-8
// become U+FFFD, as in encoding/json. It returns false for anything that is not
// one whole JSON string.
func String(raw []byte) (string, bool) {
	raw = Trim(raw)
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	plain := 0
	for plain < len(inner) && isPlain(inner[plain]) {
		plain++
	}
	if plain == len(inner) {
		return string(inner), true
	}
	return decodeString(inner, plain)
}

// Trim cuts the white space around a value.
func Trim(raw []byte) []byte {
	start := skipSpace(raw, 0)
	end := len(raw)
	for end > start && isSpace(raw[end-1]) {
		end--
	}
	return raw[start:end]
}

// isPlain tells a byte that stands for itself in a string.
func isPlain(c byte) bool {
	return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf
}

func decodeString(inner []byte, plain int) (string, bool) {
	out := make([]byte, plain, len(inner))
	copy(out, inner)
	for at := plain; at < len(inner); {
		switch c := inner[at]; {
		case c == '\\':
			r, size := decodeEscape(inner[at:])
			if size == 0 {
				return "", false
			}
			out = utf8.AppendRune(out, r)
			at += size
		case c == '"' || c < ' ':
			return "", false
		default:
			r, size := utf8.DecodeRune(inner[at:])
			out = utf8.AppendRune(out, r)
			at += size
		}
	}
	return string(out), true
}

// decodeEscape reads the escape at the start of text and returns its rune and
// length; length 0 means there is none.
func decodeEscape(text []byte) (rune, int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '"', '\\', '/':
		return rune(text[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	high := hex4(text)
	if high < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	if whole := utf16.DecodeRune(high, hex4(text[6:])); whole != utf8.RuneError {
		return whole, 12
	}
	return utf8.RuneError, 6
}

// hex4 reads \uXXXX at the start of text, or returns -1.
func hex4(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range text[2:6] {
		digit := hexDigit(c)
		if digit < 0 {
			return -1
		}
		r = r<<4 | digit
	}
	return r
}

func hexDigit(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Only what JSON demands is escaped,
// so <, > and & stay; a byte that is not UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for at := 0; at < len(s); {
		if isPlain(s[at]) {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if s[at] >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			at += size
			continue
		}
		dst = append(dst, s[done:at]...)
		dst = appendEscape(dst, s[at])
		at++
		done = at
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Quote returns s as a JSON string.
func Quote(s string) []byte {
	return AppendString(make([]byte, 0, len(s)+2), s)
}
