package check

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor/source/find"
)

// TestGuesses: titles and old names give other words for verbs, where a search leads to them.
func TestGuesses(t *testing.T) {
	b, _ := demo(t)
	documents, err := find.DocumentsOf(b.catalog)
	if err != nil {
		t.Fatal(err)
	}
	index := find.Build(documents)
	got, err := Guesses(b.catalog, func(words string, show func(string) bool) string {
		hits := index.Search(find.Query{Text: words, Limit: 1, Topic: find.TopicOperation, Show: show}).Hits
		if len(hits) == 0 {
			return ""
		}
		return hits[0].ID
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"harbor.incident.ack": "acknowledge", "harbor.incident.attachment-get": "download", "harbor.incident.escalation-create": "escalate",
		"harbor.incident.note-create": "add-note", "harbor.oncall.now": "who", "harbor.workflow.stop": "", "harbor.incident.get": "",
	} {
		if all := strings.Join(got[id], " "); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%s: %q, want %q", id, all, want)
		}
	}
}
