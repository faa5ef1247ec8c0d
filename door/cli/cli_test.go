package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// upstream answers calls with what the test says, and keeps the last one.
type upstream struct {
	answer func(in *twodoor.Invocation) (*twodoor.Value, error)
	last   *twodoor.Invocation
	calls  int
}

func (u *upstream) Invoke(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	u.last = in
	u.calls++
	if u.answer == nil {
		return &twodoor.Value{JSON: in.Arguments}, nil
	}
	return u.answer(in)
}

func (u *upstream) Preview(_ context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	return &twodoor.Preview{Text: "curl -X POST https://harbor.example/" + in.Operation.ID, Detail: json.RawMessage(`{"method":"POST"}`)}, nil
}

// operation makes an operation of the test source.
func operation(id, input string, change ...func(*twodoor.Operation)) twodoor.Operation {
	op := twodoor.Operation{ID: id, Kind: "test", Effect: twodoor.Writes, Input: json.RawMessage(input), Title: "Does " + id, Origin: "POST /" + strings.ReplaceAll(id, ".", "/")}
	for _, f := range change {
		f(&op)
	}
	return op
}

// fleet is a small source with one of everything.
func fleet() *twodoor.Reading {
	return &twodoor.Reading{
		Source: "harbor", Title: "Harbor", Version: "1.0", Groups: map[string]string{"incident": "What went wrong and who sees to it"},
		Definitions: map[string]json.RawMessage{
			"Severity": json.RawMessage(`{"type":"string","enum":["low","high","critical"],"description":"How bad it is"}`),
			"Filter":   json.RawMessage(`{"type":"object","properties":{"status":{"type":"string"},"age":{"type":"integer"},"any":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"n":{"type":"integer"}}}}}}`),
		},
		Operations: []twodoor.Operation{
			operation("harbor.incident.create", `{"type":"object","required":["title","severity"],"properties":{
				"title":{"type":"string","maxLength":80,"description":"One line"},
				"severity":{"$ref":"#/$defs/Severity"},
				"service_id":{"type":"integer"},"ratio":{"type":"number"},"urgent":{"type":"boolean"},
				"tags":{"type":"array","items":{"type":"string"}},"numbers":{"type":"array","items":{"type":"integer"}},
				"filter":{"$ref":"#/$defs/Filter"},
				"startTime":{"type":"integer","format":"unix-time"},"until":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},"at_ms":{"type":"integer","format":"unix-time-ms"},
				"attachment":{"type":"string","contentEncoding":"base64"},
				"pin":{"type":"string"},"window":{"anyOf":[{"type":"object","properties":{"gte":{"type":"integer"}}},{"type":"integer"}]},"milestone":{"oneOf":[{"type":"string"},{"type":"integer"}]},"epochs":{"anyOf":[{"type":"string","enum":["auto"]},{"type":"integer"}]},
				"note":{"type":["string","null"]},"level":{"type":["integer","null"]}}}`,
				func(op *twodoor.Operation) { op.Description = "Opens an incident and pages whoever is on call." }),
			operation("harbor.incident.get", `{"type":"object","required":["incident_id"],"properties":{"incident_id":{"type":"integer"}}}`, reads, positional("incident_id"),
				func(op *twodoor.Operation) { op.Aliases = []string{"incident.show"} }),
			operation("harbor.incident.ack", `{"type":"object","required":["incident_ids"],"properties":{"incident_ids":{"type":"array","items":{"type":"integer"}},"comment":{"type":"string"}}}`, positional("incident_ids")),
			operation("harbor.incident.list", `{"type":"object","properties":{"page":{"type":"integer"},"per_page":{"type":"integer"},"output":{"type":"string"},"data":{"type":"string"},"status":{"type":"string","enum":["open","closed"]}}}`, reads,
				func(op *twodoor.Operation) {
					op.Page = &twodoor.Page{Style: twodoor.PageNumber, Param: "page", Size: "per_page", Max: 50, First: 1}
					op.Output = json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"},"severity":{"$ref":"#/$defs/Severity"}}}},"total":{"type":"integer"}}}`)
					op.Answer.Empty = "no incident is open"
				}),
			operation("harbor.incident.delete", `{"type":"object","required":["incident_id"],"properties":{"incident_id":{"type":"integer"}}}`, positional("incident_id"),
				func(op *twodoor.Operation) { op.Effect = twodoor.Destroys }),
			operation("harbor.incident.change-create", `{"type":"object","properties":{"data":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"limit":{"type":"integer"}}},"force":{"type":"boolean"}},"required":["data"]}`,
				func(op *twodoor.Operation) { op.Opened = "data" }),
			operation("harbor.odd.names", `{"type":"object","properties":{"no_cache":{"type":"boolean"},"noCache":{"type":"boolean"},"cache":{"type":"boolean"},"Query":{"type":"string"},"version":{"type":"string"},"config":{"type":"string"},"limit":{"type":"integer"},"params":{"type":"string"},"json":{"type":"string"},"filter.x":{"type":"string"},"field_version":{"type":"string"},"want_limit":{"type":"integer"},"n":{"type":"integer"}}}`),
			operation("harbor.service.list", `{"type":"object","properties":{}}`, reads),
		},
	}
}

func reads(op *twodoor.Operation) { op.Effect = twodoor.Reads }

func positional(names ...string) func(*twodoor.Operation) {
	return func(op *twodoor.Operation) { op.Positional = names }
}

// harness is a door with its streams in memory.
type harness struct {
	Door
	up       *upstream
	out, err bytes.Buffer
}

func newHarness(t testing.TB, readings ...*twodoor.Reading) *harness {
	t.Helper()
	if len(readings) == 0 {
		readings = []*twodoor.Reading{fleet()}
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{up: &upstream{}}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{"test": h.up}}
	engine.Serve(catalog)
	h.Door = Door{
		Engine: engine, Version: "1.2.3", Principal: twodoor.Operator, Stdout: &h.out, Stderr: &h.err,
		Now: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() },
	}
	return h
}

func (h *harness) run(line ...string) int {
	h.out.Reset()
	h.err.Reset()
	h.up.last = nil
	return h.Run(context.Background(), line)
}

// words takes a line apart at its spaces.
func words(line string) []string { return strings.Fields(line) }

// same compares JSON as values; digits of numbers count.
func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if !rawjson.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func TestArguments(t *testing.T) {
	const create = "harbor incident create --title x --severity low "
	cases := []struct {
		name string
		argv []string
		want string
	}{
		{"types come from the schema", words(create + "--service-id 0 --pin 0042 --urgent --ratio .5"), `{"title":"x","severity":"low","service_id":0,"pin":"0042","urgent":true,"ratio":0.5}`},
		{"big integers keep their digits", words(create + "--service-id 1152921504606846977"), `{"title":"x","severity":"low","service_id":1152921504606846977}`},
		{"negative numbers", words(create + "--service-id -5 --ratio=-1.5e-7"), `{"title":"x","severity":"low","service_id":-5,"ratio":-1.5e-7}`},
		{"flag=value and spellings", words("harbor incident create --title=x --severity=high --serviceId=3 --start_time=5"), `{"title":"x","severity":"high","service_id":3,"startTime":5}`},
		{"booleans", words(create + "--no-urgent"), `{"title":"x","severity":"low","urgent":false}`},
		{"boolean with its value apart", words(create + "--urgent false"), `{"title":"x","severity":"low","urgent":false}`},
		{"empty text is not absent", append(words(create), "--pin", ""), `{"title":"x","severity":"low","pin":""}`},
		{"list by commas", words(create + "--tags a,b --numbers 1,2"), `{"title":"x","severity":"low","tags":["a","b"],"numbers":[1,2]}`},
		{"list by repeating keeps commas", words(create + "--tags a,b --tags c"), `{"title":"x","severity":"low","tags":["a,b","c"]}`},
		{"empty list", words(create + "--tags="), `{"title":"x","severity":"low","tags":[]}`},
		{"list in JSON", words(create + `--numbers [1,2]`), `{"title":"x","severity":"low","numbers":[1,2]}`},
		{"JSON of another type is text", words(create + `--tags [1]`), `{"title":"x","severity":"low","tags":["[1]"]}`},
		{"union with text stays text", words(create + "--milestone 12 --epochs 3"), `{"title":"x","severity":"low","milestone":"12","epochs":3}`},
		{"union with words", words(create + "--epochs auto"), `{"title":"x","severity":"low","epochs":"auto"}`},
		{"null only where no text fits", words(create + "--note null --level null"), `{"title":"x","severity":"low","note":"null","level":null}`},
		{"set text and JSON", words(create + `--set filter.status=open --set filter.age:=3 --set filter.any.0.key=k --set filter.any[1].n=7`), `{"title":"x","severity":"low","filter":{"status":"open","age":3,"any":[{"key":"k"},{"n":7}]}}`},
		{"set takes the schema's type", words(create + `--set filter.age=03`), `{"title":"x","severity":"low","filter":{"age":3}}`},
		{"set literal dash", words(create + `--set pin=-`), `{"title":"x","severity":"low","pin":"-"}`},
		{"unknown fields pass", words(create + `--set extra.deep=1`), `{"title":"x","severity":"low","extra":{"deep":"1"}}`},
		{"since is start time", words(create + "--since 24h"), `{"title":"x","severity":"low","startTime":1699913600}`},
		{"start of a span ahead", words(create + "--start-time +7d"), `{"title":"x","severity":"low","startTime":1700604800}`},
		{"milliseconds become seconds", words(create + "--since 1700000000000"), `{"title":"x","severity":"low","startTime":1700000000}`},
		{"negative span", words(create + "--since -90m"), `{"title":"x","severity":"low","startTime":1699994600}`},
		{"end time is until", words(create + "--end-time now"), `{"title":"x","severity":"low","until":"2023-11-14T22:13:20Z"}`},
		{"written times go untouched", words(create + "--until 2024-01-02T03:04:05.600+02:00"), `{"title":"x","severity":"low","until":"2024-01-02T03:04:05.600+02:00"}`},
		{"a date as time", words(create + "--until 2024-01-02 --day 36h --at-ms 2024-01-02T00:00:00Z"), `{"title":"x","severity":"low","until":"2024-01-02T00:00:00Z","day":"2023-11-13","at_ms":1704153600000}`},
		{"operand", words("harbor incident get 42"), `{"incident_id":42}`},
		{"operand as flag", words("harbor incident get --incident-id 42"), `{"incident_id":42}`},
		{"negative operand", words("harbor incident get -7"), `{"incident_id":-7}`},
		{"many operands", words("harbor incident ack 1 2 3 --comment c"), `{"incident_ids":[1,2,3],"comment":"c"}`},
		{"one operand with commas", words("harbor incident ack 1,2"), `{"incident_ids":[1,2]}`},
		{"dashes end flags", words("harbor incident ack --comment=c -- 1"), `{"incident_ids":[1],"comment":"c"}`},
		{"flag wins over operand", words("harbor incident get 1 --incident-id 2"), `{"incident_id":2}`},
		{"flags before the words", words("-o json harbor --quiet incident get 42"), `{"incident_id":42}`},
		{"opened", words("harbor incident change-create --name n --limit 3 --force"), `{"force":true,"data":{"name":"n","limit":3}}`},
		{"opened with set", words("harbor incident change-create --set name=n --set data.limit:=4"), `{"data":{"name":"n","limit":4}}`},
		{"old name", words("harbor incident show 3"), `{"incident_id":3}`},
		{"other spellings", words("harbor incident change_create --name n"), `{"data":{"name":"n"}}`},
		{"id as one word", words("harbor.incident.get 3"), `{"incident_id":3}`},
		{"MCP spelling", words("harbor_incident_get 3"), `{"incident_id":3}`},
		{"options yield to fields", words("harbor odd names --limit 7 --field-version v --field-config c --field_version f"), `{"limit":7,"version":"v","config":"c","field_version":"f"}`},
		{"alike after kebab", words("harbor odd names --no-cache --noCache=false --cache=false --query q --n 3"), `{"no_cache":true,"noCache":false,"cache":false,"Query":"q","n":3}`},
		{"dots in a name", words("harbor odd names --filter-x 1 --params p --json j -n 4"), `{"filter.x":"1","params":"p","json":"j","n":4}`},
		{"dots in a name by set", words("harbor odd names --set filter.x=1"), `{"filter.x":"1"}`},
	}
	for _, c := range cases {
		h := newHarness(t)
		call, err := h.Parse(c.argv)
		if err != nil {
			t.Errorf("%s: %v: %q", c.name, err, fields(err))
			continue
		}
		same(t, c.name, call.Arguments, []byte(c.want))
	}
}

func fields(err error) []string {
	fault, _ := errors.AsType[*twodoor.Error](err)
	if fault == nil {
		return nil
	}
	var says []string
	for _, p := range fault.Fields {
		says = append(says, p.Problem)
	}
	return says
}

func TestMisfits(t *testing.T) {
	cases := []struct {
		line string
		code twodoor.Code
		says []string // in the problems or the message
	}{
		{"harbor incident create", twodoor.CodeInvalid, []string{"--title is required", "--severity is required: low|high|critical"}},
		{"harbor incident create --title x --severity hgih --service-id x --urgent=maybe", twodoor.CodeInvalid, []string{`"hgih" is none of low, high, critical; did you mean high?`, `--service-id "x" is not a whole number`, "--urgent"}},
		{"harbor incident create --titel x --severity low", twodoor.CodeInvalid, []string{"unknown flag --titel; did you mean --title?"}},
		{"harbor incident create --title --severity low", twodoor.CodeInvalid, []string{"--title needs a value"}},
		{"harbor incident create --title a --title b --severity low", twodoor.CodeInvalid, []string{"--title takes one value, and has two: a and b"}},
		{"harbor incident create --title - --pin - --severity low", twodoor.CodeInvalid, []string{"--title", "--pin reads stdin, and so does --title"}},
		{"harbor incident create --title x --severity low --since yesterday", twodoor.CodeInvalid, []string{"is no time: write 24h"}},
		{"harbor incident create --title x --severity low --service-id 1.5", twodoor.CodeInvalid, []string{"is not a whole number"}},
		{"harbor incident create --title x --severity low --filter-status open", twodoor.CodeInvalid, []string{"unknown flag --filter-status; it lies deeper: --set filter.status=VALUE"}},
		{"harbor incident create --title x --severity low --window 24h", twodoor.CodeInvalid, []string{`"24h" is not a whole number or an object; write an object with --set or --data`}},
		{"harbor incident create --title x --severity low --filter open", twodoor.CodeInvalid, []string{"takes an object; write it with --set or --data"}},
		{"harbor incident get 1 2", twodoor.CodeInvalid, []string{`unexpected argument "2"`}},
		{"harbor incident get 1 -o jsn", twodoor.CodeInvalid, []string{"did you mean json?"}},
		{"harbor incident get 1 -x", twodoor.CodeInvalid, []string{"unknown flag -x"}},
		{"harbor incident get 1 --data notes.json", twodoor.CodeInvalid, []string{"a file is --data @notes.json"}},
		{"harbor incident get 1 --set incident_id", twodoor.CodeInvalid, []string{"has no value"}},
		{"harbor incident get 1 --set incident_id:=nope", twodoor.CodeInvalid, []string{"has no JSON after :="}},
		{"harbor incident gte 1", twodoor.CodeUnknown, []string{`there is no command "twodoor harbor incident gte 1"`}},
		{"harbour incident get 1", twodoor.CodeUnknown, []string{"there is no command"}},
		{"harbor incident create --since 1h --start-time 2h --title x --severity low", twodoor.CodeInvalid, []string{"--since and --start-time takes one value"}},
	}
	for _, c := range cases {
		h := newHarness(t)
		status := h.run(words(c.line)...)
		if want := c.code.Exit(); status != want {
			t.Errorf("%s: exit %d, want %d", c.line, status, want)
		}
		if h.up.calls != 0 || h.out.Len() != 0 {
			t.Errorf("%s: it called or wrote %q", c.line, h.out.String())
		}
		var told struct {
			Error struct {
				Code, Message, Hint string
				Try                 []string
				Fields              []struct{ Problem string }
			}
		}
		if err := json.Unmarshal(h.err.Bytes(), &told); err != nil {
			t.Errorf("%s: stderr is no JSON object: %v\n%s", c.line, err, h.err.String())
			continue
		}
		if told.Error.Code != c.code.String() || told.Error.Hint == "" && len(told.Error.Try) == 0 {
			t.Errorf("%s: %+v", c.line, told)
		}
		all := told.Error.Message
		for _, f := range told.Error.Fields {
			all += "\n" + f.Problem
		}
		for _, says := range c.says {
			if !strings.Contains(all, says) {
				t.Errorf("%s: says %q, want %q", c.line, all, says)
			}
		}
	}
}
