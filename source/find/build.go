package find

import (
	"math"
	"slices"
	"strings"
)

// field is a part of a document. Each has its weight and its own sense of length.
type field uint8

const (
	fieldName field = iota
	fieldSource
	fieldTitle
	fieldDescription
	fieldParameter
	fieldParameterText
	fieldEnum
	fieldExample
	fieldIntent
	fieldGroup
	fieldCount
)

// fieldRule says what an occurrence in a field is worth, and how much the length of the field
// takes from it (the b of BM25).
type fieldRule struct{ weight, length float32 }

// fieldRules are measured on public sets of requests; see bench/search.
var fieldRules = [fieldCount]fieldRule{
	fieldName:          {2, .3},
	fieldSource:        {1.5, .3},
	fieldTitle:         {2, .3},
	fieldDescription:   {1, .75},
	fieldParameter:     {.8, .65},
	fieldParameterText: {.5, .65},
	fieldEnum:          {.2, .65},
	fieldExample:       {.3, .65},
	fieldIntent:        {.8, .4},
	fieldGroup:         {.2, .65},
}

// saturation is the k1 of BM25: how soon a word that stands there often stops to count more.
const saturation = 1.1

// Build makes the index of these documents. Their order is kept: among equals the first wins.
func Build(docs []Document) *Index {
	b := builder{docs: docs, words: map[string]uint32{}, terms: map[string]uint32{}}
	for i := range docs {
		b.read(&docs[i])
	}
	b.weigh()
	x, err := Open(b.encode())
	if err != nil {
		panic("find: the index just built does not open: " + err.Error())
	}
	return x
}

// builder collects what the index is made of.
type builder struct {
	docs   []Document
	words  map[string]uint32 // surface words
	wordOf []string
	termOf []uint32 // surface word → term
	soft   []bool   // surface word → soft verb
	terms  map[string]uint32
	texts  [][fieldCount][]uint32 // document → field → surface words
	lists  [][]posting            // term → documents, in order
}

// posting is one document in which a term stands. weight is the saturated frequency, 1 to 255.
type posting struct {
	doc    uint32
	weight uint8
}

// read takes a document apart into words.
func (b *builder) read(doc *Document) {
	var text [fieldCount][]uint32
	add := func(f field, s string) {
		split(s, func(word string) {
			if !isNoise(word) {
				text[f] = append(text[f], b.word(word))
			}
		})
	}
	add(fieldName, doc.Name)
	add(fieldSource, doc.Source)
	if doc.Title != "" && !strings.HasPrefix(doc.Description, doc.Title) {
		add(fieldTitle, doc.Title)
	}
	add(fieldDescription, doc.Description)
	add(fieldGroup, doc.Group)
	for _, p := range doc.Parameters {
		add(fieldParameter, p.Name)
		add(fieldParameterText, p.Description)
		for _, value := range p.Enum {
			add(fieldEnum, value)
		}
	}
	for _, example := range doc.Examples {
		add(fieldExample, example)
	}
	for _, intent := range doc.Intents {
		add(fieldIntent, intent)
	}
	b.texts = append(b.texts, text)
}

// word is the number of a surface word.
func (b *builder) word(word string) uint32 {
	if id, known := b.words[word]; known {
		return id
	}
	word = strings.Clone(word)
	id := uint32(len(b.wordOf))
	b.words[word] = id
	b.wordOf = append(b.wordOf, word)
	stemmed := stem(word)
	term, known := b.terms[stemmed]
	if !known {
		term = uint32(len(b.terms))
		b.terms[stemmed] = term
	}
	b.termOf = append(b.termOf, term)
	b.soft = append(b.soft, softWords()[stemmed])
	return id
}

// weigh turns the words of each document into one weight a term: occurrences summed over the
// fields, each by its rule, and then saturated once (BM25F).
func (b *builder) weigh() {
	means := b.meanLengths()
	b.lists = make([][]posting, len(b.terms))
	sums := make([]float32, len(b.terms))
	var touched []uint32
	for doc := range b.texts {
		touched = touched[:0]
		for f, words := range b.texts[doc] {
			rule := fieldRules[f]
			worth := rule.weight / (1 - rule.length + rule.length*float32(len(words))/means[f])
			for _, word := range words {
				term := b.termOf[word]
				if sums[term] == 0 {
					touched = append(touched, term)
				}
				sums[term] += worth
			}
		}
		for _, term := range touched {
			share := sums[term] / (saturation + sums[term])
			sums[term] = 0
			weight := uint8(max(1, math.Round(float64(share)*255)))
			b.lists[term] = append(b.lists[term], posting{uint32(doc), weight})
		}
	}
}

// meanLengths is the mean number of words of each field, over the documents that have it.
func (b *builder) meanLengths() [fieldCount]float32 {
	var sums, counts, means [fieldCount]float32
	for doc := range b.texts {
		for f, words := range b.texts[doc] {
			if len(words) > 0 {
				sums[f] += float32(len(words))
				counts[f]++
			}
		}
	}
	for f := range means {
		means[f] = max(1, sums[f]/max(1, counts[f]))
	}
	return means
}

// sortedTerms lists the terms in the order of their bytes.
func (b *builder) sortedTerms() []string {
	names := make([]string, 0, len(b.terms))
	for name := range b.terms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxName is how many words of a name count.
const maxName = 12

// name lists the rows of the terms of a document's name, each once, and how much they tell together.
func (b *builder) name(doc int, rows []uint32) (name []uint32, rarity float32) {
	for _, word := range b.texts[doc][fieldName] {
		term := b.termOf[word]
		if row := rows[term]; len(name) < maxName && !slices.Contains(name, row) {
			name = append(name, row)
			rarity += rarityOf(len(b.docs), len(b.lists[term]))
		}
	}
	return name, rarity
}
