package check

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/cards"
	"github.com/twodoor/twodoor/source/openapi"
)

// demo is the bench over Harbor in both of its languages, with its guides.
func demo(t testing.TB) (*bench, *guide.Library) {
	t.Helper()
	dir := t.TempDir()
	file, zh, overlay := filepath.Join(dir, "harbor.yaml"), filepath.Join(dir, "harbor.zh.yaml"), filepath.Join(dir, "agent.overlay.yaml")
	for path, text := range map[string][]byte{file: harbor.DocumentAt("http://127.0.0.1:7788"), zh: harbor.Titles(), overlay: harbor.Overlay()} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := &openapi.Source{Name: "harbor", File: file, Overlays: []string{overlay}, Translations: map[string]string{"zh": zh}}
	return read(t, source), guide.Load("harbor", harbor.Guides(), 0)
}

// TestDemoIsTranslated: every operation of the demo has its words in Chinese.
func TestDemoIsTranslated(t *testing.T) {
	b, _ := demo(t)
	for _, op := range b.reading.Operations {
		if b.reading.Translations["zh"].Operations[op.Origin].Title == "" {
			t.Errorf("%s (%s) has no title in Chinese", op.ID, op.Origin)
		}
	}
}

// TestDemoIsTrue: the guides of the demo, and cards made of it, have no wrong example.
func TestDemoIsTrue(t *testing.T) {
	b, library := demo(t)
	checker := b.checker(library)
	findings := checker.CheckGuides()
	for _, g := range library.Guides {
		raw, err := fs.ReadFile(harbor.Guides(), g.File)
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, checker.Check(g.File, raw)...)
	}
	set := b.set(t, "harbor")
	set.Guides = library
	for _, v := range cards.Variants() {
		files := set.Generate(v, nil)
		findings = append(findings, set.Check(files)...)
		for _, f := range files {
			findings = append(findings, checker.Check(string(v)+"/"+f.Path, f.Text)...)
		}
	}
	for _, f := range findings {
		t.Error(f)
	}
}

// TestSpeed prints what checking costs: 40 files of 10 KB, and one of 5 MB.
func TestSpeed(t *testing.T) {
	b, library := demo(t)
	set := b.set(t, "harbor")
	set.Guides = library
	var all strings.Builder
	for _, f := range set.Generate(cards.Skill, nil) {
		all.Write(f.Text)
	}
	text := all.String()
	checker := b.checker(library)
	begun := time.Now()
	for i := range 40 {
		at := strings.Index(text[i*300:], "\n### ") + i*300
		if findings := checker.Check(fmt.Sprint(i), []byte(text[at:at+10_000])); len(guide.Faults(findings)) > 3 {
			t.Errorf("file %d: %v", i, findings)
		}
	}
	small := time.Since(begun)
	begun = time.Now()
	huge := strings.Repeat("`x` and **prose** with `twodoor harbor incident list` in it\n\n", 5<<20/60)
	if findings := checker.Check("huge.md", []byte(huge)); len(findings) > 0 {
		t.Error(findings[0])
	}
	t.Logf("40 files of 10 KB: %v; one of 5 MB with %d spans: %v", small, strings.Count(huge, "twodoor"), time.Since(begun))
}
