package twodoor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/toon"
)

// TestFormat holds who gets an answer in another format than JSON: at MCP alone, by the word of the
// call, else of the profile, where it spares a fifth. The value is the same for all.
func TestFormat(t *testing.T) {
	var list []string
	for i := range 30 {
		list = append(list, fmt.Sprintf(`{"id":%d,"status":"open","severity":"high","team":"core","open":true}`, uint64(1)<<60+uint64(i)))
	}
	records := `{"items":[` + strings.Join(list, ",") + `]}`
	op := twodoor.Operation{ID: "t.thing.list", Kind: twodoor.KindFunc, Effect: twodoor.Reads}
	answer := records
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage(answer)}, nil
	})
	engine.Profiles = map[string]*twodoor.Profile{"lean": {AnswerFormat: twodoor.FormatTOON}}
	for _, c := range []struct {
		name, answer, door, profile, format string
		toon                                bool
	}{
		{"unasked", records, twodoor.DoorMCP, "", "", false},
		{"asked", records, twodoor.DoorMCP, "", "toon", true},
		{"by the profile", records, twodoor.DoorMCP, "lean", "", true},
		{"against the profile", records, twodoor.DoorMCP, "lean", "json", false},
		{"at REST", records, twodoor.DoorREST, "lean", "toon", false},
		{"at the CLI", records, twodoor.DoorCLI, "lean", "toon", false},
		{"no records", `{"a":{"b":{"c":[[],[{}],"some text, with a comma"]}}}`, twodoor.DoorMCP, "lean", "toon", false},
		{"a text", `"text"`, twodoor.DoorMCP, "lean", "toon", false},
	} {
		answer = c.answer
		args := `{}`
		if c.format != "" {
			args = fmt.Sprintf(`{"_want":{"format":%q,"budget":-1}}`, c.format)
		}
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Door: c.door, Profile: c.profile, Arguments: json.RawMessage(args)})
		if fault != nil || string(result.Value) != c.answer {
			t.Errorf("%s: %v %v", c.name, result, fault)
			continue
		}
		want := ""
		if c.toon {
			want = strings.TrimSuffix(string(toon.Append(nil, result.Value)), "\n")
		}
		if result.Text != want || (result.Saved.Encoded > 0) != c.toon || c.toon && result.Format != twodoor.FormatTOON {
			t.Errorf("%s: %q in %q, saved %+v", c.name, result.Text, result.Format, result.Saved)
		}
	}
	if _, fault := do(t, engine, twodoor.Call{Operation: op.ID, Arguments: json.RawMessage(`{"_want":{"format":"xml"}}`)}); fault == nil || !strings.Contains(fault.Fields[0].Problem, `"toon"`) {
		t.Errorf("xml: %v", fault)
	}
}
