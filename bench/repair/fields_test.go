package repair

import (
	"os"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/internal/shape"
)

// TestFieldsOfAnswers makes an answer of each described shape, and asks for each of its fields: none
// may be refused, and one that is nowhere must be, before anything is called.
func TestFieldsOfAnswers(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions of answers")
	}
	answers, asked, open := 0, 0, 0
	for _, h := range houses(t, folder) {
		for i, id := range h.ids {
			op, _, err := h.Catalog().Find(id)
			if err != nil || len(op.Output) == 0 || i%5 != 0 {
				continue
			}
			answer := schema.ExampleAll(op.OutputSchema())
			keys, _, err := shape.Apply(t.Context(), answer, shape.Want{Fields: []string{shape.KeysField}, Root: op.Answer.Root})
			if err != nil || rawjson.Len(keys) == 0 {
				continue
			}
			answers++
			args := schema.Example(op.InputSchema())
			for key := range rawjson.Elements(keys) {
				name, _ := rawjson.String(key)
				if strings.ContainsAny(name, ",{}$") {
					continue
				}
				asked++
				if fault := h.want(id, args, name); fault != nil {
					t.Errorf("%s %s: the field %s of %.200s is refused: %s", h.name, id, name, answer, fault.Message)
				}
			}
			if h.want(id, args, "no_such_field_anywhere") == nil {
				open++
			}
		}
	}
	t.Logf("%d answers with %d fields, none refused; %d of the answers are open, and take any name", answers, asked, open)
	if answers < 100 || open > answers/5 {
		t.Errorf("%d of %d answers are taken for open", open, answers)
	}
}

// want makes a call that asks for one field; nil where it is let through.
func (h *house) want(id string, args []byte, field string) *twodoor.Error {
	fault := h.call(id, rawjson.Set(args, twodoor.WantKey, []byte(`{"fields":[`+string(rawjson.Quote(field))+`]}`)))
	if fault != nil && strings.HasPrefix(fault.Message, "nothing was called") {
		return fault
	}
	return nil
}
