package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/hosts"
	"github.com/twodoor/twodoor/internal/shape"
	"github.com/twodoor/twodoor/internal/toon"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/openapi"
)

// upstream answers every request with what it was last given, and counts them.
type upstream struct {
	answer atomic.Pointer[[]byte]
	asked  atomic.Int64
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	u.asked.Add(1)
	w.Header().Set("Content-Type", "application/json")
	w.Write(*u.answer.Load())
}

const promiseDescription = `{"openapi":"3.1.0","info":{"title":"Records","version":"1"},"servers":[{"url":%q}],"paths":{"/records":{"get":{"operationId":"records/list","responses":{"200":{"description":"ok","content":{"application/json":{"schema":{}}}}}}}}}`

// promiseEngine serves the records of an upstream to agents, and reads more of what was cut.
func promiseEngine(t *testing.T, far *upstream) *twodoor.Engine {
	t.Helper()
	server := httptest.NewServer(far)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "records.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, promiseDescription, server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	var readings []*twodoor.Reading
	for _, source := range []twodoor.Source{&openapi.Source{Name: "far", File: file}, find.Source{}} {
		reading, err := source.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readings = append(readings, reading)
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	shelf := &find.Memory{}
	engine := &twodoor.Engine{Keeper: shelf, Invokers: map[string]twodoor.Invoker{
		openapi.Kind: &openapi.Invoker{Doer: &plainClient{}}, find.Kind: &find.Invoker{Shelf: shelf},
	}}
	engine.Serve(catalog)
	return engine
}

func promiseCall(t *testing.T, engine *twodoor.Engine, name string, args string) *twodoor.Result {
	t.Helper()
	result, err := engine.Do(t.Context(), twodoor.Call{Operation: name, Arguments: json.RawMessage(args), Door: twodoor.DoorMCP, Principal: twodoor.Operator})
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return result
}

// TestAnswersKeepTheirPromises holds, over answers of many forms from a real upstream: one above the
// budget fits it, keeps each id, state and time of the records that it shows, and its handle answers a
// jq question without another request; one below the budget is not cut; none grows.
func TestAnswersKeepTheirPromises(t *testing.T) {
	far := &upstream{}
	engine := promiseEngine(t, far)
	random := rand.New(rand.NewPCG(3, 4))
	cut, small := 0, 0
	for range 300 {
		raw, path, total := promiseAnswer(random)
		far.answer.Store(&raw)
		budget := 250 + random.IntN(4000)
		result := promiseCall(t, engine, "far.records.list", fmt.Sprintf(`{"_want":{"budget":%d,"format":"toon"}}`, budget))
		if len(result.Value) > len(raw) || len(result.Text) > len(result.Value) || rawjson.Check(result.Value) != nil {
			t.Fatalf("%d bytes become %d, %d as TOON: %.300s", len(raw), len(result.Value), len(result.Text), result.Value)
		}
		lean := shape.Clean(raw, nil)
		if rawjson.Weigh(lean) <= budget {
			small++
			if result.Cut != nil && result.Cut.Handle != "" || !rawjson.Equal(result.Value, lean) {
				t.Fatalf("an answer of %d tokens is cut to fit %d", rawjson.Weigh(lean), budget)
			}
			continue
		}
		cut++
		if weight := rawjson.Weigh(result.Value); weight > budget || result.Weight > budget {
			t.Fatalf("%d tokens in a budget of %d", weight, budget)
		}
		promiseRecords(t, raw, result, path, total)
		promiseHandle(t, engine, far, result, path, total)
	}
	t.Logf("%d answers above the budget, %d below", cut, small)
	if cut < 100 || small < 20 {
		t.Errorf("%d answers were above the budget, %d below", cut, small)
	}
}

// promiseRecords holds the records that are shown against those that came.
func promiseRecords(t *testing.T, raw []byte, result *twodoor.Result, path string, total int) {
	t.Helper()
	before, _, _ := shape.Records(raw, path)
	after, _, ok := shape.Records(result.Value, path)
	shown := rawjson.Len(after)
	if !ok || result.Cut == nil || result.Cut.Shown != shown || result.Cut.Total != total || shown == 0 {
		t.Fatalf("%d of %d records are shown, told as %+v", shown, total, result.Cut)
	}
	at := 0
	for record := range rawjson.Elements(after) {
		was, _ := rawjson.GetPath(before, strconv.Itoa(at))
		for _, key := range []string{"id", "status", "state", "created_at", "closedTime", "ownerId", "cursor"} {
			one, _ := rawjson.Get(was, key)
			if other, _ := rawjson.Get(record, key); string(one) != string(other) {
				t.Fatalf("%s of record %d was %s and is %s", key, at, one, other)
			}
		}
		if shown > 1 && !rawjson.Equal(record, shape.Clean(was, nil)) {
			t.Fatalf("record %d of %d is not whole: %.300s", at, shown, record)
		}
		at++
	}
}

// promiseHandle asks for all ids and for the last record of what was cut.
func promiseHandle(t *testing.T, engine *twodoor.Engine, far *upstream, result *twodoor.Result, path string, total int) {
	t.Helper()
	asked := far.asked.Load()
	program := rawjson.Quote(fmt.Sprintf(".%s | [length, .[-1].id]", path))
	ids := promiseCall(t, engine, "read_result", fmt.Sprintf(`{"handle":%q,"jq":%s}`, result.Cut.Handle, program))
	if want := fmt.Sprintf("[%d,%d]", total, int64(1)<<60+int64(total-1)); string(ids.Value) != want {
		t.Fatalf("the handle says %s, want %s", ids.Value, want)
	}
	if far.asked.Load() != asked {
		t.Fatal("reading under the handle asked the far side again")
	}
}

// promiseAnswer makes records of mixed weight, in one of the wrappings that are in use.
func promiseAnswer(r *rand.Rand) (raw []byte, path string, total int) {
	var list rawjson.Array
	total = 2 + r.IntN(1+r.IntN(300))
	for i := range total {
		words := strings.Repeat("words of a text 与中文 ", r.IntN(1+r.IntN(40)))
		list.Add(fmt.Appendf(nil, `{"id":%d,"status":"acknowledged","state":"open","created_at":"2026-01-15T09:30:%02d.123456789+02:00","closedTime":"2026-01-15","ownerId":%d,"cursor":"abc%d","note":null,"title":"","body":%s,"tags":[%snull]}`,
			int64(1)<<60+int64(i), i%60, i%7, i, rawjson.Quote(words), strings.Repeat(`{"k":"tag","v":null},`, r.IntN(6))))
	}
	switch r.IntN(3) {
	case 0:
		return list.Bytes(), "", total
	case 1:
		return rawjson.Set([]byte(`{"total":9,"items":[],"error":null}`), "items", list.Bytes()), "items", total
	}
	return rawjson.SetPath([]byte(`{"ok":true,"data":{"list":[],"next":"x"},"message":""}`), list.Bytes(), "data", "list"), "data.list", total
}

// FuzzShapeAndSlim shapes and slims anything: neither panics, what comes out of it is valid JSON, and
// nothing grows.
func FuzzShapeAndSlim(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		raw, _, _ := promiseAnswer(r)
		f.Add(raw[:min(len(raw), 4000)], "id,note", 3, 100)
	}
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"},"c":{"oneOf":[{"type":"string"},{"type":"object","properties":{"d":{"enum":[1,2]}}}]}},"required":["a"],"$defs":{"b":{"type":"array","items":{"$ref":"#/$defs/b"}}}}`), "a.b", 0, 60)
	f.Add([]byte(`[{"a":null,"b":""},{"a":{"c":[]}}]`), "a.c,b", 1, -1)
	f.Fuzz(func(t *testing.T, raw []byte, fields string, limit, budget int) {
		slim := hosts.Slim(raw, budget)
		if rawjson.Check(slim) != nil || len(slim) > len(hosts.Rewrite(raw))+200 {
			t.Fatalf("the schema %s becomes %s", raw, slim)
		}
		if rawjson.Check(raw) != nil {
			return
		}
		for _, want := range []shape.Want{{Limit: limit, Offset: budget}, {Fields: []string{fields}}, {Summary: true}, {Root: fields, Limit: limit}} {
			if out, _, err := shape.Apply(context.Background(), raw, want); err == nil && (len(out) > len(raw) || rawjson.Check(out) != nil) {
				t.Fatalf("%+v of %s is %s", want, raw, out)
			}
		}
		lean := func(value []byte, at ...string) []byte { return shape.Clean(value, nil, at...) }
		if out, _ := shape.Open(raw, "").Fit(budget, lean); len(out) > len(raw) || rawjson.Check(out) != nil {
			t.Fatalf("%s is cut to %s", raw, out)
		}
		if text := toon.Smaller(raw); len(text) > len(raw) {
			t.Fatalf("%s grows as TOON: %s", raw, text)
		}
	})
}
