package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
)

// The tests TestCaseNN are the edge cases of other generators that concern command lines, by the
// numbers of the survey of generators.

// parsed is the call that a line makes of an operation with this input.
func parsed(t *testing.T, input string, line ...string) (json.RawMessage, error) {
	t.Helper()
	h := newHarness(t, &twodoor.Reading{Source: "x", Operations: []twodoor.Operation{operation("x.y.z", input)}})
	call, err := h.Parse(append([]string{"x", "y", "z"}, line...))
	return call.Arguments, err
}

func gives(t *testing.T, input, want string, line ...string) {
	t.Helper()
	got, err := parsed(t, input, line...)
	if err != nil {
		t.Errorf("%q: %v %q", line, err, fields(err))
		return
	}
	same(t, strings.Join(line, " "), got, []byte(want))
}

// A resource named like an own command, and a field named like an option of every command.
func TestCase07NamesOfTheProgramItself(t *testing.T) {
	gives(t, `{"properties":{"version":{"type":"string"},"help":{"type":"boolean"}}}`, `{"version":"2","help":true}`, "--field-version", "2", "--field-help")
	gives(t, `{"properties":{"search":{"type":"string"},"fields":{"type":"string"}}}`, `{"search":"a","fields":"b"}`, "--search", "a", "--fields", "b")
	h := newHarness(t, &twodoor.Reading{Source: "up", Operations: []twodoor.Operation{operation("up.version.search", `{}`)}})
	if status := h.run("up", "version", "search"); status != 0 || h.up.last.Operation.ID != "up.version.search" {
		t.Errorf("exit %d: %s", status, h.err.String())
	}
}

// Properties called params, json, data or output must not meet a flag that is there already.
func TestCase08NoFlagIsDefinedTwice(t *testing.T) {
	var properties []string
	for _, opt := range args.Options() {
		properties = append(properties, `"`+opt.Name+`":{"type":"string"}`, `"field-`+opt.Name+`":{"type":"string"}`, `"want_`+opt.Name+`":{"type":"string"}`)
	}
	input := `{"properties":{` + strings.Join(append(properties, `"params":{"type":"string"}`, `"json":{"type":"string"}`), ",") + `}}`
	op := operation("x.y.z", input)
	in := args.Of(&op)
	seen := map[string]*args.Field{}
	for _, f := range in.Fields {
		if other := seen[f.Flag]; other != nil {
			t.Errorf("--%s is %s and %s", f.Flag, other.Name, f.Name)
		}
		seen[f.Flag] = f
		if m, ok := in.Find(f.Flag); !ok || m.Field != f {
			t.Errorf("--%s is not %s", f.Flag, f.Name)
		}
		gives(t, input, `{"`+f.Name+`":"v"}`, "--"+f.Flag+"=v")
	}
	for _, opt := range args.Options() {
		m, ok := in.Find(in.OptionFlag(opt.Name))
		if !ok || m.Option == nil || m.Option.Name != opt.Name {
			t.Errorf("the option %s cannot be given", opt.Name)
		}
	}
}

// Query is --query and no ---query; what becomes alike stays apart.
func TestCase09SpellingsThatFallTogether(t *testing.T) {
	input := `{"properties":{"Query":{"type":"string"},"no_cache":{"type":"boolean"},"noCache":{"type":"boolean"},"NOCache":{"type":"boolean"},"_x_":{"type":"string"},"a.b":{"type":"string"},"a-b":{"type":"string"}}}`
	gives(t, input, `{"Query":"q","no_cache":true,"noCache":false,"NOCache":true}`, "--query", "q", "--no-cache", "--noCache=false", "--NOCache")
	gives(t, input, `{"_x_":"1","a-b":"2","a.b":"3"}`, "--x", "1", "--a-b", "2", "--a-b-2", "3")
}

// An option that is not given is not sent, and an explicit zero is.
func TestCase37UnsetIsNotEmpty(t *testing.T) {
	input := `{"properties":{"a":{"type":"string"},"n":{"type":"integer","default":3},"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"string"}}}}`
	gives(t, input, `{}`)
	gives(t, input, `{"a":"","n":0,"b":false,"l":[]}`, "--a=", "--n=0", "--b=false", "--l=")
}

// An array flag is not cut at the commas inside JSON, and array fields have flags at all.
func TestCase40ListsKeepTheirElements(t *testing.T) {
	input := `{"properties":{"tags":{"type":"array","items":{"type":"string"}},"rules":{"type":"array","items":{"type":"object"}},"grid":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}}}`
	gives(t, input, `{"tags":["a,b","c"]}`, "--tags", `["a,b","c"]`)
	gives(t, input, `{"tags":["{\"a\":1,\"b\":2}","x"]}`, "--tags", `{"a":1,"b":2}`, "--tags", "x")
	gives(t, input, `{"rules":[{"a":1,"b":[2,3]}],"grid":[[1,2],[3]]}`, "--rules", `[{"a":1,"b":[2,3]}]`, "--grid", "[[1,2],[3]]")
	gives(t, input, `{"rules":[{"a":"x, y"},{"b":"1"}]}`, "--set", "rules.0.a=x, y", "--set", "rules[1].b=1")
}

// What looks like a number is one only where the schema says so.
func TestCase41TextsOfDigitsStayTexts(t *testing.T) {
	input := `{"properties":{"pin":{"type":"string"},"code":{"type":"string","enum":["01","1"]},"ids":{"type":"array","items":{"type":"string"}},"any":{},"deep":{"type":"object","properties":{"zip":{"type":"string"}}}}}`
	gives(t, input, `{"pin":"0042","code":"01","ids":["1","2e3"],"any":"7","deep":{"zip":"01234"}}`, "--pin", "0042", "--code", "01", "--ids", "1,2e3", "--any", "7", "--set", "deep.zip=01234")
	gives(t, input, `{"pin":"true"}`, "--pin", "true")
	gives(t, input, `{"pin":"null"}`, "--pin", "null")
	gives(t, `{"properties":{"public":{"oneOf":[{"type":"boolean"},{"type":"string","enum":["true","false"]}]}}}`, `{"public":false}`, "--public", "false")
}

// FuzzLine: whatever is typed, reading it never panics, and makes a JSON object or a fault.
func FuzzLine(f *testing.F) {
	for _, line := range []string{"--title=x --severity low", "-o", "--set a[", "--set [0]=1", "-- --x", "--data {", "--since +", "-5 -x --=", "--no-", "--want-", "--tags [", "--field-file =@", "--set filter.any.0.n:=1 --set filter.any.5.n:=1"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		h := newHarness(t)
		h.Open = func(string) ([]byte, error) { return []byte(line), nil }
		for _, command := range []string{"create", "ack", "list", "change-create"} {
			call, err := h.Parse(append([]string{"harbor", "incident", command}, strings.Split(line, " ")...))
			if err == nil && !json.Valid(call.Arguments) {
				t.Errorf("%q makes %s", line, call.Arguments)
			}
		}
		_, _ = h.Parse(strings.Split(line, " "))
		Peek(strings.Split(line, " "))
	})
}
