package schema

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// formatExamples are texts of the formats that are in use.
var formatExamples = map[string]string{
	"date-time": "2026-01-15T09:30:00Z", "date": "2026-01-15", "time": "09:30:00Z", "duration": "PT1H",
	"email": "someone@example.com", "idn-email": "someone@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/", "uri-reference": "/path", "iri": "https://example.com/",
	"uuid": "123e4567-e89b-12d3-a456-426614174000", "byte": "dGV4dA==", "binary": "text", "json-pointer": "/a", "regex": "^a$", "int64": "1", "int32": "1", "decimal": "1.5",
}

// strings are texts of the format or pattern, and within the lengths.
func (s *Schema) strings() [][]byte {
	var texts []string
	if format, ok := rawjson.Get(s.raw, "format"); ok {
		name, _ := rawjson.String(format)
		if text, known := formatExamples[name]; known {
			texts = append(texts, text)
		}
	}
	if s.pattern != nil {
		texts = append(texts, matching(s.pattern.String(), 0), matching(s.pattern.String(), 1), matching(s.pattern.String(), 3))
	}
	texts = append(texts, "text", "1", "2026-01-15T09:30:00Z", "a", "A", "")
	b := s.boundsAnywhere()
	list := make([][]byte, 0, 2*len(texts))
	for _, text := range texts {
		list = append(list, rawjson.Quote(sized(text, b.minLength, b.maxLength)))
	}
	return list
}

// sized lengthens or cuts a text to its bounds.
func sized(text string, least, most int) string {
	const longest = 1 << 16
	count := utf8.RuneCountInString(text)
	if missing := min(least, longest) - count; missing > 0 {
		last := "x"
		if count > 0 {
			last = text[len(text)-1:]
		}
		return text + strings.Repeat(last, missing)
	}
	if most >= 0 && count > most {
		return string([]rune(text)[:most])
	}
	return text
}

// matching returns a text that a regular expression takes, each repeated part
// standing at least n times where it may.
func matching(pattern string, n int) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	writeMatch(&b, tree.Simplify(), n)
	return b.String()
}

func writeMatch(b *strings.Builder, re *syntax.Regexp, n int) {
	const longest = 1 << 12
	if b.Len() > longest {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range re.Sub {
			writeMatch(b, part, n)
		}
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0], n)
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		for range repeats(re, n) {
			writeMatch(b, re.Sub[0], n)
		}
	}
}

func repeats(re *syntax.Regexp, n int) int {
	switch re.Op {
	case syntax.OpQuest:
		return min(n, 1)
	case syntax.OpPlus:
		return max(n, 1)
	case syntax.OpRepeat:
		return max(re.Min, min(n, max(re.Max, re.Min)))
	}
	return n
}

// plainRune picks a letter or digit of a class, else its first rune.
func plainRune(ranges []rune) rune {
	for _, wanted := range "aA0_-" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1] >= ' ' {
			return max(ranges[i], '!')
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'a'
}
