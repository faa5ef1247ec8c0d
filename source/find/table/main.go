package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
)

// The size of the table. Both are measured: more of either gains nothing.
const (
	wordCount  = 20_000
	dimensions = 128
)

// rare is the share of all words at which a word has half its weight: frequent ones tell less.
const rare = .001

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.model, "model", "", "folder of the encoder: model.json, its shards, vocab.json")
	flag.StringVar(&o.words, "words", "", "word list, one a line")
	flag.StringVar(&o.wordnet, "wordnet", "", "folder of WordNet's data files")
	flag.StringVar(&o.texts, "texts", "", "folder of API descriptions")
	flag.StringVar(&o.out, "out", "words.bin", "file to write")
	flag.StringVar(&o.say, "encode", "", "print the vector of this text, and stop")
	flag.Parse()
	if err := o.run(); err != nil {
		log.Fatal(err)
	}
}

type options struct{ model, words, wordnet, texts, out, say string }

// run is the recipe.
func (o *options) run() error {
	m, err := readModel(o.model)
	if err != nil {
		return err
	}
	if o.say != "" {
		fmt.Println(m.encode(m.tokens(o.say)))
		return nil
	}
	v := &vocabulary{gloss: map[string]int{}, lemma: map[string]bool{}, texts: map[string]int{}}
	if err := v.readWordNet(o.wordnet); err != nil {
		return err
	}
	if o.texts != "" {
		if err := v.readTexts(o.texts); err != nil {
			return err
		}
	}
	list, err := os.ReadFile(o.words)
	if err != nil {
		return err
	}
	words := v.choose(strings.Fields(string(list)), wordCount)
	slices.Sort(words)

	vectors := each(len(words), func(i int) []float32 { return m.encode(m.tokens(words[i])) })
	pieces := each(len(m.pieces), func(i int) []float32 { return m.encode([]int{i}) })
	d := principal(vectors, dimensions)

	t := table{}
	for i, word := range words {
		share := float64(v.gloss[word]) / float64(v.total)
		t.words.add(word, d.project(vectors[i]), float32(rare/(rare+share)))
	}
	order := make([]int, 0, len(pieces))
	for i := range pieces[:len(m.pieces)] {
		if i > 5 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(m.pieces[a].text, m.pieces[b].text) })
	for _, i := range order {
		t.pieces.add(m.pieces[i].text, d.project(pieces[i]), 1)
		t.scores = binary.LittleEndian.AppendUint32(t.scores, math.Float32bits(float32(m.pieces[i].score)))
	}
	return os.WriteFile(o.out, t.bytes(), 0o644)
}

// each computes n vectors on two cores.
func each(n int, vector func(i int) []float32) [][]float32 {
	out := make([][]float32, n)
	var wg sync.WaitGroup
	for part := range 2 {
		wg.Go(func() {
			for i := part; i < n; i += 2 {
				out[i] = vector(i)
			}
		})
	}
	wg.Wait()
	return out
}

// table is the file while it grows; package find tells its layout.
type table struct {
	words, pieces rows
	scores        []byte
}

// rows are texts in sorted order, each with a vector.
type rows struct {
	n                     int
	places, vectors, heap []byte
}

// add quantises a vector: one scale, and a signed byte a component.
func (r *rows) add(text string, vector []float32, weight float32) {
	most := float32(0)
	for _, v := range vector {
		most = max(most, float32(math.Abs(float64(v))))
	}
	scale := max(most, 1e-9) / 127
	r.n++
	r.places = binary.LittleEndian.AppendUint32(r.places, uint32(len(r.heap)))
	r.heap = append(r.heap, text...)
	r.vectors = binary.LittleEndian.AppendUint32(r.vectors, math.Float32bits(scale*weight))
	for _, v := range vector {
		r.vectors = append(r.vectors, byte(int8(math.Round(float64(v/scale)))))
	}
}

func (t *table) bytes() []byte {
	var body []byte
	for _, r := range []*rows{&t.words, &t.pieces} {
		body = binary.LittleEndian.AppendUint32(body, uint32(r.n))
		body = binary.LittleEndian.AppendUint32(body, uint32(len(r.heap)))
		body = append(body, r.places...)
		body = append(body, r.vectors...)
		body = append(body, r.heap...)
	}
	body = append(body, t.scores...)
	data := append([]byte("2dwords\x01"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(data[8:], crc32.ChecksumIEEE(body))
	return append(data, body...)
}
