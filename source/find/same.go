package find

import (
	"slices"
	"strings"
)

// What it takes for operations of two sources to be one and the same.
const (
	sameParameters = .6 // shared of all their parameter names
	sameText       = .8 // shared of all words of their descriptions
	sameTextWords  = 4  // words that a description needs to prove anything
	kinShare       = .2 // of the smaller source's operations: the sources are kin
	kinCount       = 5  // and at least so many
)

// clustersOf numbers the documents: those that are the same thing in several sources have the
// number of the first.
//
// Two operations are the same when their names hold the same words, their parameters are mostly the
// same, and one of two witnesses agrees: their descriptions are nearly word for word alike; or
// their sources are kin, that is, many of their operations are alike in name and parameters, as in
// two versions or two languages of one description.
func clustersOf(docs []Document) []uint32 {
	c := clusterer{docs: docs, parents: make([]uint32, len(docs)), sizes: map[string]int{}, kin: map[[2]string]int{}}
	for i := range docs {
		c.parents[i] = uint32(i)
		c.sizes[docs[i].Source]++
	}
	pairs := c.pairs()
	for _, p := range pairs {
		c.kin[c.sources(p)]++
	}
	for _, p := range pairs {
		if c.areKin(c.sources(p)) || sameWords(docs[p[0]].text(), docs[p[1]].text()) {
			c.join(p[0], p[1])
		}
	}
	for i := range docs {
		c.parents[i] = c.root(uint32(i))
	}
	return c.parents
}

// ringsOf leads from each document to the next of its cluster, and from the last to the first.
func ringsOf(clusters []uint32) []uint32 {
	twins := make([]uint32, len(clusters))
	last := map[uint32]uint32{}
	for i, cluster := range clusters {
		doc := uint32(i)
		if before, known := last[cluster]; known {
			twins[doc] = twins[before]
			twins[before] = doc
		} else {
			twins[doc] = doc
		}
		last[cluster] = doc
	}
	return twins
}

// clusterer joins documents.
type clusterer struct {
	docs    []Document
	parents []uint32
	sizes   map[string]int
	kin     map[[2]string]int // operations alike in name and parameters, by pair of sources
}

// maxAlike bounds how many documents of one name are compared with each other.
const maxAlike = 64

// pairs lists the documents of different sources that are alike in name and parameters.
func (c *clusterer) pairs() [][2]uint32 {
	var names []string
	alike := map[string][]uint32{}
	stems := stemmer{}
	for i := range c.docs {
		if c.docs[i].Topic != TopicOperation || c.docs[i].Source == "" {
			continue
		}
		name := c.docs[i].nameKey(stems)
		if alike[name] == nil {
			names = append(names, name)
		}
		alike[name] = append(alike[name], uint32(i))
	}
	var pairs [][2]uint32
	for _, name := range names {
		group := alike[name][:min(len(alike[name]), maxAlike)]
		for i, a := range group {
			for _, b := range group[:i] {
				if c.docs[a].Source != c.docs[b].Source && sameNames(c.docs[a].Parameters, c.docs[b].Parameters) {
					pairs = append(pairs, [2]uint32{b, a})
				}
			}
		}
	}
	return pairs
}

// nameKey is the set of words of a document's name; the words of its source say nothing here.
func (d *Document) nameKey(stems stemmer) string {
	var words []string
	split(d.Name, func(word string) {
		if !isNoise(word) {
			words = append(words, stems.stem(word))
		}
	})
	source := strings.ToLower(d.Source)
	own := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(source, word) })
	if len(own) > 1 {
		words = own
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

func (d *Document) text() string { return d.Title + " " + d.Description }

func (c *clusterer) sources(p [2]uint32) [2]string {
	a, b := c.docs[p[0]].Source, c.docs[p[1]].Source
	return [2]string{min(a, b), max(a, b)}
}

func (c *clusterer) areKin(s [2]string) bool {
	alike := c.kin[s]
	return alike >= kinCount && float64(alike) >= kinShare*float64(min(c.sizes[s[0]], c.sizes[s[1]]))
}

func (c *clusterer) root(i uint32) uint32 {
	for c.parents[i] != i {
		i = c.parents[i]
	}
	return i
}

func (c *clusterer) join(a, b uint32) {
	a, b = c.root(a), c.root(b)
	c.parents[max(a, b)] = min(a, b)
}

// sameNames reports whether two lists of parameters are mostly the same, in any spelling.
func sameNames(a, b []Parameter) bool {
	names := func(list []Parameter) map[string]bool {
		set := map[string]bool{}
		for _, p := range list {
			set[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(p.Name))] = true
		}
		return set
	}
	return overlap(names(a), names(b)) >= sameParameters
}

// sameWords reports whether two texts hold nearly the same words.
func sameWords(a, b string) bool {
	words := func(text string) map[string]bool {
		set := map[string]bool{}
		split(text, func(word string) {
			if !isNoise(word) {
				set[word] = true
			}
		})
		return set
	}
	x, y := words(a), words(b)
	return min(len(x), len(y)) >= sameTextWords && overlap(x, y) >= sameText
}

// overlap is the share of two sets that both have: 1 for two empty ones.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 1
}
