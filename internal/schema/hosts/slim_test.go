package hosts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

func TestSlimSaysLess(t *testing.T) {
	cases := []struct{ name, schema, want string }{
		{"first sentences, and none that repeats the name",
			`{"properties":{"alert_id":{"type":"string","description":"The alert ID."},"q":{"type":"string","description":"What to find, e.g. a word. See [the guide](https://x.example/a) for more."},"p":{"type":"integer","description":"Page number.\nFrom 1."}}}`,
			`{"type":"object","properties":{"alert_id":{"type":"string"},"q":{"type":"string","description":"What to find, e.g. a word"},"p":{"type":"integer","description":"Page number"}}}`},
		{"links, and texts without end", `{"properties":{"a":{"description":"See [the guide](https://x.example/a) now"},"b":{"description":"` + strings.Repeat("word ", 60) + `"}}}`,
			`{"type":"object","properties":{"a":{"description":"See the guide now"},"b":{"description":"` + strings.TrimSpace(strings.Repeat("word ", 28)) + `…"}}}`},
		{"what only machines read", `{"properties":{"n":{"type":"integer","format":"int64"},"d":{"type":"string","format":"date","title":"When"},"t":{"type":"string","maxLength":5000,"pattern":"` + strings.Repeat("a", 60) + `","title":"A word","description":"Why"}}}`,
			`{"type":"object","properties":{"n":{"type":"integer"},"d":{"type":"string","format":"date","title":"When"},"t":{"type":"string","description":"Why"}}}`},
		{"deprecated", `{"properties":{"old":{"deprecated":true},"needed":{"deprecated":true},"new":{}},"required":["needed"],"additionalProperties":{"type":"string"}}`,
			`{"type":"object","properties":{"needed":{"deprecated":true},"new":{}},"required":["needed"]}`},
		{"long enums", `{"properties":{"e":{"type":"integer","enum":[` + strings.Repeat("1,", 24) + `2],"description":"Which."}}}`,
			`{"type":"object","properties":{"e":{"type":"integer","description":"Which. One of 1, 1, 1, 1, 1, 1, 1, 1, … (25 in all)."}}}`},
	}
	for _, c := range cases {
		got := Slim([]byte(c.schema), 0)
		if string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		legalEverywhere(t, []byte(c.schema), got)
	}
}

// workflow is too heavy for its budgets: what is required comes first, parts stay closed by name.
const workflow = `{"type":"object","description":"Makes a workflow. It runs at once.","properties":{
	"note":{"type":"string","description":"A note for those who read it later"},
	"name":{"type":"string","description":"What it is called"},
	"mode":{"type":"string","enum":["once","always"],"description":"When it runs"},
	"steps":{"type":"array","description":"What it does","items":{"$ref":"#/$defs/step"}},
	"owner":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string","enum":["user","team"]}},"required":["id"]},
	"target":{"oneOf":[{"$ref":"#/$defs/card"},{"$ref":"#/$defs/bank"}]}},
	"required":["name","steps"],
	"$defs":{"step":{"type":"object","properties":{"match":{"type":"object","properties":{"field":{"type":"string"},"any":{"type":"array","items":{"$ref":"#/$defs/step"}}},"required":["field"]},"act":{"type":"string","enum":["page","drop"]}},"required":["match"]},
		"card":{"type":"object","properties":{"type":{"const":"card"},"number":{"type":"string","description":"All its digits, without blanks between them"}},"required":["type","number"]},
		"bank":{"type":"object","properties":{"type":{"const":"bank"},"iban":{"type":"string","description":"The number of the account in its international form"}},"required":["type","iban"]}}}`

func TestSlimWithinBudget(t *testing.T) {
	cases := []struct {
		budget int
		want   string
	}{
		{60, `{"description":"Also takes note, mode, owner, target.","type":"object","properties":{"name":{"type":"string"},"steps":{"type":"array","items":{"type":"object"}}},"required":["name","steps"]}`},
		{130, `{"description":"Makes a workflow","type":"object","properties":{"note":{"type":"string"},"name":{"type":"string","description":"What it is called"},"mode":{"type":"string","enum":["once","always"]},"steps":{"type":"array","items":{"type":"object"},"description":"Part steps[]"},"owner":{"type":"object","description":"Part owner"},"target":{"description":"One of type \"card\", type \"bank\". Part target"}},"required":["name","steps"]}`},
		{220, `{"description":"Makes a workflow","type":"object","properties":{"note":{"type":"string"},"name":{"type":"string","description":"What it is called"},"mode":{"type":"string","enum":["once","always"]},"steps":{"type":"array","items":{"type":"object","properties":{"match":{"type":"object","description":"Part steps[].match"},"act":{"type":"string"}},"required":["match"]},"description":"What it does"},"owner":{"type":"object","properties":{"id":{"type":"string"},"kind":{"type":"string"}},"required":["id"]},"target":{"anyOf":[{"type":"object","description":"type \"card\""},{"type":"object","description":"type \"bank\""}]}},"required":["name","steps"]}`},
	}
	for _, c := range cases {
		got := Slim([]byte(workflow), c.budget)
		if string(got) != c.want {
			t.Errorf("%d:\n got %s\nwant %s", c.budget, got, c.want)
		}
	}
}

func TestSlimHoldsItsPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 120 {
		raw := randomRoot(r)
		for _, budget := range []int{-1, 1, 60, 150, 600} {
			promises(t, raw, budget)
		}
		if t.Failed() {
			return
		}
	}
}

// promises holds what Slim says of its result.
func promises(t *testing.T, raw []byte, budget int) {
	t.Helper()
	slim := Slim(raw, budget)
	if weight := rawjson.Weigh(slim); budget > 0 && weight > max(budget, leastBudget) {
		t.Errorf("%s becomes %s, which weighs %d of %d", raw, slim, weight, budget)
	}
	if whole := Rewrite(raw); len(slim) > len(whole)+200 {
		t.Errorf("%s grows to %s", whole, slim)
	}
	legalEverywhere(t, raw, slim)
	wider(t, raw, slim)
}

func FuzzSlim(f *testing.F) {
	f.Add([]byte(workflow), 100)
	r := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		f.Add(randomRoot(r), r.IntN(300))
	}
	f.Fuzz(func(t *testing.T, raw []byte, budget int) {
		slim := Slim(raw, budget)
		if weight := rawjson.Weigh(slim); budget > 0 && weight > max(budget, leastBudget) {
			t.Errorf("%s becomes %s, which weighs %d of %d", raw, slim, weight, budget)
		}
		legalEverywhere(t, raw, slim)
	})
}

func TestLevel(t *testing.T) {
	cases := []struct {
		weights            []int
		total, least, want int
	}{
		{[]int{10, 20, 30}, 100, 5, 40},
		{[]int{10, 50, 50}, 70, 5, 30},
		{[]int{100, 1, 100, 100}, 91, 5, 30},
		{[]int{100, 100}, 10, 40, 40},
		{nil, 10, 5, 10},
	}
	for _, c := range cases {
		got := Level(c.weights, c.total, c.least)
		sum := 0
		for _, weight := range c.weights {
			sum += min(weight, got)
		}
		if got != c.want || sum > c.total && got > c.least {
			t.Errorf("Level(%v, %d, %d) = %d, together %d", c.weights, c.total, c.least, got, sum)
		}
	}
}

// TestSlimCorpus slims the shared objects of real descriptions as if they were inputs.
func TestSlimCorpus(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: the folder of real descriptions")
	}
	for _, name := range []string{"stripe.json", "flashduty.en.json", "github.json", "kubernetes-swagger2.json"} {
		data, err := os.ReadFile(filepath.Join(folder, "openapi", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("#/components/schemas/", "#/$defs/", "#/definitions/", "#/$defs/").Replace(string(data))
		schemas, ok := rawjson.GetPath([]byte(text), "components", "schemas")
		if !ok {
			schemas, _ = rawjson.Get([]byte(text), "definitions")
		}
		definitions, names := make(map[string][]byte), []string(nil)
		for key, raw := range rawjson.Members(schemas) {
			definitions[key], names = raw, append(names, key)
		}
		const most = 40
		before, whole, listed := 0, 0, 0
		for i := 0; i < len(names); i += max(1, len(names)/most) {
			closed := schema.Close(definitions[names[i]], func(name string) []byte { return definitions[name] })
			for _, budget := range []int{0, 80, 1400} {
				promises(t, closed, budget)
			}
			before, whole, listed = before+rawjson.Weigh(closed), whole+rawjson.Weigh(Rewrite(closed)), listed+rawjson.Weigh(Slim(closed, 1400))
		}
		t.Logf("%s: ≈%d tokens become ≈%d, and ≈%d in a list", name, before, whole, listed)
	}
}

func BenchmarkSlim(b *testing.B) {
	var properties []string
	for i := range 400 {
		properties = append(properties, fmt.Sprintf(`"field%d":{"type":"object","description":"What it is for. And more.","properties":{"a":{"$ref":"#/$defs/d"},"b":{"type":"string","enum":["x","y"]}}}`, i))
	}
	raw := slices.Concat([]byte(`{"type":"object","properties":{`), []byte(strings.Join(properties, ",")), []byte(`},"$defs":{"d":{"type":"object","properties":{"x":{"type":"string"},"y":{"$ref":"#/$defs/d"}}}}}`))
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		Slim(raw, 1400)
	}
}
