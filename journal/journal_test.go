package journal_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
	"github.com/twodoor/twodoor/journal"
)

var _ twodoor.Observer = (*journal.Journal)(nil)

func each(t *testing.T, test func(t *testing.T, where string)) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), test)
}

func open(t testing.TB, where string, options journal.Options) *journal.Journal {
	t.Helper()
	if options.DB == nil {
		options.DB = dbtest.Open(t, where)
	}
	options.Key = []byte("a key that signs")
	options.Batch = cmp.Or(options.Batch, 5*time.Millisecond)
	j, err := journal.Open(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func event(n int) twodoor.Event {
	return twodoor.Event{
		CallID: fmt.Sprintf("call-%06d", n), At: time.Now(), Door: twodoor.DoorMCP, Client: "cursor 1.2", Session: "s1",
		Principal: twodoor.Principal{Subject: "ann", Turn: "t1"}, Operation: "harbor.incident.list", Arguments: json.RawMessage(`{"limit":20,"id":1152921504606846977}`),
		Duration: 12500 * time.Microsecond, BytesOut: 4000, Cut: &twodoor.Cut{Shown: 3, Total: 20, Handle: "h1", How: "read_result"},
	}
}

func fault(e twodoor.Event, code twodoor.Code, message string) twodoor.Event {
	e.Code, e.Fault = code, &twodoor.Error{Code: code, Message: message, Hint: "do this", Cause: errors.New("because")}
	return e
}

func calls(t *testing.T, j *journal.Journal, filter string) []journal.Record {
	t.Helper()
	if err := j.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := journal.ParseFilter(filter, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := j.Calls(t.Context(), f, journal.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestRecordComesBackWhole(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{})
		want := fault(event(1), twodoor.CodeNotFound, "there is no \"it\" \x00\xff")
		j.Observe(want)
		records, children, err := j.Show(t.Context(), calls(t, j, "")[0].CallID)
		if err != nil || len(records) != 1 || len(children) != 0 {
			t.Fatalf("show: %d records, %d children, %v", len(records), len(children), err)
		}
		got := records[0]
		if string(got.Arguments) != string(want.Arguments) || !got.At.Equal(want.At.Truncate(0)) || got.Principal != "ann" || got.Turn != "t1" ||
			got.Upstream != "harbor" || got.Duration != 12.5 || got.Outcome != journal.OutcomeError || got.Code != "not_found" || *got.Cut != *want.Cut {
			t.Errorf("came back as %+v", got)
		}
		if got.Fault.Message != "there is no \"it\" \uFFFD\uFFFD" || got.Fault.Cause != "because" || got.Fault.Hint != "do this" {
			t.Errorf("fault: %+v", got.Fault)
		}
	})
}

func TestFilters(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{})
		j.Observe(event(1))
		slow := fault(event(2), twodoor.CodeTimeout, "too slow")
		slow.Duration, slow.Client, slow.Operation, slow.Session = time.Second, "Claude 4_x", "lab.thing.get", "s2"
		j.Observe(slow)
		old := event(3)
		old.At = time.Now().Add(-3 * time.Hour)
		j.Observe(old)
		for filter, want := range map[string]string{
			"":                          "213",
			"op:harbor.*":               "13",
			"op:harbor":                 "",
			"code:timeout":              "2",
			"code:error":                "2",
			"-code:error":               "13",
			"door:mcp client:cursor":    "13",
			"client:claude":             "2",
			"client:4_x":                "2",
			"client:4%x":                "",
			"dur:>500ms":                "2",
			"dur:<1s since:1h":          "1",
			"since:1h":                  "21",
			"until:1h":                  "3",
			`"too slow"`:                "2",
			"TOO session:s2":            "2",
			"session:s1 -since:1h":      "3",
			"principal:ann kind:call":   "213",
			`"limit":20`:                "213",
			"'; DROP TABLE records; --": "",
		} {
			var got string
			for _, r := range calls(t, j, filter) {
				got += strings.TrimLeft(r.CallID, "cal-0")
			}
			if got != want {
				t.Errorf("%s: got calls %q, want %q", filter, got, want)
			}
		}
		for bad, says := range map[string]string{
			"opp:x": "the nearest are op;", "code:tiemout": "the nearest are timeout;", "dur:soon": "dur:>500ms", "since:later": "since:1h", `"open`: "two words",
			"zzzz:x": "there are op, code, door,", "code:zzzz": "there are ok, error,",
		} {
			_, err := journal.ParseFilter(bad, time.Now())
			if e := twodoor.AsError(err); e == nil || e.Code != twodoor.CodeInvalid || !strings.Contains(e.Hint, says) {
				t.Errorf("%s: got %+v, want a fault with the hint %q", bad, e, says)
			}
		}
	})
}

func TestPages(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{})
		for n := range 25 {
			j.Observe(event(n))
		}
		calls(t, j, "")
		seen, page := map[string]bool{}, journal.Page{Limit: 10}
		for pages := 0; ; pages++ {
			records, next, err := j.Calls(t.Context(), journal.Filter{}, page)
			if err != nil || pages > 3 {
				t.Fatalf("page %d: %v", pages, err)
			}
			for _, r := range records {
				seen[r.CallID] = true
			}
			if page.Before = next; next == "" {
				break
			}
		}
		if len(seen) != 25 {
			t.Errorf("pages hold %d calls, want 25", len(seen))
		}
	})
}

func TestIntentIsOnDiskBeforeTheEffect(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		j := open(t, where, journal.Options{Required: true})
		if err := j.Intend(t.Context(), event(1)); err != nil {
			t.Fatal(err)
		}
		// another reader sees it now
		other := open(t, where, journal.Options{})
		running := calls(t, other, "")
		if len(running) != 1 || running[0].Kind != journal.KindIntent || running[0].Outcome != "" {
			t.Fatalf("while it runs: %+v", running)
		}
		j.Observe(event(1))
		if ended := calls(t, j, ""); len(ended) != 1 || ended[0].Kind != journal.KindCall {
			t.Errorf("after it: %+v", ended)
		}
		if records, _, _ := j.Show(t.Context(), "call-000001"); len(records) != 2 {
			t.Errorf("show gives %d records, want intent and call", len(records))
		}
	})
}

// TestBrokenChains alters the store by hand in every way that verify must find.
func TestBrokenChains(t *testing.T) {
	for name, statements := range map[string][]string{
		"":             nil,
		"altered":      {`UPDATE journal_records SET record = replace(record, '"limit":20', '"limit":21') WHERE n = 5`},
		"column":       {`UPDATE journal_records SET principal = 'bob' WHERE n = 5`},
		"removed":      {`DELETE FROM journal_records WHERE n = 5`},
		"first gone":   {`DELETE FROM journal_records WHERE n = 1`},
		"last gone":    {`DELETE FROM journal_records WHERE n = 10`},
		"all gone":     {`DELETE FROM journal_records`},
		"reordered":    {`UPDATE journal_records SET n = -1 WHERE n = 5`, `UPDATE journal_records SET n = 5 WHERE n = 6`, `UPDATE journal_records SET n = 6 WHERE n = -1`},
		"added":        {`INSERT INTO journal_records SELECT chain, 11, at, kind, call_id, door, client, principal, session, operation, code, duration, record, hash FROM journal_records WHERE n = 10`},
		"end moved":    {`DELETE FROM journal_records WHERE n = 10`, `UPDATE journal_chains SET last = 9, head = (SELECT hash FROM journal_records WHERE n = 9)`},
		"floor moved":  {`DELETE FROM journal_records WHERE n = 1`, `UPDATE journal_chains SET first = 2, floor = (SELECT hash FROM journal_records WHERE n = 2)`},
		"chain gone":   {`DELETE FROM journal_records`, `DELETE FROM journal_chains`},
		"anchor gone":  {`DELETE FROM journal_anchor`},
		"other anchor": {`UPDATE journal_anchor SET last = 0`},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, where string) {
				db := dbtest.Open(t, where)
				j := open(t, where, journal.Options{DB: db})
				for n := range 10 {
					j.Observe(event(n))
				}
				calls(t, j, "")
				for _, statement := range statements {
					if changed, err := db.Exec(t.Context(), statement); err != nil || changed == 0 {
						t.Fatalf("%s: changed %d, %v", statement, changed, err)
					}
				}
				found, err := j.Verify(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if found.Faults == nil {
					t.Error("no fault is null in JSON, want an empty list")
				}
				if broken := len(found.Faults) > 0; broken != (len(statements) > 0) {
					t.Errorf("found %+v", found)
				}
				for _, f := range found.Faults {
					if name == "altered" && (f.N != 5 || f.Chain != 1) {
						t.Errorf("the place is told as %+v, want record 5", f)
					}
				}
			})
		})
	}
}

func TestPruning(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		db := dbtest.Open(t, where)
		old := open(t, where, journal.Options{DB: db})
		for n := range 700 {
			e := event(n)
			e.At = time.Now().Add(-48 * time.Hour)
			old.Observe(e)
		}
		calls(t, old, "")
		j := open(t, where, journal.Options{DB: db, MaxAge: 24 * time.Hour})
		for n := range 1200 {
			j.Observe(event(1000 + n))
		}
		calls(t, j, "")
		if gone, err := j.Prune(t.Context()); gone != 700 || err != nil {
			t.Errorf("by age: %d records went, %v", gone, err)
		}
		small := open(t, where, journal.Options{DB: db, MaxBytes: 500_000})
		if gone, err := small.Prune(t.Context()); gone < 100 || gone > 1000 || err != nil {
			t.Errorf("by size: %d records went, %v", gone, err)
		}
		var bytes int64
		if _, err := db.One(t.Context(), "SELECT CAST(sum(bytes) AS BIGINT) FROM journal_chains", nil, &bytes); err != nil || bytes > 500_000 {
			t.Errorf("%d bytes are left, %v", bytes, err)
		}
		j.Observe(event(1))
		calls(t, j, "")
		if found, err := j.Verify(t.Context()); err != nil || len(found.Faults) > 0 || found.Records == 0 {
			t.Errorf("after it: %+v, %v", found, err)
		}
	})
}

func TestFollow(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		here, there := open(t, where, journal.Options{}), open(t, where, journal.Options{})
		here.Observe(event(0))
		calls(t, here, "")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		f, _ := journal.ParseFilter("op:harbor.*", time.Now())
		var got []string
		var resume string
		told := make(chan int)
		go func() {
			defer close(told)
			for news, err := range here.Follow(ctx, f, "") {
				if err != nil || news.Record == nil {
					t.Errorf("news %+v, %v", news, err)
					return
				}
				got, resume = append(got, news.Record.CallID), news.Resume
				told <- len(got)
			}
		}()
		for n := 1; n <= 4; n++ {
			j := here
			if n%2 == 0 {
				j = there
			}
			// the follower may not listen yet: tell until it hears the first
			for heard := false; !heard; {
				if n == 1 {
					here.Observe(event(1))
				} else {
					j.Observe(event(n))
				}
				select {
				case <-told:
					heard = true
				case <-time.After(2 * time.Second):
				}
			}
		}
		stop()
		for range told {
		}
		if want := "call-000004"; got[len(got)-1] != want {
			t.Errorf("told %v, want the last to be %s", got, want)
		}
		// what comes while nobody listens is told on resuming
		there.Observe(event(5))
		calls(t, there, "")
		for news, err := range here.Follow(t.Context(), f, resume) {
			if err != nil || news.Record == nil {
				t.Fatalf("resumed: %+v, %v", news, err)
			}
			if news.Record.CallID == "call-000005" {
				break
			}
		}
	})
}

func TestOverloadDropsAndCounts(t *testing.T) {
	where := filepath.Join(t.TempDir(), "store.db")
	db, blocker := dbtest.Open(t, where), dbtest.Open(t, where)
	j := open(t, where, journal.Options{DB: db, Queue: 10})
	err := blocker.Write(t.Context(), func(*sqldb.Tx) error {
		for n := range 1000 {
			j.Observe(event(n))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	calls(t, j, "")
	j.Observe(event(1001))
	dropped := int64(0)
	for _, r := range calls(t, j, "kind:dropped") {
		dropped += r.Dropped
	}
	if dropped == 0 || dropped != j.Dropped() {
		t.Errorf("the journal tells of %d drops, and counts %d", dropped, j.Dropped())
	}
	if kept := int64(len(calls(t, j, "kind:call"))); kept+dropped != 1001 {
		t.Errorf("%d kept and %d dropped of 1001", kept, dropped)
	}
}

// TestLockedStore holds the database from outside: reads go on unrecorded at first, effects are
// refused where the journal is required, and all is caught up afterwards.
func TestLockedStore(t *testing.T) {
	for _, required := range []bool{true, false} {
		where := filepath.Join(t.TempDir(), "store.db")
		j := open(t, where, journal.Options{Required: required, Patience: 50 * time.Millisecond})
		blocker := dbtest.Open(t, where)
		err := blocker.Write(t.Context(), func(*sqldb.Tx) error {
			j.Observe(event(1))
			err := j.Intend(t.Context(), event(2))
			if e := twodoor.AsError(err); required != (e != nil && e.Code == twodoor.CodeUnavailable) {
				t.Errorf("required %v: intend gives %v", required, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(calls(t, j, "")); n != 2 {
			t.Errorf("required %v: %d calls afterwards, want both", required, n)
		}
		if found, err := j.Verify(t.Context()); err != nil || len(found.Faults) > 0 {
			t.Errorf("required %v: %+v, %v", required, found, err)
		}
	}
}

func TestClockGoesBack(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "store.db"), journal.Options{})
	for n := range 5 {
		e := event(n)
		e.At = time.Now().Add(-time.Duration(n) * time.Hour)
		j.Observe(e)
	}
	if n := len(calls(t, j, "")); n != 5 {
		t.Errorf("%d calls, want 5", n)
	}
	if found, err := j.Verify(t.Context()); err != nil || len(found.Faults) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestCloseWritesWhatWaits(t *testing.T) {
	where := filepath.Join(t.TempDir(), "store.db")
	j := open(t, where, journal.Options{})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 50 {
				j.Observe(event(n*100 + i))
			}
		})
	}
	all.Wait()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, where, journal.Options{})
	records, _, err := again.Calls(t.Context(), journal.Filter{}, journal.Page{Limit: 1000})
	if err != nil || len(records) != 400 {
		t.Errorf("%d records after closing, want 400; %v", len(records), err)
	}
}
