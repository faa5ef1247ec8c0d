package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// collector is an OTLP receiver in this process.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][]string // by path
}

func newCollector(t *testing.T) *collector {
	c := &collector{bodies: map[string][]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Tenant") != "a b" {
			t.Errorf("%s came with %v", r.URL, r.Header)
		}
		c.bodies[r.URL.Path] = append(c.bodies[r.URL.Path], string(body))
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(c.Close)
	return c
}

// all is everything that came, as one text.
func (c *collector) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.bodies)
}

// otlpSpan is a span as OTLP writes it.
type otlpSpan struct {
	TraceID, SpanID, ParentSpanID, Name, TraceState string
	Kind                                            int
	StartTimeUnixNano, EndTimeUnixNano              string
	Attributes                                      []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
	Status struct{ Code int }
}

func (s *otlpSpan) attr(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

func (c *collector) spans(t *testing.T) (all []otlpSpan) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, body := range c.bodies["/v1/traces"] {
		var request struct {
			ResourceSpans []struct {
				Resource   otlpSpan
				ScopeSpans []struct{ Spans []otlpSpan }
			}
		}
		if err := json.Unmarshal([]byte(body), &request); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for _, r := range request.ResourceSpans {
			if r.Resource.attr("service.name") != "gateway" || r.Resource.attr("team") != "sea" {
				t.Errorf("the resource is %+v", r.Resource)
			}
			for _, s := range r.ScopeSpans {
				all = append(all, s.Spans...)
			}
		}
	}
	return all
}

// TestTraceFromClientToUpstream follows a trace from a client's _meta, and from a header, through the
// program to the request that the upstream gets, with the names of the conventions.
func TestTraceFromClientToUpstream(t *testing.T) {
	c, l := newCollector(t), newLab(t)
	l.env["OTEL_EXPORTER_OTLP_ENDPOINT"], l.env["OTEL_EXPORTER_OTLP_HEADERS"] = c.URL, "X-Tenant=a%20b"
	l.env["OTEL_SERVICE_NAME"], l.env["OTEL_RESOURCE_ATTRIBUTES"] = "gateway", "team=sea"
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	s := l.up()
	s.tool("lab_items_get", `{"id":"one"}`, `"traceparent":"00-`+trace+`-`+parent+`-01","tracestate":"vendor=1",`)
	s.ask("POST", "/api/v1/call/lab.items.get", "", `{"id":"missing"}`, "Traceparent: 00-"+strings.Repeat("1", 32)+"-"+parent+"-01")
	s.ask("POST", "/api/v1/call/lab.items.get", "", `{"id":"two"}`, "Traceparent: 00-"+strings.Repeat("2", 32)+"-"+parent+"-00") // its caller does not sample it
	records := l.must("calls", "-o", "jsonl", `"`+trace+`"`)
	s.stop()

	spans := c.spans(t)
	if len(spans) != 4 {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	request, call := spans[0], spans[1]
	if call.TraceID != trace || call.ParentSpanID != parent || call.Kind != 2 || call.Name != "tools/call lab_items_get" || call.TraceState != "vendor=1" || call.Status.Code != 0 {
		t.Errorf("the call is %+v", call)
	}
	for key, want := range map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "lab_items_get", "gen_ai.operation.name": "execute_tool", "mcp.protocol.version": "2026-07-28",
	} {
		if got := call.attr(key); got != want {
			t.Errorf("%s of the call is %q", key, got)
		}
	}
	seen := l.requests()[0]
	if request.TraceID != trace || request.ParentSpanID != call.SpanID || request.Kind != 3 || request.Name != "GET" || request.attr("http.request.method") != "GET" ||
		request.attr("http.response.status_code") != "200" || request.attr("server.address") != "127.0.0.1" || !strings.HasSuffix(request.attr("url.full"), "/items/one") {
		t.Errorf("the request is %+v", request)
	}
	if got := seen.Header.Get("Traceparent"); got != "00-"+trace+"-"+request.SpanID+"-01" || seen.Header.Get("Tracestate") != "vendor=1" {
		t.Errorf("the upstream got %q, %q", got, seen.Header.Get("Tracestate"))
	}
	if failed := spans[3]; failed.TraceID != strings.Repeat("1", 32) || failed.Status.Code != 2 || failed.attr("error.type") != "not_found" || failed.Name != "execute_tool lab_items_get" {
		t.Errorf("the failure is %+v", failed)
	}
	if last := l.requests()[2].Header.Get("Traceparent"); !strings.HasPrefix(last, "00-"+strings.Repeat("2", 32)) || !strings.HasSuffix(last, "-00") {
		t.Errorf("a trace that is not sampled goes on as %q", last)
	}
	if !strings.Contains(records, `"trace_id":"`+trace+`"`) {
		t.Errorf("the journal has %s", records)
	}
	c.checkMetrics(t)
}

func (c *collector) checkMetrics(t *testing.T) {
	t.Helper()
	var request struct {
		ResourceMetrics []struct {
			ScopeMetrics []struct {
				Metrics []struct {
					Name, Unit string
					Histogram  struct {
						DataPoints []struct {
							Count          string
							BucketCounts   []string
							ExplicitBounds []float64
						}
					}
				}
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	bodies := c.bodies["/v1/metrics"]
	if len(bodies) == 0 {
		t.Fatal("no metrics came")
	}
	if err := json.Unmarshal([]byte(bodies[len(bodies)-1]), &request); err != nil {
		t.Fatal(err)
	}
	first := request.ResourceMetrics[0].ScopeMetrics[0].Metrics[0]
	points := first.Histogram.DataPoints
	if first.Name != "mcp.server.operation.duration" || first.Unit != "s" || len(points) != 1 || points[0].Count != "1" || len(points[0].BucketCounts) != len(points[0].ExplicitBounds)+1 {
		t.Errorf("the durations are %+v", first)
	}
}

// TestTraceGoesOnWithoutTelemetry holds that a caller's trace reaches the far side unchanged where
// nobody collects, and that nothing is added where the caller has none.
func TestTraceGoesOnWithoutTelemetry(t *testing.T) {
	l := newLab(t)
	s := l.up()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	s.tool("lab_items_get", `{"id":"one"}`, `"traceparent":"`+parent+`",`)
	s.tool("lab_items_get", `{"id":"one"}`, "")
	seen := l.requests()
	if got := seen[0].Header.Get("Traceparent"); got != parent {
		t.Errorf("went on as %q", got)
	}
	if got := seen[1].Header.Get("Traceparent"); got != "" {
		t.Errorf("a trace was made: %q", got)
	}
}

// TestCollectorGone holds that calls go on without a collector, and that this is said once.
func TestCollectorGone(t *testing.T) {
	l := newLab(t)
	l.env["OTEL_EXPORTER_OTLP_ENDPOINT"], l.env["OTEL_BSP_SCHEDULE_DELAY"] = "http://127.0.0.1:1", "1"
	s := l.up()
	for range 5 {
		if status, text := s.ask("POST", "/api/v1/call/lab.items.get", "", `{"id":"one"}`); status != 200 {
			t.Errorf("%d %s", status, text)
		}
	}
	s.stop()
	if n := strings.Count(s.log.String(), "telemetry is not taken"); n != 1 {
		t.Errorf("said %d times:\n%s", n, s.log)
	}
}

// TestTraceThroughMCP holds that an MCP server is told the place that it is called from: a client's trace
// goes through two programs to the last request.
func TestTraceThroughMCP(t *testing.T) {
	c, near, far := newCollector(t), newLab(t), newLab(t)
	last := far.up()
	near.env["OTEL_EXPORTER_OTLP_ENDPOINT"], near.env["OTEL_EXPORTER_OTLP_HEADERS"] = c.URL, "X-Tenant=a%20b"
	near.env["OTEL_SERVICE_NAME"], near.env["OTEL_RESOURCE_ATTRIBUTES"] = "gateway", "team=sea"
	near.env["FAR_TOKEN"] = last.token
	near.more = fmt.Sprintf("  far: {mcp: {url: %q, headers: {Authorization: \"Bearer ${env:FAR_TOKEN}\"}}}\n", last.url+"/mcp")
	s := near.up()
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	if text := s.tool("far_lab_items_get", `{"id":"one"}`, `"traceparent":"00-`+trace+`-00f067aa0ba902b7-01",`); !strings.Contains(text, `\"id\":\"one\"`) {
		t.Fatal(text)
	}
	if seen := far.requests(); len(seen) != 1 || !strings.HasPrefix(seen[0].Header.Get("Traceparent"), "00-"+trace) {
		t.Errorf("the last request carries %q", seen[0].Header.Get("Traceparent"))
	}
	s.stop()
	var call, invoked, request otlpSpan
	for _, one := range c.spans(t) {
		switch {
		case one.TraceID != trace:
		case one.Kind == 2:
			call = one
		case one.Kind == 3 && one.Name == "tools/call lab_items_get":
			invoked = one
		case one.Kind == 3 && one.Name == "POST":
			request = one
		}
	}
	if invoked.ParentSpanID != call.SpanID || request.ParentSpanID != invoked.SpanID || invoked.attr("gen_ai.tool.name") != "lab_items_get" {
		t.Errorf("the call is %+v\nthe tool's %+v\nits request %+v", call, invoked, request)
	}
	if parent := far.requests()[0].Header.Get("Traceparent"); !strings.Contains(parent, invoked.SpanID) {
		t.Errorf("the server was told %s, and the place is %s", parent, invoked.SpanID)
	}
}
