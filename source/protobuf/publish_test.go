package protobuf_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf"
)

// TestPublish writes the public cut: what is exported and what that needs, nothing that was said to
// us alone; and the cut is a description of its own.
func TestPublish(t *testing.T) {
	source := acme(t)
	texts, err := source.Publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if paths := slices.Sorted(maps.Keys(texts)); !slices.Equal(paths, []string{"acme/reports/v1/reports.proto"}) {
		t.Errorf("the public files are %q", paths)
	}
	golden := filepath.Join("testdata", "acme.public.proto.txt")
	text := texts["acme/reports/v1/reports.proto"]
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != text {
		t.Errorf("the public cut (%v) is\n%s", err, text)
	}

	texts, err = fleet(t).Publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text = texts["fleet/v1/fleet.proto"]
	for _, gone := range []string{"twodoor", "tenant", "KIND_NAVY"} {
		if strings.Contains(text, gone) {
			t.Errorf("the public cut has %q:\n%s", gone, text)
		}
	}
	for _, stays := range []string{"reserved 16;", "// Ships that go with it.", "rpc Chat", "(google.api.http)", "(buf.validate.field)", "optional bool insured"} {
		if !strings.Contains(text, stays) {
			t.Errorf("the public cut lacks %q:\n%s", stays, text)
		}
	}
	dir := t.TempDir()
	for path, text := range texts {
		place := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := &protobuf.Source{Name: "fleet", Files: []string{dir}, Target: "http://fleet.test"}
	reading, err := again.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(reading.Operations) != 5 || !slices.ContainsFunc(reading.Operations, func(o twodoor.Operation) bool { return strings.HasPrefix(o.Description, "Reads one ship.") }) {
		t.Errorf("the public cut is read as %d operations", len(reading.Operations))
	}
}
