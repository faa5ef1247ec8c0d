package twodoor

import (
	"encoding/json"

	"github.com/twodoor/twodoor/internal/shape"
)

// Result is the answer to a call: the same at every door.
type Result struct {
	CallID    string
	Operation string          // id of the operation that answered
	Value     json.RawMessage // the shaped value, exactly one JSON value; nil: it worked and there is no content
	MediaType string          // of a Value that was not JSON at the far side: it is a JSON string then, or a list of events
	Blobs     []Blob
	Messages  []Message       // of a prompt
	Asked     *Asked          // in place of all else: the caller is asked something first
	Preview   *Preview        // in a dry run, in place of a value
	Raw       json.RawMessage // Value.Raw, where nothing was cut from it or added to it: a door of that protocol passes it on
	Next      []Suggestion
	Cut       *Cut
	Notes     []string // "incident.show is an old name of incident.get"
	Weight    int      // estimated tokens of Value
	Format    Format   // that the call asked for, or that Text is in
	Text      string   // Value in that format, where it is written so over MCP; empty: as JSON
	Saved     Saved

	opened *shape.Answer // of Value, or of what it was
}

// Suggestion is a call that may follow, ready to be made.
type Suggestion struct {
	Call      string          `json:"call"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Why       string          `json:"why,omitempty"`
}

// Cut tells what was left out of an answer and how to get it.
type Cut struct {
	Shown  int    `json:"shown"`
	Total  int    `json:"total,omitempty"`  // 0: not known
	Handle string `json:"handle,omitempty"` // where the rest waits
	How    string `json:"how"`              // the next step, in words
}

// Saved is what an answer would have weighed more, by cause, in tokens estimated as bytes ÷ 4.
type Saved struct {
	LeftOut int `json:"left_out,omitempty"` // fields that are null or empty
	Fields  int `json:"fields,omitempty"`   // what the caller or a preset did not want: fields, limit, summary, jq
	Cut     int `json:"cut,omitempty"`      // what the budget left under a handle
	Encoded int `json:"encoded,omitempty"`  // what another format than JSON spares
}

// Total is the sum of all causes.
func (s Saved) Total() int { return s.LeftOut + s.Fields + s.Cut + s.Encoded }

// saved is the difference between two values in tokens; never less than none.
func saved(before, after json.RawMessage) int { return max(0, len(before)-len(after)) / 4 }
