package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// resamples is how often the requests are drawn anew to judge a difference.
const resamples = 5000

// compare prints the differences to an earlier run, each with the share of resamples (drawn with
// replacement, pair by pair) in which it is not of that sign: below .05 it is hardly chance.
func compare(w io.Writer, name string, now report) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var before report
	if err := json.Unmarshal(data, &before); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	old := map[string]map[string]outcome{}
	for _, s := range before.Sets {
		for _, f := range s.Files {
			each := map[string]outcome{}
			for _, o := range f.Each {
				each[o.ID] = o
			}
			old[s.Name+"/"+f.Name] = each
		}
	}
	fmt.Fprintf(w, "\nsince %s: R@5 (p), MRR (p)\n", name)
	for _, s := range now.Sets {
		for _, f := range s.Files {
			var recalls, ranks []float64
			for _, o := range f.Each {
				if was, known := old[s.Name+"/"+f.Name][o.ID]; known {
					recalls, ranks = append(recalls, o.Recall5-was.Recall5), append(ranks, o.MRR-was.MRR)
				}
			}
			if len(recalls) > 0 {
				a, p := bootstrap(recalls)
				b, q := bootstrap(ranks)
				fmt.Fprintf(w, "%-44s %+6.1f (%.3f)  %+6.3f (%.3f)\n", s.Name+"/"+f.Name, 100*a, p, b, q)
			}
		}
	}
	return nil
}

// bootstrap is the mean of paired differences, and how often a resample is not of its sign (both
// sides counted). The draw is the same in every run.
func bootstrap(differences []float64) (mean, p float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range differences {
		mean += d / float64(len(differences))
	}
	if mean == 0 {
		return 0, 1
	}
	against := 0
	for range resamples {
		sum := 0.0
		for range differences {
			sum += differences[r.IntN(len(differences))]
		}
		if sum*mean <= 0 {
			against++
		}
	}
	return mean, min(1, 2*float64(against)/resamples)
}
