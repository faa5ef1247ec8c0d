package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEstimateIsNear holds the estimate of tokens to the exact count: for every class within an eighth,
// for nine texts of ten within a quarter. With TWODOOR_CORPUS the real descriptions are weighed too.
func TestEstimateIsNear(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	if corpus := os.Getenv("TWODOOR_CORPUS"); corpus != "" {
		described, err := filepath.Glob(filepath.Join(corpus, "openapi", "*"))
		if err != nil || len(described) == 0 {
			t.Fatalf("no descriptions in TWODOOR_CORPUS: %v", err)
		}
		files = append(files, described...)
	}
	rows, err := run(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Logf("%-34s %7d tokens, estimated %7d, %.2f; nine texts of ten %.2f to %.2f", r.Class, r.Exact, r.Estimate, r.Ratio, r.Low, r.High)
		if r.Ratio < .875 || r.Ratio > 1.125 {
			t.Errorf("%s: estimated are %d tokens, exact are %d", r.Class, r.Estimate, r.Exact)
		}
		if r.Low != 0 && (r.Low < .75 || r.High > 1.25) {
			t.Errorf("%s: the estimates of single texts lie between %.2f and %.2f of the exact count", r.Class, r.Low, r.High)
		}
	}
	if len(rows) < 6 {
		t.Errorf("only %d classes were weighed", len(rows))
	}
}

// TestTOONSparesWhatItShould holds that what is chosen by estimate spares tokens in truth.
func TestTOONSparesWhatItShould(t *testing.T) {
	all := texts{}
	if err := all.demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(all[classTOON]) == 0 {
		t.Fatal("no answer of the demo is lighter as TOON")
	}
	count := newCounter()
	for i, short := range all[classTOON] {
		before, err := count.codec.Count(all[classLists][i])
		if err != nil {
			t.Fatal(err)
		}
		after, err := count.codec.Count(short)
		if err != nil || 10*after > 9*before {
			t.Errorf("%d tokens as JSON, %d as TOON: %.200s (%v)", before, after, short, err)
		}
	}
}
