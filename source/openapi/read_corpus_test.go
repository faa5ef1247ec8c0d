package openapi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// eachDescription reads every description of the corpus.
func eachDescription(t *testing.T, check func(t *testing.T, file string, r *twodoor.Reading)) {
	t.Helper()
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions to read")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "openapi", "*.*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no descriptions in %s: %v", folder, err)
	}
	for _, path := range paths {
		file := filepath.Base(path)
		name, _, _ := strings.Cut(file, ".")
		t.Run(file, func(t *testing.T) {
			r, err := (&Source{Name: name, File: path}).Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			check(t, file, r)
		})
	}
}

// TestCorpusRead reads every description whole: what it cannot serve is bounded, and nothing is
// lost without a word.
func TestCorpusRead(t *testing.T) {
	described, exceptions := 0, 0
	eachDescription(t, func(t *testing.T, file string, r *twodoor.Reading) {
		held := heldNames(t, file)
		if n := len(held); n != len(r.Operations)+len(r.Exceptions) {
			t.Errorf("%d described, %d generated, %d exceptions", n, len(r.Operations), len(r.Exceptions))
		}
		if len(r.Exceptions) > 2 {
			t.Errorf("%d exceptions: %v", len(r.Exceptions), r.Exceptions)
		}
		for _, op := range r.Operations {
			if want := r.Source + "." + held[op.Origin]; op.ID != want {
				t.Errorf("%s is named %s, held is %s", op.Origin, op.ID, want)
			}
		}
		described += len(r.Operations) + len(r.Exceptions)
		exceptions += len(r.Exceptions)
		logWeight(t, r)
	})
	if exceptions*200 > described {
		t.Errorf("%d of %d operations are exceptions, more than 0.5 %%", exceptions, described)
	}
}

func logWeight(t *testing.T, r *twodoor.Reading) {
	shared, own, shown := 0, 0, 0
	for _, text := range r.Definitions {
		shared += len(text)
	}
	for _, op := range r.Operations {
		own += len(op.Input) + len(op.Output) + len(op.Plan) + len(op.Description)
		shown += len(op.Examples)
	}
	t.Logf("%d operations, %d kB; %d shared schemas, %d kB; %d examples", len(r.Operations), own/1000, len(r.Definitions), shared/1000, shown)
}

// heldNames are the names that package naming holds for every operation of a description, found
// there without this package.
func heldNames(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("naming", "testdata", "names", file+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, name, _ := strings.Cut(strings.TrimSpace(line), " → ")
		held[key] = name
	}
	return held
}

// TestCorpusSchemas compiles every schema of every description, and asks whether every host takes
// every tool.
func TestCorpusSchemas(t *testing.T) {
	eachDescription(t, func(t *testing.T, _ string, r *twodoor.Reading) { checkReading(t, r) })
}
