package twodoor

import (
	"context"
	"encoding/json"
	"fmt"
)

// FuncResource is a resource, or a template of some, that Go functions give.
type FuncResource struct {
	Resource Resource // required: ID, Name, and URI or Template
	// Read gives the contents of the address in.Name; the variables of a template stand in
	// in.Arguments. Contents without an address of their own get this one. Required.
	Read func(ctx context.Context, in *Invocation) ([]Blob, error)
	// Watch is as [Watcher] has it; nil: it never changes.
	Watch func(ctx context.Context, in *Invocation, changed func()) error
}

// FuncPrompt is a prompt that a Go function fills in.
type FuncPrompt struct {
	Prompt Prompt                                                         // required: ID, Name
	Fill   func(ctx context.Context, in *Invocation) ([]Message, error)   // required
	Offer  func(ctx context.Context, in *Invocation) (Completions, error) // proposes values; nil: none
}

// find is the resource of an address: a fixed one before a template.
func (s *FuncSource) find(uri string) (found *FuncResource, variables map[string]string) {
	for i := range s.ResourceFuncs {
		r := &s.ResourceFuncs[i]
		if r.Resource.URI != "" && r.Resource.URI == uri {
			return r, nil
		}
		if values, ok := MatchTemplate(r.Resource.Template, uri); ok && found == nil {
			found, variables = r, values
		}
	}
	return found, variables
}

// Resources lists the resources and templates.
func (s *FuncSource) Resources(context.Context, Principal) ([]Resource, error) {
	var all []Resource
	for i := range s.ResourceFuncs {
		all = append(all, s.ResourceFuncs[i].Resource)
	}
	return all, nil
}

// Resource is the one of an address, or the template that it fits.
func (s *FuncSource) Resource(_ context.Context, _ Principal, uri string) (*Resource, error) {
	if r, _ := s.find(uri); r != nil {
		return &r.Resource, nil
	}
	return nil, nil
}

// ReadResource reads one.
func (s *FuncSource) ReadResource(ctx context.Context, in *Invocation) (*Value, error) {
	r, variables := s.find(in.Name)
	if r == nil {
		return nil, fmt.Errorf("no function for the resource %s", in.Name)
	}
	var err error
	if in.Arguments, err = json.Marshal(variables); err != nil {
		return nil, fmt.Errorf("encode the variables of %s: %w", in.Name, err)
	}
	blobs, err := r.Read(ctx, in)
	for i := range blobs {
		if blobs[i].URI == "" {
			blobs[i].URI = in.Name
		}
		if blobs[i].MediaType == "" {
			blobs[i].MediaType = r.Resource.MediaType
		}
	}
	return &Value{Blobs: blobs}, err
}

// Watch tells of changes where the resource does.
func (s *FuncSource) Watch(ctx context.Context, in *Invocation, changed func()) error {
	if r, _ := s.find(in.Name); r != nil && r.Watch != nil {
		return r.Watch(ctx, in, changed)
	}
	return nil
}

// Prompts lists the prompts.
func (s *FuncSource) Prompts(context.Context, Principal) ([]Prompt, error) {
	var all []Prompt
	for i := range s.PromptFuncs {
		all = append(all, s.PromptFuncs[i].Prompt)
	}
	return all, nil
}

func (s *FuncSource) prompt(name string) *FuncPrompt {
	for i := range s.PromptFuncs {
		if s.PromptFuncs[i].Prompt.Name == name {
			return &s.PromptFuncs[i]
		}
	}
	return nil
}

// Prompt fills one in.
func (s *FuncSource) Prompt(ctx context.Context, in *Invocation) (*Value, error) {
	p := s.prompt(in.Name)
	if p == nil {
		return nil, fmt.Errorf("no function for the prompt %s", in.Name)
	}
	messages, err := p.Fill(ctx, in)
	return &Value{Messages: messages}, err
}

// Complete proposes values for the arguments of a prompt.
func (s *FuncSource) Complete(ctx context.Context, in *Invocation) (Completions, error) {
	if p := s.prompt(in.Name); p != nil && p.Offer != nil {
		return p.Offer(ctx, in)
	}
	return Completions{}, nil
}
