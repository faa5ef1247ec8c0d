package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// TestExposure holds which operations are listed: all of them while they are few and light, else the
// tools that find them and what is pinned, as the request, the door or the profile has it.
func TestExposure(t *testing.T) {
	few, many := 3, 60
	finders := []string{"find_operations", "read_result"}
	for _, test := range []struct {
		name    string
		count   int
		finders bool
		asked   twodoor.Expose
		door    twodoor.Expose
		profile twodoor.Profile
		want    []string // nil: the full list
	}{
		{name: "few", count: few, finders: true},
		{name: "many", count: many, finders: true, want: finders},
		{name: "many, nothing finds them", count: many},
		{name: "few, too heavy", count: few, finders: true, profile: twodoor.Profile{ListBudget: 10}, want: finders},
		{name: "many, full by profile", count: many, finders: true, profile: twodoor.Profile{Expose: twodoor.ExposeFull}},
		{name: "few, search by door", count: few, finders: true, door: twodoor.ExposeSearch, want: finders},
		{name: "the request wins", count: many, finders: true, asked: twodoor.ExposeFull, door: twodoor.ExposeSearch},
		{name: "pinned", count: many, finders: true, profile: twodoor.Profile{Pins: []string{"lab.thing.no-7"}}, want: append([]string{"lab_thing_no_7"}, finders...)},
		{name: "left out of the profile", count: many, finders: true, profile: twodoor.Profile{Exclude: []string{"lab.*"}}, want: finders[1:]},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := exposing(t, test.count, test.finders)
			engine.Profiles = map[string]*twodoor.Profile{twodoor.DefaultProfile: &test.profile}
			door := &Door{Engine: engine, Expose: test.door}
			tools, _, _, f := door.page(caller{principal: twodoor.Operator, expose: test.asked}, nil)
			if f != nil {
				t.Fatal(f.message)
			}
			var got []string
			for tool := range rawjson.Elements(tools) {
				raw, _ := rawjson.Get(tool, "name")
				name, _ := rawjson.String(raw)
				got = append(got, name)
			}
			if test.want == nil && (len(got) < test.count || slices.Contains(got, "find_operations")) {
				t.Errorf("the full list is %v", got)
			}
			if test.want != nil && !slices.Equal(got, test.want) {
				t.Errorf("listed %v, want %v", got, test.want)
			}
		})
	}
}

// exposing is an engine of a number of operations, with or without tools that find them.
func exposing(t *testing.T, count int, finders bool) *twodoor.Engine {
	t.Helper()
	nothing := func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return nil, nil }
	source := &twodoor.FuncSource{Name: "lab"}
	for i := range count {
		op := twodoor.Operation{ID: fmt.Sprintf("lab.thing.no-%d", i), Effect: twodoor.Reads}
		source.Funcs = append(source.Funcs, twodoor.Func{Operation: op, Run: nothing})
	}
	own := &twodoor.FuncSource{Name: twodoor.OwnSource}
	for _, name := range []string{"find-operations", "read-result"} {
		op := twodoor.Operation{ID: twodoor.OwnSource + "." + name, Effect: twodoor.Reads}
		if finders {
			own.Funcs = append(own.Funcs, twodoor.Func{Operation: op, Run: nothing})
		}
	}
	var readings []*twodoor.Reading
	for _, s := range []*twodoor.FuncSource{source, own} {
		reading, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readings = append(readings, reading)
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{}}
	engine.Serve(catalog)
	return engine
}

// TestInstructions holds that hosts tell the model to find first, to read guides and to ask for less,
// in at most 200 tokens, and nothing of what is not there.
func TestInstructions(t *testing.T) {
	with := (&Door{Engine: exposing(t, 1, true)}).instructions()
	without := (&Door{Engine: exposing(t, 1, false)}).instructions()
	for _, word := range []string{"find_operations", "_want", "CLI"} {
		if !strings.Contains(with, word) {
			t.Errorf("%s is not in %q", word, with)
		}
	}
	if strings.Contains(without, "find_operations") || strings.Contains(with, "list_guides") {
		t.Errorf("what is not there is told: %q", without)
	}
	if weight := rawjson.Weigh([]byte(with)); weight > 200 {
		t.Errorf("they weigh ≈%d tokens, at most 200 are allowed", weight)
	}
}
