package command_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/twodoortest"
)

func TestSuite(t *testing.T) {
	reading := twodoortest.Sources(t, &command.Source{Name: "git", File: "testdata/git.verbs.yaml"})
	if len(reading.Operations) != 10 || len(reading.Files) != 1 {
		t.Errorf("%d operations of the files %q", len(reading.Operations), reading.Files)
	}
}

func TestAVerbBecomesAnOperation(t *testing.T) {
	h := serve(t, `
program: PROGRAM
timeout: 5s
params: {where: {type: string, description: A place., required: true}}
verbs:
  thing.list:
    title: List things
    argv: [play-args, "--max={limit}", "{where}", "{names...}"]
    params:
      limit: {type: integer, minimum: 1, default: 3}
      names: array
    output: {format: json, schema: {type: array, items: {type: string}}}
    next: [{call: thing.list, why: again}]
`)
	op := h.reading.Operations[0]
	for what, pair := range map[string][2]string{
		"id":         {op.ID, "tool.thing.list"},
		"title":      {op.Title, "List things"},
		"effect":     {string(op.Effect) + " since " + op.Why, `reads since its name has "list"`},
		"timeout":    {op.Timeout, "5s"},
		"at":         {op.At, "tool.verbs.yaml:7"},
		"positional": {strings.Join(op.Positional, " "), "where names"},
		"next":       {op.Next[0].Why, "again"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
		}
	}
	want := `{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"default":3},"names":{"type":"array","items":{"type":"string"}},
		"where":{"type":"string","description":"A place."}},"required":["where"],"additionalProperties":false}`
	if !rawjson.Equal(op.Input, []byte(want)) {
		t.Errorf("the input is %s", op.Input)
	}
	if got := h.answer(t, "tool.thing.list", `{"where":"here","names":["a","b"]}`); got != `["--max=3","here","a","b"]` {
		t.Errorf("it ran with %s", got)
	}
}

// TestEffects has a case for each way in which an effect is found (contracts §5).
func TestEffects(t *testing.T) {
	for verb, want := range map[string]string{
		`thing.list: {argv: [x]}`:                                                "reads",
		`thing.export-all: {argv: [x]}`:                                          "reads",
		`list.thing: {argv: [x]}`:                                                "writes",
		`thing.make: {argv: [x]}`:                                                "writes",
		`thing.delete: {argv: [x]}`:                                              "destroys",
		`thing.mass-purge: {argv: [x]}`:                                          "destroys",
		`thing.list: {argv: [branch, --delete, x]}`:                              "destroys",
		`thing.list: {argv: [x, {if: a, args: [remove]}], params: {a: boolean}}`: "destroys",
		`thing.list: {steps: [{argv: [x]}, {argv: [rm, x]}]}`:                    "destroys",
		`thing.delete: {argv: [x], effect: writes}`:                              "writes",
	} {
		if got := string(serve(t, "program: true\nverbs:\n  "+verb).reading.Operations[0].Effect); got != want {
			t.Errorf("%s %s, want %s", verb, got, want)
		}
	}
}

// TestFaultsHaveTheirLine has a case for each thing that a strict reader refuses.
func TestFaultsHaveTheirLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"verbs: {}", `tool.verbs.yaml:1: there are no verbs`},
		{"program: x\nverb: {}", `tool.verbs.yaml:2: unknown key "verb"; did you mean "verbs"?`},
		{"program: x\nverbs:\n  a.b: {argvs: [y]}", `tool.verbs.yaml:3: unknown key "argvs" in verbs.a.b; did you mean "argv"?`},
		{"program: x\nverbs:\n  list: {argv: [y]}", `tool.verbs.yaml:3: "list" is no group.verb`},
		{"verbs:\n  a.b: {argv: [y]}", `tool.verbs.yaml:2: verbs.a.b has no program`},
		{"program: x\nverbs:\n  a.b:\n    argv: x y z", `tool.verbs.yaml:4: verbs.a.b.argv is no list`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y}']", `verbs.a.b uses {y}, and there is no such parameter`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y']", `has no parameter's name after its {`},
		{"program: x\nverbs:\n  a.b:\n    argv: [z]\n    params: {y: string}", `tool.verbs.yaml:5: verbs.a.b: the parameter y is used nowhere`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y...}']\n    params: {y: string}", `{y} is no list`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y}']\n    params: {y: array}", `write {y...} for an argument each`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['-{y...}']\n    params: {y: options}", `it stands by itself, as {y...}`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y}']\n    params: {y: strnig}", `"strnig", none of string, text`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['{y}']\n    params: {y: {type: string, minimun: 1}}", `unknown key "minimun" in verbs.a.b.params.y; did you mean "minimum"?`},
		{"program: '{y}'\nverbs:\n  a.b:\n    argv: ['{y}']\n    params: {y: string}", `a program is named by the file alone`},
		{"program: x\nverbs:\n  a.b:\n    argv: ['--key=${env:KEY}']", `a secret has no place among arguments`},
		{"program: x\nverbs:\n  a.b: {argv: [y], timeout: soon}", `no duration`},
		{"program: x\nverbs:\n  a.b: {argv: [y], max_bytes: 8 apples}", `no size`},
		{"program: x\nverbs:\n  a.b: {argv: [y], success: [256]}", `an exit status is a number from 0 to 255`},
		{"program: x\nverbs:\n  a.b: {argv: [y], faults: {1: nothing}}", `"nothing" is none of invalid`},
		{"program: x\nverbs:\n  a.b: {argv: [y], refuse: [output]}", `"output" is no option`},
		{"program: x\nverbs:\n  a.b: {argv: [y], output: yaml}", `none of json, jsonl`},
		{"program: x\nverbs:\n  a.b: {argv: [y], output: {pattern: 'a(b)'}}", `no named group`},
		{"program: x\nverbs:\n  a.b: {argv: [y], output: {pattern: 'a('}}", `missing closing )`},
		{"program: x\nverbs:\n  a.b: {argv: [y], effect: maybe}", `"maybe" is none of`},
		{"program: x\nverbs:\n  a.b: {argv: [y], session: s}", `session names {s}, which the verb does not use`},
		{"program: x\nverbs:\n  a.b: {steps: [{pipe: true}]}", `no step before the first one`},
		{"program: x\nverbs:\n  a.b: {argv: [y], steps: [{argv: [z]}]}", `put those into a step`},
		{"a: [", `tool.verbs.yaml:2: did not find`},
	} {
		_, err := (&command.Source{Name: "tool", File: "tool.verbs.yaml", Text: []byte(c.text)}).Read(t.Context())
		if fault := twodoor.AsError(err); fault == nil || fault.Code != twodoor.CodeInvalid || !strings.Contains(told(err), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := (&command.Source{Name: "tool", File: "f.yaml", Text: []byte("program: x\ntimout: 3s\nverbs:\n  a.b: {argv: y}\n  c: {}")}).Read(t.Context())
	if fault := twodoor.AsError(err); len(fault.Fields) != 3 {
		t.Errorf("told %s", told(err))
	}
}

func TestTheConfigurationHasTheLastWord(t *testing.T) {
	source := &command.Source{
		Name: "tool", File: "f.yaml",
		Text: []byte(`
program: x
verbs:
  a.list:
    effect: reads
    argv: ["--a={a}", "--b={b}", "--c={c}"]
    params: {a: {type: string, default: one}, b: string, c: string}
`),
		Operations: map[string]json.RawMessage{
			"tool.*":      json.RawMessage(`{"effect":"writes","title":"Short"}`),
			"tool.a.list": json.RawMessage(`{"title":"Long","permission":"p","hide":["a"],"fix":{"b":"two"},"describe":{"c":"three"},"rename":{"x":"y"}}`),
			"other.*":     json.RawMessage(`{"effect":"destroys"}`),
		},
	}
	h := &house{dir: t.TempDir()}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(told(err))
	}
	h.open(t, reading)
	op := reading.Operations[0]
	if op.Effect != twodoor.Writes || op.Title != "Long" || op.Permission != "p" {
		t.Errorf("effect %s, title %q, permission %q", op.Effect, op.Title, op.Permission)
	}
	if want := `{"type":"object","properties":{"c":{"type":"string","description":"three"}},"additionalProperties":false}`; !rawjson.Equal(op.Input, []byte(want)) {
		t.Errorf("the input is %s", op.Input)
	}
	if len(reading.Notes) != 1 || !strings.Contains(reading.Notes[0], "rename: says nothing") {
		t.Errorf("the notes are %q", reading.Notes)
	}
	result, err := h.Do(t.Context(), twodoor.Call{Operation: op.ID, Arguments: json.RawMessage(`{"c":"three"}`), Principal: twodoor.Operator, Mode: twodoor.DryRun})
	if err != nil || strings.TrimSpace(result.Preview.Text) != "x --a=one --b=two --c=three" {
		t.Errorf("it would run %v, %v", result, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("program: x\nverbs:\n  a.b: {argv: ['{y...}'], params: {y: {type: options, allow: [-a]}}}"))
	f.Add([]byte("program: x\nverbs:\n  a.b: {steps: [{argv: [a], as: z}, {argv: ['{z}'], pipe: true}], output: {pattern: '(?P<a>.)'}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		reading, err := (&command.Source{Name: "tool", File: "f.yaml", Text: text}).Read(t.Context())
		if err == nil {
			for _, op := range reading.Operations {
				if _, err := twodoor.NewCatalog(&twodoor.Reading{Source: "tool", Operations: []twodoor.Operation{op}}); err != nil {
					t.Error(err)
				}
			}
		} else if twodoor.AsError(err).Code == twodoor.CodeInternal {
			t.Errorf("the file's own fault is called ours: %v", err)
		}
	})
}
