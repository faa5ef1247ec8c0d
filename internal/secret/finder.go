package secret

import (
	"cmp"
	"slices"
)

// finder finds any of several texts in one pass (Wu and Manber 1994): a window as long as the shortest
// text moves over what is searched, and its last two bytes say how far it may move at once.
type finder struct {
	window int
	shift  [1 << 16]uint8
	ends   map[uint16][]string // texts by the last two bytes of their first window, the longest first
}

// newFinder makes a finder of texts of at least two bytes.
func newFinder(texts []string) *finder {
	f := &finder{window: 255, ends: map[uint16][]string{}}
	for _, text := range texts {
		f.window = min(f.window, len(text))
	}
	for i := range f.shift {
		f.shift[i] = uint8(f.window - 1)
	}
	for _, text := range texts {
		for i := 1; i < f.window; i++ {
			pair := uint16(text[i-1])<<8 | uint16(text[i])
			f.shift[pair] = min(f.shift[pair], uint8(f.window-1-i))
			if i == f.window-1 {
				f.ends[pair] = append(f.ends[pair], text)
			}
		}
	}
	for _, same := range f.ends {
		slices.SortFunc(same, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return f
}

// next is the first of the texts at or after from, the longest where several begin there; end is 0
// where there is none.
func next[T string | []byte](f *finder, in T, from int) (start, end int) {
	for at := from + f.window - 1; at < len(in); {
		pair := uint16(in[at-1])<<8 | uint16(in[at])
		if step := f.shift[pair]; step > 0 {
			at += int(step)
			continue
		}
		start := at - f.window + 1
		for _, text := range f.ends[pair] {
			if end := start + len(text); end <= len(in) && string(in[start:end]) == text {
				return start, end
			}
		}
		at++
	}
	return 0, 0
}
