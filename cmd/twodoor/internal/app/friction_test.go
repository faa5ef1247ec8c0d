package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/journal"
)

// TestFrictionOfAServer plants faults in a session at a real server: the report names each with what to
// change, and nothing of a session that went well. The journal's own tests plant one of every kind.
func TestFrictionOfAServer(t *testing.T) {
	l := newLab(t)
	s := l.up()
	for _, arguments := range []string{`{"id":"one"}`, `{"id":"two"}`} {
		s.tool("lab_items_get", arguments, "")
	}
	s.tool("lab_items_create", `{"name":"x"}`, "")
	s.tool("lab_items_list", `{"_want":{"fields":["id"]}}`, "")
	report := func() map[string]journal.Finding {
		t.Helper()
		var told journal.Friction
		if err := json.Unmarshal([]byte(l.must("friction", "-o", "json")), &told); err != nil {
			t.Fatal(err)
		}
		found := map[string]journal.Finding{}
		for _, f := range told.Findings {
			found[f.Kind+" "+f.Subject] = f
		}
		return found
	}
	if found := report(); len(found) != 0 {
		t.Errorf("a session that went well: %v", found)
	}
	s.tool("lab_item_get", `{"id":"one"}`, "")
	s.tool("lab_items_get", `{"idd":7}`, "")
	s.tool("lab_items_get", `{"id":[]}`, "")
	s.handle()
	s.tool("find_operations", `{"query":"the weather on the moon"}`, "")
	found := report()
	for kind, fix := range map[string]string{
		"guessed lab_item_get": `aliases: ["lab_item_get"]`, "misfit lab.items.get": "describe", "unread lab.items.list": "fields", "search the weather on the moon": "twodoor find",
	} {
		if f := found[kind]; f.Count != 1 || !strings.Contains(f.Fix, fix) || len(f.Examples) == 0 {
			t.Errorf("%s is told as %+v, of %v", kind, f, found)
		}
	}
	if text := l.must("friction", "-o", "md"); !strings.Contains(text, "# Friction") || !strings.Contains(text, "## guessed") {
		t.Errorf("as Markdown:\n%s", text)
	}
}
