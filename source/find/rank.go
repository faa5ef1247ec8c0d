package find

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Query asks the index.
type Query struct {
	Text  string               // required
	Limit int                  // hits at most; 0: DefaultHits
	Topic Topic                // TopicAny: all
	Words bool                 // by words only, without the word table
	Show  func(id string) bool // what may be found; nil: everything. Asked only of likely hits
}

// DefaultHits is how many hits a query gives that does not say.
const DefaultHits = 8

// Found is the answer to a query.
type Found struct {
	Hits       []Hit   // best first
	Confidence float64 // that there is something that fits, 0 to 1, comparable between queries
}

// Hit is one thing found.
type Hit struct {
	ID    string
	Topic Topic
	Line  string   // its title, or what its description begins with
	Score float64  // 0 to 1, comparable within one answer only
	Also  []string // ids of the same thing in other sources
}

// How the signals are mixed; measured on public sets of requests, see bench/search.
const (
	candidates  = 200 // best hits of the words, for which the meaning is asked too
	wholeShare  = .4  // of the whole query beside its best clause
	meaning     = .3  // of the word table beside the words
	sourcePrior = .1  // of the source's best hit
	priorHalf   = 1   // documents of a source at which its prior counts half
	naming      = .15 // of a name that the request holds whole
	onlyName    = .2  // of a name that holds the whole request in turn
	nameSlack   = 1   // rarity that a name lacks to count as told by one word
	nameWord    = 1   // what a word of a name counts beside its rarity
	rightDeed   = .1  // of a deed other than reading that is the one asked for
	wrongDeed   = .4  // taken from a deed that is not
	crowding    = .12 // taken from what means the same as a better hit
	crowdFrom   = .85 // nearness in meaning from which that begins
)

// Search answers a query.
func (x *Index) Search(q Query) Found {
	s := x.borrow()
	defer x.scratch.Put(s)
	r := parse(q.Text)
	x.lookUp(&r)
	x.mark(s, r.terms)
	defer s.forget(r.terms)
	x.score(s, r)
	x.fuse(s, r, q)
	x.addPrior(s)
	slices.SortFunc(s.ranked, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
	x.spread(s)
	return Found{Hits: x.hits(s, q), Confidence: x.confidence(s, r)}
}

// scored is a document and what it is worth.
type scored struct {
	score float32
	doc   uint32
}

// scratch is the memory of one search.
type scratch struct {
	lists   [][]float32             // text (0: the whole) → document → score of the words
	used    int                     // lists in use
	totals  [1 + maxClauses]float32 // text → how much its words tell
	tops    []float32               // text → highest score among what may be found
	whole   []float32               // document → mixed score of the whole
	best    []float32               // document → best mixed score of the whole and the clauses
	ranked  []scored
	heap    []scored
	spare   []scored
	marks   []uint32  // row of a term → texts that hold it; shifted by 16: that hold one of its meaning
	scans   int       // documents that may still be compared in meaning
	near    []float32 // similarity of the documents in heap
	sources map[uint32]float32
}

// borrow takes memory for a search. Its lists are clean.
func (x *Index) borrow() *scratch {
	s, _ := x.scratch.Get().(*scratch)
	if s == nil {
		s = &scratch{whole: make([]float32, x.Len()), best: make([]float32, x.Len()), marks: make([]uint32, len(x.terms)/termSize), sources: map[uint32]float32{}}
	}
	for _, hit := range s.ranked {
		s.whole[hit.doc], s.best[hit.doc] = 0, 0
	}
	s.ranked, s.tops = s.ranked[:0], s.tops[:0]
	clear(s.sources)
	s.scans = scanned
	return s
}

// take gives n clean lists.
func (s *scratch) take(n, size int) {
	for len(s.lists) < n {
		s.lists = append(s.lists, make([]float32, size))
	}
	for i := range s.lists[:n] {
		clear(s.lists[i])
	}
	s.used = n
}

// lookUp ties the terms of a request to the index.
func (x *Index) lookUp(r *request) {
	for i := range r.terms {
		r.terms[i].at, _ = x.term(r.terms[i].stem)
	}
	x.addSpellings(r)
}

// mark notes which texts hold a term of the index, and how much the words of each text tell.
func (x *Index) mark(s *scratch, terms []term) {
	clear(s.totals[:])
	for i := range terms {
		for text := range s.totals {
			if t := &terms[i]; !t.near && t.texts&(1<<text) != 0 {
				s.totals[text] += nameWord + x.rarity(t.at.count)
			}
		}
		switch t := &terms[i]; {
		case t.at.count == 0:
		case t.near:
			s.marks[t.at.row] |= uint32(t.texts) << 16
		default:
			s.marks[t.at.row] = uint32(t.texts)
		}
	}
}

func (s *scratch) forget(terms []term) {
	for i := range terms {
		if terms[i].at.count > 0 {
			s.marks[terms[i].at.row] = 0
		}
	}
}

// score adds up the words, for the whole request and for each clause, in one pass over the lists.
func (x *Index) score(s *scratch, r request) {
	s.take(1+r.clauses, x.Len())
	var into [1 + maxClauses][]float32
	for i := range r.terms {
		t := &r.terms[i]
		if t.at.count == 0 {
			continue
		}
		n := 0
		for text := range s.used {
			if t.texts&(1<<text) != 0 {
				into[n] = s.lists[text]
				n++
			}
		}
		x.addList(into[:n], t.at, t.weight*x.rarity(t.at.count)/255)
	}
}

// addList adds the documents of one term to the lists of the texts that hold it.
func (x *Index) addList(into [][]float32, at entry, worth float32) {
	list, doc := x.lists[at.list:], uint64(0)
	for range at.count {
		step, n := uint64(list[0]), 1
		if step >= 0x80 {
			step, n = binary.Uvarint(list)
		}
		doc += step
		add := worth * float32(list[n])
		for _, scores := range into {
			scores[doc] += add
		}
		list = list[n+1:]
	}
}

// fuse mixes words and meaning for each text, and then the texts: a document is worth what it is to
// the whole request and what it is to the one wish that it fits best.
func (x *Index) fuse(s *scratch, r request, q Query) {
	for text := range s.used {
		x.pick(s, s.lists[text], q)
		top := float32(0)
		for _, c := range s.heap {
			top = max(top, c.score)
		}
		s.tops = append(s.tops, top)
		x.mix(s, r, text, top, q)
	}
	for i := range s.ranked {
		hit := &s.ranked[i]
		if s.whole[hit.doc] == 0 && s.tops[0] > 0 {
			s.whole[hit.doc] = (1 - meaning) * s.lists[0][hit.doc] / s.tops[0]
		}
		hit.score = wholeShare*s.whole[hit.doc] + (1-wholeShare)*max(s.best[hit.doc], s.whole[hit.doc])
	}
}

// mix enters the candidates of one text.
func (x *Index) mix(s *scratch, r request, text int, top float32, q Query) {
	var similar []float32
	if !q.Words {
		similar = x.similar(s, r, text, q)
	}
	for i, c := range s.heap {
		mixed := c.score / max(top, 1e-9)
		if similar != nil {
			mixed = (1-meaning)*mixed + meaning*similar[i]
		}
		mixed += x.named(s, text, c.doc) + x.deedWorth(c.doc, r.deeds[text])
		if s.best[c.doc] == 0 {
			s.ranked = append(s.ranked, scored{doc: c.doc})
		}
		s.best[c.doc] = max(s.best[c.doc], mixed, 1e-6)
		if text == 0 {
			s.whole[c.doc] = mixed
		}
	}
}

// named is what a document's name is worth to a text: how much of the name the text holds, and more
// where the name holds all of the text in turn. Rare words count for more, words of the same meaning
// for half.
func (x *Index) named(s *scratch, text int, doc uint32) float32 {
	exact, alike := float32(0), float32(0)
	name := x.name(doc)
	all := x.nameRarity(doc) + nameWord*float32(len(name)/4)
	for ; len(name) > 0; name = name[4:] {
		row := u32(name, 0)
		switch mark := s.marks[row] >> text; {
		case mark&1 != 0:
			exact += nameWord + x.rarity(x.count(row))
		case mark&(1<<16) != 0:
			alike += nameWord + x.rarity(x.count(row))
		}
	}
	held := (exact + alike/2) / (all + nameSlack)
	share := exact / max(s.totals[text], 1)
	return naming*held + onlyName*held*share*share
}

// deedWorth prefers documents that do what is asked for. Most requests read: that they ask for it
// proves little.
func (x *Index) deedWorth(doc uint32, asked deed) float32 {
	switch d := x.deed(doc); {
	case d.against(asked):
		return -wrongDeed
	case d&asked&^deedRead != 0:
		return rightDeed
	}
	return 0
}

// pick fills the heap with the best documents of a list that may be found.
func (x *Index) pick(s *scratch, scores []float32, q Query) {
	s.heap = s.heap[:0]
	for doc, score := range scores {
		if score > 0 {
			x.offer(s, scored{score, uint32(doc)}, candidates, q)
		}
	}
}

// offer puts a document on the heap of the n best, if it may be found.
func (x *Index) offer(s *scratch, c scored, n int, q Query) {
	full := len(s.heap) == n
	if full && c.score <= s.heap[0].score || !x.shows(c.doc, q) {
		return
	}
	if full {
		s.heap[0] = c
		sink(s.heap)
		return
	}
	s.heap = append(s.heap, c)
	rise(s.heap)
}

func (x *Index) shows(doc uint32, q Query) bool {
	return (q.Topic == TopicAny || x.topic(doc) == q.Topic) && (q.Show == nil || q.Show(x.id(doc)))
}

// rise and sink keep the lowest score at the front of a heap.
func rise(h []scored) {
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent].score <= h[i].score {
			return
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func sink(h []scored) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].score < h[child].score {
			child++
		}
		if h[i].score <= h[child].score {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// addPrior lifts the documents of sources that have a good hit: requests mostly stay with one far
// side. A source of few documents is hardly one, and lifts little.
func (x *Index) addPrior(s *scratch) {
	for _, hit := range s.ranked {
		source := x.source(hit.doc)
		s.sources[source] = max(s.sources[source], hit.score)
	}
	for i := range s.ranked {
		source := x.source(s.ranked[i].doc)
		n := float32(x.sourceLen(source))
		s.ranked[i].score += sourcePrior * s.sources[source] * n / (n + priorHalf)
	}
}

// spread ranks the best documents anew, one after the other: what means nearly the same as one that
// stands before it gives way to what means something else. Ten ways to ask for the weather would
// leave no room for the eleventh, which may be the one that is wanted.
func (x *Index) spread(s *scratch) {
	const deep, most = 30, 10
	n := min(len(s.ranked), deep)
	if len(x.vectors) == 0 {
		return
	}
	var taken [deep]float32
	for i := range min(n-1, most) {
		next := i + 1
		for j := i + 1; j < n; j++ {
			crowd := (x.likeness(s.ranked[i].doc, s.ranked[j].doc) - crowdFrom) / (1 - crowdFrom)
			taken[j] = max(taken[j], crowding*min(crowd, 1))
			if s.ranked[j].score-taken[j] > s.ranked[next].score-taken[next] {
				next = j
			}
		}
		hit := scored{s.ranked[next].score - taken[next], s.ranked[next].doc}
		copy(s.ranked[i+2:next+1], s.ranked[i+1:next])
		copy(taken[i+2:next+1], taken[i+1:next])
		s.ranked[i+1] = hit
	}
}

// hits tells the best documents, each thing once.
func (x *Index) hits(s *scratch, q Query) []Hit {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultHits
	}
	hits := make([]Hit, 0, limit)
	told := make(map[uint32]bool, limit)
	for _, r := range s.ranked {
		if len(hits) == limit {
			break
		}
		if cluster := x.cluster(r.doc); !told[cluster] {
			told[cluster] = true
			hits = append(hits, Hit{x.id(r.doc), x.topic(r.doc), x.line(r.doc), shareOf(r.score, s.ranked[0].score), x.also(r.doc, q)})
		}
	}
	return hits
}

// also names the same thing in other sources, where it may be found.
func (x *Index) also(doc uint32, q Query) []string {
	var ids []string
	for twin := x.twin(doc); twin != doc; twin = x.twin(twin) {
		if x.shows(twin, q) {
			ids = append(ids, x.id(twin))
		}
	}
	return ids
}

// confidence says how likely it is that something fits. The score of the best hit alone favours
// long queries, its share of what a perfect hit would have favours short ones: their geometric mean
// does neither. It is taken of each text, and their mean weighed by what one rare word tells here.
func (x *Index) confidence(s *scratch, r request) float64 {
	sum := 0.0
	for text, top := range s.tops {
		perfect := float32(0)
		for i := range r.terms {
			if t := &r.terms[i]; t.texts&(1<<text) != 0 && !t.near {
				perfect += x.attainable(t)
			}
		}
		if perfect > 0 {
			sum += math.Sqrt(float64(top * min(1, top/perfect)))
		}
	}
	if sum == 0 {
		return 0
	}
	strength := sum / float64(len(s.tops)) / math.Sqrt(float64(x.rarity(1)))
	return 1 / (1 + math.Exp((evenStrength-strength)/strengthStep))
}

// The strength of match at which it is as likely as not that something fits, and the step by which
// the odds change e-fold; from the public sets, each against the requests of the others.
const (
	evenStrength = .47
	strengthStep = .09
)

// attainable is what a term could add to a score.
func (x *Index) attainable(t *term) float32 {
	if t.at.count > 0 {
		return t.weight * x.rarity(t.at.count) * t.at.most
	}
	if t.value {
		return t.weight * x.rarity(0) * valueWeight
	}
	return t.weight * x.rarity(0)
}

// shareOf is a score as a part of the best one, 0 to 1. What speaks against a document can weigh more
// than what speaks for it.
func shareOf(score, best float32) float64 {
	if score <= 0 || best <= 0 {
		return 0
	}
	return min(float64(score/best), 1)
}
