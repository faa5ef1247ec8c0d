package fault

import (
	"fmt"
	"slices"
	"strings"
)

// most bounds how many requests a fault waits for.
const most = 1000

// Kind is a way to fail and what it means.
type Kind struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Kinds lists every fault by name.
func Kinds() []Kind {
	return []Kind{
		{"slow", "answers rightly, but late"},
		{"hang", "never answers; the connection stays open until the caller leaves"},
		{"reset", "cuts the connection without an answer"},
		{"huge", "answers 200 with 50 MB of valid JSON"},
		{"badjson", "answers 200 with JSON that breaks off in the middle"},
		{"wrongtype", "answers 200 with an HTML page where JSON was promised"},
		{"redirect-other-host", "answers 307 to another host; a key must not follow"},
		{"500", "answers 500 with a text that is no JSON"},
		{"503", "answers 503 with Retry-After: 1"},
		{"429", "answers 429 with Retry-After: 1"},
		{"flaky", "cuts the first of every two connections, and lets the second through"},
	}
}

// check tells which of the two does not fit, name or count, and what is wrong with it.
func check(name string, n int) (field, wrong string) {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, kind.Name)
	}
	if !slices.Contains(names, name) {
		return "name", fmt.Sprintf("knows no fault %q; it takes %s", name, strings.Join(names, ", "))
	}
	if n < 1 || n > most {
		return "count", fmt.Sprintf("must be from 1 to %d", most)
	}
	return "", ""
}
