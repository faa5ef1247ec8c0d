package find

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
)

// incidents is a small catalog of one source.
func incidents() []Document {
	return []Document{
		{ID: "harbor.incident.list", Topic: TopicOperation, Source: "harbor", Name: "incident.list", Title: "List incidents", Description: "Lists incidents, newest first.", Parameters: []Parameter{{Name: "severity", Enum: []string{"critical", "warning"}}, {Name: "startTime", Description: "not before"}}},
		{ID: "harbor.incident.close", Topic: TopicOperation, Source: "harbor", Name: "incident.close", Title: "Close an incident", Parameters: []Parameter{{Name: "incidentId"}}},
		{ID: "harbor.incident.delete", Topic: TopicOperation, Source: "harbor", Name: "incident.delete", Title: "Delete an incident for good", Parameters: []Parameter{{Name: "incidentId"}}},
		{ID: "harbor.on-call.current", Topic: TopicOperation, Source: "harbor", Name: "on-call.current", Title: "Who is on call now", Intents: []string{"who carries the pager tonight"}},
		{ID: "harbor.change.create", Topic: TopicOperation, Source: "harbor", Name: "change.create", Title: "Record a deployment", Description: "变更事件：记录一次部署"},
		{ID: "triage", Topic: TopicGuide, Source: "harbor", Name: "triage", Title: "How to triage an incident"},
	}
}

func ids(hits []Hit) []string {
	list := make([]string, 0, len(hits))
	for _, h := range hits {
		list = append(list, h.ID)
	}
	return list
}

func TestSearchFindsByEveryField(t *testing.T) {
	x := Build(incidents())
	for query, want := range map[string]string{
		"list incidents":                           "harbor.incident.list",
		"listIncidents":                            "harbor.incident.list",
		"INCIDENT_LIST":                            "harbor.incident.list",
		"critical ones since a start time":         "harbor.incident.list",
		"close the incident":                       "harbor.incident.close",
		"closing incidents":                        "harbor.incident.close",
		"erase an incident":                        "harbor.incident.delete",
		"remove incidents for good":                "harbor.incident.delete",
		"who has the pager":                        "harbor.on-call.current",
		"记录部署":                                     "harbor.change.create",
		"how to triage":                            "triage",
		"harbor on call":                           "harbor.on-call.current",
		"Please record that we deployed version 3": "harbor.change.create",
	} {
		if got := ids(x.Search(Query{Text: query}).Hits); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", query, got, want)
		}
	}
}

func TestSearchObeysTopicLimitAndShow(t *testing.T) {
	x := Build(incidents())
	if got := ids(x.Search(Query{Text: "incident", Topic: TopicGuide}).Hits); !slices.Equal(got, []string{"triage"}) {
		t.Errorf("guides: got %v", got)
	}
	if got := x.Search(Query{Text: "incident", Limit: 2}).Hits; len(got) != 2 {
		t.Errorf("limit 2: got %v", ids(got))
	}
	hidden := "harbor.incident.close"
	for _, words := range []bool{false, true} {
		found := x.Search(Query{Text: "close an incident", Words: words, Show: func(id string) bool { return id != hidden }})
		if slices.Contains(ids(found.Hits), hidden) || len(found.Hits) == 0 {
			t.Errorf("words only %v: got %v, and %s may not be found", words, ids(found.Hits), hidden)
		}
	}
}

func TestSearchOfNothing(t *testing.T) {
	x := Build(incidents())
	for _, query := range []string{"", "   ", "?!", "the of and", strings.Repeat("a", 10_000), "\xff\xfe", `"`, "'"} {
		if found := x.Search(Query{Text: query}); found.Confidence > .3 || found.Confidence < 0 {
			t.Errorf("%.20q: confidence %v, got %v", query, found.Confidence, ids(found.Hits))
		}
	}
	if found := Build(nil).Search(Query{Text: "list incidents"}); len(found.Hits) > 0 || found.Confidence != 0 {
		t.Errorf("an empty index found %v", found)
	}
}

func TestConfidenceTellsWhatFits(t *testing.T) {
	x := Build(manyDocuments(500))
	fits := x.Search(Query{Text: "create a volume snapshot for project 17"}).Confidence
	stranger := x.Search(Query{Text: "bake a sourdough bread with olives"}).Confidence
	if fits < 2*stranger {
		t.Errorf("confidence %.2f for what is there, %.2f for what is not", fits, stranger)
	}
}

func TestAnIndexIsTheSameEachTime(t *testing.T) {
	docs := manyDocuments(200)
	first, second := Build(docs), Build(docs)
	if !bytes.Equal(first.Encode(), second.Encode()) {
		t.Error("two builds of the same documents differ")
	}
	opened, err := Open(bytes.Clone(first.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"create snapshot", "list projects. then delete the oldest volume please"} {
		a, b := first.Search(Query{Text: query}), opened.Search(Query{Text: query})
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%q: %v, opened anew %v", query, a, b)
		}
	}
}

func TestASearchLeavesNothingBehind(t *testing.T) {
	x := Build(manyDocuments(300))
	query := Query{Text: "delete the volume; list all the projects of a user; create a new network"}
	want := fmt.Sprint(x.Search(query))
	for _, other := range []string{"create snapshot", "", "users users users", "list volume. attach the network quickly. delete old snapshots now"} {
		x.Search(Query{Text: other})
		if got := fmt.Sprint(x.Search(query)); got != want {
			t.Fatalf("after %q: %s, before: %s", other, got, want)
		}
	}
}

func TestOpenRefusesWhatIsNoIndex(t *testing.T) {
	data := Build(incidents()).Encode()
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"nothing": nil, "text": []byte("what is this, long enough to hold a header?"), "half": data[:len(data)/2], "a bit flipped": flipped} {
		if _, err := Open(bad); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v, want ErrFormat", name, err)
		}
	}
}

func TestVectorsOfAnotherTableAreLeftAlone(t *testing.T) {
	data := bytes.Clone(Build(incidents()).Encode())
	binary.LittleEndian.PutUint32(data[len(magic)+4:], 12345)
	binary.LittleEndian.PutUint32(data[len(magic):], crc32.Checksum(data[len(magic)+4:], castagnoli))
	x, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(x.Search(Query{Text: "close the incident"}).Hits); x.vectors != nil || got[0] != "harbor.incident.close" {
		t.Errorf("vectors of another table are used, or words are not: %v", got)
	}
}

func TestSameThingInTwoSources(t *testing.T) {
	docs := manyDocuments(40)
	planted := Document{ID: "lab.instance.snapshot-create", Topic: TopicOperation, Source: "lab", Name: "instance.snapshot-create", Description: "Takes a snapshot of an instance while it runs.", Parameters: []Parameter{{Name: "instance_id"}, {Name: "label"}}}
	twin := planted
	twin.ID, twin.Source, twin.Parameters = "cloud.instance.snapshot-create", "cloud", []Parameter{{Name: "instanceId"}, {Name: "label"}}
	lookalike := planted
	lookalike.ID, lookalike.Source, lookalike.Description = "shop.instance.snapshot-create", "shop", "Photographs goods for the window of the shop."
	x := Build(append(docs, planted, twin, lookalike))
	hits := x.Search(Query{Text: "snapshot of a running instance"}).Hits
	if both := append([]string{hits[0].ID}, hits[0].Also...); !slices.Equal(slices.Sorted(slices.Values(both)), []string{twin.ID, planted.ID}) {
		t.Errorf("got %+v, want one hit that names %s and %s", hits[0], planted.ID, twin.ID)
	}
	if !slices.Contains(ids(hits), lookalike.ID) {
		t.Errorf("%s is another thing and must stay a hit of its own: %v", lookalike.ID, ids(hits))
	}
}

func TestKinSourcesNeedNoCommonLanguage(t *testing.T) {
	var docs []Document
	for _, verb := range []string{"list", "create", "close", "merge", "assign", "snooze"} {
		p := []Parameter{{Name: "incident_id"}, {Name: verb + "_reason"}}
		docs = append(docs,
			Document{ID: "en.incident." + verb, Topic: TopicOperation, Source: "en", Name: "incident." + verb, Description: verb + " the incident", Parameters: p},
			Document{ID: "zh.incident." + verb, Topic: TopicOperation, Source: "zh", Name: "incident." + verb, Description: "故障" + verb, Parameters: p})
	}
	hits := Build(docs).Search(Query{Text: "merge incidents"}).Hits
	if hits[0].ID != "en.incident.merge" || !slices.Equal(hits[0].Also, []string{"zh.incident.merge"}) || len(hits) != 6 {
		t.Errorf("got %+v", hits)
	}
}

// manyDocuments makes a catalog of any size from a few words.
func manyDocuments(n int) []Document {
	nouns := strings.Fields("project volume snapshot network user bucket queue topic cluster node image alarm policy route zone certificate")
	verbs := strings.Fields("list get create update delete attach restart export")
	docs := make([]Document, 0, n)
	for i := range n {
		noun, verb, other := nouns[i%len(nouns)], verbs[i/len(nouns)%len(verbs)], nouns[(i/7+3)%len(nouns)]
		source := fmt.Sprintf("cloud%d", i/128)
		name := fmt.Sprintf("%s.%s-%s", noun, other, verb)
		docs = append(docs, Document{
			ID: fmt.Sprintf("%s.%s-%d", source, name, i), Topic: TopicOperation, Source: source, Name: name,
			Title:       fmt.Sprintf("%s the %s of a %s", verb, other, noun),
			Description: fmt.Sprintf("Use it to %s each %s that belongs to the %s number %d. It answers at once and tells what was done.", verb, other, noun, i),
			Parameters:  []Parameter{{Name: noun + "_id", Description: "the " + noun + " to " + verb}, {Name: "page_size", Description: "how many at most"}, {Name: fmt.Sprintf("option%d", i%211), Description: "a setting that few need"}},
		})
	}
	return docs
}

// TestSearchAllocatesLittle bounds what a search leaves to the collector: its lists are kept.
func TestSearchAllocatesLittle(t *testing.T) {
	x := Build(manyDocuments(3_000))
	query := Query{Text: "List the volumes of my project please. Then create a snapshot of each volume; finally delete the old certificate of the cluster."}
	if allocs := testing.AllocsPerRun(50, func() { x.Search(query) }); allocs > 150 {
		t.Errorf("a search allocates %v times, want 150 at most", allocs)
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{3_000, 50_000} {
		x := Build(manyDocuments(n))
		for name, text := range map[string]string{
			"one":   "restart the node of a cluster",
			"three": "List the volumes of my project please. Then create a snapshot of each volume in the zone; finally delete the old certificate of the cluster.",
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				b.ReportMetric(float64(len(x.Encode()))/float64(n), "index-B/doc")
				for b.Loop() {
					x.Search(Query{Text: text})
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	data := Build(manyDocuments(3_000)).Encode()
	b.ReportAllocs()
	b.ReportMetric(float64(len(data)), "bytes")
	for b.Loop() {
		if _, err := Open(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	docs := manyDocuments(3_000)
	for b.Loop() {
		Build(docs)
	}
}
