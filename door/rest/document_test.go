package rest_test

import (
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/twodoortest"
)

// TestDocumentIsASource reads the door's own description as the product reads any other.
func TestDocumentIsASource(t *testing.T) {
	reading := twodoortest.Sources(t, &openapi.Source{Name: "twin", File: "openapi.json"})
	for _, left := range append(reading.Exceptions, reading.Skipped...) {
		t.Errorf("%s at %s is left out: %s", left.Operation, left.At, left.Reason)
	}
	effects := map[string]twodoor.Effect{}
	for _, op := range reading.Operations {
		effects[op.ID] = op.Effect
	}
	for id, want := range map[string]twodoor.Effect{
		"twin.tools.list": twodoor.Reads, "twin.sessions.end": twodoor.Destroys, "twin.calls.make": twodoor.Writes,
		"twin.mcp-config.save": twodoor.Writes, "twin.tools.execute": twodoor.Writes, "twin.operations.list": twodoor.Reads,
	} {
		if effects[id] != want {
			t.Errorf("%s %s, want %s; there are %v", id, effects[id], want, effects)
		}
	}
}
