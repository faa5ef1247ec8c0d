package twodoor

import (
	"context"
	"encoding/json"
	"strings"
)

// Resource is something that can be read, by its address; or a template of such addresses.
type Resource struct {
	ID          string // required; source.resource.name: what profiles and the journal know it by
	URI         string // required, unless Template is set
	Template    string // a URI template (RFC 6570: {name} and {+name})
	Name        string // required
	Title       string
	Description string
	MediaType   string
	Size        int64           // bytes; 0: not known
	Permission  string          // what the principal must hold; empty: nothing
	Definition  json.RawMessage // as the far side defines it in MCP's words, address aside; nil: it is made of the rest
}

// Library is an Invoker whose source has resources.
type Library interface {
	// Resources lists the resources and templates of now, for this principal, in a stable order.
	Resources(ctx context.Context, by Principal) ([]Resource, error)
	// Resource is the one of an address, or the template that the address fits; nil: it is another's.
	Resource(ctx context.Context, by Principal, uri string) (*Resource, error)
	// ReadResource reads Invocation.Name. The contents are Value.Blobs, or Value.Raw as an MCP
	// ReadResourceResult.
	ReadResource(ctx context.Context, in *Invocation) (*Value, error)
}

// Watcher is a Library that tells when a resource has changed.
type Watcher interface {
	// Watch calls changed after each change of Invocation.Name, from any goroutine, until the context
	// ends. It returns as soon as nothing is missed.
	Watch(ctx context.Context, in *Invocation, changed func()) error
}

// Prompt is a text that a person chooses to begin a conversation with.
type Prompt struct {
	ID          string // required; source.prompt.name
	Name        string // required; MCP spelling, unique in the source
	Title       string
	Description string
	Arguments   []PromptArgument
	Permission  string
	Definition  json.RawMessage // as the far side defines it in MCP's words, name aside; nil: it is made of the rest
}

// PromptArgument is a text that goes into a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Prompter is an Invoker whose source has prompts.
type Prompter interface {
	// Prompts lists the prompts of now, for this principal, in a stable order.
	Prompts(ctx context.Context, by Principal) ([]Prompt, error)
	// Prompt fills in Invocation.Name with the arguments, texts by name. The answer is
	// Value.Messages, or Value.Raw as an MCP GetPromptResult.
	Prompt(ctx context.Context, in *Invocation) (*Value, error)
}

// Message is a part of a prompt.
type Message struct {
	Role string // "user" or "assistant"
	Text string
	Blob *Blob // in place of a text
}

// Completer is a Library or Prompter that proposes values of a template's variables and of a
// prompt's arguments.
type Completer interface {
	// Complete proposes values of what Invocation.Completing names.
	Complete(ctx context.Context, in *Invocation) (Completions, error)
}

// Completing is what is being typed.
type Completing struct {
	Argument string
	Value    string            // as far as it is typed
	Others   map[string]string // the arguments that are known already
}

// Completions are proposals, the best first: at most 100 are told.
type Completions struct {
	Values []string `json:"values"`
	Total  int      `json:"total,omitempty"` // 0: not known
	More   bool     `json:"hasMore,omitempty"`
}

// Lists names lists that clients keep, where one of them is another than it was.
type Lists uint8

// The lists.
const (
	ListOfOperations Lists = 1 << iota
	ListOfResources
	ListOfPrompts
)

// MatchTemplate gives the variables of a URI that fits a template: {name} stands for one segment of a
// path, {+name} for any run of characters. Neither is empty.
func MatchTemplate(template, uri string) (values map[string]string, ok bool) {
	values = map[string]string{}
	return values, matchTemplate(template, uri, values)
}

func matchTemplate(template, uri string, values map[string]string) bool {
	open := strings.IndexByte(template, '{')
	if open < 0 {
		return template == uri
	}
	end := strings.IndexByte(template[open:], '}')
	if end < 0 || !strings.HasPrefix(uri, template[:open]) {
		return false
	}
	name, rest := template[open+1:open+end], template[open+end+1:]
	name, any := strings.CutPrefix(name, "+")
	uri = uri[open:]
	for n := 1; n <= len(uri); n++ {
		if !any && strings.ContainsRune("/?#", rune(uri[n-1])) {
			return false
		}
		if matchTemplate(rest, uri[n:], values) {
			values[name] = uri[:n]
			return true
		}
	}
	return false
}
