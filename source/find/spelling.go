package find

import (
	"sort"
	"strings"
)

// Bounds of looking for words that are spelled nearly alike.
const (
	spellingWeight = .5  // of such a word beside the one written
	minSpelling    = 5   // letters of a word to look for others
	maxSpelling    = 3   // words added for one
	maxRange       = 800 // words compared for one
)

// addSpellings enters, for each word that the index lacks, words that it has and that are spelled
// nearly alike: typing errors, and forms of a word that the stemmer leaves apart.
func (x *Index) addSpellings(r *request) {
	for i := range r.terms {
		t := &r.terms[i]
		if t.near || t.at.count > 0 || len(t.stem) < minSpelling || !isLowerASCII(t.stem) {
			continue
		}
		added := 0
		x.alike(t.stem, func(e entry) {
			if added == maxSpelling || hasStem(r.terms, e.text) {
				return
			}
			added++
			r.terms = append(r.terms, term{stem: e.text, weight: spellingWeight * t.weight, near: true, texts: t.texts, at: e})
		})
	}
}

func hasStem(terms []term, stem string) bool {
	for i := range terms {
		if terms[i].stem == stem {
			return true
		}
	}
	return false
}

// alike yields the words of the index that begin with the same two letters as a word and are
// spelled nearly like it.
func (x *Index) alike(word string, yield func(entry)) {
	n := len(x.terms) / termSize
	first := sort.Search(n, func(i int) bool { return x.termAt(i).text >= word[:2] })
	for i := first; i < min(n, first+maxRange); i++ {
		e := x.termAt(i)
		if !strings.HasPrefix(e.text, word[:2]) {
			return
		}
		if nearlySpelled(word, e.text) {
			yield(e)
		}
	}
}

// nearlySpelled reports whether one word begins like the other for most of its length, or is one
// slip of the fingers away: a letter too many, too few, another one, or two swapped.
func nearlySpelled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	if same >= minSpelling && same >= len(a)-1 && 2*same >= len(b)-1 {
		return true
	}
	rest, other := a[same:], b[same:]
	switch {
	case len(a) < minSpelling || same == len(a):
		return false
	case len(a) == len(b):
		return rest[1:] == other[1:] || len(rest) > 1 && rest[0] == other[1] && rest[1] == other[0] && rest[2:] == other[2:]
	default:
		return rest == other[1:]
	}
}
