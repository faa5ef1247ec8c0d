package openapi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

func readCorpus(t *testing.T, file string) *twodoor.Reading {
	t.Helper()
	s := &Source{Name: sourceOf(file), File: filepath.Join(os.Getenv("TWODOOR_CORPUS"), "openapi", file)}
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCorpusRead reads every description whole: what it cannot serve is bounded, and nothing is
// lost without a word.
func TestCorpusRead(t *testing.T) {
	described, exceptions := 0, 0
	for _, file := range corpusFiles(t) {
		t.Run(file, func(t *testing.T) {
			r := readCorpus(t, file)
			if n := len(corpusRoutes(t, file)); n != len(r.Operations)+len(r.Exceptions) {
				t.Errorf("%d described, %d generated, %d exceptions", n, len(r.Operations), len(r.Exceptions))
			}
			if len(r.Exceptions) > 2 {
				t.Errorf("%d exceptions: %v", len(r.Exceptions), r.Exceptions)
			}
			sameNames(t, file, r)
			described += len(r.Operations) + len(r.Exceptions)
			exceptions += len(r.Exceptions)
			shared, own, shown := 0, 0, 0
			for _, text := range r.Definitions {
				shared += len(text)
			}
			for _, op := range r.Operations {
				own += len(op.Input) + len(op.Output) + len(op.Plan) + len(op.Description)
				shown += len(op.Examples)
			}
			t.Logf("%d operations, %d kB; %d shared schemas, %d kB; %d examples", len(r.Operations), own/1000, len(r.Definitions), shared/1000, shown)
		})
	}
	if exceptions*200 > described {
		t.Errorf("%d of %d operations are exceptions, more than 0.5 %%", exceptions, described)
	}
}

// sameNames asks for the names that are held for the description.
func sameNames(t *testing.T, file string, r *twodoor.Reading) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "names", file+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, name, _ := strings.Cut(strings.TrimSpace(line), arrow)
		held[key] = name
	}
	for _, op := range r.Operations {
		if want := r.Source + "." + held[op.Origin]; op.ID != want {
			t.Errorf("%s is named %s, held is %s", op.Origin, op.ID, want)
		}
	}
}

// TestCorpusSchemas compiles every schema of every description, and asks whether every host takes
// every tool.
func TestCorpusSchemas(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(file, func(t *testing.T) { checkReading(t, readCorpus(t, file)) })
	}
}
