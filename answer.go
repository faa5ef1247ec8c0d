package twodoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/fields"
	"github.com/twodoor/twodoor/internal/shape"
	"github.com/twodoor/twodoor/internal/toon"
)

// defaultAnswerBudget is how heavy an answer may be that an agent did not bound, in estimated tokens.
const defaultAnswerBudget = 4000

// Keeper keeps whole answers under handles, for callers whose answer is cut.
type Keeper interface {
	// Keep keeps the answer of an operation for a principal, and nobody else, and returns its handle.
	Keep(ctx context.Context, principal Principal, operation string, value json.RawMessage) (handle string, err error)
}

// project cuts an answer to what the caller wants of it, else to the presets of the operation, and
// puts names beside ids, unless that was done already.
func (e *Engine) project(ctx context.Context, call Call, op *Operation, result *Result, shaped bool) error {
	if len(result.Value) == 0 {
		return nil
	}
	if want := call.Projection.over(op); !want.IsZero() {
		out, cut, err := result.answer(want.Root).Apply(ctx, want)
		if err != nil {
			return misshapen(err)
		}
		if want.Summary && want.JQ == "" && cut == nil && len(out) >= len(result.Value) {
			result.Notes = append(result.Notes, "there is no series to summarise: the answer is as it came")
		}
		result.Saved.Fields = saved(result.Value, out)
		result.Value = out
		if cut != nil {
			result.Cut = tellCut(cut, result.Cut)
		}
	}
	if call.Projection.JQ != "" || call.plain || shaped || op.Verbatim {
		return nil
	}
	result.Value = e.nameIDs(ctx, call, op, result.Value)
	return nil
}

// answer is the value with the place of its records.
func (r *Result) answer(root string) *shape.Answer {
	if !r.opened.Is(r.Value, root) {
		r.opened = shape.Open(r.Value, root)
	}
	return r.opened
}

// lean leaves empty fields out, unless the caller chose its fields, or that was done already; nil:
// nothing is left out.
func lean(call Call, op *Operation, shaped bool) shape.Lean {
	if call.Projection.JQ != "" || len(call.Projection.Fields) > 0 || call.plain || shaped || op.Verbatim {
		return nil
	}
	keep := requires(op)
	return func(value []byte, at ...string) []byte { return shape.Clean(value, keep, at...) }
}

// requires tells which fields of an answer stay although they are empty: those that its schema demands.
func requires(op *Operation) func(path []string) bool {
	if len(op.Output) == 0 {
		return nil
	}
	known := map[string]bool{}
	var key []byte
	return func(path []string) bool {
		key = key[:0]
		for _, name := range path {
			key = append(append(key, name...), 0)
		}
		demanded, ok := known[string(key)]
		if !ok {
			demanded = fields.Requires(op.Output, func(name string) []byte { return op.Definition(name) }, path)
			known[string(key)] = demanded
		}
		return demanded
	}
}

// fit leaves empty fields out of an answer and cuts it to the budget of tokens: at record boundaries,
// with a handle for the rest where answers are kept. What is kept has its empty fields.
func (e *Engine) fit(ctx context.Context, call Call, op *Operation, result *Result, shaped bool) {
	budget, lean := e.budget(call), lean(call, op, shaped)
	if budget <= 0 || len(result.Value) == 0 || op.Verbatim {
		budget = math.MaxInt
	}
	whole := result.Value
	out, cut := result.answer(op.root()).Fit(budget, lean)
	result.Value, result.Weight = out, rawjson.Weigh(out)
	if cut == nil {
		result.Saved.LeftOut = saved(whole, out)
		return
	}
	result.Saved.LeftOut = cut.LeftOut / 4
	result.Saved.Cut = saved(whole, out) - result.Saved.LeftOut
	e.tellFit(ctx, call, op, result, whole, cut)
}

// tellFit says what the budget cut, keeps the whole, and says how to get at it.
func (e *Engine) tellFit(ctx context.Context, call Call, op *Operation, result *Result, whole json.RawMessage, cut *shape.Cut) {
	weight := rawjson.Weigh(whole)
	told := &Cut{Shown: cut.Shown, Total: cut.Total}
	if list, _, ok := shape.Records(result.Value, op.root()); ok && cut.Total > 1 {
		told.Shown = rawjson.Len(list)
	}
	told.How = fmt.Sprintf("the answer weighs ≈%d tokens; ask for fewer fields or a smaller limit, or for all of it with budget -1", weight)
	if e.Keeper != nil {
		if handle, err := e.Keeper.Keep(ctx, call.Principal, op.ID, whole); err == nil {
			told.Handle = handle
			told.How = fmt.Sprintf("the whole answer (≈%d tokens) waits under the handle for an hour: read_result takes it with jq, fields, offset and limit", weight)
		}
	}
	if result.Cut != nil {
		told.How += "; " + result.Cut.How
	}
	result.Cut = told
}

// encode writes the value in the format that the call, or else the profile, asks for, where that makes
// it lighter. Only MCP has room for it: elsewhere a value is JSON. The caller of a call of a call is
// answered in the format that the inner one asked for.
func (e *Engine) encode(call Call, op *Operation, result *Result) {
	format := call.Projection.Format
	if format == "" {
		format = result.Format
	}
	if result.Format = format; call.Parent != "" || call.Door != DoorMCP || op.Verbatim || len(result.Raw) > 0 {
		return
	}
	if format == "" {
		format = e.Profile(call.Profile).AnswerFormat
	}
	if format != FormatTOON {
		return
	}
	if text := toon.Smaller(result.Value); text != nil {
		result.Saved.Encoded = saved(result.Value, text)
		result.Format, result.Text, result.Weight = FormatTOON, string(text), rawjson.Weigh(text)
	}
}

// budget is how heavy the answer may be: what the call says; else, at the doors of agents without a
// shell, what the profile says. Zero or less: no bound. Calls of calls are not cut, their caller is.
func (e *Engine) budget(call Call) int {
	if call.Projection.Budget != 0 {
		return call.Projection.Budget
	}
	if call.Parent != "" || call.Door != DoorMCP && call.Door != DoorREST {
		return 0
	}
	if profile := e.Profile(call.Profile); profile.AnswerBudget != 0 {
		return profile.AnswerBudget
	}
	return defaultAnswerBudget
}

// over completes a projection with the presets of the operation: what the caller says wins.
func (w Projection) over(op *Operation) shape.Want {
	out := shape.Want{Fields: w.Fields, JQ: w.JQ, Limit: w.Limit, Summary: w.Summary, Root: op.root()}
	if w.JQ == "" && len(w.Fields) == 0 {
		out.Fields = op.Answer.Fields
		out.Summary = out.Summary || op.Answer.Summary
	}
	if w.Limit == 0 && !w.All {
		out.Limit = op.Answer.Limit
	}
	return out
}

// tellCut says what a projection left out, beside what was already missing.
func tellCut(cut *shape.Cut, before *Cut) *Cut {
	told := &Cut{Shown: cut.Shown, Total: cut.Total, How: "ask for more with limit, or for less of each record with fields"}
	if before != nil {
		told.How += "; " + before.How
	}
	return told
}

// misshapen tells a fault of the projection as what it is: the caller's to mend.
func misshapen(err error) error {
	if bad, ok := errors.AsType[*shape.Error](err); ok {
		return &Error{Code: CodeInvalid, Message: "the call worked, but its answer cannot be cut as asked: " + bad.Error(), Hint: bad.Hint, Cause: err}
	}
	return err
}
