package twodoortest

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
)

var (
	legalID   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*){2,}$`)
	legalOwn  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.[^\s[:cntrl:]]+$`)
	legalTool = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// Sources holds a source to what every source promises: two readings are alike to the byte, ids
// are legal and unique, where tools that their owner wrote for hosts keep their own spelling, every
// schema compiles, effects are told, and a catalog can be built. It returns the reading for further tests.
func Sources(t *testing.T, source twodoor.Source) *twodoor.Reading {
	t.Helper()
	first := read(t, source)
	if again := read(t, source); asJSON(t, first) != asJSON(t, again) {
		t.Error("two readings of one description differ")
	}
	catalog, err := twodoor.NewCatalog(first)
	if err != nil {
		t.Fatalf("no catalog can be built: %v", err)
	}
	for i := range catalog.Entries() {
		op, err := catalog.At(i)
		if err != nil {
			t.Fatal(err)
		}
		checkOperation(t, op)
	}
	return first
}

func checkOperation(t *testing.T, op *twodoor.Operation) {
	t.Helper()
	switch {
	case op.Verbatim && !legalOwn.MatchString(op.ID):
		t.Errorf("id %q is not server.toolname", op.ID)
	case !op.Verbatim && !legalID.MatchString(op.ID):
		t.Errorf("id %q is not source.group.verb in lower-case words", op.ID)
	}
	if tool := op.Spelling().MCP; !legalTool.MatchString(tool) || len(tool) > twodoor.MaxToolName {
		t.Errorf("%s: hosts refuse the tool name %q", op.ID, tool)
	}
	for name, raw := range map[string]json.RawMessage{"input": op.InputSchema(), "output": op.OutputSchema()} {
		if raw == nil {
			continue
		}
		if _, err := schema.Compile(raw); err != nil {
			t.Errorf("%s: its %s schema does not compile: %v", op.ID, name, err)
		}
	}
	for _, example := range op.Examples {
		if len(example.Arguments) > 0 && !json.Valid(example.Arguments) {
			t.Errorf("%s: an example is not JSON: %s", op.ID, example.Arguments)
		}
	}
}

func read(t *testing.T, source twodoor.Source) *twodoor.Reading {
	t.Helper()
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

// asJSON is everything of a reading, operations and shared schemas too.
func asJSON(t *testing.T, r *twodoor.Reading) string {
	t.Helper()
	whole, err := json.Marshal(struct {
		*twodoor.Reading
		Operations  []twodoor.Operation
		Definitions map[string]json.RawMessage
	}{r, r.Operations, r.Definitions})
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}
