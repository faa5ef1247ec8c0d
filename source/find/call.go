package find

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// callsOthers reports whether an id is that of a call tool.
func callsOthers(id string) bool { return id == ReadID || id == WriteID || id == DestroyID }

// call answers read_operation, write_operation and destroy_operation: it makes the call in the name
// of the same caller. An operation of another effect is refused, so that a host's approval of the
// tool is one of the effect.
func (i *Invoker) call(ctx context.Context, in *twodoor.Invocation, view View, mode twodoor.Mode) (*twodoor.Value, error) {
	var args struct {
		ID        string
		Arguments json.RawMessage
		Want      json.RawMessage
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
	}
	op, _, err := view.Catalog().Find(args.ID)
	if err != nil {
		return nil, err
	}
	if op != nil && view.Shows(twodoor.EntryOf(op)) {
		if err := refuse(in.Operation, op); err != nil {
			return nil, err
		}
	}
	call := twodoor.Call{Operation: args.ID, Account: in.Account, Mode: mode, Progress: in.Progress}
	if call.Arguments, err = withWant(args.Arguments, args.Want); err != nil {
		return nil, err
	}
	result, err := in.Caller.Do(ctx, call)
	if err != nil {
		return nil, i.repair(err, args.ID, view)
	}
	return valueOf(result), nil
}

// refuse says why a tool does not call an operation; nil: it does.
func refuse(tool, op *twodoor.Operation) error {
	if op.Source() == twodoor.OwnSource {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: op.ID + " is a tool of its own", Hint: "call " + op.Spelling().MCP + " itself"}
	}
	if op.Effect == tool.Effect {
		return nil
	}
	right := callTool(op.Effect)
	return &twodoor.Error{
		Code:    twodoor.CodeInvalid,
		Message: fmt.Sprintf("%s %s: %s does not call it", op.ID, op.Effect, tool.Spelling().MCP),
		Hint:    "make the same call with " + right,
		Try:     []string{right},
	}
}

// withWant puts what is wanted of the answer where the engine reads it.
func withWant(arguments, want json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 || rawjson.KindOf(arguments) == rawjson.KindNull {
		arguments = json.RawMessage(`{}`)
	}
	if len(want) == 0 || rawjson.KindOf(want) == rawjson.KindNull {
		return arguments, nil
	}
	if text, ok := rawjson.String(arguments); ok {
		arguments = json.RawMessage(text)
	}
	if rawjson.Check(arguments) != nil || rawjson.KindOf(arguments) != rawjson.KindObject {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "arguments is not a JSON object", Hint: `write it like {"name":"value"}`}
	}
	return rawjson.Set(arguments, twodoor.WantKey, want), nil
}

// valueOf hands an answer on as it came.
func valueOf(result *twodoor.Result) *twodoor.Value {
	return &twodoor.Value{
		JSON: result.Value, MediaType: result.MediaType, Blobs: result.Blobs, Cut: result.Cut, Notes: result.Notes,
		Next: result.Next, Preview: result.Preview, Shaped: true, Format: result.Format,
	}
}

// repair adds to a fault of a wrong id what a search for its words finds.
func (i *Invoker) repair(err error, id string, view View) error {
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok || fault.Code != twodoor.CodeUnknown {
		return err
	}
	index, failed := i.index(view.Catalog())
	if failed != nil {
		return err
	}
	r := reply{catalog: view.Catalog(), view: view}
	told := *fault
	told.Try = slices.Clone(fault.Try)
	for _, hit := range index.Search(Query{Text: id, Limit: 3, Topic: TopicOperation, Show: r.shows}).Hits {
		if hit.Score > .5 && !slices.Contains(told.Try, hit.ID) {
			told.Try = append(told.Try, hit.ID)
		}
	}
	told.Hint = "take one of these ids, or ask find_operations in plain words"
	return &told
}
