package twodoor_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

func TestSpell(t *testing.T) {
	for _, test := range []struct{ id, prefix, cli, mcp string }{
		{"harbor.incident.change-create", "", "harbor incident change-create", "harbor_incident_change_create"},
		{"fd.alert.event-list", "", "", "fd_alert_event_list"},
		{"fd.alert-event.list", "", "", "fd_alert-event_list"},
		{"notes.my-tool", "", "notes my-tool", "notes_my-tool"},
		{"harbor.incident.list", "hb", "harbor incident list", "hb_incident_list"},
		{"twodoor.find-operations", "", "find-operations", "find_operations"},
		{"notes.get.Me/x", "", "notes get Me/x", "notes_get_Me_x"},
		{"a." + strings.Repeat("b", 60) + ".c", "", "", "a_bbbbbbbbbbbbbbbbbbb_"},
	} {
		got := twodoor.Spell(test.id, test.prefix)
		if test.cli != "" && strings.Join(got.CLI, " ") != test.cli || !strings.HasPrefix(got.MCP, test.mcp) || got.REST != test.id {
			t.Errorf("%s: %+v", test.id, got)
		}
		if len(test.mcp) < 22 && got.MCP != test.mcp {
			t.Errorf("%s: %s, want %s", test.id, got.MCP, test.mcp)
		}
	}
	given := twodoor.Operation{ID: "bd.teams.get", Tool: "bd.teams.get!"}
	if got := given.Spelling().MCP; got != "bd_teams_get_" {
		t.Errorf("a given name became %s", got)
	}
}

var legal = regexp.MustCompile(`^[A-Za-z0-9_-]{0,50}$`)

// FuzzSpell holds that every spelling is legal, and that two ids which differ after long equal
// heads and tails keep two names.
func FuzzSpell(f *testing.F) {
	f.Add("harbor.incident.list", "harbor.incident.get", "hb")
	f.Add("a."+strings.Repeat("x", 40)+".b"+strings.Repeat("y", 40), "a."+strings.Repeat("x", 40)+".c"+strings.Repeat("y", 40), "")
	f.Fuzz(func(t *testing.T, a, b, prefix string) {
		x, y := twodoor.Spell(a, prefix).MCP, twodoor.Spell(b, prefix).MCP
		if !legal.MatchString(x) {
			t.Errorf("%q is spelled %q", a, x)
		}
		if len(a) > 60 && len(b) > 60 && a != b && x == y {
			t.Errorf("%q and %q are both spelled %q", a, b, x)
		}
	})
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		glob, id string
		want     bool
	}{
		{"harbor.*", "harbor.incident.list", true}, {"*.list", "harbor.incident.list", true}, {"*", "", true},
		{"harbor.incident.*", "harbor.incidents.list", false}, {"a*b*c", "aXbYbZc", true}, {"a*b", "abX", false},
		{"", "", true}, {"", "a", false}, {"harbor.incident.list", "harbor.incident.list", true},
	} {
		if got := twodoor.Match(test.glob, test.id); got != test.want {
			t.Errorf("Match(%q, %q) is %v", test.glob, test.id, got)
		}
	}
}

// TestError holds the one error struct of every door.
func TestError(t *testing.T) {
	fault := &twodoor.Error{Code: twodoor.CodeLimited, Message: "slow down", RetryAfter: 1500e6, CallID: "c",
		Fields: []twodoor.Problem{{Path: "a", Problem: "b"}}, Upstream: &twodoor.UpstreamFault{Status: 429, Body: json.RawMessage(`{"x":1}`)}}
	raw, err := json.Marshal(fault)
	want := `{"code":"limited","message":"slow down","fields":[{"path":"a","problem":"b"}],"retryable":true,"retry_after_s":2,"call_id":"c","upstream":{"status":429,"body":{"x":1}}}`
	if err != nil || string(raw) != want {
		t.Errorf("%s %v", raw, err)
	}
}
