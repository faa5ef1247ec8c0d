package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// answers makes the upstream answer with this JSON.
func (h *harness) answers(raw string) {
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage(raw)}, nil
	}
}

func TestAnswerIsDataAlone(t *testing.T) {
	const list = `{"items":[{"id":1152921504606846977,"title":"db","zeta":{"name":"z"},"b":false},{"id":2,"title":"web"}],"total":2}`
	cases := []struct{ mode, want string }{
		{"json", list + "\n"},
		{"jsonl", `{"id":1152921504606846977,"title":"db","zeta":{"name":"z"},"b":false}` + "\n" + `{"id":2,"title":"web"}` + "\n"},
		{"csv", "id,title,zeta,b\n1152921504606846977,db,\"{\"\"name\"\":\"\"z\"\"}\",false\n2,web,,\n"},
		{"tsv", "id\ttitle\tzeta\tb\n1152921504606846977\tdb\t{\"name\":\"z\"}\tfalse\n2\tweb\t\t\n"},
		{"md", "| id | title | zeta | b |\n| --- | --- | --- | --- |\n| 1152921504606846977 | db | {\"name\":\"z\"} | false |\n| 2 | web |  |  |\n"},
		{"table", "id                   title  zeta  b\n1152921504606846977  db     z     false\n2                    web          \n"},
		{"yaml", "items:\n  - id: 1152921504606846977\n    title: db\n    zeta:\n      name: z\n    b: false\n  - id: 2\n    title: web\ntotal: 2\n"},
		{"toon", "items[2]:\n  - id: 1152921504606846977\n    title: db\n    zeta:\n      name: z\n    b: false\n  - id: 2\n    title: web\ntotal: 2\n"},
		{"raw", list + "\n"},
	}
	for _, c := range cases {
		h := newHarness(t)
		h.answers(list)
		if status := h.run("harbor", "incident", "list", "-o", c.mode); status != 0 || h.out.String() != c.want || h.err.Len() > 0 {
			t.Errorf("-o %s: exit %d, stdout\n%s\nwant\n%s\nstderr %s", c.mode, status, h.out.String(), c.want, h.err.String())
		}
	}
}

func TestOutputIsChosen(t *testing.T) {
	cases := []struct {
		name string
		tty  bool
		env  string
		argv string
		want string
	}{
		{"JSON off a terminal", false, "", "", `{"incident_id":1}` + "\n"},
		{"a table on one", true, "", "", "incident_id  1\n"},
		{"the environment", true, "yaml", "", "incident_id: 1\n"},
		{"the line wins", true, "yaml", "--output=json", "{\n  \"incident_id\": 1\n}\n"},
	}
	for _, c := range cases {
		h := newHarness(t)
		h.StdoutTTY, h.Env = c.tty, map[string]string{"TWODOOR_OUTPUT": c.env, "NO_COLOR": "1"}
		h.run(append(words("harbor incident get 1"), words(c.argv)...)...)
		if h.out.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, h.out.String(), c.want)
		}
	}
}

func TestOptionsReachTheCall(t *testing.T) {
	h := newHarness(t)
	call, err := h.Parse(words("harbor incident list --fields id,title --jq .items --limit 5 --page 2 --all --summary --budget 100 --profile p --account a --timeout 30 --dry-run --yes --want-output yaml --output o"))
	if err != nil {
		t.Fatal(err)
	}
	want := twodoor.Projection{Fields: []string{"id", "title"}, JQ: ".items", Limit: 5, Page: "2", All: true, Summary: true, Budget: 100}
	got, _ := json.Marshal(call.Projection)
	wanted, _ := json.Marshal(want)
	same(t, "projection", got, wanted)
	if call.Profile != "p" || call.Account != "a" || call.Timeout.Seconds() != 30 || call.Mode != twodoor.DryRun || call.Confirm != twodoor.ConfirmYes || call.Door != twodoor.DoorCLI || call.Client != "twodoor 1.2.3" {
		t.Errorf("call is %+v", call)
	}
	same(t, "arguments", call.Arguments, []byte(`{"output":"o"}`))
}

// Limit and page drive the far side's own inputs where its way of paging is known.
func TestLimitDrivesTheFarSide(t *testing.T) {
	h := newHarness(t)
	if status := h.run(words("harbor incident list --limit 20 --page 3")...); status != 0 {
		t.Fatal(h.err.String())
	}
	same(t, "arguments", h.up.last.Arguments, []byte(`{"page":3,"per_page":20}`))
}

func TestFaults(t *testing.T) {
	for _, code := range twodoor.Codes() {
		h := newHarness(t)
		h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
			return nil, &twodoor.Error{Code: code, Message: "it is so", Hint: "do this", Try: []string{"harbor.incident.list"}, Upstream: &twodoor.UpstreamFault{Status: 409, Body: json.RawMessage(`{"why":"\u001b[31m"}`)}}
		}
		if status := h.run(words("harbor incident get 1")...); status != code.Exit() || h.out.Len() > 0 {
			t.Errorf("%v: exit %d, want %d; stdout %q", code, status, code.Exit(), h.out.String())
		}
		var told struct{ Error struct{ Code string } }
		if err := json.Unmarshal(h.err.Bytes(), &told); err != nil || told.Error.Code != code.String() {
			t.Errorf("%v: stderr is %s", code, h.err.String())
		}
		if status := h.run(words("harbor incident get 1 -o table")...); status != code.Exit() {
			t.Errorf("%v: exit %d in a table", code, status)
		}
		prose := h.err.String()
		for _, says := range []string{"error: it is so\n", "hint: ", "try: twodoor harbor incident list\n", "upstream: 409"} {
			if !strings.Contains(prose, says) {
				t.Errorf("%v: no %q in\n%s", code, says, prose)
			}
		}
		if strings.Contains(prose, "\x1b") {
			t.Errorf("%v: the far side steers the terminal: %q", code, prose)
		}
	}
}

func TestFaultOfTheEngineNamesFlags(t *testing.T) {
	h := newHarness(t)
	status := h.run("harbor", "incident", "create", "--severity", "low", "--title", strings.Repeat("x", 81), "-o", "table")
	if status != 2 || !strings.Contains(h.err.String(), "--title ") || !strings.Contains(h.err.String(), "hint: this fits: twodoor harbor incident create ") {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
}

func TestCanceled(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(context.Background())
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
		cancel()
		return nil, ctx.Err()
	}
	if status := h.Run(ctx, words("harbor incident get 1")); status != 130 {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
}

func TestNoContent(t *testing.T) {
	h := newHarness(t)
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) { return &twodoor.Value{}, nil }
	line := words("harbor incident ack 1")
	for _, c := range []struct{ more, stderr string }{{"", "OK: POST /harbor/incident/ack\n"}, {"-o table", "OK: POST /harbor/incident/ack\n"}, {"-o json", ""}, {"--quiet", ""}} {
		if status := h.run(append(line, words(c.more)...)...); status != 0 || h.out.Len() != 0 || h.err.String() != c.stderr {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", c.more, status, h.out.String(), h.err.String())
		}
	}
}

func TestDestroying(t *testing.T) {
	line := words("harbor incident delete 1")
	cases := []struct {
		name   string
		tty    bool
		stdin  string
		more   string
		status int
		calls  int
	}{
		{"off a terminal", false, "y\n", "", 6, 0},
		{"off a terminal in a table", false, "y\n", "-o table", 6, 0},
		{"with a yes", false, "", "--yes", 0, 1},
		{"a dry run", false, "", "--dry-run", 0, 0},
		{"asked, yes", true, "y\n", "", 0, 1},
		{"asked, no", true, "n\n", "", 6, 0},
		{"asked, nothing", true, "", "", 6, 0},
		{"not to be asked", true, "y\n", "--no-input", 6, 0},
		{"asked in JSON too", true, "yes\n", "-o json", 0, 1},
	}
	for _, c := range cases {
		h := newHarness(t)
		h.StdinTTY, h.StderrTTY, h.Stdin = c.tty, c.tty, strings.NewReader(c.stdin)
		if status := h.run(append(line, words(c.more)...)...); status != c.status || h.up.calls != c.calls {
			t.Errorf("%s: exit %d, %d calls, want %d and %d; %s", c.name, status, h.up.calls, c.status, c.calls, h.err.String())
		}
	}
}

func TestDryRun(t *testing.T) {
	h := newHarness(t)
	if status := h.run(words("harbor incident delete 1 --dry-run")...); status != 0 || h.out.String() != "curl -X POST https://harbor.example/harbor.incident.delete\n" {
		t.Errorf("exit %d: %q %s", status, h.out.String(), h.err.String())
	}
	h.run(words("harbor incident delete 1 --dry-run -o json")...)
	same(t, "in JSON", h.out.Bytes(), []byte(`{"method":"POST"}`))
}

func TestRemarksGoToStderr(t *testing.T) {
	h := newHarness(t)
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage(`{"items":[]}`), Notes: []string{"mind the gap"}, Cut: &twodoor.Cut{Shown: 30, Total: 126, How: "next page: 2"}}, nil
	}
	h.run(words("harbor incident list")...)
	want := "note: mind the gap\ncut: 30 of 126 shown; next page: 2\n" // what was cut to nothing is not said to be none
	if h.err.String() != want || h.out.String() != "{\"items\":[]}\n" {
		t.Errorf("stdout %q, stderr %q", h.out.String(), h.err.String())
	}
	h.answers(`{"items":[]}`)
	if h.run(words("harbor incident list")...); h.err.String() != "none: no incident is open\n" {
		t.Errorf("stderr %q", h.err.String())
	}
}

func TestNextIsALine(t *testing.T) {
	h := newHarness(t)
	got := h.nextLine(twodoor.Suggestion{Call: "harbor.incident.create", Arguments: json.RawMessage(`{"title":"it's on","severity":"low","filter":{"age":3}}`)})
	want := `twodoor harbor incident create --title 'it'\''s on' --severity low --set filter.age:=3`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a reader is shown uses the option that drives an input; the exact line does not.
func TestDrivenInputIsShownAsItsOption(t *testing.T) {
	reading := fleet()
	list := &reading.Operations[3]
	list.Input = json.RawMessage(`{"type":"object","properties":{"page":{"type":"integer"},"limit":{"type":"integer","default":20}}}`)
	list.Page = &twodoor.Page{Style: twodoor.PageNumber, Param: "page", Size: "limit"}
	h := newHarness(t, reading)
	args := json.RawMessage(`{"limit":5,"page":2}`)
	if got := h.nextLine(twodoor.Suggestion{Call: "harbor.incident.list", Arguments: args}); got != "twodoor harbor incident list --limit 5 --page 2" {
		t.Errorf("shown as %s", got)
	}
	op, _, _ := h.Engine.Catalog().Find("harbor.incident.list")
	givesBack(t, h, op, args)
	h.run(words("harbor incident list --help")...)
	if text := h.out.String(); !strings.Contains(text, "--limit (integer, default 20)") || strings.Contains(text, "--want-limit") {
		t.Errorf("help is\n%s", text)
	}
	if h.run(words("harbor incident list --limit 5 --page 2")...); h.up.last == nil || !strings.Contains(string(h.up.last.Arguments), `"limit":5`) {
		t.Errorf("the far side got %+v", h.up.last)
	}
}

func TestHeavyAnswerSaysHowToGetLess(t *testing.T) {
	h := newHarness(t)
	record := `{"id":1,"title":"t","body":"` + strings.Repeat("long ", 200) + `"}`
	h.answers(`{"items":[` + strings.Repeat(record+",", 29) + record + `]}`)
	h.run(words("harbor incident list")...)
	if got := h.err.String(); !strings.HasPrefix(got, "budget: ≈") || !strings.Contains(got, "above 4000: --fields id,title makes it ≈") {
		t.Errorf("stderr is %q", got)
	}
	h.Env = map[string]string{"TWODOOR_BUDGET": "1000000"}
	if h.run(words("harbor incident list")...); h.err.Len() > 0 {
		t.Errorf("below the budget it says %q", h.err.String())
	}
}

func TestBinary(t *testing.T) {
	content := []byte("\x89PNG\r\n\x1a\n\x00\xff")
	h := newHarness(t)
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{Blobs: []twodoor.Blob{{MediaType: "image/png", Name: "a.png", Data: content}}}, nil
	}
	if status := h.run(words("harbor incident get 1")...); status != 0 || !bytes.Equal(h.out.Bytes(), content) {
		t.Errorf("exit %d, %q", status, h.out.Bytes())
	}
	h.StdoutTTY = true
	if status := h.run(words("harbor incident get 1")...); status != 2 || h.out.Len() > 0 || !strings.Contains(h.err.String(), "--out FILE") {
		t.Errorf("on a terminal: exit %d, %q, %s", status, h.out.Bytes(), h.err.String())
	}
	file := filepath.Join(t.TempDir(), "a.png")
	if status := h.run("harbor", "incident", "get", "1", "--out", file); status != 0 {
		t.Errorf("to a file: exit %d, %s", status, h.err.String())
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file holds %q (%v)", got, err)
	}
}

func TestOutLeavesNoPart(t *testing.T) {
	h := newHarness(t)
	folder := t.TempDir()
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) { return nil, errors.New("broken") }
	h.run("harbor", "incident", "get", "1", "--out", filepath.Join(folder, "a.json"))
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
	before := h.up.calls
	if status := h.run("harbor", "incident", "get", "1", "--out", filepath.Join(folder, "none", "a.json")); status != 2 || h.up.calls != before {
		t.Errorf("a folder that is not there: exit %d, %d calls", status, h.up.calls-before)
	}
}

func TestData(t *testing.T) {
	files := map[string]string{
		"a.json":  `{"title":"from file","severity":"low","service_id":1152921504606846977}`,
		"a.yaml":  "title: NO\nseverity: low\nfilter:\n  age: 3\n",
		"in.yaml": "name: n\nlimit: 3\n", "whole.json": `{"data":{"name":"n"},"force":true}`, "mixed.json": `{"name":"n","force":true}`,
		"note.txt": "line `one`\n$HOME\n", "pic.png": "\x89PNG\r\n\x1a\n", "bad.json": `{"title": `, "list.json": `[1]`,
	}
	cases := []struct{ name, line, stdin, want string }{
		{"JSON file", "create --data @a.json", "", `{"title":"from file","severity":"low","service_id":1152921504606846977}`},
		{"YAML file, a text stays a text", "create --data @a.yaml", "", `{"title":"NO","severity":"low","filter":{"age":3}}`},
		{"stdin", "create --data -", files["a.json"], files["a.json"]},
		{"later parts win", "create --data @a.json --set title=set --severity high --set severity=critical", "", `{"title":"set","severity":"high","service_id":1152921504606846977}`},
		{"text from stdin", "create --title - --severity low", "two\nlines\n", `{"title":"two\nlines\n","severity":"low"}`},
		{"text from a file", "create --title x --severity low --field-file pin=@note.txt --field-file filter.status=@note.txt", "", "{\"title\":\"x\",\"severity\":\"low\",\"pin\":\"line `one`\\n$HOME\\n\",\"filter\":{\"status\":\"line `one`\\n$HOME\\n\"}}"},
		{"content from a file", "create --title x --severity low --attachment @pic.png", "", `{"title":"x","severity":"low","attachment":"data:image/png;name=pic.png;base64,iVBORw0KGgo="}`},
		{"content from stdin", "create --title x --severity low --attachment -", "hi", `{"title":"x","severity":"low","attachment":"data:text/plain;base64,aGk="}`},
		{"content as base64", "create --title x --severity low --attachment aGk=", "", `{"title":"x","severity":"low","attachment":"aGk="}`},
		{"opened, as what is inside", "change-create --data @in.yaml", "", `{"data":{"name":"n","limit":3}}`},
		{"opened, whole", "change-create --data @whole.json", "", `{"data":{"name":"n"},"force":true}`},
		{"opened, mixed", "change-create --data @mixed.json", "", `{"data":{"name":"n"},"force":true}`},
	}
	door := func() *harness {
		h := newHarness(t)
		h.Open = func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		}
		return h
	}
	for _, c := range cases {
		h := door()
		h.Stdin = strings.NewReader(c.stdin)
		call, err := h.Parse(append([]string{"harbor", "incident"}, words(c.line)...))
		if err != nil {
			t.Errorf("%s: %v %q", c.name, err, fields(err))
			continue
		}
		same(t, c.name, call.Arguments, []byte(c.want))
	}
	for line, says := range map[string]string{
		"create --data @none.json":                                  "--data reads a file: file does not exist",
		"create --data @bad.json":                                   "--data is not JSON: line 1",
		"create --data @list.json":                                  "--data is not an object",
		"create --title - --data -":                                 "reads stdin, and so does --data",
		"create --title x --severity low --field-file pin=@pic.png": "is text, and what it reads is not UTF-8",
	} {
		if _, err := door().Parse(append([]string{"harbor", "incident"}, words(line)...)); !strings.Contains(strings.Join(append(fields(err), errText(err)), "\n"), says) {
			t.Errorf("%s: %v %q, want %q", line, err, fields(err), says)
		}
	}
}

// endless is a pipe that never runs dry.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestWhatIsReadIsBounded(t *testing.T) {
	h := newHarness(t)
	h.Stdin = endless{}
	for _, line := range []string{"create --data -", "create --title -", "create --attachment -"} {
		if _, err := h.Parse(append([]string{"harbor", "incident"}, words(line)...)); !strings.Contains(strings.Join(append(fields(err), errText(err)), "\n"), "larger than the bound of 128 MiB") {
			t.Errorf("%s: %v %q", line, err, fields(err))
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheck(t *testing.T) {
	good := []string{
		"harbor incident get 1", "harbor incident create --data @not-there.json", "harbor incident create --data - --severity low",
		"harbor incident create --title - --severity low", "harbor incident --help", "harbor incident list --help", "completion bash",
		"harbor incident delete 1", "--version", "completion --help", "harbor incident c --help",
	}
	for _, line := range good {
		h := newHarness(t)
		if err := h.Check(words(line)); err != nil || h.up.calls > 0 || h.out.Len() > 0 {
			t.Errorf("%s: %v, %d calls, wrote %q", line, err, h.up.calls, h.out.String())
		}
	}
	bad := []string{
		"harbor incident get", "harbor incident get x", "harbor incident list --status opne", "harbor incident list --stats open", "harbor incident",
		"harbor incident fetch 1", "completion", "completion bash zsh", "completion --shell bash", "harbor incident create --severity low --title " + strings.Repeat("x", 81),
	}
	for _, line := range bad {
		if err := newHarness(t).Check(words(line)); err == nil {
			t.Errorf("%s: no fault", line)
		}
	}
}

func TestOldNameIsNoted(t *testing.T) {
	h := newHarness(t)
	if status := h.run(words("harbor incident show 3")...); status != 0 || h.err.String() != "note: harbor.incident.show is an old name of harbor.incident.get\n" {
		t.Errorf("exit %d: %q", status, h.err.String())
	}
}

func TestColor(t *testing.T) {
	cases := []struct {
		tty  bool
		env  map[string]string
		want bool
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"NO_COLOR": "1"}, false},
		{true, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, false},
		{false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
	}
	for _, c := range cases {
		h := newHarness(t)
		h.StdoutTTY, h.Env = c.tty, c.env
		h.answers(`[{"id":1}]`)
		h.run(words("harbor service list -o table")...)
		if got := strings.Contains(h.out.String(), "\x1b["); got != c.want {
			t.Errorf("%+v: colored is %v", c, got)
		}
	}
}

func TestUnknownOutputInTheEnvironment(t *testing.T) {
	h := newHarness(t)
	h.Env = map[string]string{"TWODOOR_OUTPUT": "jsn"}
	if status := h.run(words("harbor service list")...); status != 2 || h.up.calls > 0 || !strings.Contains(h.err.String(), "did you mean json?") {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
}

// What a description says, what the far side answers and what a fault repeats do not steer a terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	reading := fleet()
	reading.Title, reading.Groups["incident"] = "Har\x1b[31mbor", "What\u009b2J went wrong"
	list := &reading.Operations[3]
	list.Title, list.Description = "Lists\x1b]0;owned\x07 incidents", "All\x1b[2J of them"
	h := newHarness(t, reading)
	h.StdoutTTY, h.StderrTTY = true, true
	for _, line := range []string{"--help", "harbor --help", "harbor incident --help", "harbor incident list --help", "harbor incident", "harbor incident list", "harbor incident list -o raw"} {
		h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(`{"items":[{"id":1,"title":"x\u001b[31m\u009b1m"}]}`), Notes: []string{"n\x1b[31m"}}, nil
		}
		h.run(words(line)...)
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(h.out.String() + h.err.String()) // the head of a table
		if strings.ContainsAny(plain, "\x1b\x07\u009b") {
			t.Errorf("%s: %q", line, plain)
		}
	}
	h.up.answer = func(*twodoor.Invocation) (*twodoor.Value, error) {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: "far\x1b[31m\u009b1m side", Upstream: &twodoor.UpstreamFault{Status: 500, Body: json.RawMessage(`"b\u001b[2J"`)}}
	}
	for _, line := range []string{"harbor incident list", "harbor incident list -o json"} {
		if h.run(words(line)...); strings.ContainsAny(h.err.String(), "\x1b\u009b") {
			t.Errorf("a fault: %q", h.err.String())
		}
	}
}

// Ctrl-C at a question ends the program: it waits for no answer any more.
func TestQuestionIsCalledOff(t *testing.T) {
	h := newHarness(t)
	in, _ := io.Pipe() // a person who thinks
	h.StdinTTY, h.StderrTTY, h.Stdin = true, true, in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status := h.Run(ctx, words("harbor incident delete 1")); status != 130 || h.up.calls != 0 {
		t.Errorf("exit %d, %d calls; %s", status, h.up.calls, h.err.String())
	}
}
