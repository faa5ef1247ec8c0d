package harbor

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestRoutesAndDocumentAgree: what is served is documented, and what is documented is served.
func TestRoutesAndDocumentAgree(t *testing.T) {
	var read struct {
		Paths map[string]map[string]any
	}
	if err := yaml.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	var documented, served []string
	for path, item := range read.Paths {
		for method := range item {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, route := range New(Options{}).routes() {
		served = append(served, route.method+" "+route.path)
	}
	slices.Sort(documented)
	slices.Sort(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented:\n%s\nserved:\n%s", strings.Join(documented, "\n"), strings.Join(served, "\n"))
	}
	t.Logf("%d operations", len(served))
}
