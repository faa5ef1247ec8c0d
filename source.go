package twodoor

import (
	"context"
	"encoding/json"
)

// Source reads one description into operations. Reading and invoking are apart, so that a compiled
// catalog needs no description.
type Source interface {
	// Read reads the whole description. Operations that cannot be served are named as exceptions,
	// they are no error; an error means that nothing can be served.
	Read(ctx context.Context) (*Reading, error)
}

// Reading is what a source found in its description.
// Described = len(Operations) + len(Exceptions) holds always.
type Reading struct {
	Source      string                     `json:"source"`
	Title       string                     `json:"title,omitempty"`
	Description string                     `json:"description,omitempty"`
	Version     string                     `json:"version,omitempty"`
	Groups      map[string]string          `json:"groups,omitempty"` // what the description says of a group
	Operations  []Operation                `json:"-"`
	Definitions map[string]json.RawMessage `json:"-"` // shared schemas: what #/$defs/NAME points at
	Exceptions  []Exception                `json:"exceptions,omitempty"`
	Skipped     []Exception                `json:"skipped,omitempty"` // parts that are no operations: webhooks, callbacks
	Notes       []string                   `json:"notes,omitempty"`   // what a reader should know: colliding names and what was done
	Schemes     []Scheme                   `json:"schemes,omitempty"` // the ways of presenting a key that operations ask for
	Origins     []string                   `json:"origins,omitempty"` // scheme://host[:port] that the description itself calls
	Starts      []string                   `json:"starts,omitempty"`  // command lines that it starts, as the description writes them
	Keys        []string                   `json:"keys,omitempty"`    // references of the keys that it reads itself: ${env:NAME}
	Files       []string                   `json:"files,omitempty"`   // what was read, absolute paths and URLs, for telling when it changed
	Lock        Lock                       `json:"lock,omitzero"`

	Translations map[string]Translation `json:"translations,omitempty"` // the same in other languages, by language: "zh"
}

// Translation is what a description says in another language. Where it says nothing, the description's
// own words stand.
type Translation struct {
	Groups     map[string]string `json:"groups,omitempty"`
	Operations map[string]Words  `json:"operations,omitempty"` // by Operation.Origin
}

// Words are what is said of an operation in one language.
type Words struct {
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Inputs      map[string]string `json:"inputs,omitempty"`  // what is said of an input, by its name; those of Operation.Opened by "opened.name"
	Meaning     string            `json:"meaning,omitempty"` // how to read the answer
	Empty       string            `json:"empty,omitempty"`   // what an empty one proves
}

// Exception is a part of a description that is not served, and why.
type Exception struct {
	Operation string `json:"operation"` // as the description calls it: "GET /x", an rpc, a tool
	At        string `json:"at"`        // file:line
	Reason    string `json:"reason"`
}

// Lock keeps what a source has named, so that names never move (contracts §1). Its lines are kept
// in twodoor.lock beside the configuration.
type Lock struct {
	Rule    string            `json:"rule,omitempty"`    // the naming rule that was chosen
	Dropped []string          `json:"dropped,omitempty"` // leading path segments left out
	Split   []string          `json:"split,omitempty"`   // groups that were split
	Names   map[string]string `json:"names,omitempty"`   // the far side's key ("GET /x") → "group.verb"
}

// Invoker carries out operations of one kind from their plan. It is safe for concurrent use.
type Invoker interface {
	// Invoke makes one call. The context ends it: an Invoker returns soon after and leaves nothing
	// running. Faults are *Error where the kind is known; anything else becomes CodeInternal.
	Invoke(ctx context.Context, in *Invocation) (*Value, error)
}

// Previewer is an Invoker that can show what it would send, for dry runs.
type Previewer interface {
	Preview(ctx context.Context, in *Invocation) (*Preview, error)
}

// Invocation is a call on its way to the far side: found, admitted, its arguments checked.
type Invocation struct {
	CallID    string
	Operation *Operation      // for a resource or a prompt: one that stands for it
	Name      string          // as the call spells it: the address of the resource, the prompt
	Arguments json.RawMessage // a valid object for Operation.Input
	Principal Principal
	Session   string
	Account   string // which account of the source; empty: its only or default one
	Continue  string // Value.Continue of the page before; empty: the first page
	Progress  func(Progress)
	Log       func(Note) // nil: nobody listens
	Caller    Caller     // calls other operations on behalf of the same principal

	Declared   json.RawMessage // what the caller can be asked, as MCP client capabilities
	Answers    Answers         // that came with the call
	State      []byte          // Round.State, where an earlier invocation ended with questions
	Completing *Completing     // of a Completer: what is being typed

	ask func(ctx context.Context, round Round, rest []Question) (Answers, error) // nil: nobody can be asked
}

// Caller makes calls. The engine is one; an invocation carries one that knows its parent.
type Caller interface {
	Do(ctx context.Context, call Call) (*Result, error)
}

// Value is what the far side answered, as it came.
type Value struct {
	JSON      json.RawMessage // exactly one JSON value; nil: it answered without content
	MediaType string          // of the answer where it was not JSON: "text/plain", "text/event-stream"
	Blobs     []Blob          // binary answers; the contents of a resource
	Messages  []Message       // of a prompt
	Continue  string          // opaque to all but the Invoker: hand it back for the next page (PageLink)
	Cut       *Cut            // what the far side or a bound of the Invoker left out
	Notes     []string        // said to the agent beside the value
	Next      []Suggestion    // calls that may follow, beside those that the operation names
	Shaped    bool            // it is the answer of a call of this call: nothing is left out of it again
	Format    Format          // that the call of this call asked for
	Preview   *Preview        // in a dry run, in place of all else
	Raw       json.RawMessage // the whole answer in the far side's own protocol, where a door may speak it too: an MCP CallToolResult
}

// size is how many bytes came; a value that did not come has none.
func (v *Value) size() int {
	switch {
	case v == nil:
		return 0
	case v.Raw != nil:
		return len(v.Raw)
	}
	n := len(v.JSON)
	for _, blob := range v.Blobs {
		n += len(blob.Data)
	}
	return n
}

// Blob is a piece of binary content.
type Blob struct {
	MediaType string
	Name      string // file name, where the far side gave one
	URI       string // set: it is a resource of that address, and told as one
	Data      []byte
}

// Preview is a request that was not sent. Secrets are masked.
type Preview struct {
	Text   string          // for a person: a curl command line
	Detail json.RawMessage // for a program: {"method","url","headers","body"}
}

// Progress is how far a running call is.
type Progress struct {
	Done    float64
	Total   float64 // 0: not known
	Message string
}

// Note is a log message of a running call.
type Note struct {
	Level  string          // of syslog: "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
	Logger string          // may be empty
	Data   json.RawMessage // any value
}

// Access is what an upstream request may need a key for. A source says which security schemes its
// description declares; whoever sends the request puts the key on. No source ever sees one.
type Access struct {
	Source    string
	Account   string
	Principal Principal
	Need      [][]Scheme // any one of these, all of its schemes together; empty: nothing is declared; an empty alternative: no key is needed
}

// Scheme is a declared way of presenting a key (OpenAPI 3.1 "Security Scheme Object").
type Scheme struct {
	Name     string   `json:"name"`               // the description's name of it
	Type     string   `json:"type"`               // apiKey, http, oauth2, openIdConnect, mutualTLS
	In       string   `json:"in,omitempty"`       // apiKey: query, header, cookie
	Param    string   `json:"param,omitempty"`    // apiKey: name of the parameter or header
	Scheme   string   `json:"scheme,omitempty"`   // http: basic, bearer, …
	TokenURL string   `json:"tokenUrl,omitempty"` // oauth2 client-credentials
	Scopes   []string `json:"scopes,omitempty"`
}
