package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// scheme begins the addresses of guides: guide://harbor/triage.
const scheme = "guide://"

func (g *Guide) uri() string { return scheme + wordOr(g.Source, twodoor.OwnSource) + "/" + g.Name }

func (g *Guide) resource() twodoor.Resource {
	return twodoor.Resource{
		ID: twodoor.OwnSource + ".resource." + g.Name, URI: g.uri(), Name: g.Name, Title: g.Title, Description: g.about(),
		MediaType: "text/markdown", Size: int64(len(g.Text)),
	}
}

func (g *Guide) about() string {
	if g.When == "" {
		return ""
	}
	return "Read it when " + g.When
}

func (s *Source) library() *Library {
	if s.Library != nil {
		if now := s.Library(); now != nil {
			return now
		}
	}
	return &Library{}
}

// Resources lists the guides as resources.
func (s *Source) Resources(context.Context, twodoor.Principal) ([]twodoor.Resource, error) {
	library := s.library()
	all := []twodoor.Resource{}
	for i := range library.Guides {
		all = append(all, library.Guides[i].resource())
	}
	return all, nil
}

// Resource is the guide of an address; nil: it is another's.
func (s *Source) Resource(_ context.Context, _ twodoor.Principal, uri string) (*twodoor.Resource, error) {
	if g := s.library().at(uri); g != nil {
		found := g.resource()
		return &found, nil
	}
	return nil, nil
}

func (l *Library) at(uri string) *Guide {
	for i := range l.Guides {
		if l.Guides[i].uri() == uri {
			return &l.Guides[i]
		}
	}
	return nil
}

// ReadResource reads a guide, whole.
func (s *Source) ReadResource(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	library := s.library()
	g := library.at(in.Name)
	if g == nil {
		return nil, library.Unknown(in.Name[strings.LastIndexByte(in.Name, '/')+1:])
	}
	return &twodoor.Value{Blobs: []twodoor.Blob{{MediaType: "text/markdown", Name: g.Name + ".md", URI: in.Name, Data: []byte(g.Text)}}}, nil
}

// Prompts lists the guides as prompts: a person begins with one of them, and may say what for.
func (s *Source) Prompts(context.Context, twodoor.Principal) ([]twodoor.Prompt, error) {
	library := s.library()
	all := []twodoor.Prompt{}
	for i := range library.Guides {
		g := &library.Guides[i]
		all = append(all, twodoor.Prompt{
			ID: twodoor.OwnSource + ".prompt." + g.Name, Name: g.Name, Title: g.Title, Description: g.about(),
			Arguments: []twodoor.PromptArgument{{Name: "task", Description: "What is to be done, in your own words"}},
		})
	}
	return all, nil
}

// Prompt is the guide as the first message of a conversation, with the task behind it.
func (s *Source) Prompt(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	library := s.library()
	g := library.Find(in.Name)
	if g == nil {
		return nil, library.Unknown(in.Name)
	}
	text := strings.TrimRight(g.Text, "\n") + "\n"
	if task := taskIn(in.Arguments); task != "" {
		text += fmt.Sprintf("\nFollow this guide. The task: %s\n", task)
	}
	return &twodoor.Value{Messages: []twodoor.Message{{Role: "user", Text: text}}}, nil
}

func taskIn(arguments json.RawMessage) string {
	raw, _ := rawjson.Get(arguments, "task")
	task, _ := rawjson.String(raw)
	return strings.TrimSpace(task)
}
