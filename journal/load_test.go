//go:build unix

package journal_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
	"github.com/twodoor/twodoor/journal"
)

var soak = flag.Duration("soak", 2*time.Second, "how long TestLoad runs")

// TestLoad is 16 clients with 500 calls a second between them: every one is in the journal.
func TestLoad(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{})
		count := load(j.Observe, *soak)
		if err := j.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if j.Written() != int64(count) || j.Dropped() != 0 {
			t.Errorf("%d calls: %d written, %d dropped", count, j.Written(), j.Dropped())
		}
		if found, err := j.Verify(t.Context()); err != nil || len(found.Faults) > 0 || found.Records != int64(count) {
			t.Errorf("%d calls: %+v, %v", count, found, err)
		}
	})
}

// heavy is a call with an answer as agents get them, of 4 KB.
func heavy(n int) twodoor.Event {
	e := event(n)
	e.Answer, e.Effect, e.TokensOut = answer, twodoor.Reads, len(answer)/4
	return e
}

var answer = []byte(`{"items":[` + strings.Repeat(`{"id":"inc_1126","title":"Checkout: latency p99 above 2 s","status":"open","severity":"sev1","service_id":"svc_checkout"},`, 33) + `{}]}`)

func load(observe func(twodoor.Event), long time.Duration) int {
	const clients, rate = 16, 500
	rounds := int(long * rate / clients / time.Second)
	tick := time.NewTicker(time.Second * clients / rate)
	defer tick.Stop()
	for round := range rounds {
		<-tick.C
		var all sync.WaitGroup
		for client := range clients {
			all.Go(func() { observe(heavy(round*clients + client)) })
		}
		all.Wait()
	}
	return rounds * clients
}

// BenchmarkLoad reports what the journal costs a call at that rate, in time of the processor.
func BenchmarkLoad(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "store.db"), journal.Options{Batch: 50 * time.Millisecond, Redaction: journal.Redaction{Live: live()}})
	idle := cpu(b)
	load(func(twodoor.Event) {}, 2*time.Second)
	idle = (cpu(b) - idle) / 2 // what the load itself costs in a second
	calls, rounds, before := 0, 0, cpu(b)
	for b.Loop() {
		calls, rounds = calls+load(j.Observe, time.Second), rounds+1
	}
	if err := j.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	spent := cpu(b) - before - idle*time.Duration(rounds)
	b.ReportMetric(float64(spent.Microseconds())/float64(calls), "cpu-µs/call")
}

// live takes out twenty keys.
func live() func([]byte) []byte {
	var r secret.Redactor
	for n := range 20 {
		r.Add(secret.New(fmt.Sprintf("key-%d-of-a-far-side-%d", n, n*7919)))
	}
	return r.Clean
}

func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// childStore names the store of a child process that TestKill kills; the test binary is both.
const childStore = "TWODOOR_TEST_KILL"

func TestMain(m *testing.M) {
	if where := os.Getenv(childStore); where != "" {
		child(where)
		return
	}
	os.Exit(m.Run())
}

// child makes calls until it is killed. It says each intent that it was promised, and each effect.
func child(where string) {
	db, err := sqldb.Open(context.Background(), where)
	if err != nil {
		panic(err)
	}
	j, err := journal.Open(context.Background(), journal.Options{DB: db, Key: []byte("a key that signs"), Required: true})
	if err != nil {
		panic(err)
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		fmt.Printf(format+"\n", args...)
		out.Unlock()
	}
	for client := range 4 {
		go func() {
			for n := 0; ; n++ {
				e := event(n)
				e.CallID = fmt.Sprintf("%d-%d-%d", os.Getpid(), client, n)
				if n%4 == 0 {
					if err := j.Intend(context.Background(), e); err != nil {
						panic(err)
					}
					say("effect %s %d", e.CallID, time.Now().UnixMilli())
				}
				j.Observe(e)
				say("answer %s %d", e.CallID, time.Now().UnixMilli())
				time.Sleep(time.Millisecond)
			}
		}()
	}
	select {}
}

// TestKill kills a writing process at random moments: no effect without its intent, no answer lost
// that was given 100 ms before, the chains whole, and what was under way is told as unknown.
func TestKill(t *testing.T) {
	kills := 5
	if *soak > 10*time.Second {
		kills = 20
	}
	each(t, func(t *testing.T, where string) {
		for range kills {
			killOnce(t, where)
		}
		db := dbtest.Open(t, where)
		if _, err := db.Exec(t.Context(), "UPDATE journal_chains SET alive = 0"); err != nil { // as if their leases had run out
			t.Fatal(err)
		}
		j := open(t, where, journal.Options{DB: db})
		if err := j.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := db.Check(t.Context(), false); err != nil {
			t.Error(err)
		}
		found, err := j.Verify(t.Context())
		if err != nil || len(found.Faults) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		var open int
		if _, err := db.One(t.Context(), "SELECT count(*) FROM journal_open", nil, &open); err != nil || open != 0 {
			t.Errorf("%d intents are still open, %v", open, err)
		}
	})
}

func killOnce(t *testing.T, where string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childStore+"="+where)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	var said []string
	until := 50 + rand.IntN(400)
	var killed time.Time
	for lines.Scan() {
		said = append(said, lines.Text())
		if len(said) == until {
			killed = time.Now()
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	db := dbtest.Open(t, where)
	kept := map[string]bool{}
	err = db.Each(t.Context(), "SELECT kind, call_id FROM journal_records", nil, func(scan sqldb.Scan) error {
		var kind, id string
		err := scan(&kind, &id)
		kept[kind+" "+id] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range said {
		var what, id string
		var at int64
		if n, _ := fmt.Sscanf(line, "%s %s %d", &what, &id, &at); n != 3 {
			continue // the last line, cut by the kill
		}
		if what == "effect" && !kept["intent "+id] {
			t.Errorf("an effect without its intent: %s", id)
		}
		if what == "answer" && !kept["call "+id] && killed.Sub(time.UnixMilli(at)) > 150*time.Millisecond {
			t.Errorf("an answer lost %s before the kill: %s", killed.Sub(time.UnixMilli(at)), id)
		}
	}
	if len(said) < 50 || !strings.Contains(strings.Join(said, " "), "effect") {
		t.Errorf("the child said only %d lines", len(said))
	}
}
