package openapi

import (
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/twodoor/twodoor/source/openapi/naming"
)

// words are a title of one line and a description that does not repeat it.
func words(summary, description, id string) (title, text string) {
	summary, description = plainText(summary), plainText(description)
	title = strings.Join(strings.Fields(summary), " ")
	text = strings.TrimSpace(description)
	if len(title) > maxSummary {
		text = strings.TrimSpace(strings.TrimSpace(summary) + "\n\n" + text)
		title = firstSentence(title)
	}
	if title == "" {
		title = firstSentence(text)
	}
	if title == "" {
		title = strings.Join(naming.Words(id), " ")
	}
	if strings.TrimRight(text, ".") == strings.TrimRight(title, ".") {
		text = ""
	}
	return title, text
}

// markup finds the tags of web pages; made when first needed, which a warm start never does.
var markup = sync.OnceValue(func() (m struct{ breaks, points, marks, gaps *regexp.Regexp }) {
	m.breaks = regexp.MustCompile(`(?i)</?(p|br|ul|ol|div|h[1-6]|pre|table|tr|blockquote)(\s[^<>]*)?/?>`)
	m.points = regexp.MustCompile(`(?i)<li(\s[^<>]*)?>`)
	m.marks = regexp.MustCompile(`(?i)</?(b|i|em|strong|code|a|span|li|td|th|thead|tbody|small|sub|sup|u|tt|hr)(\s[^<>]*)?/?>`)
	m.gaps = regexp.MustCompile(`[ \t]*\n[ \t]*(\n[ \t]*)+`)
	return m
})

// plainText is a text without the markup of web pages, which says nothing to an agent. Text without
// known tags stays as it is.
func plainText(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	m := markup()
	plain := m.breaks.ReplaceAllString(text, "\n")
	plain = m.points.ReplaceAllString(plain, "\n- ")
	plain = m.marks.ReplaceAllString(plain, "")
	if plain == text {
		return text
	}
	return strings.TrimSpace(m.gaps.ReplaceAllString(html.UnescapeString(plain), "\n\n"))
}

// maxSummary is how long a summary may be and still be a title, in bytes.
const maxSummary = 160

// maxTitle bounds a title that is taken from a description, in bytes.
const maxTitle = 100

func firstSentence(text string) string {
	line := firstLine(text, 4*maxTitle)
	if sentence, _, found := strings.Cut(line, ". "); found {
		line = sentence
	}
	if len(line) > maxTitle {
		return firstLine(line, maxTitle)
	}
	return strings.TrimSuffix(line, ".")
}

// firstLine is the first line of a text, at most so many bytes of it.
func firstLine(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.TrimSpace(text)
}
