package twodoor_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/twodoor/twodoor"
)

type heard []twodoor.Event

func (h *heard) Observe(event twodoor.Event) { *h = append(*h, event) }

func library(t *testing.T) (*twodoor.Engine, *heard) {
	t.Helper()
	text := func(text string) func(context.Context, *twodoor.Invocation) ([]twodoor.Blob, error) {
		return func(_ context.Context, in *twodoor.Invocation) ([]twodoor.Blob, error) {
			return []twodoor.Blob{{Data: []byte(text + string(in.Arguments))}}, nil
		}
	}
	source := &twodoor.FuncSource{Name: "lab",
		ResourceFuncs: []twodoor.FuncResource{
			{Resource: twodoor.Resource{ID: "lab.resource.open", URI: "lab://open", Name: "open"}, Read: text("open")},
			{Resource: twodoor.Resource{ID: "lab.resource.secret", URI: "lab://secret", Name: "secret", Permission: "secrets"}, Read: text("secret")},
			{Resource: twodoor.Resource{ID: "lab.resource.item", Template: "lab://item/{id}", Name: "item"}, Read: text("item")},
		},
		PromptFuncs: []twodoor.FuncPrompt{{
			Prompt: twodoor.Prompt{ID: "lab.prompt.hello", Name: "hello", Arguments: []twodoor.PromptArgument{{Name: "name", Required: true}}},
			Fill: func(_ context.Context, in *twodoor.Invocation) ([]twodoor.Message, error) {
				return []twodoor.Message{{Role: "user", Text: string(in.Arguments)}}, nil
			},
			Offer: func(_ context.Context, in *twodoor.Invocation) (twodoor.Completions, error) {
				return twodoor.Completions{Values: []string{in.Completing.Value + "!"}}, nil
			},
		}},
	}
	seen := &heard{}
	return &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Observer: seen, Profiles: map[string]*twodoor.Profile{
		twodoor.DefaultProfile: {}, "other": {Include: []string{"harbor.*"}}, "few": {Exclude: []string{"lab.resource.*"}},
	}}, seen
}

// What the profile and the permissions hide is neither listed nor read; the journal sees the rest.
func TestResourcesArePermitted(t *testing.T) {
	e, seen := library(t)
	ann := twodoor.Principal{Subject: "ann"}
	for _, c := range []struct {
		principal twodoor.Principal
		profile   string
		uri       string
		listed    int
		code      twodoor.Code
	}{
		{ann, "", "lab://open", 2, twodoor.CodeOK},
		{ann, "", "lab://item/7", 2, twodoor.CodeOK},
		{ann, "", "lab://secret", 2, twodoor.CodeForbidden},
		{twodoor.Principal{}, "", "lab://secret", 2, twodoor.CodeUnauthenticated},
		{twodoor.Operator, "", "lab://secret", 3, twodoor.CodeOK},
		{ann, "", "lab://item/7/8", 2, twodoor.CodeUnknown},
		{twodoor.Operator, "other", "lab://open", 0, twodoor.CodeUnknown},
		{twodoor.Operator, "few", "lab://open", 0, twodoor.CodeUnknown},
	} {
		call := twodoor.Call{Of: twodoor.OfResource, Operation: c.uri, Principal: c.principal, Profile: c.profile, Door: twodoor.DoorMCP}
		all, err := e.Resources(t.Context(), call)
		if err != nil || len(all) != c.listed {
			t.Errorf("%s of %q lists %d: %v", c.profile, c.principal.Subject, len(all), err)
		}
		_, err = e.Do(t.Context(), call)
		if got := twodoor.AsError(err); (got == nil) != (c.code == twodoor.CodeOK) || got != nil && got.Code != c.code {
			t.Errorf("%s by %q in %q: %v", c.uri, c.principal.Subject, c.profile, err)
		}
		event := (*seen)[len(*seen)-1]
		if c.code == twodoor.CodeOK && (event.Effect != twodoor.Reads || event.Code != twodoor.CodeOK) || event.Code != c.code {
			t.Errorf("told of %s: %+v", c.uri, event)
		}
	}
	result, err := e.Do(t.Context(), twodoor.Call{Of: twodoor.OfResource, Operation: "lab://item/7", Principal: ann, Door: twodoor.DoorMCP})
	if err != nil || string(result.Blobs[0].Data) != `item{"id":"7"}` || result.Blobs[0].URI != "lab://item/7" {
		t.Errorf("%+v %v", result, err)
	}
}

func TestPrompts(t *testing.T) {
	e, _ := library(t)
	call := twodoor.Call{Of: twodoor.OfPrompt, Operation: "hello", Principal: twodoor.Operator, Door: twodoor.DoorMCP, Arguments: json.RawMessage(`{"name":"Ann"}`)}
	if result, err := e.Do(t.Context(), call); err != nil || result.Messages[0].Text != `{"name":"Ann"}` {
		t.Errorf("%+v %v", result, err)
	}
	for _, bad := range []string{`{}`, `{"name":1}`} {
		call.Arguments = json.RawMessage(bad)
		if _, err := e.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeInvalid || len(twodoor.AsError(err).Fields) != 1 {
			t.Errorf("%s: %v", bad, err)
		}
	}
	call.Arguments, call.Completing = nil, &twodoor.Completing{Argument: "name", Value: "An"}
	if result, err := e.Do(t.Context(), call); err != nil || string(result.Value) != `{"values":["An!"]}` {
		t.Errorf("%+v %v", result, err)
	}
	call.Profile = "other"
	if _, err := e.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeUnknown {
		t.Errorf("hidden by the profile: %v", err)
	}
	if all, err := e.Prompts(t.Context(), call); err != nil || len(all) != 0 {
		t.Errorf("listed: %v %v", all, err)
	}
}

func TestMatchTemplate(t *testing.T) {
	for _, c := range []struct {
		template, uri, want string
	}{
		{"a://{id}/x", "a://7/x", `{"id":"7"}`},
		{"a://{id}/x", "a://7/8/x", ``},
		{"a://{+path}", "a://7/8", `{"path":"7/8"}`},
		{"a://{a}-{b}", "a://1-2", `{"a":"1","b":"2"}`},
		{"a://{a}", "a://", ``},
		{"a://{a", "a://x", ``},
		{"", "", `{}`},
	} {
		values, ok := twodoor.MatchTemplate(c.template, c.uri)
		raw, _ := json.Marshal(values)
		if !ok {
			raw = nil
		}
		if string(raw) != c.want {
			t.Errorf("%s of %s: %s, want %s", c.template, c.uri, raw, c.want)
		}
	}
}
