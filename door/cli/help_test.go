package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/internal/rawjson"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestHelp compares what agents read of the commands with testdata/help.txt, each text with its
// weight. After a wanted change: go test ./door/cli -run TestHelp -update
func TestHelp(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(nil)
	var all strings.Builder
	for _, line := range []string{
		"--help", "harbor --help", "harbor incident --help", "harbor incident c --help", "harbor incident create --help", "harbor incident list -h",
		"harbor incident delete --help", "harbor service list --help", "help harbor incident change-create", "up --help", "guides --help", "guides read --help",
	} {
		if status := h.run(words(line)...); status != 0 || h.err.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %s", line, status, h.err.String())
		}
		fmt.Fprintf(&all, "-- twodoor %s (≈%d tokens) --\n%s", line, rawjson.Weigh(h.out.Bytes()), h.out.String())
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(all.String(), string(want)); diff != "" {
		t.Errorf("help is not as in %s: %s", golden, diff)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n  %s\nwant\n  %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		return fmt.Sprintf("%d lines, want %d", len(g), len(w))
	}
	return ""
}

// city is a source of many operations: 60 groups of 20, one group of 400, one command with 150 inputs.
func city() *twodoor.Reading {
	reading := &twodoor.Reading{Source: "city", Title: "City", Groups: map[string]string{}}
	add := func(id, input string) {
		reading.Operations = append(reading.Operations, operation(id, input, func(op *twodoor.Operation) {
			op.Title = "Does something with " + id + " that takes a whole sentence to tell"
			op.Description = strings.Repeat("It is told at great length what this does and when. ", 60)
		}))
	}
	for g := range 60 {
		name := fmt.Sprintf("district%02d", g)
		reading.Groups[name] = "All that concerns " + name + ", its streets, its houses and the people who live there"
		for v := range 20 {
			add(fmt.Sprintf("city.%s.verb-%02d-list", name, v), `{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"name":{"type":"string"}}}`)
		}
	}
	for v := range 400 {
		add(fmt.Sprintf("city.people.%c%c-some-longer-verb-%d", 'a'+v%26, 'a'+v%13, v), `{"type":"object"}`)
	}
	var properties rawjson.Object
	for p := range 150 {
		properties.Put(fmt.Sprintf("property_number_%d", p), []byte(`{"type":"object","description":"`+strings.Repeat("what it is ", 20)+`","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"object","properties":{"c":{"type":"integer"}}}}}}`))
	}
	var input rawjson.Object
	input.PutString("type", "object")
	input.Put("properties", properties.Bytes())
	add("city.hall.workflow-create", string(input.Bytes()))
	return reading
}

func TestHelpKeepsItsBudget(t *testing.T) {
	h := newHarness(t, city())
	h.Commands = []Command{{Name: "find", Short: "Find an operation", Args: "WORDS…", Run: func(context.Context, *Invocation) error { return nil }}}
	cases := []struct {
		line   string
		budget int
		says   []string
	}{
		{"city --help", levelBudget, []string{"district07", "people", "twodoor find WORDS"}},
		{"city district07 --help", verbBudget, []string{"verb-19-list", "Does something"}},
		{"city people --help", verbBudget, []string{"twodoor find WORDS"}},
		{"city people aa --help", verbBudget, []string{"aa-some-longer-verb-0", "aa-some-longer-verb-26"}},
		{"city hall workflow-create --help", helpBudget, []string{"POST /city/hall/workflow-create", "twodoor schema city.hall.workflow-create", "property_number_3"}},
		{"city district07 verb-03-list --help", helpBudget, []string{"--id (integer, required)"}},
	}
	for _, c := range cases {
		status := h.run(words(c.line)...)
		if weight := rawjson.Weigh(h.out.Bytes()); status != 0 || weight > c.budget {
			t.Errorf("%s: exit %d, ≈%d tokens, want at most %d", c.line, status, weight, c.budget)
		}
		for _, says := range c.says {
			if !strings.Contains(h.out.String(), says) {
				t.Errorf("%s does not say %q:\n%s", c.line, says, h.out.String())
			}
		}
	}
}

func TestUnlinked(t *testing.T) {
	for text, want := range map[string]string{
		"<p>Creates a <b>new</b> customer.</p>":             "Creates a new customer.",
		"See [the guide](https://x.example/a) for <id>.":    "See the guide for <id>.",
		"a<br/>b <a href=\"https://x.example\">c</a> 1 < 2": "a b c 1 < 2",
	} {
		if got := oneLine(unlinked(text), 100); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A source of thousands of groups is told within the budget too, and one that is not there is not
// said to be hidden.
func TestHelpOfVeryManyAndOfNone(t *testing.T) {
	many := &twodoor.Reading{Source: "many", Title: "Many"}
	for i := range 5000 {
		many.Operations = append(many.Operations, operation(fmt.Sprintf("many.thing%d.get", i), `{"type":"object"}`, reads))
	}
	h := newHarness(t, many)
	h.run(words("many --help")...)
	if weight := rawjson.Weigh(h.out.Bytes()); weight > levelBudget || !strings.Contains(h.out.String(), "5000 words, from thing0 to thing999") {
		t.Errorf("≈%d tokens: %.300s", weight, h.out.String())
	}
	if h.run("many", "thing499", "--help"); !strings.Contains(h.out.String(), "get") {
		t.Errorf("one of them: %s", h.out.String())
	}
	h = newHarness(t, &twodoor.Reading{Source: twodoor.OwnSource})
	if h.run("--help"); strings.Contains(h.out.String(), "profile") {
		t.Errorf("without a source: %s", h.out.String())
	}
}

// The example that help shows fits the operation it is shown for.
func TestExamplesFit(t *testing.T) {
	h := newHarness(t)
	for card, err := range h.Describe(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if card.ID == "" {
			continue
		}
		if err := h.Check(words(strings.TrimPrefix(card.Example, "twodoor "))); err != nil {
			t.Errorf("%s: %v %q", card.Example, err, fields(err))
		}
	}
}

func TestExampleNamesAFileForBytes(t *testing.T) {
	h := newHarness(t)
	op, _, err := h.Engine.Catalog().Find("harbor.incident.create")
	if err != nil {
		t.Fatal(err)
	}
	got := h.shown(args.Of(op), json.RawMessage(`{"title":"x","attachment":"dGV4dA=="}`))
	if want := "twodoor harbor incident create --title x --attachment @PATH"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDescribe(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(nil)
	cards := map[string]Card{}
	for card, err := range h.Describe(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		cards[card.Command] = card
	}
	if len(cards) != 8+4+1 {
		t.Errorf("%d cards", len(cards))
	}
	got, err := json.Marshal(cards["twodoor harbor incident ack"])
	if err != nil {
		t.Fatal(err)
	}
	same(t, "card", got, []byte(`{"id":"harbor.incident.ack","command":"twodoor harbor incident ack","usage":"twodoor harbor incident ack <incident-ids>... [flags]",
		"title":"Does harbor.incident.ack","origin":"POST /harbor/incident/ack","effect":"writes",
		"inputs":[{"name":"incident_ids","path":"incident_ids","flag":"--incident-ids","position":"<incident-ids>...","type":"list of integer","required":true},
			{"name":"comment","path":"comment","flag":"--comment","type":"string"}],
		"example":"twodoor harbor incident ack 1"}`))
	if got := cards["twodoor guides read"].Usage; got != "twodoor guides read NAME…" {
		t.Errorf("usage of an own command is %q", got)
	}
}

func TestCombinations(t *testing.T) {
	op := operation("x.y.z", `{"type":"object","properties":{"id":{},"name":{},"zone":{},"area":{}},"oneOf":[{"required":["id"]},{"required":["name","zone"]}],
		"dependentRequired":{"zone":["area"]},"not":{"required":["id","area"]}}`)
	got := strings.Join(combinations(args.Of(&op)), "\n")
	want := "exactly one of: --id, --name and --zone\n--zone needs --area\nnot together: --id, --area"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLevelsWithoutAVerb(t *testing.T) {
	h := newHarness(t)
	if status := h.run("harbor", "incident"); status != 2 || h.out.Len() > 0 || !strings.Contains(h.err.String(), "  ack") {
		t.Errorf("exit %d, stdout %q, stderr %q", status, h.out.String(), h.err.String())
	}
	if status := h.run("harbor", "incident", "-o", "json"); status != 2 || !json.Valid(h.err.Bytes()) || !strings.Contains(h.err.String(), "twodoor harbor incident ack") {
		t.Errorf("exit %d, stderr %q", status, h.err.String())
	}
	if status := h.run("--version"); status != 0 || h.out.String() != "twodoor 1.2.3\n" {
		t.Errorf("exit %d, %q", status, h.out.String())
	}
	if status := h.run("harbor", "--nope"); status != 2 {
		t.Errorf("an unknown flag: exit %d", status)
	}
}

// What a profile hides is not told, and calling it is refused by the engine.
func TestProfileHides(t *testing.T) {
	h := newHarness(t)
	h.Engine.Profiles = map[string]*twodoor.Profile{"ro": {Effects: []twodoor.Effect{twodoor.Reads}}}
	h.run(words("harbor incident --help --profile ro")...)
	if text := h.out.String(); strings.Contains(text, "ack") || !strings.Contains(text, "list") {
		t.Errorf("help is\n%s", text)
	}
	if status := h.run(words("harbor incident delete 1 --profile ro")...); status != twodoor.CodeDenied.Exit() || !strings.Contains(h.err.String(), `"denied"`) {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
	for _, line := range []string{"harbor incident delete --profile ro", "harbor incident delete --help --profile ro"} {
		if status := h.run(words(line)...); status != twodoor.CodeDenied.Exit() || h.out.Len() > 0 {
			t.Errorf("%s: exit %d: %s", line, status, h.err.String())
		}
	}
	if status := h.run(words("harbor --help --profile none")...); status != 2 {
		t.Errorf("a profile that is not there: exit %d", status)
	}
}

func TestNearestCommands(t *testing.T) {
	h := newHarness(t)
	h.Commands = testCommands(nil)
	h.Find = func(_ context.Context, words string, n int) []string { return []string{"harbor.service.list"} }
	for line, try := range map[string][]string{
		"harbor incident lst":     {"twodoor harbor incident list", "twodoor harbor service list"},
		"harbour incident list":   {"twodoor harbor"},
		"guide list":              {"twodoor guides"},
		"guides lst":              {"twodoor guides list"},
		"harbor incidents create": {"twodoor harbor incident", "twodoor harbor incident create"},
	} {
		if status := h.run(words(line)...); status != 2 {
			t.Errorf("%s: exit %d", line, status)
		}
		for _, want := range try {
			if !strings.Contains(h.err.String(), `"`+want+`"`) {
				t.Errorf("%s: no %q in %s", line, want, h.err.String())
			}
		}
	}
}

func TestBrand(t *testing.T) {
	h := newHarness(t)
	h.Name, h.Brand = "hb", "harbor"
	if status := h.run(words("incident get 3")...); status != 0 || h.up.last.Operation.ID != "harbor.incident.get" {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
	h.run("--help")
	if text := h.out.String(); !strings.Contains(text, "  incident (6)") || !strings.Contains(text, "Usage: hb GROUP VERB") {
		t.Errorf("help is\n%s", text)
	}
	op, _, _ := h.Engine.Catalog().Find("harbor.incident.get")
	if got := h.shell(h.Argv(op, json.RawMessage(`{"incident_id":3}`))); got != "hb incident get 3" {
		t.Errorf("line is %q", got)
	}
}
