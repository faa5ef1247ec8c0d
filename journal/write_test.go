//go:build unix

package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/internal/sqldb"
)

// BenchmarkWrite reports what a call costs the journal, in time of the processor, with batches as they
// come at 500 calls a second, answers of 4 KB and twenty live keys.
func BenchmarkWrite(b *testing.B) {
	ctx := context.Background()
	db, err := sqldb.Open(ctx, filepath.Join(b.TempDir(), "store.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(ctx, Schema); err != nil {
		b.Fatal(err)
	}
	var keys secret.Redactor
	for n := range 20 {
		keys.Add(secret.New(fmt.Sprintf("key-%d-of-a-far-side-%d", n, n*7919)))
	}
	j := &Journal{options: Options{DB: db, Key: []byte("key"), Queue: 1 << 10, Redaction: Redaction{Live: keys.Clean}}, wake: make(chan struct{}, 1)}
	w := &writer{journal: j, opened: map[string]bool{}}
	answer := []byte(`{"items":[` + strings.Repeat(`{"id":"inc_1126","title":"Checkout: latency p99 above 2 s","status":"open","severity":"sev1","service_id":"svc_checkout"},`, 33) + `{}]}`)
	e := twodoor.Event{
		CallID: "06h2rm6agmnduh1h0mgdll5s", At: time.Now(), Door: twodoor.DoorMCP, Era: "2026-07-28", Client: "cursor 1.2", Session: "s1", Effect: twodoor.Reads,
		Principal: twodoor.Principal{Subject: "ann"}, Operation: "harbor.incident.list", Arguments: []byte(`{"limit":20,"status":["open"],"query":"replica lag"}`),
		Answer: answer, Duration: 12500 * time.Microsecond, BytesOut: len(answer), TokensOut: len(answer) / 4,
	}
	const batch = 25
	before := spent(b)
	b.ReportAllocs()
	for b.Loop() {
		for range batch {
			j.Observe(e)
		}
		if err := w.write(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((spent(b)-before).Nanoseconds())/1000/float64(b.N)/batch, "cpu-µs/call")
}

func spent(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
