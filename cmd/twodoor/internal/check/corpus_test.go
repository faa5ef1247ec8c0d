package check

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/cards"
	"github.com/twodoor/twodoor/source/guide/examples"
	"github.com/twodoor/twodoor/source/openapi"
)

// bench is a door over one description, and what is made of it.
type bench struct {
	reading *twodoor.Reading
	catalog *twodoor.Catalog
	door    *cli.Door
	tree    *guide.Tree
}

func open(t testing.TB, name, file string) *bench {
	t.Helper()
	return read(t, &openapi.Source{Name: name, File: file})
}

func read(t testing.TB, source *openapi.Source) *bench {
	t.Helper()
	reading, err := source.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return over(t, reading)
}

func over(t testing.TB, readings ...*twodoor.Reading) *bench {
	t.Helper()
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{}
	engine.Serve(catalog)
	nothing := func(context.Context, *cli.Invocation) error { return nil }
	door := &cli.Door{Engine: engine, Principal: twodoor.Operator, Stdout: io.Discard, Stderr: io.Discard, Commands: []cli.Command{
		{Name: "guides", Short: "Guides", Commands: []cli.Command{{Name: "list", Short: "List", Run: nothing}, {Name: "read", Args: "NAME…", Short: "Read", Run: nothing}}},
		{Name: "schema", Args: "ID [PART]", Short: "Schema", Run: nothing},
	}}
	tree, err := TreeOf(context.Background(), door)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{readings[0], catalog, door, tree}
}

func (b *bench) checker(library *guide.Library) *examples.Checker {
	return &examples.Checker{Catalog: b.catalog, Tree: b.tree, Lines: LinesOf(b.door), Guides: library}
}

func (b *bench) set(t testing.TB, name string) *cards.Set {
	t.Helper()
	checker := b.checker(nil)
	languages, err := Languages(b.catalog, []*twodoor.Reading{b.reading})
	if err != nil {
		t.Fatal(err)
	}
	set := &cards.Set{Name: name, Title: b.reading.Title, Description: b.reading.Description, Version: b.reading.Version, Tree: b.tree, Catalog: b.catalog, Groups: map[string]string{}, Languages: languages,
		Fits: func(example string) bool { return len(checker.Check("", []byte(example))) == 0 }}
	for group, about := range b.reading.Groups {
		set.Groups[b.reading.Source+"."+group] = about
	}
	return set
}

func corpus(t testing.TB, file string) string {
	t.Helper()
	dir := os.Getenv("TWODOOR_CORPUS")
	if dir == "" {
		t.Skip("TWODOOR_CORPUS is not set: the descriptions of real APIs are not here")
	}
	return filepath.Join(dir, "openapi", file)
}

// TestCorpusCards: the cards of every description of the corpus raise no false alarm, and are stable.
func TestCorpusCards(t *testing.T) {
	files, _ := filepath.Glob(corpus(t, "*"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			b := open(t, strings.ReplaceAll(name, "_", "-"), file)
			set := b.set(t, "api")
			begun := time.Now()
			files := set.Generate(cards.Skill, nil)
			made := time.Since(begun)
			begun = time.Now()
			findings := set.Check(files)
			checker := b.checker(nil)
			inferred, err := checker.CheckCatalog()
			if err != nil {
				t.Fatal(err)
			}
			findings = append(findings, inferred...)
			bytes, blocks := 0, 0
			for _, f := range files {
				bytes += len(f.Text)
				blocks += strings.Count(string(f.Text), "```sh")
				findings = append(findings, checker.Check(f.Path, f.Text)...)
			}
			t.Logf("%d operations, %d files, %d kB, %d examples; made in %v, checked in %v", b.catalog.Len(), len(files), bytes/1000, blocks, made, time.Since(begun))
			for i, f := range findings {
				if i < 10 {
					t.Error(f)
				}
			}
			again := set.Generate(cards.Skill, files)
			if !slices.EqualFunc(files, again, func(a, b cards.File) bool { return a.Path == b.Path && string(a.Text) == string(b.Text) }) {
				t.Error("generating again changes the cards")
			}
			weigh(t, files)
			if dir := os.Getenv("CARDS_OUT"); dir != "" {
				for _, f := range files {
					p := filepath.Join(dir, name, f.Path)
					os.MkdirAll(filepath.Dir(p), 0o755)
					os.WriteFile(p, f.Text, 0o644)
				}
			}
		})
	}
}

func weigh(t *testing.T, files []cards.File) (router, median, largest int) {
	var cards []int
	for _, f := range files {
		w := rawjson.Weigh(f.Text)
		if strings.HasSuffix(f.Path, "SKILL.md") {
			router = w
		} else {
			cards = append(cards, w)
		}
	}
	slices.Sort(cards)
	t.Logf("router ≈%d tokens, cards ≈%d median, ≈%d largest", router, cards[len(cards)/2], cards[len(cards)-1])
	return router, cards[len(cards)/2], cards[len(cards)-1]
}

// TestBilingualCards: the incident platform of the corpus in both of its languages, within what an
// agent reads at a time.
func TestBilingualCards(t *testing.T) {
	begun := time.Now()
	b := read(t, &openapi.Source{Name: "fd", File: corpus(t, "flashduty.en.json"), Translations: map[string]string{"zh": corpus(t, "flashduty.zh.json")}})
	read := time.Since(begun)
	begun = time.Now()
	set := b.set(t, "flashduty")
	files := set.Generate(cards.Skill, nil)
	made := time.Since(begun)
	checker := b.checker(nil)
	sections := map[bool]int{}
	var findings []guide.Finding
	for _, f := range files {
		chinese := strings.Contains(f.Path, ".zh.md")
		sections[chinese] += strings.Count(string(f.Text), "\n### ")
		if chinese && !strings.ContainsRune(string(f.Text), '故') && !strings.ContainsAny(string(f.Text), "查获删创") {
			t.Errorf("%s holds no Chinese", f.Path)
		}
		findings = append(findings, checker.Check(f.Path, f.Text)...)
	}
	for _, f := range append(findings, set.Check(files)...) {
		t.Error(f)
	}
	if sections[false] != 214 || sections[true] != 214 {
		t.Errorf("commands on cards: %v", sections)
	}
	router, median, _ := weigh(t, files)
	if router+median > 5000 {
		t.Errorf("the router and one median card weigh ≈%d tokens", router+median)
	}
	t.Logf("both descriptions read in %v, %d files made in %v", read, len(files), made)
}
