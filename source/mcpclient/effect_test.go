package mcpclient

import (
	"testing"

	"github.com/twodoor/twodoor"
)

func TestEffects(t *testing.T) {
	for _, c := range []struct {
		name, hints string
		want        twodoor.Effect
	}{
		{"list_issues", ``, twodoor.Reads},
		{"getMe", ``, twodoor.Reads},
		{"issueSearch", ``, twodoor.Reads},
		{"HTTPGet", ``, twodoor.Reads},
		{"browser-click", ``, twodoor.Writes},
		{"delete-note", ``, twodoor.Destroys},
		{"cacheClear", ``, twodoor.Destroys},
		{"delete_list", ``, twodoor.Destroys},
		{"update_item_list_name", ``, twodoor.Writes},
		{"delete_note", `{"readOnlyHint":true}`, twodoor.Reads},
		{"get_note", `{"destructiveHint":true}`, twodoor.Destroys},
		{"get_note", `{"readOnlyHint":false}`, twodoor.Writes},
		{"delete_note", `{"destructiveHint":false}`, twodoor.Writes},
		{"delete_note", `{"readOnlyHint":false}`, twodoor.Destroys},
		{"get_note", `{"destructiveHint":false}`, twodoor.Reads},
		{"get_note", `{"readOnlyHint":"yes"}`, twodoor.Reads},
		{"日本", ``, twodoor.Writes},
	} {
		var op twodoor.Operation
		if setEffect(&op, c.name, []byte(c.hints)); op.Effect != c.want || op.Why == "" {
			t.Errorf("%s %s: %s because %s, want %s", c.name, c.hints, op.Effect, op.Why, c.want)
		}
	}
	var op twodoor.Operation
	setEffect(&op, "x", []byte(`{"idempotentHint":true,"openWorldHint":true}`))
	if !op.Idempotent || !op.OpenWorld {
		t.Errorf("hints are lost: %+v", op)
	}
}
