package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
)

// scheme is that of the addresses of guides.
const scheme = "guide://"

// library is the guides of now.
func (s *Source) library() *Library {
	if s.Library != nil {
		if now := s.Library(); now != nil {
			return now
		}
	}
	return &Library{}
}

// id is what profiles know a guide by: as a thing of the source that it is about.
func (g *Guide) id() string {
	if g.Source == "" {
		return twodoor.OwnSource + ".guide." + g.Name
	}
	return g.Source + ".guide." + g.Name
}

func (g *Guide) resource() twodoor.Resource {
	return twodoor.Resource{
		ID: g.id(), URI: scheme + g.Name, Name: g.Name, Title: g.Title, Description: g.When,
		MediaType: "text/markdown", Size: int64(len(g.Text)),
	}
}

// Resources lists the guides as resources, guide://NAME.
func (s *Source) Resources(context.Context, twodoor.Principal) ([]twodoor.Resource, error) {
	var all []twodoor.Resource
	guides := s.library().Guides
	for i := range guides {
		all = append(all, guides[i].resource())
	}
	return all, nil
}

// Resource is the guide of an address.
func (s *Source) Resource(_ context.Context, _ twodoor.Principal, uri string) (*twodoor.Resource, error) {
	name, ours := strings.CutPrefix(uri, scheme)
	if g := s.library().Find(name); ours && g != nil {
		found := g.resource()
		return &found, nil
	}
	return nil, nil
}

// ReadResource reads a guide.
func (s *Source) ReadResource(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	name := strings.TrimPrefix(in.Name, scheme)
	g := s.library().Find(name)
	if g == nil {
		return nil, s.library().Unknown(name)
	}
	return &twodoor.Value{Blobs: []twodoor.Blob{{URI: in.Name, MediaType: "text/markdown", Data: []byte(g.Text)}}}, nil
}

// Prompts lists the guides as prompts: a person chooses one, and says what it is for.
func (s *Source) Prompts(context.Context, twodoor.Principal) ([]twodoor.Prompt, error) {
	var all []twodoor.Prompt
	guides := s.library().Guides
	for i := range guides {
		g := &guides[i]
		all = append(all, twodoor.Prompt{
			ID: g.id(), Name: g.Name, Title: g.Title, Description: g.When,
			Arguments: []twodoor.PromptArgument{{Name: "task", Description: "what to do by this guide"}},
		})
	}
	return all, nil
}

// Prompt is a guide with the task that it is for.
func (s *Source) Prompt(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	g := s.library().Find(in.Name)
	if g == nil {
		return nil, s.library().Unknown(in.Name)
	}
	var args struct{ Task string }
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of the prompt %s: %w", in.Name, err)
	}
	text := "Work by this guide.\n\n" + g.Text
	if args.Task != "" {
		text = args.Task + "\n\n" + text
	}
	return &twodoor.Value{Messages: []twodoor.Message{{Role: "user", Text: text}}}, nil
}
