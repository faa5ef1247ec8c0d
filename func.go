package twodoor

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/twodoor/twodoor/internal/schema"
)

// KindFunc is the kind of operations that are Go functions of this process.
const KindFunc = "func"

// Func is a Go function as an operation.
type Func struct {
	Operation Operation // required: ID, Effect; Kind and Plan are set by FuncSource
	Run       func(ctx context.Context, in *Invocation) (*Value, error)
}

// NewFunc makes an operation of a typed function: its schemas come from the types, a field's
// description from its jsonschema tag. It panics if In is no struct or a type has no schema: that
// is a mistake of the program, not of its input.
func NewFunc[In, Out any](op Operation, run func(ctx context.Context, in In) (Out, error)) Func {
	op.Input = schemaOf[In](op.ID)
	if out := reflect.TypeFor[Out](); out.Kind() != reflect.Interface {
		op.Output = schemaOf[Out](op.ID)
	}
	return Func{Operation: op, Run: func(ctx context.Context, in *Invocation) (*Value, error) {
		var args In
		if err := json.Unmarshal(in.Arguments, &args); err != nil {
			return nil, &Error{Code: CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
		}
		out, err := run(ctx, args)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(out)
		if err != nil {
			return nil, fmt.Errorf("encode the answer of %s: %w", op.ID, err)
		}
		return &Value{JSON: value}, nil
	}}
}

func schemaOf[T any](id string) json.RawMessage {
	raw, err := schema.For(reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("operation %s: %v", id, err))
	}
	return raw
}

// FuncSource is a source of Go functions, and their Invoker.
type FuncSource struct {
	Name          string // required: first word of all ids
	Title         string
	Funcs         []Func // required, unless there are resources or prompts
	ResourceFuncs []FuncResource
	PromptFuncs   []FuncPrompt
}

// Read lists the functions.
func (s *FuncSource) Read(context.Context) (*Reading, error) {
	reading := &Reading{Source: s.Name, Title: s.Title}
	for _, f := range s.Funcs {
		op := f.Operation
		op.Kind = KindFunc
		if op.Source() != s.Name {
			return nil, fmt.Errorf("function %q is not of the source %q: its id begins with another word", op.ID, s.Name)
		}
		reading.Operations = append(reading.Operations, op)
	}
	return reading, nil
}

// Invoke runs the function of the operation.
func (s *FuncSource) Invoke(ctx context.Context, in *Invocation) (*Value, error) {
	for i := range s.Funcs {
		if s.Funcs[i].Operation.ID == in.Operation.ID {
			return s.Funcs[i].Run(ctx, in)
		}
	}
	return nil, fmt.Errorf("no function for %s", in.Operation.ID)
}
