package twodoor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/fields"
	"github.com/twodoor/twodoor/internal/shape"
)

// WantKey is the reserved property by which callers without flags write a Projection.
const WantKey = "_want"

// Projection is how much of the answer is wanted. The zero value asks for the answer as the
// operation's own Answer presets say.
type Projection struct {
	Fields  []string `json:"fields,omitempty"`  // kept of each record: "id,owner.name" or "id,owner{name}"; "keys" lists what there is
	JQ      string   `json:"jq,omitempty"`      // a jq program over the answer, after Fields
	Limit   int      `json:"limit,omitempty"`   // records at most; 0: all of the page
	Page    string   `json:"page,omitempty"`    // page number, offset or cursor, as the far side's style has it
	All     bool     `json:"all,omitempty"`     // follow the pages, at most MaxPages
	Summary bool     `json:"summary,omitempty"` // count, bounds and percentiles in place of a series
	Budget  int      `json:"budget,omitempty"`  // estimated tokens at most; 0: the profile's, -1: no bound
	Format  Format   `json:"format,omitempty"`  // of the text over MCP; empty: the profile's
}

// Format is how the value of an answer is written as text over MCP. The value itself, and what other
// doors write, does not depend on it.
type Format string

// The formats; the empty one means FormatJSON.
const (
	FormatJSON Format = "json"
	FormatTOON Format = "toon" // where it weighs at least a fifth less than compact JSON
)

// MaxPages bounds how many pages All follows.
const MaxPages = 100

// want is the wire form of a projection, with what else may stand in it.
type want struct {
	Projection
	Confirm string `json:"confirm"`
}

// takeWant moves a _want property of the arguments into the call, unless the operation has a
// property of that name.
func (c *Call) takeWant(op *Operation) error {
	raw, ok := rawjson.Get(c.Arguments, WantKey)
	if !ok {
		return nil
	}
	if _, own := rawjson.GetPath(op.Input, "properties", WantKey); own {
		return nil
	}
	if text, ok := rawjson.String(raw); ok {
		raw = []byte(text)
	}
	w := want{Projection: c.Projection, Confirm: c.Confirm}
	if err := unmarshalWant(raw, &w); err != nil {
		return &Error{
			Code:    CodeInvalid,
			Message: "_want does not fit",
			Fields:  []Problem{{Path: WantKey, Problem: err.Error()}},
			Hint:    `_want is an object like {"fields":["id","name"],"limit":20}`,
		}
	}
	c.Projection, c.Confirm = w.Projection, w.Confirm
	c.Arguments = rawjson.Delete(c.Arguments, WantKey)
	return nil
}

// unmarshalWant decodes strictly, but takes fields as a comma list and a page as a number.
func unmarshalWant(raw []byte, w *want) error {
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return errors.New("it is not an object")
	}
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "fields":
			if text, ok := rawjson.String(value); ok {
				w.Fields = splitList(text)
				continue
			}
		case "page":
			if rawjson.KindOf(value) == rawjson.KindNumber {
				w.Page = string(value)
				continue
			}
		case "format":
			if text, _ := rawjson.String(value); text != string(FormatJSON) && text != string(FormatTOON) {
				return errors.New(`format is "json" or "toon"`)
			}
		case "jq", "limit", "all", "summary", "budget", "confirm":
		default:
			return fmt.Errorf("unknown key %q: the keys are fields, jq, limit, page, all, summary, budget, format, confirm", key)
		}
		if err := json.Unmarshal(rawjson.Set([]byte(`{}`), key, value), w); err != nil {
			return fmt.Errorf("%s is not of the right type", key)
		}
	}
	return nil
}

// check refuses a projection that cannot be carried out, before anything is called for it: a call
// that changes something must not fail only when its answer is cut.
func (w Projection) check(op *Operation) error {
	err := w.checkFields(op)
	if w.JQ != "" && err == nil {
		err = shape.Program(w.JQ).Check()
	}
	if bad, ok := errors.AsType[*shape.Error](err); ok {
		return &Error{Code: CodeInvalid, Message: "nothing was called: " + bad.Error(), Hint: bad.Hint, Cause: err}
	}
	return err
}

// checkFields holds the fields against the schema of the answer, where there is one.
func (w Projection) checkFields(op *Operation) error {
	asked, err := shape.Fields(w.Fields)
	if err != nil || len(asked) == 0 || len(op.Output) == 0 || op.Verbatim || len(asked) == 1 && asked[0] == shape.KeysField {
		return err
	}
	known := fields.Of(op.Output, func(name string) []byte { return op.Definition(name) }, op.root(), shape.TellsRecord)
	unknown := slices.DeleteFunc(asked, known.Have)
	if len(unknown) == 0 {
		return nil
	}
	return shape.UnknownFields(unknown, known.Names())
}
