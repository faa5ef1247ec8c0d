package diff

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	oasdiff "github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi"
)

func corpus(t testing.TB, file string) string {
	t.Helper()
	dir := os.Getenv("TWODOOR_CORPUS")
	if dir == "" {
		t.Skip("TWODOOR_CORPUS is not set: the descriptions of real APIs are not here")
	}
	return filepath.Join(dir, "openapi", file)
}

func read(t testing.TB, name, file string) *twodoor.Reading {
	t.Helper()
	reading, err := (&openapi.Source{Name: name, File: file}).Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

func catalogOf(t testing.TB, reading *twodoor.Reading) *twodoor.Catalog {
	t.Helper()
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// verdicts are sets of operations by what happened to them.
type verdicts map[string]map[string]bool

func (v verdicts) add(what, operation string) {
	if v[what] == nil {
		v[what] = map[string]bool{}
	}
	v[what][parameter.ReplaceAllString(operation, "{}")] = true
}

// theirs are the verdicts of oasdiff.
func theirs(t *testing.T, before, after string) verdicts {
	specs := make([]*load.SpecInfo, 2)
	for i, file := range []string{before, after} {
		spec, err := load.NewSpecInfo(openapi3.NewLoader(), load.NewSource(file), load.WithFlattenAllOf())
		if err != nil {
			t.Fatal(err)
		}
		specs[i] = spec
	}
	report, sources, err := oasdiff.GetWithOperationsSourcesMap(oasdiff.NewConfig(), specs[0], specs[1])
	if err != nil {
		t.Fatal(err)
	}
	v := verdicts{}
	for _, c := range checker.CheckBackwardCompatibilityUntilLevel(checker.NewConfig(checker.GetAllChecks()), report, sources, checker.INFO) {
		if what := verdictOf(c.GetId()); what != "" {
			v.add(what, c.GetOperation()+" "+c.GetPath())
		}
	}
	return v
}

func verdictOf(id string) string {
	switch id {
	case "endpoint-added":
		return "added"
	case "api-path-removed-with-deprecation", "api-path-removed-without-deprecation", "api-removed-without-deprecation", "api-removed-with-deprecation":
		return "removed"
	case "new-required-request-parameter", "request-parameter-became-required", "new-required-request-property", "request-property-became-required":
		return "newly required"
	case "request-body-one-of-removed":
		return "forms"
	case "request-property-removed", "request-parameter-removed":
		return "removed input"
	}
	if strings.HasPrefix(id, "response-") && strings.Contains(id, "-property-removed") {
		return "removed field"
	}
	return ""
}

// TestAgreesWithOasdiff: on two versions of a large description both tell the same, operation by
// operation, of what is added, removed, newly required, and of removed fields.
func TestAgreesWithOasdiff(t *testing.T) {
	older, newer := corpus(t, "github-older.json"), corpus(t, "github.json")
	if testing.Short() {
		t.Skip("oasdiff takes twenty seconds: left out with -short")
	}
	begun := time.Now()
	before, after := catalogOf(t, read(t, "github", older)), catalogOf(t, read(t, "github", newer))
	readIn := time.Since(begun)
	begun = time.Now()
	changes, err := Between(before, after)
	if err != nil {
		t.Fatal(err)
	}
	ours := verdicts{}
	names := map[Kind]string{Added: "added", Removed: "removed", InputRequired: "newly required", InputRemoved: "removed input", FieldRemoved: "removed field"}
	for _, c := range changes {
		if c.Kind == Moved {
			ours.add("removed", c.Before)
			ours.add("added", c.Origin)
		}
		if what := names[c.Kind]; what != "" && (c.Path != "" || c.Kind == Added || c.Kind == Removed) {
			ours.add(what, c.Origin)
		}
	}
	t.Logf("%d changes, %d of them breaking; both read in %v, compared in %v", len(changes), len(Breaking(changes)), readIn, time.Since(begun))
	begun = time.Now()
	other := theirs(t, older, newer)
	t.Logf("oasdiff: %v", time.Since(begun))
	// A form whose inside changed is told by oasdiff as one form less and another one more; here the
	// fields inside are told.
	for op := range other["forms"] {
		if ours["newly required"][op] {
			other.add("newly required", op)
		}
	}
	for _, what := range names {
		var onlyOurs, onlyTheirs []string
		for op := range ours[what] {
			if !other[what][op] {
				onlyOurs = append(onlyOurs, op)
			}
		}
		for op := range other[what] {
			if !ours[what][op] {
				onlyTheirs = append(onlyTheirs, op)
			}
		}
		slices.Sort(onlyOurs)
		slices.Sort(onlyTheirs)
		t.Logf("%s: %d operations with us, %d with oasdiff", what, len(ours[what]), len(other[what]))
		if len(onlyOurs)+len(onlyTheirs) > 0 {
			t.Errorf("%s: only we: %q; only oasdiff: %q", what, onlyOurs, onlyTheirs)
		}
	}
}
