package find

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sort"
	"sync"
	"unsafe"
)

// Index is everything that can be found, ready to be searched. It never changes and is safe for
// concurrent use. It is its own encoded form: opening it decodes nothing.
type Index struct {
	data    []byte
	docs    []byte // docSize bytes each
	terms   []byte // termSize bytes each, sorted by text
	sources []byte // sourceSize bytes each
	lists   []byte
	names   []byte // terms of the documents' names, 4 bytes each
	vectors []byte // vectorSize bytes a document, or nothing
	heap    []byte
	scratch sync.Pool // *scratch
}

// The encoded form. All numbers are little-endian.
//
//	header   magic, CRC-32C of all that follows it, mark of the word table, seven section lengths
//	docs     id (offset, length), kind, deed, line (offset, length), terms in its name and
//	         twice their rarity, source, cluster, name, twin (the next document of
//	         its cluster, round in a ring)
//	terms    text (offset, length), highest weight, documents, list (offset)
//	sources  documents
//	lists    for each document of a term: distance to the one before as a varint, weight
//	names    rows of the term table
//	vectors  scale (float32) and vectorDims signed bytes a document
//	heap     texts
const (
	magic        = "2dfind\x00\x01"
	headerSize   = len(magic) + 4 + 4 + sectionCount*4
	sectionCount = 7
	docSize      = 32
	termSize     = 16
	sourceSize   = 4
	vectorSize   = 4 + vectorDims
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrFormat means that the bytes are no index, or one of another version: build it anew.
var ErrFormat = errors.New("not a search index of this version")

// Encode is the index as bytes, for [Open]. They must not be changed.
func (x *Index) Encode() []byte { return x.data }

// Open stands an index on bytes that [Index.Encode] gave. They are used as they are and must not
// be changed afterwards. The error is ErrFormat.
func Open(data []byte) (*Index, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if crc32.Checksum(data[len(magic)+4:], castagnoli) != u32(data, len(magic)) {
		return nil, fmt.Errorf("%w: its checksum differs", ErrFormat)
	}
	x := &Index{data: data}
	mark := u32(data, len(magic)+4)
	at := headerSize
	for i, section := range []*[]byte{&x.docs, &x.terms, &x.sources, &x.lists, &x.names, &x.vectors, &x.heap} {
		end := at + int(u32(data, len(magic)+8+4*i))
		if end > len(data) {
			return nil, fmt.Errorf("%w: it ends early", ErrFormat)
		}
		*section = data[at:end:end]
		at = end
	}
	if mark != tableMark() {
		x.vectors = nil
	}
	return x, nil
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.docs) / docSize }

func u32(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
func u16(data []byte, at int) uint16 { return binary.LittleEndian.Uint16(data[at:]) }

// text is a piece of the heap, shared with the encoded form.
func (x *Index) text(offset uint32, length uint16) string {
	piece := x.heap[offset : offset+uint32(length)]
	return unsafe.String(unsafe.SliceData(piece), len(piece))
}

func (x *Index) id(doc uint32) string {
	r := x.docs[doc*docSize:]
	return x.text(u32(r, 0), u16(r, 4))
}

func (x *Index) line(doc uint32) string {
	r := x.docs[doc*docSize:]
	return x.text(u32(r, 8), u16(r, 12))
}

func (x *Index) topic(doc uint32) Topic    { return Topic(x.docs[doc*docSize+6]) }
func (x *Index) deed(doc uint32) deed      { return deed(x.docs[doc*docSize+7]) }
func (x *Index) source(doc uint32) uint32  { return u32(x.docs, int(doc)*docSize+16) }
func (x *Index) cluster(doc uint32) uint32 { return u32(x.docs, int(doc)*docSize+20) }

// twin is the next document of the same cluster: itself, where there is no other.
func (x *Index) twin(doc uint32) uint32 { return u32(x.docs, int(doc)*docSize+28) }

// name lists the terms of a document's name, 4 bytes each.
func (x *Index) name(doc uint32) []byte {
	r := x.docs[doc*docSize:]
	at := 4 * u32(r, 24)
	return x.names[at : at+4*uint32(r[14])]
}

// nameRarity is how much all the terms of a document's name tell.
func (x *Index) nameRarity(doc uint32) float32 { return float32(x.docs[doc*docSize+15]) / 2 }

// sourceLen is the number of documents of a source.
func (x *Index) sourceLen(source uint32) int { return int(u32(x.sources, int(source)*sourceSize)) }

// entry is a row of the term table.
type entry struct {
	text  string
	row   int
	count int     // documents in which the term stands
	most  float32 // the highest weight that it has anywhere, 0 to 1
	list  uint32
}

func (x *Index) termAt(i int) entry {
	r := x.terms[i*termSize:]
	return entry{x.text(u32(r, 0), uint16(r[4])), i, int(u32(r, 8)), float32(r[5]) / 255, u32(r, 12)}
}

// term looks a stem up.
func (x *Index) term(stem string) (entry, bool) {
	n := len(x.terms) / termSize
	i := sort.Search(n, func(i int) bool {
		r := x.terms[i*termSize:]
		return x.text(u32(r, 0), uint16(r[4])) >= stem
	})
	if i < n {
		if found := x.termAt(i); found.text == stem {
			return found, true
		}
	}
	return entry{}, false
}

// count is the number of documents of the term in a row.
func (x *Index) count(row uint32) int { return int(u32(x.terms, int(row)*termSize+8)) }

// rarity is how much a term tells.
func (x *Index) rarity(count int) float32 { return rarityOf(x.Len(), count) }

// rarityOf is how much a term tells that stands in count of n documents: the idf of BM25.
func rarityOf(documents, count int) float32 {
	n, c := float64(documents), float64(count)
	return float32(math.Log(1 + (n-c+.5)/(c+.5)))
}

// encode writes the encoded form.
func (b *builder) encode() []byte {
	w := writer{sourceIDs: map[string]uint32{}}
	clusters := clustersOf(b.docs)
	twins := ringsOf(clusters)
	rows := make([]uint32, len(b.terms))
	for row, name := range b.sortedTerms() {
		rows[b.terms[name]] = uint32(row)
		w.term(name, b.lists[b.terms[name]])
	}
	for i := range b.docs {
		name, rarity := b.name(i, rows)
		w.doc(&b.docs[i], clusters[i], twins[i], name, rarity)
	}
	for _, count := range w.counts {
		w.sources = binary.LittleEndian.AppendUint32(w.sources, count)
	}
	w.vectors = b.vectors()
	return w.bytes()
}

// writer holds the sections while they grow.
type writer struct {
	docs, terms, sources, lists, names, vectors, heap []byte

	sourceIDs map[string]uint32
	counts    []uint32
}

const maxHeapText = 200 // bytes of a line that is kept

func (w *writer) doc(doc *Document, cluster, twin uint32, name []uint32, rarity float32) {
	line := doc.Title
	if line == "" {
		line = firstSentence(doc.Description, maxHeapText)
	}
	w.docs = w.appendText(w.docs, clip(doc.ID, math.MaxUint16))
	w.docs = append(w.docs, byte(doc.Topic), byte(doc.deedOf()))
	w.docs = w.appendText(w.docs, clip(line, maxHeapText))
	w.docs = append(w.docs, byte(len(name)), byte(min(255, math.Round(2*float64(rarity)))))
	w.docs = binary.LittleEndian.AppendUint32(w.docs, w.source(doc.Source))
	w.docs = binary.LittleEndian.AppendUint32(w.docs, cluster)
	w.docs = binary.LittleEndian.AppendUint32(w.docs, uint32(len(w.names)/4))
	w.docs = binary.LittleEndian.AppendUint32(w.docs, twin)
	for _, row := range name {
		w.names = binary.LittleEndian.AppendUint32(w.names, row)
	}
}

// appendText puts a text on the heap, and its offset and length (6 bytes) into a record.
func (w *writer) appendText(record []byte, text string) []byte {
	record = binary.LittleEndian.AppendUint32(record, uint32(len(w.heap)))
	w.heap = append(w.heap, text...)
	return binary.LittleEndian.AppendUint16(record, uint16(len(text)))
}

func (w *writer) source(name string) uint32 {
	id, known := w.sourceIDs[name]
	if !known {
		id = uint32(len(w.counts))
		w.sourceIDs[name] = id
		w.counts = append(w.counts, 0)
	}
	w.counts[id]++
	return id
}

func (w *writer) term(name string, list []posting) {
	name = clip(name, math.MaxUint8)
	var most uint8
	for _, p := range list {
		most = max(most, p.weight)
	}
	w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(len(w.heap)))
	w.terms = append(w.terms, byte(len(name)), most, 0, 0)
	w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(len(list)))
	w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(len(w.lists)))
	w.heap = append(w.heap, name...)
	before := uint32(0)
	for _, p := range list {
		w.lists = binary.AppendUvarint(w.lists, uint64(p.doc-before))
		w.lists = append(w.lists, p.weight)
		before = p.doc
	}
}

func (w *writer) bytes() []byte {
	sections := [][]byte{w.docs, w.terms, w.sources, w.lists, w.names, w.vectors, w.heap}
	data := append([]byte(magic), 0, 0, 0, 0)
	data = binary.LittleEndian.AppendUint32(data, tableMark())
	for _, s := range sections {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(s)))
	}
	for _, s := range sections {
		data = append(data, s...)
	}
	binary.LittleEndian.PutUint32(data[len(magic):], crc32.Checksum(data[len(magic)+4:], castagnoli))
	return data
}
