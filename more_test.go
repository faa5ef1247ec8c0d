package twodoor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// TestWhatTheFarSideCutIsTold holds that an answer that says itself that more follow is told as cut,
// with the way to the rest.
func TestWhatTheFarSideCutIsTold(t *testing.T) {
	cases := []struct {
		page       *twodoor.Page
		want       twodoor.Projection
		answer     string
		total      int
		how, lacks string // both empty: not cut
	}{
		{&twodoor.Page{Style: twodoor.PageCursor, Next: "meta.after"}, twodoor.Projection{}, `{"items":[{"id":1},{"id":2}],"meta":{"total":126,"after":"abc"}}`, 126, `page "abc"`, ""},
		{&twodoor.Page{Style: twodoor.PageNumber, Param: "p", First: 1}, twodoor.Projection{Page: "3"}, `{"items":[{"id":1}],"total_count":9}`, 9, `page "4"`, ""},
		{&twodoor.Page{Style: twodoor.PageOffset, Param: "o"}, twodoor.Projection{}, `{"data":{"list":[{"id":1},{"id":2}],"has_more":true}}`, 0, `page "2"`, ""},
		{&twodoor.Page{Style: twodoor.PageOffset, Param: "o"}, twodoor.Projection{Limit: 1}, `{"items":[{"id":1},{"id":2}],"has_more":true}`, 2, `page "2"`, ""},
		{nil, twodoor.Projection{}, `{"items":[{"id":1}],"pageInfo":{"hasNextPage":true,"endCursor":"x"}}`, 0, "narrow", "page \""},
		{nil, twodoor.Projection{}, `{"items":[{"id":1}],"pageInfo":{"hasNextPage":false,"endCursor":"x"},"total":8}`, 0, "", ""},
		{nil, twodoor.Projection{}, `{"items":[{"id":1}],"total":1,"next":null,"next_page_token":""}`, 0, "", ""},
		{nil, twodoor.Projection{}, `[{"id":1}]`, 0, "", ""},
		{nil, twodoor.Projection{}, `{"id":1,"total":30,"parts":[{"x":1}]}`, 0, "", ""},
	}
	for _, c := range cases {
		op := twodoor.Operation{ID: "t.thing.list", Kind: twodoor.KindFunc, Effect: twodoor.Reads, Page: c.page,
			Input: json.RawMessage(`{"type":"object","properties":{"p":{"type":"integer"},"o":{"type":"integer"}}}`)}
		engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(c.answer)}, nil
		})
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: c.want, Door: twodoor.DoorMCP})
		switch {
		case fault != nil:
			t.Errorf("%s: %v", c.answer, fault)
		case c.how == "" && result.Cut != nil:
			t.Errorf("%s is told as cut: %+v", c.answer, result.Cut)
		case c.how != "" && (result.Cut == nil || result.Cut.Total != c.total || !strings.Contains(result.Cut.How, c.how) || c.lacks != "" && strings.Contains(result.Cut.How, c.lacks)):
			t.Errorf("%s: %+v, want %d in all and %s", c.answer, result.Cut, c.total, c.how)
		}
	}
}

// TestSavingIsToldByCause holds that the observer learns what shaping saved, and why.
func TestSavingIsToldByCause(t *testing.T) {
	op := twodoor.Operation{ID: "t.thing.list", Kind: twodoor.KindFunc, Effect: twodoor.Reads}
	records := strings.TrimSuffix(strings.Repeat(`{"id":1,"note":null,"text":"some words"},`, 200), ",")
	engine := engineOf(t, op, func(*twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{JSON: json.RawMessage("[" + records + "]")}, nil
	})
	for _, c := range []struct {
		want twodoor.Projection
		over func(twodoor.Saved) bool
	}{
		{twodoor.Projection{Budget: -1}, func(s twodoor.Saved) bool { return s.LeftOut == 200*12/4 && s.Fields == 0 && s.Cut == 0 }},
		{twodoor.Projection{Fields: []string{"id"}}, func(s twodoor.Saved) bool { return s.LeftOut == 0 && s.Fields > 1000 && s.Cut == 0 }},
		{twodoor.Projection{Budget: 100}, func(s twodoor.Saved) bool { return s.LeftOut > 0 && s.Fields == 0 && s.Cut > 1000 }},
	} {
		result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: c.want, Door: twodoor.DoorMCP})
		if fault != nil || !c.over(result.Saved) || result.Saved.Total() < result.Saved.Cut {
			t.Errorf("%+v: %+v %v", c.want, result.Saved, fault)
		}
	}
}
