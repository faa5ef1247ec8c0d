package mcpclient_test

import (
	"testing"

	"github.com/twodoor/twodoor"
)

func TestThroughEngine(t *testing.T) {
	engine := engineOf(t, serve(t, local("legacy")))
	got, err := engine.Do(t.Context(), twodoor.Call{Operation: "fake.notes_list"})
	if err != nil || string(got.Raw) != result {
		t.Errorf("got %s, %v", got.Raw, err)
	}
	_, err = engine.Do(t.Context(), twodoor.Call{Operation: "fake.fails"})
	if raw := string(twodoor.AsError(err).Upstream.Raw); raw != `{"content":[{"type":"text","text":"the note is locked"}],"isError":true,"extra":7}` {
		t.Errorf("got %s", raw)
	}
	got, err = engine.Do(t.Context(), twodoor.Call{Operation: "fake.notes_list", Projection: twodoor.Projection{Fields: []string{"z"}}})
	if err != nil || got.Raw != nil || string(got.Value) != `{"z":1152921504606846977}` {
		t.Errorf("got %+v, %v", got, err)
	}
}
