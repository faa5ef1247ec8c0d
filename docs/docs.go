// Package docs is the manual, as it is read here and as the program carries it: twodoor docs, and /docs
// of a running server. Begin with [Topics] and [Find].
package docs

import (
	"embed"
	"net/http"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Topic is one page of the manual.
type Topic struct {
	Name  string `json:"name"` // of its file, without .md
	Title string `json:"title"`
	Says  string `json:"says"` // its first sentence
	Text  string `json:"-"`    // Markdown
}

// Topics are all pages, by name.
func Topics() []Topic {
	entries, _ := files.ReadDir(".") // never fails: it is in the program
	topics := make([]Topic, 0, len(entries))
	for _, entry := range entries {
		text, _ := files.ReadFile(entry.Name())
		topics = append(topics, topicOf(strings.TrimSuffix(entry.Name(), ".md"), string(text)))
	}
	return topics
}

func topicOf(name, text string) Topic {
	title, rest, _ := strings.Cut(text, "\n")
	says, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	if first, _, more := strings.Cut(says, ". "); more {
		says = first + "."
	}
	return Topic{Name: name, Title: strings.TrimPrefix(title, "# "), Says: says, Text: text}
}

// Find is the page of a name, or the page's part under a heading that is or begins with a word; false:
// there is none. Upper and lower case are one, and "error" is "errors".
func Find(name, part string) (Topic, bool) {
	topics := Topics()
	at := slices.IndexFunc(topics, func(t Topic) bool {
		return strings.EqualFold(t.Name, name) || strings.EqualFold(t.Name, name+"s")
	})
	if at < 0 {
		return Topic{}, false
	}
	topic := topics[at]
	if part == "" {
		return topic, true
	}
	for _, section := range strings.Split("\n"+topic.Text, "\n## ")[1:] {
		heading, _, _ := strings.Cut(section, "\n")
		if words := strings.Fields(strings.ReplaceAll(heading, "`", "")); len(words) > 0 && strings.EqualFold(words[0], part) || strings.EqualFold(heading, part) {
			topic.Title, topic.Text = strings.ReplaceAll(heading, "`", ""), "## "+strings.TrimSpace(section)+"\n"
			return topic, true
		}
	}
	return Topic{}, false
}

// Parts are the headings of a page that [Find] takes.
func (t Topic) Parts() []string {
	var parts []string
	for line := range strings.Lines(t.Text) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			parts = append(parts, strings.ReplaceAll(heading, "`", ""))
		}
	}
	return parts
}

// Handler serves the manual as Markdown below a path that ends in {topic...}: the list where that is
// empty.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, part, _ := strings.Cut(strings.TrimSuffix(r.PathValue("topic"), ".md"), "/")
		text := List()
		if name != "" {
			topic, ok := Find(name, part)
			if !ok {
				http.Error(w, "there is no such page; the pages are at /docs", http.StatusNotFound)
				return
			}
			text = topic.Text
		}
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write([]byte(text))
	})
}

// List is the list of all pages as Markdown.
func List() string {
	var b strings.Builder
	b.WriteString("# The manual of twodoor\n\n")
	for _, t := range Topics() {
		b.WriteString("- [" + t.Title + "](" + t.Name + ".md): " + t.Says + "\n")
	}
	return b.String()
}
