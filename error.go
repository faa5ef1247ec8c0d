package twodoor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"
)

// Error is what went wrong, told so that a stranger may read it and an agent knows the next step.
type Error struct {
	Code       Code
	Message    string          // safe for a stranger; says what is wrong
	Hint       string          // what to do about it, in words
	Try        []string        // operations or commands to try, nearest first
	Next       []Suggestion    // calls that lead on, ready to be made
	Fields     []Problem       // every misfit of the arguments
	Mended     json.RawMessage // arguments that fit, made of the call's own; Hint shows them
	RetryAfter time.Duration   // 0: not known
	Token      string          // CodeConfirm: what the retry carries as Confirm
	CallID     string
	Upstream   *UpstreamFault
	Needs      json.RawMessage // CodeDenied: what the caller would have to declare, as MCP client capabilities
	Inner      bool            // a call that the named one made has failed: no protocol error of a door
	Protocol   bool            // the request itself is wrong, not the arguments of its operation: a door that has protocol errors tells it as one
	Cause      error           // for the log, never shown
}

// Problem is one misfit of the arguments.
type Problem struct {
	Path    string          `json:"path"` // "filter.items[2].id"; empty: the arguments as a whole
	Problem string          `json:"problem"`
	Schema  json.RawMessage `json:"schema,omitempty"` // the part of the schema that it misses
}

// UpstreamFault is what the far side answered when it refused or failed.
type UpstreamFault struct {
	Status int             `json:"status,omitempty"`
	Raw    json.RawMessage `json:"-"`              // Value.Raw of an answer that is a fault
	Body   json.RawMessage `json:"body,omitempty"` // its JSON, or its text as a JSON string, bounded
	Told   bool            `json:"-"`              // what the body says in words stands in the message already
}

// Error is the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code.String()
	}
	return e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// MarshalJSON writes the one error struct of every door (contracts §3), without the outer "error".
func (e *Error) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Code       Code            `json:"code"`
		Message    string          `json:"message"`
		Hint       string          `json:"hint,omitempty"`
		Try        []string        `json:"try,omitempty"`
		Next       []Suggestion    `json:"next,omitempty"`
		Fields     []Problem       `json:"fields,omitempty"`
		Retryable  bool            `json:"retryable"`
		RetryAfter float64         `json:"retry_after_s,omitempty"`
		Token      string          `json:"confirm,omitempty"`
		CallID     string          `json:"call_id,omitempty"`
		Upstream   *UpstreamFault  `json:"upstream,omitempty"`
		Needs      json.RawMessage `json:"needs,omitempty"`
	}{
		e.Code, e.Error(), e.Hint, e.Try, e.Next, e.Fields, e.Code.Retryable() || e.RetryAfter > 0,
		math.Ceil(e.RetryAfter.Seconds()), e.Token, e.CallID, e.Upstream, e.Needs,
	})
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// AsError gives any error its code: an *Error keeps its own, the end of a context becomes timeout
// or canceled, everything else is our bug. It is nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "the deadline passed before the answer came", Hint: "ask for less, or give it more time", Cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCanceled, Message: "the caller left before the answer came", Cause: err}
	}
	return &Error{Code: CodeInternal, Message: "this is a bug of twodoor, not of your call", Hint: "report it with the call id", Cause: err}
}
