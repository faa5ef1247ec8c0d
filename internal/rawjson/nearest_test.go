package rawjson

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"start_time", "end_time", "status", "owner", "owner_id", "id"}
	cases := []struct {
		word string
		want []string
	}{
		{"startTime", []string{"start_time"}},
		{"stats", []string{"status"}},
		{"ownr", []string{"owner"}},
		{"owner", []string{"owner", "owner_id"}},
		{"Owner-Id", []string{"owner_id", "owner"}},
		{"sattus", []string{"status"}},
		{"x", nil},
		{"", nil},
		{"completely different", nil},
	}
	for _, c := range cases {
		if got := Nearest(names, c.word, 2); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
