package protobuf_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
)

// BenchmarkCorpus compiles 269 files with 1,441 methods.
func BenchmarkCorpus(b *testing.B) {
	root := corpus(b)
	for b.Loop() {
		source := &protobuf.Source{Name: "g", Files: []string{root}, ImportPaths: []string{root}}
		if _, err := source.Read(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens what one call of the largest service needs, among everything that is kept.
func BenchmarkOpen(b *testing.B) {
	root := corpus(b)
	source := &protobuf.Source{Name: "g", Files: []string{root}, ImportPaths: []string{root}}
	reading, err := source.Read(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	define := func(name string) json.RawMessage { return reading.Definitions[name] }
	for b.Loop() {
		if _, err := pieces.Open(define, "google.cloud.compute.v1.InsertInstanceRequest", "google.cloud.compute.v1.Operation"); err != nil {
			b.Fatal(err)
		}
	}
}
