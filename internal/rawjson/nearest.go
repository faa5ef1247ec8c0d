package rawjson

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the names that look like word, the nearest first, at most n: a
// help where a member is not there. A name that shares too little is left out.
func Nearest(names []string, word string, n int) []string {
	type ranked struct {
		name     string
		distance int
	}
	var near []ranked
	plain := plainWord(word)
	for _, name := range names {
		if d, ok := similar(plain, plainWord(name)); ok {
			near = append(near, ranked{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b ranked) int { return cmp.Compare(a.distance, b.distance) })
	out := make([]string, 0, n)
	for _, r := range near[:min(n, len(near))] {
		out = append(out, r.name)
	}
	return out
}

// similar rates how far two words are apart; one that is part of the other counts
// as two edits at most.
func similar(a, b string) (int, bool) {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	d := distance(a, b)
	if shorter > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return min(d, 2), true
	}
	return d, d < longer && d <= max(1, shorter/3)
}

// plainWord takes off what spellings differ in: case, _, - and spaces.
func plainWord(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(s))
}

// distance counts the edits between two words, at most 64 bytes of each; two
// letters swapped are one edit.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	var rows [3][65]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		earlier, before, now := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		now[0] = i + 1
		for j := range len(b) {
			change := before[j]
			if a[i] != b[j] {
				change++
			}
			now[j+1] = min(change, before[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], earlier[j-1]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
