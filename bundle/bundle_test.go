package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
)

// readings are two sources with shared schemas and an old name.
func readings(n int) []*twodoor.Reading {
	big := &twodoor.Reading{
		Source: "big", Title: "Big", Groups: map[string]string{"thing": "Things"}, Origins: []string{"https://example.com"},
		Exceptions:   []twodoor.Exception{{Operation: "GET /odd", At: "a.json:7", Reason: "odd"}},
		Translations: map[string]twodoor.Translation{"zh": {Operations: map[string]twodoor.Words{"POST /x": {Title: "物"}}}},
		Definitions:  map[string]json.RawMessage{"Thing": json.RawMessage(`{"type":"object","properties":{"next":{"$ref":"#/$defs/Thing"}}}`)},
	}
	for i := range n {
		big.Operations = append(big.Operations, twodoor.Operation{
			ID: fmt.Sprintf("big.thing.verb-%04d", i), Kind: "openapi", Title: fmt.Sprintf("Verb %d of é", i), Effect: twodoor.Writes,
			Input: json.RawMessage(`{"type":"object","properties":{"thing":{"$ref":"#/$defs/Thing"}}}`), Plan: json.RawMessage(`{"m":"POST","p":"/x"}`),
		})
	}
	small := &twodoor.Reading{Source: "small", Operations: []twodoor.Operation{{
		ID: "small.note.get", Kind: "func", Effect: twodoor.Reads, Aliases: []string{"note.show"}, Export: twodoor.ExportMCP, Permission: "notes",
	}}}
	return []*twodoor.Reading{small, big}
}

// index is a section of another room.
var index = bundle.Section{Name: "index", Make: func(c *twodoor.Catalog) ([]byte, error) {
	return fmt.Appendf(nil, "the index of %d", c.Len()), nil
}}

func written(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache", "one.bundle")
	stamp := bundle.Stamp{Key: "k"}
	if err := bundle.Write(path, stamp, readings(n), index); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t *testing.T, path string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestSame holds that a catalog on disk answers everything as the one in memory does.
func TestSame(t *testing.T) {
	want, err := twodoor.NewCatalog(readings(50)...)
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, written(t, 50))
	got := b.Catalog()
	if got.Len() != want.Len() || !reflect.DeepEqual(got.Sources(), want.Sources()) {
		t.Fatalf("got %d operations of %v", got.Len(), got.Sources())
	}
	for i, entry := range want.Entries() {
		wanted, _ := want.At(i)
		for _, name := range append(twodoor.Names(wanted), twodoor.OldNames(wanted)...) {
			sameOperation(t, got, want, name)
		}
		if seen := twodoor.EntryOf(wanted); seen != entry {
			t.Errorf("entry %+v, want %+v", seen, entry)
		}
	}
	for _, name := range []string{"", "big", "big.thing.verb-9999", "zzz"} {
		if op, _, _ := got.Find(name); op != nil {
			t.Errorf("%q is found as %s", name, op.ID)
		}
	}
	if index, err := b.Section("index"); string(index) != "the index of 51" {
		t.Errorf("section: %q %v", index, err)
	}
	if _, err := b.Section("guides"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a section that is not there: %v", err)
	}
	kept, err := b.Readings()
	if err != nil || len(kept) != 2 || len(kept[1].Exceptions) != 1 || kept[1].Translations["zh"].Operations["POST /x"].Title != "物" {
		t.Errorf("readings: %v %v", kept, err)
	}
}

func sameOperation(t *testing.T, got, want *twodoor.Catalog, name string) {
	t.Helper()
	a, oldA, errA := got.Find(name)
	b, oldB, errB := want.Find(name)
	if errA != nil || errB != nil || a == nil || b == nil || oldA != oldB {
		t.Fatalf("%s: %v %v %v %v", name, a, errA, b, errB)
	}
	ja, _ := json.Marshal(a)
	jb, _ := json.Marshal(b)
	if !bytes.Equal(ja, jb) || !bytes.Equal(a.InputSchema(), b.InputSchema()) {
		t.Errorf("%s differs:\n%s\n%s", name, ja, jb)
	}
}

// TestDamage flips every byte of a small bundle: what is found must be right, or an error, never
// something else; and a bundle that can heal finds everything.
func TestDamage(t *testing.T) {
	good := written(t, 3)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	want, err := twodoor.NewCatalog(readings(3)...)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x41
		if err := os.WriteFile(bad, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		checkDamaged(t, bad, at, want)
	}
	for _, size := range []int{0, 1, 11, 12, 40, len(data) - 1} {
		if err := os.WriteFile(bad, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		checkDamaged(t, bad, -size, want)
	}
}

func checkDamaged(t *testing.T, path string, at int, want *twodoor.Catalog) {
	t.Helper()
	b, err := bundle.Open(path)
	if err != nil {
		if !errors.Is(err, bundle.ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		return
	}
	defer b.Close()
	b.Heal = func() (*twodoor.Catalog, error) { return twodoor.NewCatalog(readings(3)...) }
	for _, entry := range want.Entries() {
		sameOperation(t, b.Catalog(), want, entry.ID)
	}
}

// TestWriters lets many write and read one bundle at once: nobody ever sees half of one.
func TestWriters(t *testing.T) {
	path := written(t, 20)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				if err := bundle.Write(path, bundle.Stamp{Key: "k"}, readings(20)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				b, err := bundle.Open(path)
				if err != nil {
					t.Error(err)
					continue
				}
				if op, _, err := b.Catalog().Find("big.thing.verb-0007"); err != nil || op == nil {
					t.Errorf("found %v, %v", op, err)
				}
				b.Close()
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".bundle-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestStamp holds when a bundle still tells the truth.
func TestStamp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "api.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	stamp, err := bundle.StampOf("key", []string{file, "https://example.com/api.json"})
	if err != nil {
		t.Fatal(err)
	}
	past := time.Unix(1, 0)
	steps := []struct {
		name string
		do   func()
		key  string
		want bool
	}{
		{"untouched", func() {}, "key", true},
		{"another key", func() {}, "other", false},
		{"touched, same content", func() { os.Chtimes(file, past, past) }, "key", true},
		{"other content, same size", func() { write("two") }, "key", false},
		{"back again", func() { write("one") }, "key", true},
		{"longer", func() { write("one and more") }, "key", false},
		{"gone", func() { os.Remove(file) }, "key", false},
	}
	for _, step := range steps {
		step.do()
		if got := stamp.Fresh(step.key); got != step.want {
			t.Errorf("%s: fresh is %v", step.name, got)
		}
	}
	if _, err := bundle.StampOf("key", []string{file}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestClash holds that names never clash silently.
func TestClash(t *testing.T) {
	twice := []*twodoor.Reading{{Source: "a", Operations: []twodoor.Operation{
		{ID: "a.b.c", Kind: "func", Effect: twodoor.Reads, Origin: "GET /one"},
		{ID: "a.d.e", Kind: "func", Effect: twodoor.Reads, Origin: "GET /two", Tool: "a_b_c"},
	}}}
	err := bundle.Write(filepath.Join(t.TempDir(), "x"), bundle.Stamp{}, twice)
	if err == nil || !strings.Contains(err.Error(), "GET /one") || !strings.Contains(err.Error(), "GET /two") {
		t.Errorf("a clash is told as %v", err)
	}
}

// BenchmarkOpenFind is what a run of the CLI pays: open, find one of 1,200, decode it.
func BenchmarkOpenFind(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x")
	if err := bundle.Write(path, bundle.Stamp{}, readings(1200)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		opened, err := bundle.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if op, _, err := opened.Catalog().Find("big.thing.verb-0777"); err != nil || op == nil {
			b.Fatal(op, err)
		}
		opened.Close()
	}
}

// TestOpenAllocates bounds what opening a bundle and finding one operation allocates.
func TestOpenAllocates(t *testing.T) {
	path := written(t, 1200)
	allocs := testing.AllocsPerRun(20, func() {
		b, err := bundle.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if op, _, err := b.Catalog().Find("big.thing.verb-0777"); err != nil || op == nil {
			t.Fatal(op, err)
		}
	})
	if allocs > 150 {
		t.Errorf("%.0f allocations, at most 150 are allowed", allocs)
	}
}
