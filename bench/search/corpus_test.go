package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/openapi"
)

// corpus are real descriptions, by the name of their source.
var corpus = map[string]string{
	"flashduty": "flashduty.en.json", "legacy": "flashduty-legacy.zh.json", "github": "github.json",
	"stripe": "stripe.json", "kubernetes": "kubernetes-swagger2.json", "asana": "asana.yaml",
}

// real reads the real descriptions of these sources, all where none is named.
func real(t testing.TB, names ...string) *twodoor.Catalog {
	t.Helper()
	root := os.Getenv("TWODOOR_CORPUS")
	if root == "" {
		t.Skip("TWODOOR_CORPUS does not name the folder of real API descriptions")
	}
	var readings []*twodoor.Reading
	for name, file := range corpus {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		reading, err := (&openapi.Source{Name: name, File: filepath.Join(root, "openapi", file)}).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readings = append(readings, reading)
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func indexOf(t testing.TB, catalog *twodoor.Catalog) *find.Index {
	t.Helper()
	docs, err := find.DocumentsOf(catalog)
	if err != nil {
		t.Fatal(err)
	}
	return find.Build(docs)
}

// TestTwoSourcesOfOneService holds that what two descriptions of one service offer both, in two
// languages, is one hit that names both.
func TestTwoSourcesOfOneService(t *testing.T) {
	index := indexOf(t, real(t, "flashduty", "legacy"))
	for query, want := range map[string][]string{
		"acknowledge an incident": {"flashduty.incident.ack", "legacy.incident.ack"},
		"认领故障":                    {"flashduty.incident.ack", "legacy.incident.ack"},
		"list incidents":          {"flashduty.incident.list", "legacy.incident.list"},
	} {
		hits := index.Search(find.Query{Text: query}).Hits
		at := slices.IndexFunc(hits, func(h find.Hit) bool { return h.ID == want[0] || h.ID == want[1] })
		if at < 0 || at > 2 {
			t.Errorf("%q: %v is not among the first three of %v", query, want, hits)
			continue
		}
		both := append([]string{hits[at].ID}, hits[at].Also...)
		if !slices.Contains(both, want[0]) || !slices.Contains(both, want[1]) {
			t.Errorf("%q: the hit %v does not name both of %v", query, both, want)
		}
	}
}

// TestManySources searches in more than 3,000 operations of six services.
func TestManySources(t *testing.T) {
	catalog := real(t)
	index := indexOf(t, catalog)
	if bound := 5 << 20 * catalog.Len() / 3000; len(index.Encode()) > bound {
		t.Errorf("the index of %d operations takes %d bytes, want at most %d", catalog.Len(), len(index.Encode()), bound)
	}
	t.Logf("%d operations, index of %d bytes", catalog.Len(), len(index.Encode()))
	for query, want := range map[string]string{
		"create an issue in a repository":             "github.issues.create",
		"refund a payment":                            "stripe.refunds.create",
		"list the pods of a namespace":                "kubernetes.core-v1.list-namespaced-pod",
		"add a task to a project":                     "asana.tasks.add-project",
		"merge two incidents":                         "flashduty.incident.merge",
		"delete a branch protection of a GitHub repo": "github.repos.delete-branch-protection",
	} {
		found := index.Search(find.Query{Text: query})
		var ids []string
		for _, hit := range found.Hits[:min(5, len(found.Hits))] {
			ids = append(append(ids, hit.ID), hit.Also...)
		}
		if !slices.Contains(ids, want) {
			t.Errorf("%q: got %v, want %s among the first five", query, ids, want)
		}
	}
}

func BenchmarkReal(b *testing.B) {
	catalog := real(b)
	index := indexOf(b, catalog)
	b.Run("search", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(catalog.Len()), "operations")
		for b.Loop() {
			index.Search(find.Query{Text: "List the open incidents of the payment team. Then add a comment to each of them, and close the oldest one."})
		}
	})
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := find.Open(index.Encode()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			indexOf(b, catalog)
		}
	})
}
