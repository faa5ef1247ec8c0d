package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/openapi"
)

// The cost of a heavy answer: 8 MB of records from a server that is a process of its own, read as
// they come, read and checked or decoded by encoding/json, through the engine as they are, and through
// it as an agent gets them: cut to the budget, the rest kept under a handle. Figures are CPU of the
// reading process.
//
//	go test ./bench -run xxx -bench Answer

const answerServe = "answer" // the server's name among those of mcpMain

// answerServer answers every request with 8 MB of records.
func answerServer() http.Handler {
	answer := heavyAnswer(8 << 20)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})
}

func heavyAnswer(size int) []byte {
	var list rawjson.Array
	for i := 0; list.Len() < size; i++ {
		list.Add(fmt.Appendf(nil, `{"id":%d,"status":"open","title":"the connection pool of service %d is exhausted","owner":{"id":"p_%d","login":"someone","site_admin":false},`+
			`"labels":["bug","customer-facing"],"body":"After the deploy at 09:30 the pool ran full, \"waiting\" rose to %d, and checkouts failed.","closed_at":null,"created_at":"2026-01-15T09:30:00Z","comments":%d}`, i, i%48, i%7, i%900, i%11))
	}
	return rawjson.Set([]byte(`{"total_count":0,"items":[]}`), "items", list.Bytes())
}

const answerDescription = `{"openapi":"3.1.0","info":{"title":"Records","version":"1"},"servers":[{"url":"http://%s"}],"paths":{"/records":{"get":{"operationId":"records/list","responses":{"200":{"description":"ok",
"content":{"application/json":{"schema":{"type":"object","required":["items"],"properties":{"total_count":{"type":"integer"},"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}}}}}}}}}}}}`

// plainClient sends requests without keys.
type plainClient struct{ http.Client }

func (c *plainClient) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	return c.Client.Do(req)
}

// answerEngine serves the records; as they are, where nothing shall be shaped.
func answerEngine(b *testing.B, address string, asTheyAre bool) *twodoor.Engine {
	file := filepath.Join(b.TempDir(), "records.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, answerDescription, address), 0o600); err != nil {
		b.Fatal(err)
	}
	reading, err := (&openapi.Source{Name: "far", File: file}).Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for i := range reading.Operations {
		reading.Operations[i].Verbatim = asTheyAre
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		b.Fatal(err)
	}
	engine := &twodoor.Engine{Keeper: &find.Memory{}, Invokers: map[string]twodoor.Invoker{openapi.Kind: &openapi.Invoker{Doer: &plainClient{}}}}
	engine.Serve(catalog)
	return engine
}

// BenchmarkAnswer reports what the ways of reading cost, in milliseconds, and their ratio to reading
// through the engine without shaping.
func BenchmarkAnswer(b *testing.B) {
	address, stop := mcpStart(b, answerServe)
	defer stop()
	engine, plain := answerEngine(b, address, false), answerEngine(b, address, true)
	read := func() []byte {
		resp, err := http.Get("http://" + address + "/records")
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		return raw
	}
	call := func(engine *twodoor.Engine, door string, want twodoor.Projection) func() {
		return func() {
			result, err := engine.Do(context.Background(), twodoor.Call{Operation: "far.records.list", Door: door, Principal: twodoor.Operator, Projection: want})
			if err != nil || len(result.Value) == 0 {
				b.Fatal(err)
			}
		}
	}
	ways := []struct {
		name string
		run  func()
	}{
		{"raw", func() { read() }},
		{"checked", func() {
			if !json.Valid(read()) {
				b.Fatal("the answer is no JSON")
			}
		}},
		{"decoded", func() {
			var value any
			if err := json.Unmarshal(read(), &value); err != nil {
				b.Fatal(err)
			}
		}},
		{"unshaped", call(plain, twodoor.DoorMCP, twodoor.Projection{})},
		{"cut", call(engine, twodoor.DoorMCP, twodoor.Projection{})},
		{"whole", call(engine, twodoor.DoorCLI, twodoor.Projection{})},
		{"fields", call(engine, twodoor.DoorMCP, twodoor.Projection{Fields: []string{"id"}, Limit: 20})},
	}
	cpu := map[string][]float64{}
	for _, way := range ways {
		way.run()
	}
	for b.Loop() {
		for _, way := range ways {
			before := cpuUsed()
			way.run()
			cpu[way.name] = append(cpu[way.name], float64(cpuUsed()-before)/float64(time.Millisecond))
		}
	}
	for _, way := range ways {
		b.ReportMetric(mcpMedian(cpu[way.name]), way.name+"-ms")
		b.ReportMetric(mcpMedian(cpu[way.name])/mcpMedian(cpu["unshaped"]), way.name+"/unshaped")
	}
	b.ReportMetric(0, "ns/op")
}
