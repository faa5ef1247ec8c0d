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

// TestWorkflowNeedsAreThoseOfTheDocument: what the server asks of each kind of step and trigger is what its schema requires.
func TestWorkflowNeedsAreThoseOfTheDocument(t *testing.T) {
	var read struct {
		Components struct {
			Schemas map[string]struct {
				Required      []string
				AllOf         []struct{ Required []string } `yaml:"allOf"`
				Discriminator struct{ Mapping map[string]string }
			}
		}
	}
	if err := yaml.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	schemas := read.Components.Schemas
	for union, needs := range map[string]map[string][]string{"Step": stepNeeds, "Trigger": triggerNeeds} {
		mapping := schemas[union].Discriminator.Mapping
		if len(mapping) != len(needs) {
			t.Errorf("%s: %d kinds documented, %d served", union, len(mapping), len(needs))
		}
		for kind, ref := range mapping {
			schema := schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
			required := schema.Required
			if len(schema.AllOf) > 0 {
				required = schema.AllOf[1].Required
			}
			required = slices.DeleteFunc(required, func(name string) bool { return name == "kind" })
			if !slices.Equal(required, needs[kind]) {
				t.Errorf("%s %s: requires %v, served with %v", union, kind, required, needs[kind])
			}
		}
	}
}
