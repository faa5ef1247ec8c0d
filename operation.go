package twodoor

import (
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor/internal/schema"
)

// Operation is one thing that can be asked for. It is pure data and serialisable: what it needs to
// be carried out lies in its Plan, which only the Invoker of its Kind reads.
type Operation struct {
	ID          string          `json:"id"`                    // required; source.group.verb, see [Spell]
	Kind        string          `json:"kind"`                  // required; the kind of source, picks the Invoker
	Title       string          `json:"title,omitempty"`       // one line
	Description string          `json:"description,omitempty"` // read by agents as a prompt
	Input       json.RawMessage `json:"input,omitempty"`       // JSON Schema 2020-12 of the arguments, always of an object; may point at shared schemas by #/$defs/NAME
	Output      json.RawMessage `json:"output,omitempty"`      // JSON Schema of the value, likewise
	Effect      Effect          `json:"effect"`                // required
	Why         string          `json:"why,omitempty"`         // why the effect is what it is, where it was inferred
	Idempotent  bool            `json:"idempotent,omitempty"`  // a second call changes nothing more
	OpenWorld   bool            `json:"open_world,omitempty"`  // reaches beyond the far side's own data
	Permission  string          `json:"permission,omitempty"`  // what the principal must hold; empty: nothing
	Export      Export          `json:"export,omitempty"`      // doors that show it; empty: all
	Aliases     []string        `json:"aliases,omitempty"`     // old ids, callable and hidden
	Deprecated  string          `json:"deprecated,omitempty"`  // why, and what to use instead
	Examples    []Example       `json:"examples,omitempty"`
	Guides      []string        `json:"guides,omitempty"` // names of the guides that help
	Before      []Step          `json:"before,omitempty"` // calls made first, and hidden
	Next        []Step          `json:"next,omitempty"`   // calls to suggest after the answer
	Answer      Answer          `json:"answer,omitzero"`
	Page        *Page           `json:"page,omitempty"`
	View        json.RawMessage `json:"view,omitempty"`    // how a host may show the answer
	Timeout     string          `json:"timeout,omitempty"` // a Go duration, the bound of one call; empty: the engine's

	Tool       string   `json:"tool,omitempty"`       // MCP spelling given by the description, verbatim
	Verbatim   bool     `json:"verbatim,omitempty"`   // doors list its schemas as they are: their owner wrote them for hosts
	Prefix     string   `json:"prefix,omitempty"`     // stands for the source's name in MCP spellings
	Positional []string `json:"positional,omitempty"` // inputs that the CLI also takes by position, in order
	Opened     string   `json:"opened,omitempty"`     // the one object property whose fields the CLI takes as flags
	Origin     string   `json:"origin,omitempty"`     // what it is at the far side: "POST /incidents/{id}/ack"
	At         string   `json:"at,omitempty"`         // where it is described: file:line

	Plan json.RawMessage `json:"plan,omitempty"` // the source's own; opaque to everybody but its Invoker

	kept *kept // set by the catalog
}

// kept is what a catalog adds to an operation that it hands out.
type kept struct {
	define func(name string) json.RawMessage
	input  func() (*schema.Schema, error)
}

// Source is the name of the source that the operation belongs to: the first word of its id.
func (o *Operation) Source() string {
	source, _, _ := strings.Cut(o.ID, ".")
	return source
}

// InputSchema is Input made self-contained: the shared schemas that it reaches lie in its $defs.
// An operation that takes nothing has the schema of an object without properties.
func (o *Operation) InputSchema() json.RawMessage { return o.close(o.input()) }

func (o *Operation) input() json.RawMessage {
	if len(o.Input) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return o.Input
}

// OutputSchema is Output made self-contained, or nil where the answer is not described.
func (o *Operation) OutputSchema() json.RawMessage {
	if len(o.Output) == 0 {
		return nil
	}
	return o.close(o.Output)
}

// Definition is the shared schema that #/$defs/NAME in the operation's schemas points at, or nil.
func (o *Operation) Definition(name string) json.RawMessage {
	if o.kept == nil {
		return nil
	}
	return o.kept.define(name)
}

func (o *Operation) close(root json.RawMessage) json.RawMessage {
	return schema.Close(root, func(name string) []byte { return o.Definition(name) })
}

// Effect is what a call does to the far side.
type Effect string

// The three effects, from the harmless one up.
const (
	Reads    Effect = "reads"
	Writes   Effect = "writes"
	Destroys Effect = "destroys"
)

// Export says which doors show an operation.
type Export string

// The values of Export; the empty one means ExportAll.
const (
	ExportAll  Export = "all"
	ExportCLI  Export = "cli"
	ExportMCP  Export = "mcp"
	ExportNone Export = "none"
)

// Reaches reports whether operations of this export are shown at the door of that name. Doors
// other than the CLI count as MCP: they serve agents without a shell.
func (x Export) Reaches(door string) bool {
	switch x {
	case ExportNone:
		return false
	case ExportCLI:
		return door == DoorCLI
	case ExportMCP:
		return door != DoorCLI
	}
	return true
}

// Example is a call that is true of the description.
type Example struct {
	Title     string          `json:"title,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Answer    json.RawMessage `json:"answer,omitempty"`
}

// Step is a call tied to another one: made before it, or suggested after it (contracts §5).
type Step struct {
	Call      string            `json:"call"`                // an operation id, or group.verb of the same source
	Arguments map[string]string `json:"arguments,omitempty"` // input name → jq over the arguments (before) or the answer (next)
	When      string            `json:"when,omitempty"`      // next: jq, the step is suggested where it is true
	On        Code              `json:"on,omitempty"`        // next: suggested where the call fails with this code; jq then runs over {arguments, error}
	Why       string            `json:"why,omitempty"`       // next: told to the agent
	Until     string            `json:"until,omitempty"`     // before: jq over its answer, polled until true
	Every     string            `json:"every,omitempty"`     // before: a Go duration between polls
	AtMost    string            `json:"at_most,omitempty"`   // before: a Go duration, the bound of polling
}

// Answer says how an answer is cut when the caller does not say, and how to read it.
type Answer struct {
	Fields  []string          `json:"fields,omitempty"`
	Limit   int               `json:"limit,omitempty"`
	Summary bool              `json:"summary,omitempty"`
	Root    string            `json:"root,omitempty"` // path of the records: "items", "data.list"
	IDNames map[string]string `json:"id_names,omitempty"`
	Meaning string            `json:"meaning,omitempty"` // how to read it
	Empty   string            `json:"empty,omitempty"`   // what an empty one proves
}

// Page says how the far side pages.
type Page struct {
	Style PageStyle `json:"style"`
	Param string    `json:"param,omitempty"` // input that takes the cursor, offset or page number
	Size  string    `json:"size,omitempty"`  // input that takes the number of records wanted
	Max   int       `json:"max,omitempty"`   // the far side's bound of Size; 0: not known
	Next  string    `json:"next,omitempty"`  // cursor: path of the next cursor in the answer, or a jq program for it; link: path of the next address, where no header has it
	Items string    `json:"items,omitempty"` // path of the records in the answer; empty: found
	First int       `json:"first,omitempty"` // page: the number of the first page
}

// PageStyle is one of the ways in which far sides page.
type PageStyle string

// The page styles (contracts §5).
const (
	PageCursor PageStyle = "cursor"
	PageOffset PageStyle = "offset"
	PageNumber PageStyle = "page"
	PageLink   PageStyle = "link" // the next page is a link of the answer, followed by the Invoker
)

// example is a valid call: the description's own first example, else one made from the schema.
func (o *Operation) example() json.RawMessage {
	for _, e := range o.Examples {
		if len(e.Arguments) > 0 {
			return e.Arguments
		}
	}
	return schema.Example(o.InputSchema())
}

// root is the path of the records in an answer, where the description says it.
func (o *Operation) root() string {
	if o.Answer.Root == "" && o.Page != nil {
		return o.Page.Items
	}
	return o.Answer.Root
}
