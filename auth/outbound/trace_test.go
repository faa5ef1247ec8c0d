package outbound

import (
	"net/http"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// TestTrace holds that a far side is told the place that it is called from, that the caller's request is
// left alone, and that whoever watches sees no key.
func TestTrace(t *testing.T) {
	far := newFarSide(t, nil)
	c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": {Type: Bearer, Token: secret.NewRef("${env:KEY}")}})
	var known secret.Redactor
	c.Redactor = &known
	place := twodoor.ParseTrace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=1")
	ended := 0
	c.Watch = func(req *http.Request) (*http.Request, func(*http.Response, error)) {
		if req.Header.Get("Authorization") != "" {
			t.Error("who watches sees the key")
		}
		below := twodoor.TraceOf(req.Context())
		below.Span[0]++
		return req.WithContext(twodoor.WithTrace(req.Context(), below)), func(resp *http.Response, err error) {
			if ended++; err != nil || resp.StatusCode != 200 {
				t.Error(resp, err)
			}
		}
	}
	req, err := http.NewRequestWithContext(twodoor.WithTrace(t.Context(), place), "GET", far.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req, twodoor.Access{Source: "harbor"})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := far.got[0].header
	if got.Get("Traceparent") != "00-4bf92f3577b34da6a3ce929d0e0e4736-01f067aa0ba902b7-01" || got.Get("Tracestate") != "a=1" || got.Get("Authorization") != "Bearer "+canary {
		t.Errorf("the far side got %v", got)
	}
	if len(req.Header) != 0 || ended != 1 {
		t.Errorf("the request has %v, and ended %d times", req.Header, ended)
	}
	if known.Redact(canary) == canary {
		t.Error("the key that was used is not known")
	}
}
