package twodoor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestProseTellsAllThatARetryNeeds(t *testing.T) {
	fault := &Error{
		Code: CodeInvalid, Message: "the arguments do not fit", Hint: "send a list", Try: []string{"a.b.c", "a.b.d"},
		Fields:     []Problem{{Path: "ids[0]", Problem: "is no string", Schema: json.RawMessage(`{ "type": "string" }`)}, {Problem: "lack name"}},
		RetryAfter: 3 * time.Second, Token: "yes-1", Upstream: &UpstreamFault{Status: 503, Body: json.RawMessage(`"` + strings.Repeat("é", 600) + `"`)},
	}
	want := "the arguments do not fit\n- ids[0]: is no string (schema: {\"type\":\"string\"})\n- arguments: lack name\nupstream: 503 \"" +
		strings.Repeat("é", 499) + "…\nhint: send a list\ntry: A.B.C, A.B.D\nretry after: 3s\nconfirm: yes-1"
	if got := fault.Prose(strings.ToUpper); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	fault.Upstream.Told = true
	if strings.Contains(fault.Prose(strings.ToUpper), "upstream:") {
		t.Error("what the message says already is told twice")
	}
}

func TestAsideIsWhatStandsBesideTheValue(t *testing.T) {
	if aside := (&Result{Value: json.RawMessage(`1`)}).Aside(strings.ToUpper); aside != "" {
		t.Errorf("a plain result has %q beside it", aside)
	}
	result := &Result{
		Notes: []string{"x is an old name of y"}, Cut: &Cut{Shown: 2, Total: 9, Handle: "h1", How: "read_result"},
		Next: []Suggestion{{Call: "a.b.c", Arguments: json.RawMessage(`{ "id": 1 }`), Why: "look at it"}, {Call: "a.b.d"}},
	}
	want := "note: x is an old name of y\ncut: 2 of 9 shown, the rest under h1; read_result\nnext: A.B.C {\"id\":1}: look at it\nnext: A.B.D"
	if got := result.Aside(strings.ToUpper); strings.TrimSpace(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}
