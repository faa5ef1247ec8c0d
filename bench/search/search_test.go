package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/source/find"
)

// gate is a bound that a figure must reach.
type gate struct {
	set, file, figure string
	least             float64
}

// gates are musts. A set of 47 to 1,335 requests has an interval of several points: the bounds are
// below what is reached, and a fall below one is no chance.
var gates = []gate{
	{"mcpproxy-golden", "queries", "5", .82},
	{"mcpproxy-golden", "queries", "10", .90},
	{"mcpproxy-golden", "queries", "mrr", .68},
	{"toolbench", "queries_dev", "5", .73},
	{"toolbench", "queries_dev", "10", .79},
	{"bfcl", "queries_live", "5", .79},
	{"sealtools", "queries_test_out_domain", "5", .90},
}

// TestGates holds the quality of the search on the public sets, with the word table and, five
// points lower, without it.
func TestGates(t *testing.T) {
	root := os.Getenv("TWODOOR_BENCH")
	if root == "" {
		t.Skip("TWODOOR_BENCH does not name the folder of public benchmark sets")
	}
	var sets []*set
	for _, name := range []string{"mcpproxy-golden", "toolbench", "bfcl", "sealtools"} {
		s, err := readSet(filepath.Join(root, "toolsearch", name))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	for words, less := range map[bool]float64{false: 0, true: .05} {
		m := measurer{words: words}
		r := m.measure(sets)
		for _, g := range gates {
			if got := r.figure(g); got < g.least-less {
				t.Errorf("words only %v: %s/%s %s is %.3f, want %.3f", words, g.set, g.file, g.figure, got, g.least-less)
			}
		}
		if r.AUC < .85-less {
			t.Errorf("words only %v: mean AUC is %.3f, want %.3f", words, r.AUC, .85-less)
		}
		for other, auc := range r.Sets[0].AUC {
			if auc < .92-less {
				t.Errorf("words only %v: AUC of %s against %s is %.3f, want %.3f", words, r.Sets[0].Name, other, auc, .92-less)
			}
		}
		for _, s := range r.Sets {
			if perTool := s.IndexBytes / s.Tools; perTool > 5<<20/3000 {
				t.Errorf("%s: the index takes %d bytes a tool: 3,000 of them must fit 5 MiB", s.Name, perTool)
			}
		}
	}
}

func (r *report) figure(g gate) float64 {
	for _, s := range r.Sets {
		for _, f := range s.Files {
			if s.Name == g.set && f.Name == g.file {
				if g.figure == "mrr" {
					return f.MRR
				}
				return f.Recall[g.figure]
			}
		}
	}
	return math.NaN()
}

// plant writes a set of three tools and three requests.
func plant(t *testing.T, name string, words ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var tools, asked strings.Builder
	for i, word := range words {
		fmt.Fprintf(&tools, `{"id":"%[1]s","name":"%[1]s_open","server":"s","description":"Opens the %[1]s.","params":[{"n":"id","d":"of the %[1]s"}]}`+"\n", word)
		fmt.Fprintf(&asked, `{"id":"q%d","query":"please open the %s","gold":[["%s"]]}`+"\n", i, word, word)
	}
	for file, text := range map[string]string{"tools.jsonl": tools.String(), "queries.jsonl": asked.String()} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRunMeasuresFolders(t *testing.T) {
	doors, fruits := plant(t, "doors", "gate", "hatch", "portal"), plant(t, "fruits", "apple", "banana", "cherry")
	var out bytes.Buffer
	if err := run(&out, []string{doors, fruits}, measurer{}, true, "", 0); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if got := r.Sets[0].Files[0]; got.Recall["1"] != 1 || got.MRR != 1 || len(got.Each) != 3 {
		t.Errorf("got %+v, want each request served by the first hit", got)
	}
	if r.AUC != 1 {
		t.Errorf("AUC %v: a request for fruit is no request for doors", r.AUC)
	}
	old := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(old, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := run(&out, []string{doors, fruits}, measurer{words: true}, false, old, 20); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "doors/queries") || !strings.Contains(text, "since "+old) || !strings.Contains(text, "20 tools:") {
		t.Errorf("the table lacks the set, the comparison or the scale:\n%s", text)
	}
	if err := run(&out, []string{t.TempDir()}, measurer{}, false, "", 0); err == nil {
		t.Error("an empty folder is no set")
	}
}

func TestMeasures(t *testing.T) {
	hits := []find.Hit{{ID: "a"}, {ID: "b", Also: []string{"twin"}}, {ID: "c"}}
	gold := [][]string{{"x", "twin"}, {"c"}, {"missing"}}
	if got := recall(hits, gold, 2); math.Abs(got-1./3) > 1e-9 {
		t.Errorf("recall at 2 is %v, want a third", got)
	}
	if got := recall(hits, gold, 10); math.Abs(got-2./3) > 1e-9 {
		t.Errorf("recall at 10 is %v, want two thirds", got)
	}
	if got := reciprocal(hits, gold); got != .5 {
		t.Errorf("reciprocal rank is %v, want a half", got)
	}
	if got := area([]float64{3, 1}, []float64{2, 1}); got != .625 {
		t.Errorf("area is %v, want .625", got)
	}
	same := make([]float64, 100)
	if mean, p := bootstrap(same); mean != 0 || p != 1 {
		t.Errorf("no difference: mean %v, p %v", mean, p)
	}
	for i := range same {
		same[i] = float64(i%4) / 4
	}
	if mean, p := bootstrap(same); mean <= 0 || p > .01 {
		t.Errorf("a clear difference: mean %v, p %v", mean, p)
	}
}
