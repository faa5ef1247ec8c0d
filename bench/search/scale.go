package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/twodoor/twodoor/source/find"
)

// scale measures one catalogue of n tools, taken from all sets and copied until they are enough:
// the time of building, opening and searching it, and its size.
func scale(w io.Writer, m measurer, sets []*set, n int) {
	docs := copies(sets, n)
	begun := time.Now()
	built := find.Build(docs)
	build := time.Since(begun)
	begun = time.Now()
	index, err := find.Open(built.Encode())
	if err != nil {
		panic(err)
	}
	open := time.Since(begun)
	var times []float64
	for _, s := range sets {
		for _, file := range s.files {
			for _, q := range file.list[:min(200, len(file.list))] {
				begun := time.Now()
				index.Search(find.Query{Text: q.Text, Words: m.words})
				times = append(times, milliseconds(time.Since(begun)))
			}
		}
	}
	slices.Sort(times)
	fmt.Fprintf(w, "\n%d tools: build %.0f ms, open %.2f ms, index %d bytes; %d queries: p50 %.2f ms, p95 %.2f ms\n",
		index.Len(), milliseconds(build), milliseconds(open), len(index.Encode()), len(times), times[len(times)/2], times[len(times)*95/100])
}

// copies takes tools of all sets, again and again under other ids and sources, until there are n.
func copies(sets []*set, n int) []find.Document {
	docs := make([]find.Document, 0, n)
	for round := 0; len(docs) < n; round++ {
		for _, s := range sets {
			for _, doc := range s.tools {
				if len(docs) == n {
					return docs
				}
				if round > 0 {
					doc.ID = fmt.Sprintf("%s#%d", doc.ID, round)
					doc.Source = fmt.Sprintf("%s %d", doc.Source, round)
				}
				docs = append(docs, doc)
			}
		}
	}
	return docs
}
