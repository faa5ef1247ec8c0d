package mcpserver

import (
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor"
)

// watch keeps the events of an engine.
type watch struct {
	mu     sync.Mutex
	events []twodoor.Event
}

func (w *watch) Observe(e twodoor.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// TestTraceAndEra holds that a call has the place that its _meta names, else that of its HTTP request,
// in both eras, and the version that was spoken.
func TestTraceAndEra(t *testing.T) {
	const inner, outer = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-11111111111111111111111111111111-2222222222222222-00"
	books := &watch{}
	s := newSite(t, func(d *Door) { d.Engine.Observer = books })
	meta := `"traceparent":"` + inner + `","tracestate":"a=1",`
	s.call(strings.Replace(modern("1", "tools/call", `"name":"lab_secret"`), `"_meta":{`, `"_meta":{`+meta, 1), "Traceparent: "+outer)
	s.call(modern("2", "tools/call", `"name":"lab_secret"`), "Traceparent: "+outer)
	id := s.open()
	s.old(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.old(id, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lab_secret","_meta":{"traceparent":"`+inner+`"}}}`, "Traceparent: "+outer)
	s.old(id, legacyCall("2", "lab_secret"), "Traceparent: "+outer)
	want := []struct{ parent, state, era string }{{inner, "a=1", Version}, {outer, "", Version}, {inner, "", "2025-11-25"}, {outer, "", "2025-11-25"}}
	if len(books.events) != len(want) {
		t.Fatalf("%d calls were told", len(books.events))
	}
	for i, e := range books.events {
		if e.Within.Parent() != want[i].parent || e.Within.State != want[i].state || e.Era != want[i].era {
			t.Errorf("call %d: %s %q in era %q", i, e.Within.Parent(), e.Within.State, e.Era)
		}
	}
}
