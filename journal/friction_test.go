package journal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/journal"
)

// script writes the records of one session, call after call.
type script struct{ records []journal.Record }

func (s *script) call(operation, arguments, answer string) *journal.Record {
	n := len(s.records)
	s.records = append(s.records, journal.Record{
		Kind: journal.KindCall, CallID: fmt.Sprintf("c%d", n), At: time.Unix(1_800_000_000+int64(n), 0), Door: "mcp", Session: "s1", Principal: "ann",
		Operation: operation, Arguments: json.RawMessage(arguments), Answer: json.RawMessage(answer), Outcome: journal.OutcomeOK, Code: "ok", Duration: 20,
	})
	return &s.records[n]
}

func (s *script) fail(operation, arguments, code string, fault journal.Fault) {
	r := s.call(operation, arguments, "")
	r.Outcome, r.Code, r.Fault = journal.OutcomeError, code, &fault
}

var known = []journal.Known{{ID: "harbor.incident.list"}, {ID: "harbor.incident.get"}, {ID: "harbor.incident.close", Guides: []string{"triage"}}}

func TestFrictionFindsEachKind(t *testing.T) {
	for kind, c := range map[string]struct {
		subject string
		fix     string
		play    func(s *script)
	}{
		journal.FrictionGuessed: {"harbor.incident.show", `aliases: ["harbor.incident.show"]`, func(s *script) {
			s.fail("harbor.incident.show", `{}`, "unknown", journal.Fault{Message: "no", Try: []string{"harbor.incident.get"}})
			s.call("harbor.incident.get", `{"id":1}`, `{"id":1}`)
		}},
		journal.FrictionMisfit: {"harbor.incident.list", `describe: {"since"`, func(s *script) {
			for range 2 {
				s.fail("harbor.incident.list", `{"since":"x"}`, "invalid", journal.Fault{Message: "no", Fields: []string{"since"}})
			}
		}},
		journal.FrictionRepeated: {"harbor.incident.get", `meaning`, func(s *script) {
			for range 3 {
				s.call("harbor.incident.get", `{"id":1}`, `{"id":1}`)
			}
		}},
		journal.FrictionEmpty: {"harbor.incident.list", `empty:`, func(s *script) {
			s.call("harbor.incident.list", `{"query":"db"}`, `{"items":[]}`)
			s.call("harbor.incident.list", `{"query":"database"}`, `{"items":[]}`)
		}},
		journal.FrictionPaged: {"harbor.incident.list", `fields:`, func(s *script) {
			s.call("harbor.incident.list", `{}`, `[1]`).Cut = &twodoor.Cut{Shown: 3, Handle: "h1"}
			for n := range 3 {
				s.call("twodoor.read-result", fmt.Sprintf(`{"handle":"h1","offset":%d}`, n), `[1]`)
			}
		}},
		journal.FrictionUnread: {"harbor.incident.list", `limit: 3`, func(s *script) {
			s.call("harbor.incident.list", `{}`, `[1]`).Cut = &twodoor.Cut{Shown: 3, Handle: "h1"}
		}},
		journal.FrictionSearch: {"open tickets", `twodoor find`, func(s *script) {
			s.call("twodoor.find-operations", `{"query":"open tickets"}`, `[]`)
		}},
		journal.FrictionHintIgnored: {"harbor.incident.get", `harbor.incident.list`, func(s *script) {
			s.fail("harbor.incident.get", `{"id":9}`, "not_found", journal.Fault{Message: "no", Try: []string{"harbor.incident.search"}})
			s.call("harbor.incident.list", `{}`, `[1]`)
		}},
		journal.FrictionGuideUnread: {"harbor.incident.close", `triage`, func(s *script) {
			s.fail("harbor.incident.close", `{"id":9}`, "conflict", journal.Fault{Message: "no"})
		}},
		journal.FrictionSlow: {"harbor.incident.list", `default`, func(s *script) {
			s.call("harbor.incident.list", `{}`, `[1]`).Duration = 8000
		}},
		journal.FrictionUnused: {"harbor.incident.close", `exclude`, func(s *script) {
			s.call("harbor.incident.list", `{}`, `[1]`)
			s.call("harbor.incident.get", `{"id":1}`, `{"id":1}`)
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			s := &script{}
			c.play(s)
			report := journal.FrictionOf(s.records, known)
			found := 0
			for _, finding := range report.Findings {
				if finding.Kind == journal.FrictionUnused && kind != finding.Kind {
					continue
				}
				if finding.Kind != kind {
					t.Errorf("also found: %+v", finding)
					continue
				}
				found++
				if finding.Subject != c.subject || !strings.Contains(finding.Fix, c.fix) || finding.Count == 0 || kind != journal.FrictionUnused && len(finding.Examples) == 0 {
					t.Errorf("found %+v, want %s with a fix that says %s", finding, c.subject, c.fix)
				}
			}
			if found != 1 {
				t.Errorf("found %d times: %+v", found, report.Findings)
			}
		})
	}
}

func TestFrictionOfACleanSession(t *testing.T) {
	s := &script{}
	s.call("twodoor.find-operations", `{"query":"open incidents"}`, `{"hits":[]}`)
	s.call("twodoor.read-guides", `{"names":["triage"]}`, `"…"`)
	through := s.call("twodoor.read-operation", `{"id":"harbor.incident.list"}`, `[1,2]`).CallID
	s.call("harbor.incident.list", `{"state":"open"}`, `[1,2]`).ParentID = through
	step := s.call("harbor.incident.get", `{"id":1}`, `{"id":1,"notes":[]}`)
	step.Cut = &twodoor.Cut{Shown: 1, Handle: "h1"}
	s.call("twodoor.read-result", `{"handle":"h1"}`, `[1]`)
	s.fail("harbor.incident.close", `{"id":1}`, "conflict", journal.Fault{Message: "acknowledge it first", Try: []string{"harbor.incident.get"}})
	s.call("harbor.incident.get", `{"id":2}`, `{"id":2}`)
	for range 5 { // steps that an operation makes are not the agent's
		s.call("harbor.incident.get", `{"id":1}`, `[]`).ParentID = s.records[len(s.records)-1].CallID
	}
	report := journal.FrictionOf(s.records, known)
	if report.Findings == nil || len(report.Findings) != 0 {
		t.Errorf("found %+v, want an empty list: no list is ever null", report.Findings)
	}
	if report.Calls != 7 || report.Sessions != 1 {
		t.Errorf("%d calls in %d sessions, want 7 in 1", report.Calls, report.Sessions)
	}
	var text strings.Builder
	if err := report.WriteMarkdown(&text); err != nil || !strings.Contains(text.String(), "Nothing") {
		t.Errorf("%s, %v", text.String(), err)
	}
}
