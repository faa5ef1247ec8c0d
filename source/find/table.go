package find

import (
	_ "embed" // the word table
	"encoding/binary"
	"math"
	"sort"
)

// wordTable is what English words mean, as numbers: made once by the command in table/, from public
// data whose notices are in table/LICENSES. Being a constant of the binary, it costs nothing until
// a search reads it, and then only the rows of the words at hand.
//
//	header  magic, CRC-32 of all that follows
//	words   rows: count, heap length, offsets, vectors, heap
//	pieces  the same for pieces of words
//	scores  of the pieces, one float32 each: the log of how common it is
//
//go:embed table/words.bin
var wordTable string

// vectorDims is the number of components of a vector.
const vectorDims = 128

const (
	tableMagic  = "2dwords\x01"
	tableHeader = len(tableMagic) + 4
)

// tableMark names this table: the vectors of an index fit only the table they were made with.
func tableMark() uint32 { return text32(wordTable, len(tableMagic)) }

func text32(data string, at int) uint32 {
	_ = data[at+3]
	return uint32(data[at]) | uint32(data[at+1])<<8 | uint32(data[at+2])<<16 | uint32(data[at+3])<<24
}

// vectorRows is a sorted list of texts, each with a vector.
type vectorRows struct {
	n                     int
	places, vectors, heap string
}

// tableRows cuts one list off the front of the data.
func tableRows(data string) (rows vectorRows, rest string) {
	n, size := int(text32(data, 0)), int(text32(data, 4))
	data = data[8:]
	rows.n = n
	rows.places, data = data[:4*n], data[4*n:]
	rows.vectors, data = data[:vectorSize*n], data[vectorSize*n:]
	rows.heap, data = data[:size], data[size:]
	return rows, data
}

func (r *vectorRows) text(i int) string {
	end := len(r.heap)
	if i+1 < r.n {
		end = int(text32(r.places, 4*(i+1)))
	}
	return r.heap[text32(r.places, 4*i):end]
}

// find is the row of a text, or -1.
func (r *vectorRows) find(text string) int {
	i := sort.Search(r.n, func(i int) bool { return r.text(i) >= text })
	if i < r.n && r.text(i) == text {
		return i
	}
	return -1
}

// add adds a row, times a weight.
func (r *vectorRows) add(sum *vector, i int, weight float32) {
	row := r.vectors[vectorSize*i : vectorSize*(i+1)]
	scale := weight * math.Float32frombits(text32(row, 0))
	for j := range sum {
		sum[j] += scale * float32(int8(row[4+j]))
	}
}

// vector is what a word or a text means.
type vector [vectorDims]float32

// meanings reads the word table.
type meanings struct {
	words, pieces vectorRows
	scores        string
}

func openMeanings() meanings {
	var m meanings
	rest := wordTable[tableHeader:]
	m.words, rest = tableRows(rest)
	m.pieces, m.scores = tableRows(rest)
	return m
}

// add adds the meaning of a word, times a weight. A word that the table lacks means what its pieces
// mean together, if it has three letters or more.
func (m *meanings) add(sum *vector, word string, weight float32) {
	if i := m.words.find(word); i >= 0 {
		m.words.add(sum, i, weight)
		return
	}
	if len(word) < 3 || !isLowerASCII(word) {
		return
	}
	pieces := m.split(word)
	for _, i := range pieces {
		m.pieces.add(sum, i, weight/float32(len(pieces)))
	}
}

// unknownScore is that of a letter which is no piece.
const unknownScore = -20

// longestPiece is the longest piece of the table, in bytes.
const longestPiece = 16

// wordStart is how the table marks pieces that begin a word.
const wordStart = "▁"

// split takes a word apart into the pieces of the highest total score.
func (m *meanings) split(word string) []int {
	type state struct {
		score float32
		from  int
		piece int
	}
	best := make([]state, len(word)+1)
	for end := 1; end <= len(word); end++ {
		best[end] = state{float32(math.Inf(-1)), end - 1, -1}
		for start := max(0, end-longestPiece); start < end; start++ {
			text := word[start:end]
			if start == 0 {
				text = wordStart + text
			}
			piece, score := m.pieces.find(text), float32(unknownScore)
			if piece >= 0 {
				score = math.Float32frombits(text32(m.scores, 4*piece))
			} else if end-start > 1 {
				continue
			}
			if total := best[start].score + score; total > best[end].score {
				best[end] = state{total, start, piece}
			}
		}
	}
	var pieces []int
	for at := len(word); at > 0; at = best[at].from {
		if best[at].piece >= 0 {
			pieces = append(pieces, best[at].piece)
		}
	}
	return pieces
}

// vectors gives each document a vector: name, source, the beginning of the description and the
// parameters, each word by how rare it is in the catalog.
func (b *builder) vectors() []byte {
	m := openMeanings()
	known := make([]*vector, len(b.wordOf))
	sums := make([]float32, len(b.wordOf))
	var touched []uint32
	data := make([]byte, 0, len(b.texts)*vectorSize)
	for doc := range b.texts {
		touched = touched[:0]
		for f, weight := range meaningWeights {
			if weight == 0 {
				continue
			}
			for _, word := range firstWords(b.texts[doc][f]) {
				if sums[word] == 0 {
					touched = append(touched, word)
				}
				sums[word] += weight
			}
		}
		var sum vector
		for _, word := range touched {
			if known[word] == nil {
				known[word] = new(vector)
				m.add(known[word], b.wordOf[word], b.tells(word))
			}
			x := 2 * sums[word] / (1 + sums[word])
			sums[word] = 0
			for j, v := range known[word] {
				sum[j] += x * v
			}
		}
		data = sum.appendTo(data)
	}
	return data
}

// meaningWeights say how much the fields tell of what a document means.
var meaningWeights = [fieldCount]float32{
	fieldName: 2, fieldSource: .5, fieldTitle: 1, fieldDescription: 1, fieldParameter: .5, fieldIntent: 1,
}

// firstWords bounds a field: what a text is about stands at its beginning.
func firstWords(words []uint32) []uint32 { return words[:min(len(words), 40)] }

// tells is how much a surface word tells in this catalog.
func (b *builder) tells(word uint32) float32 {
	tells := rareness(len(b.docs), len(b.lists[b.termOf[word]]))
	if b.soft[word] {
		return softWeight * tells
	}
	return tells
}

// rareness is how much a word tells that stands in count of n documents.
func rareness(n, count int) float32 {
	return float32(math.Log(1 + float64(n+1)/float64(count+1)))
}

// appendTo appends a vector at unit length: its scale, and a signed byte a component.
func (v *vector) appendTo(data []byte) []byte {
	v.unit()
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale := max(most, 1e-9) / 127
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(scale))
	for _, x := range v {
		data = append(data, byte(int8(math.Round(float64(x/scale)))))
	}
	return data
}

// unit brings a vector to length 1; false: it is zero.
func (v *vector) unit() bool {
	length := float32(0)
	for _, x := range v {
		length += x * x
	}
	if length == 0 {
		return false
	}
	length = float32(math.Sqrt(float64(length)))
	for j := range v {
		v[j] /= length
	}
	return true
}

// similar is how near the candidates of a text are to it in meaning, each as a share of the
// nearest; nil where that cannot be told. Where the words give few candidates, it adds those that
// are nearest in meaning alone.
func (x *Index) similar(s *scratch, r request, text int, q Query) []float32 {
	if len(x.vectors) == 0 {
		return nil
	}
	var sum vector
	m := openMeanings()
	for i := range r.terms {
		if t := &r.terms[i]; !t.near && t.texts&(1<<text) != 0 {
			m.add(&sum, t.word, t.weight*rareness(x.Len(), t.at.count))
		}
	}
	if !sum.unit() {
		return nil
	}
	if len(s.heap) < candidates && s.scans >= x.Len() {
		s.scans -= x.Len()
		x.addNearest(s, &sum, s.lists[text], q)
	}
	return x.cosines(s, &sum)
}

// scanned is how many documents one search compares in meaning beyond its candidates.
const scanned = 2_000

// addNearest fills the candidates up with the documents nearest in meaning.
func (x *Index) addNearest(s *scratch, v *vector, scores []float32, q Query) {
	words := s.heap
	s.heap = s.spare[:0]
	room := candidates - len(words)
	for doc := range uint32(x.Len()) {
		if scores[doc] == 0 {
			if cosine := x.cosine(v, doc); cosine > 0 {
				x.offer(s, scored{cosine, doc}, room, q)
			}
		}
	}
	for _, c := range s.heap {
		words = append(words, scored{0, c.doc})
	}
	s.spare, s.heap = s.heap, words
}

// cosines compares the candidates with a text.
func (x *Index) cosines(s *scratch, v *vector) []float32 {
	top := float32(0)
	s.near = s.near[:0]
	for _, c := range s.heap {
		cosine := max(0, x.cosine(v, c.doc))
		top = max(top, cosine)
		s.near = append(s.near, cosine)
	}
	if top == 0 {
		return nil
	}
	for i := range s.near {
		s.near[i] /= top
	}
	return s.near
}

// cosine compares a vector of unit length with that of a document.
func (x *Index) cosine(v *vector, doc uint32) float32 {
	row := x.vectors[int(doc)*vectorSize : int(doc+1)*vectorSize]
	scale := math.Float32frombits(u32(row, 0))
	c := (*[vectorDims]byte)(row[4:])
	var p, q, r, s float32
	for j := 0; j < vectorDims; j += 4 {
		p += v[j] * float32(int8(c[j]))
		q += v[j+1] * float32(int8(c[j+1]))
		r += v[j+2] * float32(int8(c[j+2]))
		s += v[j+3] * float32(int8(c[j+3]))
	}
	return scale * (p + q + r + s)
}

// likeness is how near two documents are in meaning: 1 for the same.
func (x *Index) likeness(a, b uint32) float32 {
	u, v := x.vectors[int(a)*vectorSize:int(a+1)*vectorSize], x.vectors[int(b)*vectorSize:int(b+1)*vectorSize]
	sum := 0
	for i := 4; i < vectorSize; i++ {
		sum += int(int8(u[i])) * int(int8(v[i]))
	}
	return float32(sum) * math.Float32frombits(u32(u, 0)) * math.Float32frombits(u32(v, 0))
}
