package agentsession

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
)

// Tool is a Go function that an agent may call.
type Tool struct {
	Name        string          // required; A-Za-z0-9_-, at most [twodoor.MaxToolName] characters
	Description string          // read by the agent as a prompt
	Params      json.RawMessage // JSON Schema of the arguments, an object; nil: it takes none
	Handler     Handler         // required; see [Typed] for functions with types
	Effect      twodoor.Effect  // empty: it writes
	Output      json.RawMessage // JSON Schema of the answer; may be nil
}

// Handler carries out a call. The arguments fit the tool's Params. The answer is written as JSON; a
// string is told as text, a [twodoor.Value] as it is. An error's text reaches the agent: a
// *[twodoor.Error] with its code and hint, any other one as a failure of the tool.
type Handler func(ctx context.Context, args json.RawMessage) (answer any, err error)

// Typed is a tool of a function with types: the schemas come from them, a field's description from its
// jsonschema tag. It panics if In is no struct or a type has no schema: that is a mistake of the
// program, not of its input.
func Typed[In, Out any](name, description string, run func(ctx context.Context, in In) (Out, error)) Tool {
	f := twodoor.NewFunc(twodoor.Operation{ID: sourceName + ".tool." + name}, run)
	return Tool{
		Name: name, Description: description, Params: f.Operation.Input, Output: f.Operation.Output,
		Handler: func(ctx context.Context, args json.RawMessage) (any, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
			}
			return run(ctx, in)
		},
	}
}

// sourceName is the first word of all ids. Sessions share it, and nothing else.
const sourceName = "session"

// operation is the tool as an operation.
func (t *Tool) operation() (twodoor.Func, error) {
	op := twodoor.Operation{
		ID: sourceName + ".tool." + t.Name, Tool: t.Name, Description: t.Description, Input: t.Params, Output: t.Output, Effect: t.Effect,
	}
	if op.Effect == "" {
		op.Effect = twodoor.Writes
	}
	switch {
	case t.Handler == nil:
		return twodoor.Func{}, fmt.Errorf("the tool %q has no handler", t.Name)
	case t.Name == "" || op.Spelling().MCP != t.Name:
		return twodoor.Func{}, fmt.Errorf("the name %q is none that hosts take: use A-Za-z0-9_-, at most %d characters", t.Name, twodoor.MaxToolName)
	case len(t.Params) > 0 && !isObject(t.Params):
		return twodoor.Func{}, fmt.Errorf("the Params of %q are no JSON Schema of an object", t.Name)
	}
	return twodoor.Func{Operation: op, Run: func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
		answer, err := t.Handler(ctx, in.Arguments)
		if err != nil {
			return nil, told(err)
		}
		return valueOf(t.Name, answer)
	}}, nil
}

func isObject(raw json.RawMessage) bool {
	var schema struct{ Type string }
	return json.Unmarshal(raw, &schema) == nil && (schema.Type == "object" || schema.Type == "")
}

// told is an error as the agent reads it. The end of a context keeps its meaning.
func told(err error) error {
	if fault := twodoor.AsError(err); fault.Code != twodoor.CodeInternal {
		return fault
	}
	return &twodoor.Error{Code: twodoor.CodeUpstream, Message: err.Error(), Cause: err}
}

func valueOf(name string, answer any) (*twodoor.Value, error) {
	switch a := answer.(type) {
	case nil:
		return &twodoor.Value{}, nil
	case *twodoor.Value:
		return a, nil
	case twodoor.Value:
		return &a, nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer of %s: %w", name, err)
	}
	value := &twodoor.Value{JSON: raw}
	if raw[0] == '"' {
		value.MediaType = "text/plain"
	}
	return value, nil
}
