package find

import "testing"

func TestNearlySpelled(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"incidnet", "incident"}: true, {"repositry", "repositri"}: true, {"volumme", "volume"}: true,
		{"snapshot", "snapshots"}: true, {"cluster", "clutter"}: true, {"delete", "deplete"}: true,
		{"cat", "cats"}: false, {"network", "netball"}: false, {"internationalization", "inter"}: false, {"project", "product"}: false,
	} {
		if got := nearlySpelled(pair[0], pair[1]); got != want {
			t.Errorf("%v: %v, want %v", pair, got, want)
		}
	}
}

func TestSearchForgivesTypingErrors(t *testing.T) {
	x := Build(incidents())
	for query, want := range map[string]string{"close an incidnet": "harbor.incident.close", "record a deploymnt": "harbor.change.create"} {
		if got := ids(x.Search(Query{Text: query}).Hits); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", query, got, want)
		}
	}
}
