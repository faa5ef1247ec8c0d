package telemetry

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// sink is a collector: it keeps what comes, or refuses it.
type sink struct {
	mu      sync.Mutex
	refuses bool
	bodies  map[string][]string
}

func (s *sink) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses {
		return nil, errors.New("nobody listens")
	}
	if s.bodies == nil {
		s.bodies = map[string][]string{}
	}
	s.bodies[req.URL.Path] = append(s.bodies[req.URL.Path], string(body))
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func (s *sink) all(path string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[path]
}

func start(to *sink, change ...func(*Options)) *Telemetry {
	options := Options{Doer: to, Traces: "http://collector/v1/traces", Metrics: "http://collector/v1/metrics", Resource: map[string]string{serviceName: "twodoor"}, Ratio: 1}
	for _, c := range change {
		c(&options)
	}
	return Start(options)
}

func event(t *Telemetry, operation string) twodoor.Event {
	return twodoor.Event{CallID: "c1", At: time.Now(), Door: twodoor.DoorMCP, Era: "2026-07-28", Operation: operation, Effect: twodoor.Reads, Duration: 30 * time.Millisecond, Trace: t.Place(twodoor.Trace{})}
}

// TestPlace holds that a call stands below its caller, and at the top of a trace of its own without one;
// a caller's decision about sampling is kept.
func TestPlace(t *testing.T) {
	all := start(&sink{})
	defer all.Close()
	caller := twodoor.ParseTrace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "a=1")
	below := all.Place(caller)
	if below.ID != caller.ID || below.Span == caller.Span || below.Sampled || below.State != "a=1" {
		t.Errorf("%+v stands below %+v", below, caller)
	}
	one, other := all.Place(twodoor.Trace{}), all.Place(twodoor.Trace{})
	if one.IsZero() || one.ID == other.ID || !one.Sampled {
		t.Errorf("two traces that begin here: %+v, %+v", one, other)
	}
	few := start(&sink{}, func(o *Options) { o.Ratio = .25 })
	defer few.Close()
	n := 0
	for range 4000 {
		if few.Place(twodoor.Trace{}).Sampled {
			n++
		}
	}
	if n < 800 || n > 1200 {
		t.Errorf("%d of 4000 traces are sampled, a quarter is wanted", n)
	}
}

// TestBatches holds that spans wait for others, and are sent together, at the end at the latest.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &sink{}
		all := start(to)
		for range 3 {
			all.Observe(event(all, "lab.item.get"))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if got := to.all("/v1/traces"); len(got) != 1 || strings.Count(got[0], `"spanId"`) != 3 {
			t.Errorf("sent as %q", got)
		}
		dry := event(all, "lab.item.get")
		dry.Mode = twodoor.DryRun
		all.Observe(dry)
		all.Observe(event(all, "lab.item.get"))
		all.Close()
		got := to.all("/v1/traces")
		if len(got) != 2 || strings.Count(got[1], `"spanId"`) != 1 {
			t.Errorf("sent as %q", got)
		}
		for _, body := range append(got, to.all("/v1/metrics")...) {
			if err := rawjson.Check([]byte(body)); err != nil {
				t.Errorf("%v in %s", err, body)
			}
		}
		metrics := to.all("/v1/metrics")
		if last := metrics[len(metrics)-1]; !strings.Contains(last, `"count":"4","sum":0.12,"bucketCounts":["0","0","4"`) {
			t.Errorf("measured %s", last)
		}
	})
}

// TestOverload holds that spans are dropped and counted where they cannot be sent, and no call waits.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &sink{refuses: true}
		all := start(to, func(o *Options) { o.Delay = time.Hour })
		for range maxWaiting + 7 {
			all.add(callSpan(new(event(all, "lab.item.get"))))
		}
		all.Close()
		if got := all.Dropped(); got < 7 || got > maxWaiting+7 {
			t.Errorf("%d were dropped", got)
		}
	})
}

// TestNames holds the names of spans and faults against the conventions.
func TestNames(t *testing.T) {
	all := start(&sink{})
	defer all.Close()
	fault := func(code twodoor.Code, inner bool) func(*twodoor.Event) {
		return func(e *twodoor.Event) { e.Code, e.Fault = code, &twodoor.Error{Code: code, Inner: inner} }
	}
	for name, c := range map[string]struct {
		change           func(*twodoor.Event)
		span, fault, rpc string
		kind             int
	}{
		"a tool":          {func(*twodoor.Event) {}, "tools/call lab_item_get", "", "", server},
		"another door":    {func(e *twodoor.Event) { e.Door = twodoor.DoorREST }, "execute_tool lab_item_get", "", "", server},
		"made by a call":  {func(e *twodoor.Event) { e.ParentID = "c0" }, "execute_tool lab_item_get", "", "", internal},
		"a tool's fault":  {fault(twodoor.CodeNotFound, false), "tools/call lab_item_get", "tool_error", "", server},
		"of the protocol": {fault(twodoor.CodeUnknown, false), "tools/call lab_item_get", "-32602", "-32602", server},
		"of a call of it": {fault(twodoor.CodeUnknown, true), "tools/call lab_item_get", "tool_error", "", server},
	} {
		e := event(all, "lab.item.get")
		c.change(&e)
		s := callSpan(&e)
		if s.name != c.span || s.kind != c.kind || s.get(errorType) != c.fault || s.get(rpcStatus) != c.rpc || s.failed != (e.Fault != nil) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestSeriesAreBounded holds that names that callers make up are one series.
func TestSeriesAreBounded(t *testing.T) {
	var m measures
	for n := range 3 * maxSeries {
		s := span{}
		s.set(genAITool, strings.Repeat("x", n%700)+string(rune('a'+n%26)))
		s.set(operation, "made up")
		if n >= maxSeries {
			s.set(effect, "reads")
		}
		m.add(serverDuration, &s, time.Second)
	}
	if len(m) > maxSeries+1 || m[measured{serverDuration, "other", "", ""}].count < maxSeries {
		t.Errorf("%d series", len(m))
	}
}

func BenchmarkObserve(b *testing.B) {
	all := start(&sink{}, func(o *Options) { o.Delay = 50 * time.Millisecond })
	defer all.Close()
	e := event(all, "lab.item.get")
	b.ReportAllocs()
	for b.Loop() {
		all.Observe(e)
	}
}
