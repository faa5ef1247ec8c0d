package journal_test

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
	"github.com/twodoor/twodoor/journal"
)

// small mounts a file system of two megabytes, where this user may.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("needs to mount a small file system: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestDiskFull fills the disk under the journal, and makes room again.
func TestDiskFull(t *testing.T) {
	dir := small(t)
	var log bytes.Buffer
	j := open(t, filepath.Join(dir, "store.db"), journal.Options{
		DB: dbtest.Open(t, filepath.Join(dir, "store.db")), Required: true, Patience: 100 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	j.Observe(event(0))
	calls(t, j, "")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	refused := 0
	for n := 1; refused == 0 && n < 2000; n++ {
		j.Observe(event(10 * n))
		if err := j.Intend(t.Context(), event(10*n+1)); err != nil {
			refused++
			if e := twodoor.AsError(err); e.Code != twodoor.CodeUnavailable || !strings.Contains(fmt.Sprint(e.Cause), "disk is full") {
				t.Errorf("refused with %v because of %v", e, e.Cause)
			}
		}
	}
	if refused == 0 {
		t.Error("every intent was kept on a full disk")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	j.Observe(event(1))
	calls(t, j, "")
	whole(t, j)
	_ = j.Close()
	if text := log.String(); strings.Count(text, "cannot be written") != 1 || strings.Count(text, "written again") != 1 {
		t.Errorf("the log says\n%s", text)
	}
}

func whole(t *testing.T, j *journal.Journal) {
	t.Helper()
	if found, err := j.Verify(t.Context()); err != nil || len(found.Faults) > 0 || found.Records == 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := small(t)
	where := filepath.Join(dir, "store.db")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=2m"); err != nil {
		t.Fatal(err)
	}
	_, err := sqldb.Open(t.Context(), where)
	if err == nil || !strings.Contains(err.Error(), "make its folder and file writable") {
		t.Errorf("got %v, want what to do about it", err)
	}
}

// TestBrokenConnections ends every connection of the journal to PostgreSQL, again and again, while
// calls come in.
func TestBrokenConnections(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		admin := dbtest.Open(t, where)
		if admin.Dialect() != sqldb.Postgres {
			t.Skip("a file has no connections")
		}
		name := fmt.Sprintf("victim-%d", time.Now().UnixNano())
		j := open(t, where+"&application_name="+name, journal.Options{Patience: 10 * time.Second, Required: true})
		const rounds = 30
		for n := range rounds {
			j.Observe(event(2 * n))
			if err := j.Intend(t.Context(), event(2*n+1)); err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
			j.Observe(event(2*n + 1))
			if n%5 != 0 {
				continue
			}
			var ended int
			_, err := admin.One(t.Context(), "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = ?", []any{name}, &ended)
			if err != nil || ended == 0 {
				t.Fatalf("ended %d connections, %v", ended, err)
			}
		}
		if n := len(calls(t, j, "")); n != 2*rounds {
			t.Errorf("%d calls, want %d", n, 2*rounds)
		}
		whole(t, j)
	})
}

// TestRevocationIsHeard shows what rooms that keep sessions rest on: what one instance revokes
// another hears of, over the same store.
func TestRevocationIsHeard(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		here, there := dbtest.Open(t, where), dbtest.Open(t, where)
		if err := here.Migrate(t.Context(), journal.Schema); err != nil {
			t.Fatal(err)
		}
		heard := there.Listen(t.Context(), "sessions")
		<-heard // it listens
		begun := time.Now()
		err := here.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO journal_open (call_id, chain, record) VALUES ('x', 1, '{}')")
			return cmp.Or(err, tx.Note(t.Context(), "sessions", "s1"))
		})
		if err != nil {
			t.Fatal(err)
		}
		note := <-heard
		if note.Payload != "s1" && !note.Missed {
			t.Errorf("heard %+v", note)
		}
		t.Logf("heard after %s", time.Since(begun))
	})
}
