package twodoor

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// Bounds of what an error carries, in estimated tokens.
const (
	maxPart   = 300  // of the schema beside one problem
	maxParts  = 1200 // of all of them
	maxMended = 2000 // of the call that fits
)

// misfit tells what is wrong with arguments so that one retry is enough: every problem with the part
// of the schema that is missed, and a call that fits, made of this one.
func (o *Operation) misfit(check *schema.Schema, args json.RawMessage, problems []schema.Problem) *Error {
	fault := &Error{Code: CodeInvalid, Message: "the arguments do not fit " + o.ID}
	left := maxParts
	for _, p := range problems {
		told := Problem{Path: p.Path, Problem: p.Message}
		part := schema.Essence(p.Part, min(maxPart, left), func(name string) []byte { return o.Definition(name) })
		if weight := rawjson.Weigh(part); weight <= left {
			told.Schema, left = part, left-weight
		}
		fault.Fields = append(fault.Fields, told)
	}
	mended := check.Mend(args, o.example())
	if !check.Accepts(mended.Value) {
		fault.Hint = "mend what is named; the schema of " + o.ID + " says the rest"
		return fault
	}
	fault.Mended = mended.Value
	fault.Hint = "this fits: " + shown(mended.Value, args) + doneTo(mended)
	return fault
}

// shown is the call that fits; of a heavy one, what is not in the caller's.
func shown(mended, args json.RawMessage) string {
	if rawjson.Weigh(mended) <= maxMended {
		return string(mended)
	}
	changed := rawjson.Rewrite(mended, func(key []byte, _ int, v []byte) []byte {
		name, _ := rawjson.String(key)
		if was, there := rawjson.Get(args, name); there && rawjson.Equal(was, v) {
			return nil
		}
		return v
	})
	return "your call with these in place of yours: " + string(changed)
}

// doneTo says which parts are not the caller's own.
func doneTo(m schema.Mended) string {
	const most = 10
	var notes []string
	if len(m.Filled) > 0 {
		notes = append(notes, "put your own values at "+strings.Join(m.Filled[:min(most, len(m.Filled))], ", "))
	}
	if len(m.Dropped) > 0 {
		notes = append(notes, "left out "+strings.Join(m.Dropped[:min(most, len(m.Dropped))], ", "))
	}
	if len(notes) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", strings.Join(notes, "; "))
}
