package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/twodoor/twodoor"
)

const (
	sendTime  = 10 * time.Second // bound of one request
	closeTime = 5 * time.Second  // bound of the last ones
)

// sendSpans sends what waits, batch by batch. A batch that the collector does not take is dropped: the
// next ones are worth more.
func (t *Telemetry) sendSpans(ctx context.Context) {
	t.mu.Lock()
	all := t.spans
	t.spans = nil
	t.mu.Unlock()
	for len(all) > 0 {
		batch := all[:min(len(all), maxBatch)]
		all = all[len(batch):]
		if err := t.post(ctx, t.options.Traces, appendSpans(nil, t.options.Resource, batch)); err != nil {
			t.dropped.Add(int64(len(batch)))
		}
	}
}

func (t *Telemetry) sendMetrics(ctx context.Context) {
	t.mu.Lock()
	all := make(measures, len(t.measure))
	for key, h := range t.measure {
		now := *h
		all[key] = &now
	}
	t.mu.Unlock()
	if len(all) > 0 {
		_ = t.post(ctx, t.options.Metrics, appendMetrics(nil, t.options.Resource, all, t.begun, time.Now())) // the next report counts it too
	}
}

// post sends one message, without secrets, and says once when the collector stops taking them.
func (t *Telemetry) post(ctx context.Context, url string, body []byte) error {
	if t.options.Redact != nil {
		body = t.options.Redact(body)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err := t.send(ctx, url, body)
	t.mu.Lock()
	before := t.failing
	t.failing = err != nil
	t.mu.Unlock()
	switch {
	case err != nil && !before:
		t.options.Log.Warn("telemetry is not taken by its collector, and dropped until it is", "reason", err)
	case err == nil && before:
		t.options.Log.Info("telemetry is taken again", "dropped", t.Dropped())
	}
	return err
}

func (t *Telemetry) send(ctx context.Context, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range maps.All(t.options.Headers) {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.options.Doer.Do(req, twodoor.Access{})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection is used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}
