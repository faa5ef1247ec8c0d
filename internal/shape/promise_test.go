package shape

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// TestFitKeepsItsPromises cuts answers of many forms to many budgets: what is shown fits, is not
// larger, and has each id, state and time of its records as it was.
func TestFitKeepsItsPromises(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for range 400 {
		raw, path := answerOf(random)
		budget := 200 + random.IntN(4000)
		out, told := Fit(raw, budget, "")
		if rawjson.Check(out) != nil || len(out) > len(raw) {
			t.Fatalf("%d bytes become %d: %.300s", len(raw), len(out), out)
		}
		if rawjson.Weigh(raw) <= budget {
			if told != nil || string(out) != string(raw) {
				t.Errorf("an answer of %d tokens is cut to fit %d", rawjson.Weigh(raw), budget)
			}
			continue
		}
		cut++
		before, after := recordsAt(t, raw, path), recordsAt(t, out, path)
		if told == nil || told.Shown != len(after) || told.Total != len(before) || len(after) == 0 {
			t.Fatalf("%d of %d records are shown, told as %+v", len(after), len(before), told)
		}
		if weight := rawjson.Weigh(out); weight > budget {
			t.Errorf("%d tokens in a budget of %d: %.300s", weight, budget, out)
		}
		for i, record := range after {
			for _, key := range []string{"id", "status", "created_at", "ownerId"} {
				was, _ := rawjson.Get(before[i], key)
				if is, _ := rawjson.Get(record, key); string(is) != string(was) {
					t.Errorf("%s of record %d was %s and is %s", key, i, was, is)
				}
			}
			if len(after) > 1 && string(record) != string(before[i]) {
				t.Errorf("record %d of %d is not whole: %.300s", i, len(after), record)
			}
		}
	}
	if cut < 200 {
		t.Errorf("only %d answers were above their budget", cut)
	}
}

func recordsAt(t *testing.T, raw []byte, path string) (list [][]byte) {
	t.Helper()
	found, at, ok := Records(raw, path)
	if !ok {
		t.Fatalf("no records at %q of %.200s", at, raw)
	}
	for record := range rawjson.Elements(found) {
		list = append(list, record)
	}
	return list
}

// answerOf makes records of mixed weight, in one of the wrappings that are in use.
func answerOf(r *rand.Rand) (raw []byte, path string) {
	var list rawjson.Array
	for i := range 2 + r.IntN(120) {
		words := strings.Repeat("words of a text ", r.IntN(1+r.IntN(200)))
		list.Add(fmt.Appendf(nil, `{"id":"urn:service:incident:%064d","status":"acknowledged-by-%s","created_at":"2026-01-15T09:30:%02d.123456789+02:00","ownerId":%d,"body":%s,"tags":[%s"x"]}`,
			i, strings.Repeat("x", 60), i%60, int64(1)<<60+int64(i), rawjson.Quote(words), strings.Repeat(`"tag",`, r.IntN(20))))
	}
	switch r.IntN(3) {
	case 0:
		return list.Bytes(), ""
	case 1:
		return rawjson.Set([]byte(`{"total":9,"items":[]}`), "items", list.Bytes()), "items"
	}
	return rawjson.SetPath([]byte(`{"ok":true,"data":{"list":[],"next":"x"}}`), list.Bytes(), "data", "list"), "data.list"
}

// TestSmallAnswersNeverGrow holds that no wish makes an answer heavier.
func TestSmallAnswersNeverGrow(t *testing.T) {
	for _, raw := range []string{`[]`, `{}`, `null`, `7`, `"x"`, `[1,2,3]`, `{"id":1}`, `[{"id":1,"v":2},{"id":2,"v":3}]`, `{"a":[[1,2],[3,4]]}`} {
		for _, want := range []Want{{Summary: true}, {Limit: 1}, {Fields: []string{"id"}}, {Summary: true, Limit: 2}} {
			if out, _, err := Apply(context.Background(), []byte(raw), want); err == nil && len(out) > len(raw) {
				t.Errorf("%+v: %s becomes %s", want, raw, out)
			}
		}
		if out, cut := Fit([]byte(raw), 4000, ""); string(out) != raw || cut != nil {
			t.Errorf("%s becomes %s", raw, out)
		}
	}
}
