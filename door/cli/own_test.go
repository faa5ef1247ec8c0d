package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

// testCommands are own commands of every sort. The one that runs is told to run, if it is set.
func testCommands(run func(ctx context.Context, in *Invocation) error) []Command {
	if run == nil {
		run = func(context.Context, *Invocation) error { return nil }
	}
	return []Command{
		{Name: "up", Args: "[FILE|URL…]", Short: "Serve every door", Long: "Adds what is named and serves it.", Example: "twodoor up openapi.yaml", Run: run, Flags: []Flag{
			{Name: "listen", Kind: FlagList, Usage: "an address to listen at"},
			{Name: "compat", Kind: FlagSwitch, Usage: "also listen at 127.0.0.1:8080"},
			{Name: "expose", Values: []string{"auto", "full", "search"}, Default: "auto", Usage: "how operations are listed"},
			{Name: "wait", Kind: FlagDuration, Usage: "how long"},
			{Name: "tries", Kind: FlagInt, Default: "3", Usage: "how often"},
			{Name: "secret", Usage: "not told", Hidden: true},
		}},
		{Name: "guides", Short: "Guides", Commands: []Command{
			{Name: "list", Short: "List the guides", Run: run},
			{Name: "read", Short: "Read guides", Args: "NAME…", Run: run, Complete: func(context.Context, []string, string) []string { return []string{"triage", "oncall"} }},
		}},
		{Name: "hidden", Short: "Not told", Hidden: true, Run: run},
	}
}

func TestOwnCommand(t *testing.T) {
	h := newHarness(t)
	var said string
	h.Commands = testCommands(func(_ context.Context, in *Invocation) error {
		said = fmt.Sprintln(in.Args, in.AfterDash, in.List("listen"), in.Switch("compat"), in.Text("expose"), in.Duration("wait"), in.Int("tries"), in.Given("tries"), in.Yes(), in.Profile())
		return in.Print(map[string]any{"big": uint64(1) << 60, "name": "n"})
	})
	if status := h.run(words("up a.yaml --listen :1 --listen :2 --compat --expose=full --wait 2s --yes --profile p --jq .big -- x")...); status != 0 {
		t.Fatalf("exit %d: %s", status, h.err.String())
	}
	if want := "[a.yaml x] [x] [:1 :2] true full 2s 3 false true p\n"; said != want {
		t.Errorf("got  %s\nwant %s", said, want)
	}
	if h.out.String() != "1152921504606846976\n" {
		t.Errorf("printed %q", h.out.String())
	}
}

func TestOwnCommandMisused(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(func(context.Context, *Invocation) error { t.Error("it ran"); return nil })
	for line, says := range map[string]string{
		"up --liste :1":          "--listen",
		"up --expose ful":        "did you mean full?",
		"up --tries x":           "tries",
		"up --listen":            "listen",
		"guides read":            "needs NAME…",
		"guides list x":          `unexpected argument \"x\"`,
		"guides raed triage":     "twodoor guides read",
		"up -o jsn":              "did you mean json?",
		"guides list --jq":       "jq",
		"completion":             "needs SHELL",
		"completion zhs":         "did you mean zsh?",
		"completion bash --nope": "nope",
		"up a.yaml --dry-run":    "unknown flag: --dry-run", // it would be done nevertheless
	} {
		if status := h.run(words(line)...); status != 2 || h.out.Len() > 0 || !strings.Contains(h.err.String(), says) {
			t.Errorf("%s: exit %d, stdout %q, stderr %s; want %q", line, status, h.out.String(), h.err.String(), says)
		}
	}
	if status := h.run("guides"); status != 2 || !strings.Contains(h.err.String(), "Usage: twodoor guides COMMAND") {
		t.Errorf("a bare group: exit %d, %s", status, h.err.String())
	}
}

func TestOwnCommandFails(t *testing.T) {
	h := newHarness(t)
	for _, c := range []struct {
		err    error
		status int
		stderr string
	}{
		{Exit(42), 42, ""},
		{&twodoor.Error{Code: twodoor.CodeChecksFailed, Message: "two checks failed"}, 7, "two checks failed"},
		{context.Canceled, 130, "canceled"},
		{fmt.Errorf("read it: %w", fmt.Errorf("broken")), 1, "internal"},
	} {
		h.Commands = testCommands(func(context.Context, *Invocation) error { return c.err })
		if status := h.run("guides", "list"); status != c.status || !strings.Contains(h.err.String(), c.stderr) || c.stderr == "" && h.err.Len() > 0 {
			t.Errorf("%v: exit %d, stderr %q", c.err, status, h.err.String())
		}
	}
}

func TestNoListIsNull(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(func(_ context.Context, in *Invocation) error { return in.Print([]string(nil)) })
	if h.run("guides", "list"); h.out.String() != "[]\n" {
		t.Errorf("printed %q", h.out.String())
	}
}

func TestOperate(t *testing.T) {
	h := newHarness(t)
	if status := h.run(words("call harbor.incident.get 5 -o yaml")...); status != 0 || h.out.String() != "incident_id: 5\n" {
		t.Errorf("exit %d, %q, %s", status, h.out.String(), h.err.String())
	}
	if status := h.run(words("call harbor.incident.gte 5")...); status != 2 || !strings.Contains(h.err.String(), "twodoor harbor incident get") {
		t.Errorf("exit %d, %s", status, h.err.String())
	}
}

func TestCallIsChecked(t *testing.T) {
	h := newHarness(t)
	for line, good := range map[string]bool{
		"call harbor.incident.get 5": true, "call harbor_incident_get --incident-id 5": true, "call harbor.incident.get": false, "call harbor.incident.nope": false,
		"call": false, "call harbor.incident.list --status opne": false, "call --help": true, "call harbor.incident.get --help": true,
	} {
		if err := h.Check(words(line)); (err == nil) != good || h.up.calls > 0 || h.out.Len()+h.err.Len() > 0 {
			t.Errorf("%s: %v, %d calls, wrote %q", line, err, h.up.calls, h.out.String()+h.err.String())
		}
	}
}

func TestCompleteGoesOnInALine(t *testing.T) {
	op := &twodoor.Operation{ID: "harbor.incident.list", Input: json.RawMessage(`{"properties":{
		"state":{"type":"array","items":{"type":"string","enum":["open","closed","acked"]}},"severity":{"type":"string","enum":["low,er","low"]}}}`)}
	cases := []struct {
		typed []string
		begun string
		want  string
	}{
		{[]string{"--state"}, "open,c", "open,closed"},
		{[]string{"--state"}, "open,closed,", "open,closed,acked"},
		{nil, "--state=open,", "--state=open,closed --state=open,acked"},
		{nil, "--state=", "--state=open --state=closed --state=acked"},
		{[]string{"--severity"}, "low,", "low,er"},
		{[]string{"--state", "open"}, "--sev", "--severity"},
	}
	for _, c := range cases {
		var got []string
		for _, entry := range Complete(op, c.typed, c.begun) {
			word, _, _ := strings.Cut(entry, "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q %q: %q, want %q", c.typed, c.begun, got, c.want)
		}
	}
}

func TestComplete(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(nil)
	cases := []struct {
		typed []string
		want  string // the words without what they are
	}{
		{[]string{"ha"}, "harbor"},
		{[]string{"gui"}, "guides"},
		{[]string{"harbor", ""}, "incident odd service"},
		{[]string{"harbor", "incident", "c"}, "change-create create"},
		{[]string{"harbor", "incident", "create", "--se"}, "--severity --service-id --set"},
		{[]string{"harbor", "incident", "create", "--severity", ""}, "low high critical"},
		{[]string{"harbor", "incident", "create", "--severity=h"}, "--severity=high"},
		{[]string{"harbor", "incident", "create", "-o", "t"}, "table tsv toon"},
		{[]string{"harbor", "incident", "list", "--status", "o"}, "open"},
		{[]string{"up", "--expose", ""}, "auto full search"},
		{[]string{"guides", "read", ""}, "triage oncall"},
		{[]string{"guides", "l"}, "list"},
		{[]string{"completion", ""}, "bash zsh fish powershell"},
		{[]string{"call", "harbor.incident.list", "--status", ""}, "open closed"},
		{[]string{"call", "harbor.incident.c"}, "harbor.incident.change-create harbor.incident.create"},
	}
	for _, c := range cases {
		if status := h.run(append([]string{"__complete"}, c.typed...)...); status != 0 {
			t.Errorf("%q: exit %d, %s", c.typed, status, h.err.String())
		}
		var got []string
		for line := range strings.Lines(h.out.String()) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
	for _, shell := range shells {
		if status := h.run("completion", shell); status != 0 || !strings.Contains(h.out.String(), "__complete") {
			t.Errorf("%s: exit %d, %d bytes", shell, status, h.out.Len())
		}
	}
}

func TestProgressOnATerminalOnly(t *testing.T) {
	at := time.Unix(0, 0)
	h := newHarness(t)
	h.Now = func() time.Time { return at }
	h.up.answer = func(in *twodoor.Invocation) (*twodoor.Value, error) {
		in.Progress(twodoor.Progress{Message: "too early"})
		at = at.Add(2 * time.Second)
		in.Progress(twodoor.Progress{Done: 1, Total: 2, Message: "half"})
		in.Progress(twodoor.Progress{Message: "too soon after"})
		return &twodoor.Value{JSON: []byte(`1`)}, nil
	}
	if h.run(words("harbor incident get 1")...); h.err.Len() > 0 {
		t.Errorf("off a terminal: %q", h.err.String())
	}
	h.StderrTTY = true
	if h.run(words("harbor incident get 1")...); h.err.String() != "\r\x1b[K50% half\r\x1b[K" {
		t.Errorf("on one: %q", h.err.String())
	}
}

func TestPeek(t *testing.T) {
	early := Peek(words("--config a.yaml harbor --trust incident --profile=p get -o json 5 -- --config b"))
	if early.Config != "a.yaml" || early.Profile != "p" || !early.Trust || strings.Join(early.Words, " ") != "harbor incident get 5" {
		t.Errorf("got %+v", early)
	}
}
