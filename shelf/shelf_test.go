package shelf_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
	"github.com/twodoor/twodoor/shelf"
)

var (
	ann = twodoor.Principal{Subject: "ann"}
	bob = twodoor.Principal{Subject: "bob"}

	_ twodoor.Keeper = (*shelf.Shelf)(nil)
)

func each(t *testing.T, test func(t *testing.T, where string)) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), test)
}

func open(t testing.TB, where string) *shelf.Shelf {
	t.Helper()
	db := dbtest.Open(t, where)
	if err := db.Migrate(t.Context(), shelf.Schema); err != nil {
		t.Fatal(err)
	}
	return &shelf.Shelf{DB: db}
}

func keep(t testing.TB, s *shelf.Shelf, who twodoor.Principal, value string) string {
	t.Helper()
	handle, err := s.Keep(t.Context(), who, "harbor.incident.list", json.RawMessage(value))
	if err != nil {
		t.Fatal(err)
	}
	return handle
}

func take(t *testing.T, s *shelf.Shelf, who twodoor.Principal, handle string) string {
	t.Helper()
	operation, value, err := s.Take(t.Context(), who, handle)
	if err != nil {
		t.Fatal(err)
	}
	if (value != nil) != (operation == "harbor.incident.list") {
		t.Errorf("value %q with operation %q", value, operation)
	}
	return string(value)
}

func TestHandleIsReadAtAnotherInstance(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		here, there := open(t, where), open(t, where)
		value := `[{"id":1152921504606846977,"b":"é\u0000","a":[]}]`
		handle := keep(t, here, ann, value)
		if got := take(t, there, ann, handle); got != value {
			t.Errorf("came back as %s", got)
		}
	})
}

func TestHandleIsForItsPrincipal(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := open(t, where)
		handle := keep(t, s, ann, `[1]`)
		for _, c := range []struct {
			who    twodoor.Principal
			handle string
		}{
			{bob, handle}, {twodoor.Principal{}, handle}, {ann, ""}, {ann, strings.ToUpper(handle)},
			{ann, handle[:len(handle)-1] + "%"}, {ann, strings.Repeat("\xff", 20)}, {ann, strings.Repeat("x", 1<<20)},
		} {
			if got := take(t, s, c.who, c.handle); got != "" {
				t.Errorf("%s took %.30q: %s", c.who.Subject, c.handle, got)
			}
		}
		if keep(t, s, ann, `[1]`) == handle {
			t.Error("the same answer has the same handle twice: it can be guessed")
		}
	})
}

func TestAnswersAreKeptForAWhile(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := open(t, where)
		s.For = time.Nanosecond
		gone := keep(t, s, ann, `[1]`)
		if got := take(t, s, ann, gone); got != "" {
			t.Errorf("after its time: %s", got)
		}
		s.For = 0
		kept := keep(t, s, ann, `[2]`)
		if got := take(t, s, ann, kept); got != "[2]" {
			t.Errorf("within its time: %s", got)
		}
		var rows int
		if _, err := s.DB.One(t.Context(), "SELECT count(*) FROM shelf_answers", nil, &rows); err != nil || rows != 1 {
			t.Errorf("%d rows lie there, want the one that is kept; %v", rows, err)
		}
	})
}

func TestBounds(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := open(t, where)
		s.MaxAnswer, s.MaxPrincipal, s.MaxTotal = 10, 25, 40
		if _, err := s.Keep(t.Context(), ann, "x", json.RawMessage(`"123456789"`)); twodoor.AsError(err).Code != twodoor.CodeTooLarge {
			t.Errorf("11 bytes: got %v, want too_large", err)
		}
		var of [2][]string
		for i, who := range []twodoor.Principal{ann, bob} {
			for range 4 {
				of[i] = append(of[i], keep(t, s, who, `"12345678"`))
			}
		}
		var left [2]int
		for i, who := range []twodoor.Principal{ann, bob} {
			for _, handle := range of[i] {
				if take(t, s, who, handle) != "" {
					left[i]++
				}
			}
		}
		if left != [2]int{2, 2} {
			t.Errorf("kept %v answers of 10 bytes, want 2 of each: 25 for one, 40 for all", left)
		}
		if take(t, s, bob, of[1][3]) == "" {
			t.Error("the newest answer made room for older ones")
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := open(t, where)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 5 {
					handle, err := s.Keep(t.Context(), ann, "harbor.incident.list", json.RawMessage(`[1]`))
					if err != nil {
						t.Error(err)
						return
					}
					if got := take(t, s, ann, handle); got != "[1]" {
						t.Errorf("took %q", got)
					}
				}
			})
		}
		all.Wait()
	})
}

func BenchmarkKeepAndTake(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store.db"))
	value := `"` + strings.Repeat("x", 100_000) + `"`
	b.ReportAllocs()
	for b.Loop() {
		handle := keep(b, s, ann, value)
		if _, _, err := s.Take(b.Context(), ann, handle); err != nil {
			b.Fatal(err)
		}
	}
}
