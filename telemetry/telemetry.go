package telemetry

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
)

// Doer sends a request.
type Doer interface {
	Do(req *http.Request, access twodoor.Access) (*http.Response, error)
}

// Options are what a Telemetry needs to know.
type Options struct {
	Doer     Doer              // required
	Traces   string            // URL that takes spans; empty: they are not sent
	Metrics  string            // URL that takes metrics; empty: they are not sent
	Headers  map[string]string // of every request to these
	Resource map[string]string // says who we are: service.name, service.version and what an operator adds
	Ratio    float64           // of the traces that begin here, how many are sampled; those of a caller are as it says
	Redact   func([]byte) []byte
	Delay    time.Duration // how long spans wait for others; 0: a second
	Interval time.Duration // between two reports of metrics; 0: a minute
	Log      *slog.Logger  // may be nil
}

// Telemetry observes calls. It is safe for concurrent use.
type Telemetry struct {
	options Options
	dropped atomic.Int64
	begun   time.Time

	mu      sync.Mutex
	spans   []span
	measure measures
	failing bool

	wake  chan struct{} // holds one
	stop  chan struct{}
	ended chan struct{}
}

const (
	maxWaiting = 4096 // spans that wait at most
	maxBatch   = 512  // spans of one request
)

// Start begins to gather and to send.
func Start(options Options) *Telemetry {
	options.Delay = cmp.Or(options.Delay, time.Second)
	options.Interval = cmp.Or(options.Interval, time.Minute)
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	t := &Telemetry{options: options, begun: time.Now(), wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	go t.run()
	return t
}

// Close sends what waits, for at most five seconds, and ends.
func (t *Telemetry) Close() {
	close(t.stop)
	<-t.ended
}

// Dropped is how many spans were not sent.
func (t *Telemetry) Dropped() int64 { return t.dropped.Load() }

// Place is where a call stands: below its caller in the caller's trace, else at the top of its own.
func (t *Telemetry) Place(within twodoor.Trace) twodoor.Trace {
	place := within
	if within.IsZero() {
		_, _ = rand.Read(place.ID[:])
		place.Sampled = t.options.Traces != "" && sampled(place.ID, t.options.Ratio)
	}
	_, _ = rand.Read(place.Span[:]) // never fails: crypto/rand ends the program instead
	return place
}

// sampled decides by the id alone, so that everybody decides alike (TraceIdRatioBased).
func sampled(id [16]byte, ratio float64) bool {
	return float64(binary.BigEndian.Uint64(id[8:])>>1) < ratio*(1<<63)
}

// Observe takes the span and the duration of a call.
func (t *Telemetry) Observe(e twodoor.Event) {
	if e.Mode == twodoor.DryRun {
		return
	}
	s := callSpan(&e)
	if e.Door == twodoor.DoorMCP && e.ParentID == "" {
		t.record(serverDuration, &s, e.Duration)
	}
	t.add(s)
}

func (t *Telemetry) record(name string, s *span, took time.Duration) {
	if t.options.Metrics == "" {
		return
	}
	t.mu.Lock()
	t.measure.add(name, s, took)
	t.mu.Unlock()
}

func (t *Telemetry) add(s span) {
	if t.options.Traces == "" || !s.place.Sampled {
		return
	}
	t.mu.Lock()
	full := len(t.spans) >= maxWaiting
	if !full {
		t.spans = append(t.spans, s)
	}
	due := len(t.spans) == 1 || len(t.spans) == maxBatch
	t.mu.Unlock()
	if full {
		t.dropped.Add(1)
		return
	}
	if due {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// run sends batches until the end.
func (t *Telemetry) run() {
	defer close(t.ended)
	tick := time.NewTicker(t.options.Interval)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for {
		select {
		case <-t.wake:
			t.gather()
			t.sendSpans(ctx)
		case <-tick.C:
			t.sendMetrics(ctx)
		case <-t.stop:
			ctx, cancel := context.WithTimeout(ctx, closeTime)
			defer cancel()
			t.sendSpans(ctx)
			t.sendMetrics(ctx)
			return
		}
	}
}

// gather waits until a batch is full or old enough.
func (t *Telemetry) gather() {
	timer := time.NewTimer(t.options.Delay)
	defer timer.Stop()
	for {
		t.mu.Lock()
		full := len(t.spans) >= maxBatch
		t.mu.Unlock()
		if full {
			return
		}
		select {
		case <-t.wake:
		case <-timer.C:
			return
		case <-t.stop:
			return
		}
	}
}
