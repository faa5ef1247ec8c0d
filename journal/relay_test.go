package journal_test

import (
	"net"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/journal"
)

// TestRelay hands records over a stream: an intent is on disk when Intend returns, and a refusal of
// the server is one here.
func TestRelay(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{Required: true, Patience: time.Second})
		here, there := net.Pipe()
		served := make(chan error, 1)
		go func() { served <- j.Serve(t.Context(), there) }()
		relay := &journal.Relay{Stream: here}
		if err := relay.Intend(t.Context(), event(1)); err != nil || j.Written() != 1 {
			t.Errorf("%v, and %d are on disk", err, j.Written())
		}
		e := event(1)
		e.Effect, e.Answer, e.TokensOut, e.Saved, e.Upstream = twodoor.Writes, []byte(`{"id":1}`), 2, twodoor.Saved{Fields: 5, Cut: 7}, 3*time.Millisecond
		relay.Observe(e)
		if err := relay.Intend(t.Context(), event(3)); err != nil { // what came before it has arrived
			t.Error(err)
		}
		_ = j.Close() // what comes now is refused
		if err := relay.Intend(t.Context(), event(2)); twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeUnavailable {
			t.Errorf("a refusal is told as %v", err)
		}
		here.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		again := open(t, where, journal.Options{})
		records := calls(t, again, "call:call-000001 kind:call")
		if len(records) != 1 || records[0].Effect != "writes" || string(records[0].Answer) != `{"id":1}` || records[0].SavedBy.Cut != 7 || records[0].Saved != 12 || records[0].UpDuration != 3 {
			t.Errorf("kept as %+v", records)
		}
	})
}
