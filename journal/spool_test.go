package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/journal"
)

func TestSpoolIsTakenIn(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		path := filepath.Join(t.TempDir(), "a [odd] folder")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(path, "calls.jsonl")
		j := open(t, where, journal.Options{})
		const commands, each = 8, 20
		var all sync.WaitGroup
		for command := range commands {
			all.Go(func() {
				spool := &journal.Spool{Path: path}
				for n := range each {
					if err := spool.Append(journal.RecordOf(event(command*1000 + n))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		taken := 0
		for range 10 { // while they write
			n, bad, err := j.TakeIn(t.Context(), path)
			if err != nil || bad != 0 {
				t.Errorf("%d bad, %v", bad, err)
			}
			taken += n
		}
		all.Wait()
		n, _, err := j.TakeIn(t.Context(), path)
		if taken += n; taken != commands*each || err != nil {
			t.Errorf("took in %d of %d, %v", taken, commands*each, err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "*", "*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestSpoolOfAKilledServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	j := open(t, filepath.Join(t.TempDir(), "store.db"), journal.Options{})
	spool := &journal.Spool{Path: path}
	spool.Observe(event(1))
	spool.Observe(event(2))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := j.TakeIn(t.Context(), path); n != 2 || err != nil {
		t.Fatalf("took in %d, %v", n, err)
	}
	// the server was killed before it could delete the file, and a command in the middle of a line
	if err := os.WriteFile(path+".4242", append(whole, "\n{\"kind\":\"call\",\"call_"...), 0o600); err != nil {
		t.Fatal(err)
	}
	spool.Observe(event(3))
	if n, bad, err := j.TakeIn(t.Context(), path); n != 1 || bad != 1 || err != nil {
		t.Errorf("took in %d and found %d bad, %v; want 1 and 1", n, bad, err)
	}
	if n := len(calls(t, j, "")); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}

func TestSpoolIsBoundedAndPrivate(t *testing.T) {
	spool := &journal.Spool{Path: filepath.Join(t.TempDir(), "calls.jsonl"), MaxBytes: 1500}
	var err error
	for n := range 10 {
		e := event(n)
		e.Arguments = []byte(`{"password":"hunter2"}`)
		err = spool.Append(journal.RecordOf(e))
	}
	if e := twodoor.AsError(err); e == nil || e.Code != twodoor.CodeTooLarge {
		t.Errorf("got %v, want too_large", err)
	}
	text, readErr := os.ReadFile(spool.Path)
	info, statErr := os.Stat(spool.Path)
	if readErr != nil || statErr != nil || len(text) > 1500 || info.Mode().Perm() != 0o600 || strings.Contains(string(text), "hunter2") {
		t.Errorf("%d bytes, mode %v: %s", len(text), info.Mode(), text)
	}
}

func TestMetrics(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "store.db"), journal.Options{})
	m := &journal.Metrics{Journal: j}
	m.Observe(event(1))
	slow := fault(event(2), twodoor.CodeTimeout, "slow")
	slow.Duration = 20 * time.Minute
	m.Observe(slow)
	for n := range 100 { // names that nothing has make one series
		e := fault(event(n), twodoor.CodeUnknown, "no")
		e.Operation = fmt.Sprintf("guess.%d\"\n", n)
		m.Observe(e)
	}
	j.Observe(event(1))
	calls(t, j, "")
	var out strings.Builder
	if n, err := m.WriteTo(&out); err != nil || n != int64(out.Len()) {
		t.Fatal(n, err)
	}
	for _, want := range []string{
		"# TYPE twodoor_calls_total counter\n",
		`twodoor_calls_total{door="mcp",upstream="harbor",operation="harbor.incident.list",outcome="ok"} 1` + "\n",
		`twodoor_calls_total{door="mcp",upstream="",operation="",outcome="unknown"} 100` + "\n",
		`outcome="ok",le="0.01"} 0` + "\n", `outcome="ok",le="0.02"} 1` + "\n", `outcome="ok",le="+Inf"} 1` + "\n",
		`outcome="timeout",le="300"} 0` + "\n", `outcome="timeout",le="+Inf"} 1` + "\n",
		"twodoor_journal_records_total 1\n", "twodoor_events_dropped_total 0\n", "twodoor_journal_up 1\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q", want)
		}
	}
	if strings.Contains(out.String(), "guess") || strings.Contains(out.String(), "ann") {
		t.Error("a label holds what a caller wrote, or who it was")
	}
}
