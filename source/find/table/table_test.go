package main

import (
	"math"
	"slices"
	"testing"
)

func TestEigenOfASymmetricMatrix(t *testing.T) {
	values, vectors := eigen([][]float64{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}})
	original := [][]float64{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}
	for n, value := range values {
		for i := range original {
			got := 0.0
			for j := range original {
				got += original[i][j] * vectors[j][n]
			}
			if math.Abs(got-value*vectors[i][n]) > 1e-9 {
				t.Errorf("vector %d is none of value %v: row %d gives %v", n, value, i, got)
			}
		}
	}
}

func TestPrincipalFindsWhereVectorsDiffer(t *testing.T) {
	vectors := [][]float32{{5, 1, 0}, {-5, 1.1, 0}, {5, .9, 0}, {-5, 1, 0}, {0, 3, 0}, {0, -1, 0}}
	d := principal(vectors, 2)
	if a := d.axes[0]; math.Abs(float64(a[0])) < .99 {
		t.Errorf("the strongest direction is %v, want the first axis", a)
	}
	if v := d.project([]float32{9, 1, 0}); math.Abs(float64(dot(v, v))-1) > 1e-5 || math.Abs(float64(v[0])) < .9 {
		t.Errorf("projected to %v, want unit length along the first direction", v)
	}
}

func TestTokensTakeTheLikeliestPieces(t *testing.T) {
	m := &model{index: map[string]int{}}
	for i, p := range []piece{{"�", 0}, {"<s>", 0}, {"</s>", 0}, {"x1", 0}, {"x2", 0}, {"x3", 0}, {"▁", -5}, {"▁re", -6}, {"start", -6}, {"▁restart", -14}, {"s", -3}, {"▁a", -4}} {
		m.pieces = append(m.pieces, p)
		m.index[p.text] = i
	}
	if got := m.tokens("restart"); !slices.Equal(got, []int{7, 8}) {
		t.Errorf("restart is %v, want the two pieces that are likelier than the whole", got)
	}
	if got := m.tokens("a s?"); !slices.Equal(got, []int{11, 6, 10, 0}) {
		t.Errorf("got %v, want an unknown letter to be piece 0", got)
	}
}

func TestVocabularyTakesWhatIsUsed(t *testing.T) {
	v := &vocabulary{gloss: map[string]int{"close": 9, "the": 50, "rare": 1}, lemma: map[string]bool{"rare": true}, texts: map[string]int{"kubectl": 8, "once": 1}}
	if got, want := v.choose([]string{"close", "the", "rare", "Unused", "unused"}, 3), []string{"the", "kubectl", "close"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := splitHumps("listPodsOf HTTP"); got != "list Pods Of HTTP" {
		t.Errorf("got %q", got)
	}
}
