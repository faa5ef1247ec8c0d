package main

import (
	"fmt"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/find"
)

// TestTheRestWaitsAtBothDoors cuts an answer at MCP, and asks for the rest at MCP and at the command
// line: by jq, by fields, and by page, without another request to the far side.
func TestTheRestWaitsAtBothDoors(t *testing.T) {
	t.Chdir("../..")
	b, err := build(t.Context(), systemsOf("")[0])
	if err != nil {
		t.Fatal(err)
	}
	h := b.house()
	cut, err := h.Do(t.Context(), twodoor.Call{Operation: "harbor.incident.list", Door: twodoor.DoorMCP, Principal: twodoor.Operator, Projection: twodoor.Projection{Budget: 500}})
	if err != nil || cut.Cut == nil || cut.Cut.Handle == "" {
		t.Fatalf("%+v %v", cut, err)
	}
	before := h.far.bytes()
	for arguments, want := range map[string]string{
		`{"handle":%q,"jq":".items|length"}`:                          fmt.Sprint(cut.Cut.Total),
		`{"handle":%q,"fields":"id","offset":1,"limit":2}`:            `2 items`,
		`{"handle":%q,"fields":["id","title"],"jq":".items[0]|keys"}`: `["id","title"]`,
	} {
		raw := fmt.Appendf(nil, arguments, cut.Cut.Handle)
		var c cost
		told, err := h.mcp(&c, "read_result", raw)
		if err != nil || c.Failed > 0 {
			t.Fatalf("%s: %s %v", raw, told, err)
		}
		typed, err := h.Do(t.Context(), twodoor.Call{Operation: find.ResultID, Arguments: raw, Door: twodoor.DoorCLI, Principal: twodoor.Operator})
		if err != nil || !rawjson.Equal(told, typed.Value) {
			t.Fatalf("%s: %s at MCP, %+v %v at the command line", raw, told, typed, err)
		}
		got := string(told)
		if items, ok := rawjson.Get(told, "items"); ok {
			got = fmt.Sprintf("%d items", rawjson.Len(items))
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", raw, told, want)
		}
	}
	if h.far.bytes() != before {
		t.Errorf("the far side was asked again for %d bytes", h.far.bytes()-before)
	}
}
