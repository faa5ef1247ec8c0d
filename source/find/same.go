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
	c := clusterer{docs: docs, parents: make([]uint32, len(docs)), words: make([][]string, len(docs)), sizes: map[string]int{}, kin: map[[2]string]int{}}
	for i := range docs {
		c.parents[i] = uint32(i)
		c.sizes[docs[i].Source]++
	}
	pairs := c.pairs()
	for _, p := range pairs {
		c.kin[c.sources(p)]++
	}
	for _, p := range pairs {
		if c.areKin(c.sources(p)) || c.sameWords(p) {
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
	words   [][]string // of the descriptions, once they are asked for
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
		pairs = c.pairsOf(pairs, alike[name][:min(len(alike[name]), maxAlike)])
	}
	return pairs
}

// pairsOf adds the pairs of one name that are alike in parameters too.
func (c *clusterer) pairsOf(pairs [][2]uint32, group []uint32) [][2]uint32 {
	if len(group) < 2 {
		return pairs
	}
	names := make([][]string, len(group))
	for i, doc := range group {
		names[i] = parameterNames(c.docs[doc].Parameters)
	}
	for i, a := range group {
		for j, b := range group[:i] {
			if c.docs[a].Source != c.docs[b].Source && overlap(names[i], names[j]) >= sameParameters {
				pairs = append(pairs, [2]uint32{b, a})
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

// parameterNames lists the names of parameters in order, whatever their spelling.
func parameterNames(list []Parameter) []string {
	plain := strings.NewReplacer("_", "", "-", "")
	names := make([]string, 0, len(list))
	for _, p := range list {
		names = append(names, strings.ToLower(plain.Replace(p.Name)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sameWords reports whether the descriptions of two documents hold nearly the same words.
func (c *clusterer) sameWords(p [2]uint32) bool {
	a, b := c.wordsOf(p[0]), c.wordsOf(p[1])
	return min(len(a), len(b)) >= sameTextWords && overlap(a, b) >= sameText
}

func (c *clusterer) wordsOf(doc uint32) []string {
	if c.words[doc] == nil {
		split(c.docs[doc].text(), func(word string) {
			if !isNoise(word) {
				c.words[doc] = append(c.words[doc], word)
			}
		})
		slices.Sort(c.words[doc])
		c.words[doc] = slices.Compact(c.words[doc])
	}
	return c.words[doc]
}

// overlap is the share of two sorted lists that both have: 1 for two empty ones.
func overlap(a, b []string) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch order := strings.Compare(a[i], b[j]); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 1
}
