package diff

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
)

// mutation changes one operation of a reading; what it should be told as, and whether it breaks the
// command line and the tool. It reports whether it applies.
type mutation struct {
	name     string
	kind     Kind
	cli, mcp bool
	apply    func(op *twodoor.Operation) bool
}

// property is the first top-level property of an operation's input that fits.
func property(op *twodoor.Operation, fits func(name string, raw json.RawMessage) bool) (string, json.RawMessage) {
	properties, _ := rawjson.Get(op.Input, "properties")
	for name, raw := range rawjson.Members(properties) {
		if fits(name, raw) {
			return name, raw
		}
	}
	return "", nil
}

func required(op *twodoor.Operation) []string {
	var names []string
	list, _ := rawjson.Get(op.Input, "required")
	for raw := range rawjson.Elements(list) {
		name, _ := rawjson.String(raw)
		names = append(names, name)
	}
	return names
}

func require(op *twodoor.Operation, names []string) {
	op.Input = rawjson.Set(op.Input, "required", rawjson.AppendStrings(nil, names))
}

func put(op *twodoor.Operation, name string, raw json.RawMessage) {
	op.Input = rawjson.SetPath(op.Input, raw, "properties", name)
}

func typed(op *twodoor.Operation, kind string) (string, json.RawMessage) {
	return property(op, func(_ string, raw json.RawMessage) bool {
		value, _ := rawjson.Get(raw, "type")
		_, enum := rawjson.Get(raw, "enum")
		_, ref := rawjson.Get(raw, "$ref")
		return string(value) == `"`+kind+`"` && !enum && !ref
	})
}

func enumerated(op *twodoor.Operation) (string, json.RawMessage, []string) {
	name, raw := property(op, func(_ string, raw json.RawMessage) bool {
		values, ok := rawjson.Get(raw, "enum")
		kind, _ := rawjson.Get(raw, "type")
		return ok && rawjson.Len(values) > 2 && string(kind) == `"string"`
	})
	var list []string
	values, _ := rawjson.Get(raw, "enum")
	for value := range rawjson.Elements(values) {
		text, _ := rawjson.String(value)
		list = append(list, text)
	}
	return name, raw, list
}

var mutations = []mutation{
	{"rename", Renamed, true, true, func(op *twodoor.Operation) bool { op.ID += "-x"; op.Tool = ""; return true }},
	{"rename with an alias", Renamed, false, false, func(op *twodoor.Operation) bool {
		op.Aliases = append(op.Aliases, op.ID)
		op.ID, op.Tool = op.ID+"-x", ""
		return true
	}},
	{"effect to destroys", EffectChanged, true, true, func(op *twodoor.Operation) bool {
		was := op.Effect
		op.Effect = twodoor.Destroys
		return was != twodoor.Destroys
	}},
	{"effect to reads", EffectChanged, false, true, func(op *twodoor.Operation) bool {
		was := op.Effect
		op.Effect = twodoor.Reads
		return was != twodoor.Reads
	}},
	{"permission", Permission, true, true, func(op *twodoor.Operation) bool { op.Permission = "ADMIN"; return true }},
	{"deprecate", Deprecated, false, false, func(op *twodoor.Operation) bool {
		was := op.Deprecated
		op.Deprecated = "use another"
		return was == ""
	}},
	{"not for agents", Hidden, false, true, func(op *twodoor.Operation) bool {
		was := op.Export
		op.Export = twodoor.ExportCLI
		return was != twodoor.ExportCLI
	}},
	{"new optional input", InputAdded, false, false, func(op *twodoor.Operation) bool {
		put(op, "x_new", json.RawMessage(`{"type":"string"}`))
		return true
	}},
	{"new required input", InputRequired, true, true, func(op *twodoor.Operation) bool {
		put(op, "x_new", json.RawMessage(`{"type":"string"}`))
		require(op, append(required(op), "x_new"))
		return true
	}},
	{"require", InputRequired, true, true, func(op *twodoor.Operation) bool {
		names := required(op)
		name, _ := property(op, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
		require(op, append(names, name))
		return name != ""
	}},
	{"no longer required", InputOptional, false, false, func(op *twodoor.Operation) bool {
		names := required(op)
		if len(names) > 0 {
			require(op, names[1:])
		}
		return len(names) > 0
	}},
	{"remove an input", InputRemoved, true, true, func(op *twodoor.Operation) bool {
		names := required(op)
		name, _ := property(op, func(name string, _ json.RawMessage) bool {
			return !slices.Contains(names, name) && !slices.Contains(op.Positional, name)
		})
		properties, _ := rawjson.Get(op.Input, "properties")
		if name != "" {
			op.Input = rawjson.Set(op.Input, "properties", rawjson.Delete(properties, name))
		}
		return name != ""
	}},
	{"narrow an enum", InputNarrowed, true, true, func(op *twodoor.Operation) bool {
		name, raw, values := enumerated(op)
		if name != "" {
			put(op, name, rawjson.Set(raw, "enum", rawjson.AppendStrings(nil, values[1:])))
		}
		return name != ""
	}},
	{"widen an enum", InputWidened, false, false, func(op *twodoor.Operation) bool {
		name, raw, values := enumerated(op)
		if name != "" {
			put(op, name, rawjson.Set(raw, "enum", rawjson.AppendStrings(nil, append(values, "x_new"))))
		}
		return name != ""
	}},
	{"narrow a type", InputNarrowed, true, true, func(op *twodoor.Operation) bool {
		name, raw := typed(op, "number")
		if name == "" {
			return false
		}
		put(op, name, rawjson.Set(raw, "type", []byte(`"integer"`)))
		return true
	}},
	{"widen a type", InputWidened, false, false, func(op *twodoor.Operation) bool {
		name, raw := typed(op, "integer")
		if name != "" {
			put(op, name, rawjson.Set(raw, "type", []byte(`["integer","string"]`)))
		}
		return name != ""
	}},
	{"change a type", InputNarrowed, true, true, func(op *twodoor.Operation) bool {
		name, raw := typed(op, "string")
		if name != "" {
			put(op, name, rawjson.Set(raw, "type", []byte(`"boolean"`)))
		}
		return name != ""
	}},
	{"bound a text", InputNarrowed, true, true, func(op *twodoor.Operation) bool {
		name, raw := typed(op, "string")
		if name != "" {
			put(op, name, rawjson.Set(raw, "maxLength", []byte(`1`)))
		}
		return name != ""
	}},
	{"free a text", InputWidened, false, false, func(op *twodoor.Operation) bool {
		name, raw := property(op, func(_ string, raw json.RawMessage) bool { _, ok := rawjson.Get(raw, "maxLength"); return ok })
		if name != "" {
			put(op, name, rawjson.Delete(raw, "maxLength"))
		}
		return name != ""
	}},
	{"remove a field of the answer", FieldRemoved, true, true, func(op *twodoor.Operation) bool {
		properties, _ := rawjson.Get(op.Output, "properties")
		for name := range rawjson.Members(properties) {
			op.Output = rawjson.Set(op.Output, "properties", rawjson.Delete(properties, name))
			list, _ := rawjson.Get(op.Output, "required")
			var names []string
			for raw := range rawjson.Elements(list) {
				if text, _ := rawjson.String(raw); text != name {
					names = append(names, text)
				}
			}
			op.Output = rawjson.Set(op.Output, "required", rawjson.AppendStrings([]byte{}, names))
			return true
		}
		return false
	}},
	{"add a field to the answer", FieldAdded, false, false, func(op *twodoor.Operation) bool {
		properties, ok := rawjson.Get(op.Output, "properties")
		if ok {
			op.Output = rawjson.Set(op.Output, "properties", rawjson.Set(properties, "x_new", []byte(`{"type":"string"}`)))
		}
		return ok
	}},
	{"change what is taken by position", Operands, true, false, func(op *twodoor.Operation) bool {
		was := len(op.Positional)
		op.Positional = nil
		return was > 0
	}},
}

// TestMutations: each change of one operation, over three descriptions, is told as what it is, and as
// nothing else; so are an operation that is gone and one that is new.
func TestMutations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "harbor.yaml")
	if err := os.WriteFile(file, harbor.DocumentAt("http://127.0.0.1:7788"), 0o644); err != nil {
		t.Fatal(err)
	}
	readings := []*twodoor.Reading{read(t, "harbor", file)}
	if os.Getenv("TWODOOR_CORPUS") != "" {
		readings = append(readings, read(t, "fd", corpus(t, "flashduty.en.json")), read(t, "openai", corpus(t, "openai.yaml")))
	} else {
		t.Log("TWODOOR_CORPUS is not set: of three descriptions two are left out")
	}
	total, used := 0, map[string]int{}
	for _, reading := range readings {
		before := catalogOf(t, reading)
		if changes, err := Between(before, catalogOf(t, reading)); err != nil || len(changes) > 0 {
			t.Fatalf("the same description twice: %v %v", err, changes)
		}
		for i := range reading.Operations {
			if len(readings) > 1 && i%3 != 0 {
				continue
			}
			for _, m := range mutations {
				if mutate(t, reading, i, m) {
					total++
					used[m.name]++
				}
			}
		}
		gone := *reading
		gone.Operations = reading.Operations[1:]
		changes, err := Between(before, catalogOf(t, &gone))
		if err != nil || len(changes) != 1 || changes[0].Kind != Removed || !changes[0].CLI || !changes[0].MCP {
			t.Errorf("removed: %v %v", err, changes)
		}
		changes, err = Between(catalogOf(t, &gone), before)
		if err != nil || len(changes) != 1 || changes[0].Kind != Added || changes[0].Breaks() {
			t.Errorf("added: %v %v", err, changes)
		}
		total += 2
	}
	t.Logf("%d mutants, told rightly unless said otherwise: %v", total, used)
	for _, m := range mutations {
		if used[m.name] == 0 && len(readings) > 1 {
			t.Errorf("no operation was found for: %s", m.name)
		}
	}
}

// mutate applies a mutation to a copy of one operation, beside one that stays, and reports whether it
// could.
func mutate(t *testing.T, reading *twodoor.Reading, i int, m mutation) bool {
	before, after := *reading, *reading
	beside := reading.Operations[(i+1)%len(reading.Operations)]
	op := reading.Operations[i]
	before.Operations = []twodoor.Operation{op, beside}
	if !m.apply(&op) {
		return false
	}
	after.Operations = []twodoor.Operation{op, beside}
	changes, err := Between(catalogOf(t, &before), catalogOf(t, &after))
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 1 || changes[0].Kind != m.kind || changes[0].CLI != m.cli || changes[0].MCP != m.mcp || changes[0].ID != op.ID {
		t.Errorf("%s of %s: wanted %s (cli %v, mcp %v): %+v", m.name, op.ID, m.kind, m.cli, m.mcp, changes)
	}
	return true
}

func opOf(id, input, output string) twodoor.Operation {
	return twodoor.Operation{ID: id, Kind: "x", Effect: twodoor.Reads, Origin: "GET /" + id, Input: json.RawMessage(input), Output: json.RawMessage(output)}
}

// TestDeep: what changed inside of shared, nested and recursive schemas is told with its path.
func TestDeep(t *testing.T) {
	reading := func(defs map[string]json.RawMessage) *twodoor.Reading {
		return &twodoor.Reading{Source: "a", Definitions: defs, Operations: []twodoor.Operation{
			opOf("a.b.c", `{"type":"object","properties":{"filter":{"$ref":"#/$defs/F"}}}`, `{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/N"}}}}`),
			opOf("a.b.d", `{"type":"object"}`, `{"$ref":"#/$defs/N"}`),
		}}
	}
	before := reading(map[string]json.RawMessage{
		"F": json.RawMessage(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"x"},"a":{"type":"string"}}},{"type":"object","properties":{"kind":{"const":"y"},"b":{"type":"string"}}}]}`),
		"N": json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"up":{"$ref":"#/$defs/N"},"tags":{"type":"object","additionalProperties":{"type":"object","properties":{"v":{"type":"string"}}}}}}`),
	})
	after := reading(map[string]json.RawMessage{
		"F": json.RawMessage(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"z"}}},{"type":"object","required":["b"],"properties":{"kind":{"const":"y"},"b":{"type":"string"}}},{"type":"object","properties":{"kind":{"const":"x"},"a":{"type":"string"}}}]}`),
		"N": json.RawMessage(`{"allOf":[{"type":"object","properties":{"up":{"$ref":"#/$defs/N"}}},{"properties":{"tags":{"type":"object","additionalProperties":{"type":"object","properties":{}}}}}]}`),
	})
	changes, err := Between(catalogOf(t, before), catalogOf(t, after))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprint(c.ID, " ", c.Kind, " ", c.Path))
	}
	want := []string{
		"a.b.c input-widened filter", "a.b.c input-required filter.b", "a.b.c field-removed items[].id", "a.b.c field-removed items[].tags.*.v",
		"a.b.d field-removed id", "a.b.d field-removed tags.*.v",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReachAndChangelog(t *testing.T) {
	changes := []Change{
		{Kind: Removed, ID: "harbor.incident.ack", Message: "it is gone", CLI: true, MCP: true},
		{Kind: Added, ID: "harbor.incident.ack-all", Message: "it is new"},
		{Kind: EffectChanged, ID: "harbor.log.get", Message: "it writes", MCP: true},
	}
	library := &guide.Library{Guides: []guide.Guide{
		{Name: "triage", Source: "harbor", Text: "Take it with `incident.ack`."}, {Name: "logs", Operations: []string{"harbor.log.get"}}, {Name: "cli", Text: "twodoor harbor incident ack-all"},
	}}
	Surfaces{Guides: library, Cards: true, Profiles: map[string]*twodoor.Profile{"default": {}, "oncall": {Include: []string{"harbor.incident.*"}}}}.Reach(changes)
	for i, want := range []string{"card harbor.incident, guide triage, profile oncall", "card harbor.incident, guide cli, profile oncall", "card harbor.log, guide logs"} {
		if got := strings.Join(changes[i].Reaches, ", "); got != want {
			t.Errorf("%s reaches %s, want %s", changes[i].ID, got, want)
		}
	}
	if got, want := Changelog(changes), "## Breaking\n\n- `harbor.incident.ack`: it is gone\n- `harbor.log.get`: it writes (tool)\n\n## New\n\n- `harbor.incident.ack-all`: it is new\n\n"; got != want {
		t.Errorf("%s", got)
	}
}

func TestSnapshot(t *testing.T) {
	reading := &twodoor.Reading{Source: "a", Operations: []twodoor.Operation{opOf("a.b.c", `{"type":"object","properties":{"x":{"type":"string"}}}`, `{}`), opOf("a.b.d", `{}`, `{}`)}}
	tree := &guide.Tree{Program: "td", Commands: []guide.Command{{ID: "a.b.c", Command: "td a b c"}}}
	kept, err := Snapshot(catalogOf(t, reading), tree)
	if err != nil {
		t.Fatal(err)
	}
	if got := Mismatches(kept, rawjson.Compact(nil, kept)); len(got) > 0 {
		t.Errorf("the same in another layout: %v", got)
	}
	reading.Operations = []twodoor.Operation{opOf("a.b.c", `{"type":"object","properties":{"y":{"type":"string"}}}`, `{}`), opOf("a.b.e", `{}`, `{}`)}
	reading.Operations[0].Effect = twodoor.Writes
	now, err := Snapshot(catalogOf(t, reading), tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range Mismatches(kept, now) {
		got = append(got, m.ID+" "+m.Part+" "+m.Says)
	}
	if text := strings.Join(got, "; "); text != "a.b.c effect changed; a.b.c tool.inputSchema changed; a.b.d  is gone; a.b.e  is new" {
		t.Errorf("%s", text)
	}
}
