package typing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
)

var incidents = &twodoor.Operation{
	ID: "harbor.incident.list", Kind: "x", Effect: twodoor.Reads,
	Input: json.RawMessage(`{"type":"object","properties":{"status":{"enum":["open","closed"]}}}`),
	Output: json.RawMessage(`{"type":"object","properties":{
		"items":{"type":"array","items":{"$ref":"#/$defs/Incident"}},
		"total":{"type":"integer"},"next":{"type":["string","null"]},"extra":{"type":"object"}},
		"$defs":{"Incident":{"allOf":[{"type":"object","properties":{"id":{"type":"string"},"owner":{"$ref":"#/$defs/Person"}}},
			{"anyOf":[{"type":"object","properties":{"title":{"type":"string"}}},{"type":"null"}]}]},
			"Person":{"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}}}`),
}

func TestReadJQ(t *testing.T) {
	for _, c := range []struct {
		program string
		wrong   string // empty: it is right
	}{
		{".items[].id", ""},
		{".items[] | {id, who: .owner.name, n: (.owner.tags | length)}", ""},
		{".items | map(select(.title | test(\"x\"))) | sort_by(.id) | .[0].owner.tags[]", ""},
		{"[.items[] | .title // .id] | join(\", \")", ""},
		{".extra.whatever.deep[3]", ""},
		{".items[:3] | .[].id", ""},
		{".items | group_by(.owner.name) | map({k: .[0].owner.name, n: length})", ""},
		{".items[] as $i | $i.anything", ""},
		{".items[] | \"\\(.id) \\(.title)\"", ""},
		{"if .total > 3 then .items[0].id else .next end", ""},
		{".items[] | select(.id == $ID)", ""},
		{"reduce .items[] as $x (0; . + 1)", ""},
		{".items | length", ""},
		{".items | to_entries[] | .value.nothing", ""},
		{".items | limit(2; .[]) | .id", ""},
		{"first(.items[]).id", ""},
		{".itms[].id", "no field itms"},
		{".[].id", "members of an object"},
		{".items.id", "read from a list"},
		{".items[].nam", "no field nam"},
		{".items[].owner.nam", "no field nam"},
		{".items[].id.x", "read from a text"},
		{".total[]", "[] on a number"},
		{".items | map(.nothing)", "no field nothing"},
		{".items[] | {id, nothing}", "no field nothing"},
		{".items[] | select(.nothing)", "no field nothing"},
		{".items[] | \"\\(.nothing)\"", "no field nothing"},
		{".[0]", "number as index"},
		{".items[] | {a: .id} | .b", "no field b"},
		{".items | sort_by(.nothing)", "no field nothing"},
		{".items | [", "does not parse"},
		{".items | nosuchfunction", "nosuchfunction"},
		{"[.items[] | {id}] | .[].title", "no field title"},
		{".[\"itms\"]", "no field itms"},
	} {
		_, wrong := ReadJQ(c.program, ShapeOf(incidents, incidents.Output))
		switch {
		case c.wrong == "" && len(wrong) > 0:
			t.Errorf("%s is right: %v", c.program, wrong)
		case c.wrong != "" && (len(wrong) == 0 || !strings.Contains(wrong[0].Message, c.wrong)):
			t.Errorf("%s: wanted %q: %v", c.program, c.wrong, wrong)
		}
	}
}

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		want  twodoor.Projection
		wrong guide.Mistake
	}{
		{twodoor.Projection{Fields: []string{"id", "owner.name"}}, ""},
		{twodoor.Projection{Fields: []string{"items.id", "total"}}, ""},
		{twodoor.Projection{Fields: []string{"id", "ownr.name"}}, guide.UnknownField},
		{twodoor.Projection{Fields: []string{"id"}, JQ: ".items[].id"}, ""},
		{twodoor.Projection{Fields: []string{"id"}, JQ: ".items[].title"}, guide.BadJQ},
	} {
		_, wrong := ReadAnswer(incidents, ".items[]", c.want)
		if c.wrong == "" && len(wrong) > 0 || c.wrong != "" && (len(wrong) != 1 || wrong[0].Kind != c.wrong) {
			t.Errorf("%+v: wanted %q: %v", c.want, c.wrong, wrong)
		}
	}
}

func TestStrangers(t *testing.T) {
	op := &twodoor.Operation{ID: "a.b.c", Input: json.RawMessage(`{"type":"object","properties":{
		"free":{"type":"object"},"map":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{}}}},
		"step":{"oneOf":[{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"one":{}}},{"type":"object","required":["kind"],"properties":{"kind":{"const":"b"},"two":{}}}]}}}`)}
	for args, want := range map[string]string{
		`{"free":{"anything":1},"map":{"k":{"x":1}}}`: "",
		`{"step":{"kind":"a","one":1}}`:               "",
		`{"step":{"kind":"a","two":1}}`:               "step.two",
		`{"map":{"k":{"y":1}}}`:                       "map.k.y",
		`{"fre":{}}`:                                  "fre",
	} {
		got := ""
		for _, m := range Misfits(op, json.RawMessage(args)) {
			got += m.Path
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
