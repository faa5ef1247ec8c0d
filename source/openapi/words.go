package openapi

import (
	"strings"

	"github.com/twodoor/twodoor/source/openapi/naming"
)

// words are a title of one line and a description that does not repeat it.
func words(summary, description, id string) (title, text string) {
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
