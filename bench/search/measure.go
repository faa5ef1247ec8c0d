package main

import (
	"math"
	"slices"
	"time"

	"github.com/twodoor/twodoor/source/find"
)

// report is everything measured in one run.
type report struct {
	Sets []setReport `json:"sets"`
	AUC  float64     `json:"auc,omitempty"` // mean over all pairs of sets
}

// setReport is what was measured on one catalogue.
type setReport struct {
	Name       string             `json:"name"`
	Tools      int                `json:"tools"`
	IndexBytes int                `json:"index_bytes"`
	BuildMS    float64            `json:"build_ms"`
	OpenMS     float64            `json:"open_ms"`
	Files      []fileReport       `json:"files"`
	AUC        map[string]float64 `json:"auc,omitempty"` // by the set whose requests are strangers here
}

// fileReport is what was measured on one file of requests.
type fileReport struct {
	Name    string             `json:"name"`
	Queries int                `json:"queries"`
	Recall  map[string]float64 `json:"recall"` // by depth
	MRR     float64            `json:"mrr"`
	P50     float64            `json:"p50_ms"`
	P95     float64            `json:"p95_ms"`
	Each    []outcome          `json:"each,omitempty"`
}

// outcome is what one request gave.
type outcome struct {
	ID      string  `json:"id"`
	Recall5 float64 `json:"r5"`
	MRR     float64 `json:"mrr"`
}

// depths are the k of recall at k.
var depths = map[string]int{"1": 1, "3": 3, "5": 5, "10": 10}

const deepest = 10

// measurer measures sets in one mode.
type measurer struct {
	words bool // by words only
}

// measure runs all requests of all sets.
func (m *measurer) measure(sets []*set) report {
	var r report
	indexes := make([]*find.Index, len(sets))
	for i, s := range sets {
		var one setReport
		one, indexes[i] = m.set(s)
		r.Sets = append(r.Sets, one)
	}
	if len(sets) < 2 {
		return r
	}
	pairs := 0
	for i, home := range sets {
		r.Sets[i].AUC = map[string]float64{}
		at := m.confidences(indexes[i], home.stand())
		for j, other := range sets {
			if i != j {
				auc := area(at, m.confidences(indexes[i], other.stand()))
				r.Sets[i].AUC[other.name] = auc
				r.AUC += auc
				pairs++
			}
		}
	}
	r.AUC /= float64(pairs)
	return r
}

func (m *measurer) set(s *set) (setReport, *find.Index) {
	begun := time.Now()
	index := find.Build(s.tools)
	built := time.Since(begun)
	begun = time.Now()
	index, err := find.Open(index.Encode())
	if err != nil {
		panic(err)
	}
	r := setReport{
		Name: s.name, Tools: len(s.tools), IndexBytes: len(index.Encode()),
		BuildMS: milliseconds(built), OpenMS: milliseconds(time.Since(begun)),
	}
	for _, file := range s.files {
		r.Files = append(r.Files, m.file(index, file))
	}
	return r, index
}

func (m *measurer) file(index *find.Index, file queries) fileReport {
	r := fileReport{Name: file.name, Queries: len(file.list), Recall: map[string]float64{}}
	times := make([]float64, 0, len(file.list))
	for _, q := range file.list {
		begun := time.Now()
		found := index.Search(find.Query{Text: q.Text, Limit: deepest, Words: m.words})
		times = append(times, milliseconds(time.Since(begun)))
		for name, k := range depths {
			r.Recall[name] += recall(found.Hits, q.Gold, k) / float64(len(file.list))
		}
		rank := reciprocal(found.Hits, q.Gold)
		r.MRR += rank / float64(len(file.list))
		r.Each = append(r.Each, outcome{q.ID, recall(found.Hits, q.Gold, 5), rank})
	}
	slices.Sort(times)
	r.P50, r.P95 = times[len(times)/2], times[len(times)*95/100]
	return r
}

// recall is the share of the groups of which a tool is among the first k hits.
func recall(hits []find.Hit, gold [][]string, k int) float64 {
	got := 0
	for _, group := range gold {
		if slices.ContainsFunc(hits[:min(k, len(hits))], func(h find.Hit) bool { return serves(h, group) }) {
			got++
		}
	}
	return float64(got) / float64(len(gold))
}

// reciprocal is one divided by the place of the first hit that serves.
func reciprocal(hits []find.Hit, gold [][]string) float64 {
	for i, h := range hits {
		if slices.ContainsFunc(gold, func(group []string) bool { return serves(h, group) }) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func serves(h find.Hit, group []string) bool {
	return slices.Contains(group, h.ID) || slices.ContainsFunc(h.Also, func(id string) bool { return slices.Contains(group, id) })
}

// aSide is how many requests of a set are set against another catalogue.
const aSide = 150

// confidences lists the confidence of requests, evenly chosen from all of them.
func (m *measurer) confidences(index *find.Index, list []query) []float64 {
	var all []float64
	step := max(1, float64(len(list))/aSide)
	for at := 0.0; int(at) < len(list); at += step {
		all = append(all, index.Search(find.Query{Text: list[int(at)].Text, Limit: 1, Words: m.words}).Confidence)
	}
	return all
}

// area is the area under the ROC curve: the share of pairs in which the one that is at home here
// has the higher confidence.
func area(home, strangers []float64) float64 {
	won := 0.0
	for _, a := range home {
		for _, b := range strangers {
			switch {
			case a > b:
				won++
			case a == b:
				won += .5
			}
		}
	}
	return won / float64(len(home)*len(strangers))
}

func milliseconds(d time.Duration) float64 { return math.Round(float64(d.Nanoseconds())/1e3) / 1e3 }
