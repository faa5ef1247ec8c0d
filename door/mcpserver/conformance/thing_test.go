package conformance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/twodoor/twodoor"
)

// resources are the fixtures of the suite's scenarios on resources.
func resources() []twodoor.FuncResource {
	watched := resourceOf("test://watched-resource", "watched", "text/plain", "This one changes")
	watched.Watch = func(ctx context.Context, _ *twodoor.Invocation, changed func()) error {
		go func() {
			for {
				select {
				case <-time.After(3 * time.Second):
					changed()
				case <-ctx.Done():
					return
				}
			}
		}()
		return nil
	}
	return []twodoor.FuncResource{
		resourceOf("test://static-text", "static text", "text/plain", "This is the content of the static text resource."),
		resourceOf("test://static-binary", "static binary", "image/png", string(image().Data)),
		watched,
		{
			Resource: twodoor.Resource{ID: "test.resource.template", Template: "test://template/{id}/data", Name: "template", Description: "Data by id", MediaType: "application/json"},
			Read: func(_ context.Context, in *twodoor.Invocation) ([]twodoor.Blob, error) {
				var args struct{ ID string }
				if err := json.Unmarshal(in.Arguments, &args); err != nil {
					return nil, err
				}
				return []twodoor.Blob{{Data: []byte(`{"id":"` + args.ID + `","templateTest":true,"data":"Data for ID: ` + args.ID + `"}`)}}, nil
			},
		},
	}
}

func resourceOf(uri, name, mediaType, content string) twodoor.FuncResource {
	return twodoor.FuncResource{
		Resource: twodoor.Resource{ID: "test.resource." + name, URI: uri, Name: name, Description: "The " + name + " resource", MediaType: mediaType},
		Read: func(context.Context, *twodoor.Invocation) ([]twodoor.Blob, error) {
			return []twodoor.Blob{{Data: []byte(content)}}, nil
		},
	}
}

// prompts are the fixtures of the suite's scenarios on prompts.
func prompts() []twodoor.FuncPrompt {
	user := func(text string) twodoor.Message { return twodoor.Message{Role: "user", Text: text} }
	return []twodoor.FuncPrompt{
		prompt("test_simple_prompt", nil, func(map[string]string) []twodoor.Message {
			return []twodoor.Message{user("This is a simple prompt for testing.")}
		}),
		prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(args map[string]string) []twodoor.Message {
			return []twodoor.Message{user("Prompt with arguments: arg1='" + args["arg1"] + "', arg2='" + args["arg2"] + "'")}
		}),
		prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(args map[string]string) []twodoor.Message {
			embedded := resource(args["resourceUri"], "text/plain", "Embedded resource content for testing.")
			return []twodoor.Message{{Role: "user", Blob: &embedded}, user("Please process the embedded resource above.")}
		}),
		prompt("test_prompt_with_image", nil, func(map[string]string) []twodoor.Message {
			picture := image()
			return []twodoor.Message{{Role: "user", Blob: &picture}, user("Please analyze the image above.")}
		}),
		{
			Prompt: twodoor.Prompt{ID: "test.prompt.asks", Name: "test_input_required_result_prompt", Description: "Asks for its context"},
			Fill: func(ctx context.Context, in *twodoor.Invocation) ([]twodoor.Message, error) {
				answers, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{question("user_context", twodoor.AskPerson, contextForm)}})
				if err != nil {
					return nil, err
				}
				return []twodoor.Message{user(string(answers["user_context"]))}, nil
			},
		},
	}
}

func prompt(name string, arguments []string, fill func(map[string]string) []twodoor.Message) twodoor.FuncPrompt {
	p := twodoor.FuncPrompt{
		Prompt: twodoor.Prompt{ID: "test.prompt." + name, Name: name, Description: "The prompt " + name},
		Fill: func(_ context.Context, in *twodoor.Invocation) ([]twodoor.Message, error) {
			var args map[string]string
			err := json.Unmarshal(in.Arguments, &args)
			return fill(args), err
		},
		Offer: func(context.Context, *twodoor.Invocation) (twodoor.Completions, error) {
			return twodoor.Completions{Values: []string{"paris", "park"}}, nil
		},
	}
	for _, argument := range arguments {
		p.Prompt.Arguments = append(p.Prompt.Arguments, twodoor.PromptArgument{Name: argument, Required: true})
	}
	return p
}
