package guide

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// Guides are resources and prompts of the source that they are about: a profile that cuts the source
// off cuts them off too.
func TestGuidesAsResourcesAndPrompts(t *testing.T) {
	source := &Source{Library: func() *Library {
		return &Library{Guides: []Guide{
			{Name: "house", Title: "The house", Text: "# The house\n"},
			{Name: "triage", Title: "Triage", When: "an incident is new", Source: "harbor", Text: "# Triage\n"},
		}}
	}}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{Kind: source}, Profiles: map[string]*twodoor.Profile{
		twodoor.DefaultProfile: {}, "lab": {Include: []string{"lab.*"}},
	}}
	call := twodoor.Call{Principal: twodoor.Operator, Door: twodoor.DoorMCP}
	for profile, want := range map[string]string{"": "guide://house guide://triage", "lab": "guide://house"} {
		call.Profile = profile
		resources, err := engine.Resources(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range resources {
			uris = append(uris, r.URI)
		}
		if got := strings.Join(uris, " "); got != want {
			t.Errorf("profile %q lists %s, want %s", profile, got, want)
		}
		prompts, err := engine.Prompts(t.Context(), call)
		if err != nil || len(prompts) != len(resources) {
			t.Errorf("%v %v", prompts, err)
		}
	}
	call.Profile = ""
	call.Of, call.Operation = twodoor.OfResource, "guide://triage"
	if result, err := engine.Do(t.Context(), call); err != nil || string(result.Blobs[0].Data) != "# Triage\n" || result.Operation != "harbor.guide.triage" {
		t.Errorf("%+v %v", result, err)
	}
	call.Of, call.Operation, call.Arguments = twodoor.OfPrompt, "triage", []byte(`{"task":"Look at INC-1."}`)
	if result, err := engine.Do(t.Context(), call); err != nil || !strings.HasPrefix(result.Messages[0].Text, "Look at INC-1.\n\n") || !strings.HasSuffix(result.Messages[0].Text, "# Triage\n") {
		t.Errorf("%+v %v", result, err)
	}
	call.Of, call.Operation = twodoor.OfResource, "guide://nothing"
	if _, err := engine.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeUnknown {
		t.Errorf("%v", err)
	}
}
