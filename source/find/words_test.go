package find

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"createIssue":                "create issue",
		"HTTPServerURLs":             "http server urls",
		"change-create_now":          "change create now",
		"GitHub":                     "git hub github",
		"oauth2 s3":                  "oauth 2 s 3 s3",
		"v1.2/items":                 "v 1 v1 2 items",
		"查询故障列表":                     "查询 询故 故障 障列 列表",
		"API查询":                      "api 查询",
		"de façade":                  "de façade",
		"":                           "",
		"IDs":                        "ids",
		strings.Repeat("-", 5) + "a": "a",
	} {
		var got []string
		split(text, func(word string) { got = append(got, word) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestClauses(t *testing.T) {
	for query, want := range map[string]int{
		"list incidents": 0,
		"List the open incidents of today. Close incident number five now.":               2,
		"create a big project, then attach some volume to a server":                       2,
		"read file a.txt version 1.5 of the archive":                                      0,
		"Thanks! List the open incidents of today.":                                       0,
		"查询今天的故障列表。然后关闭这个故障事件":                                                            2,
		strings.Repeat("delete volume seven quickly. ", 30):                               8,
		"authenticate the new user and after that list big projects\nexport the map file": 3,
	} {
		if got := parse(query).clauses; got != want {
			t.Errorf("%.60q: %d clauses, want %d", query, got, want)
		}
	}
}

func TestParseTellsValuesFromWishes(t *testing.T) {
	values := map[string]bool{}
	for _, term := range parse(`Send "quarterly report" to Berlin and room x42 today`).terms {
		values[term.word] = term.value
	}
	for word, want := range map[string]bool{"send": false, "quarterly": true, "report": true, "berlin": true, "42": true, "room": false, "today": false} {
		if values[word] != want {
			t.Errorf("%s: a value is %v, want %v", word, values[word], want)
		}
	}
}

func TestDeeds(t *testing.T) {
	for name, want := range map[string]deed{
		"incident.list": deedRead, "change-create": deedCreate | deedUpdate, "deleteUser": deedDestroy, "weather": 0, "save_file": deedCreate | deedUpdate,
	} {
		if got := (&Document{Name: name}).deedOf(); got != want {
			t.Errorf("%s: %b, want %b", name, got, want)
		}
	}
	if got := (&Document{Name: "incident.delete-preview", Effect: "reads"}).deedOf(); got != deedRead {
		t.Errorf("an effect decides against a name: got %b", got)
	}
	if deedDestroy.against(deedRead) != true || deedUpdate.against(deedCreate) || deed(0).against(deedRead) {
		t.Error("only a deed that is told can be against another one")
	}
}

func TestWordTable(t *testing.T) {
	m := openMeanings()
	meaning := func(word string) *vector {
		var v vector
		m.add(&v, word, 1)
		if !v.unit() {
			t.Fatalf("%s means nothing", word)
		}
		return &v
	}
	near := func(a, b string) float32 {
		x, y, sum := meaning(a), meaning(b), float32(0)
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	for _, w := range [][3]string{{"delete", "remove", "weather"}, {"picture", "photo", "invoice"}, {"incident", "accident", "folder"}, {"kubernetes", "kubernete", "banana"}} {
		if a, b := near(w[0], w[1]), near(w[0], w[2]); a <= b {
			t.Errorf("%s is nearer to %s (%.2f) than to %s (%.2f)", w[0], w[2], b, w[1], a)
		}
	}
	var v vector
	m.add(&v, "zzzzqqqqxxxx", 1)
	m.add(&v, "zé", 1)
	for i := range m.words.n - 1 {
		if m.words.text(i) >= m.words.text(i+1) {
			t.Fatalf("words %d and %d are out of order", i, i+1)
		}
	}
	if !slices.IsSortedFunc([]int{0, m.pieces.n / 2, m.pieces.n - 1}, func(a, b int) int { return strings.Compare(m.pieces.text(a), m.pieces.text(b)) }) {
		t.Error("pieces are out of order")
	}
}

func FuzzSearch(f *testing.F) {
	x := Build(incidents())
	f.Add("list incidents. then close it; also 查询")
	f.Add("a\x00b \"quoted 'x' ")
	f.Fuzz(func(t *testing.T, text string) {
		found := x.Search(Query{Text: text})
		if found.Confidence < 0 || found.Confidence > 1 {
			t.Fatalf("confidence %v", found.Confidence)
		}
		for i, h := range found.Hits {
			if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > found.Hits[i-1].Score {
				t.Fatalf("hits out of order: %v", found.Hits)
			}
		}
	})
}

func FuzzBuild(f *testing.F) {
	f.Add("id", "name.list", "A title", "描述 text")
	f.Fuzz(func(t *testing.T, id, name, title, description string) {
		x := Build([]Document{{ID: id, Topic: TopicOperation, Source: name, Name: name, Title: title, Description: description}})
		if _, err := Open(x.Encode()); err != nil {
			t.Fatal(err)
		}
		x.Search(Query{Text: title + " " + description})
	})
}
