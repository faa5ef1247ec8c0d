package sqldb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

var shed = sqldb.Schema{
	Name:   "shed",
	Tables: []string{"shed_tools"},
	Steps: []sqldb.Step{{
		SQLite:   []string{"CREATE TABLE shed_tools (id BIGINT PRIMARY KEY, name TEXT NOT NULL, body BLOB)"},
		Postgres: []string{"CREATE TABLE shed_tools (id BIGINT PRIMARY KEY, name TEXT NOT NULL, body BYTEA)"},
	}, {
		SQLite: []string{"CREATE INDEX shed_tools_name ON shed_tools (name)"},
	}},
}

func each(t *testing.T, test func(t *testing.T, where string)) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), test)
}

func open(t *testing.T, where string) *sqldb.DB {
	t.Helper()
	db := dbtest.Open(t, where)
	if err := db.Migrate(t.Context(), shed); err != nil {
		t.Fatal(err)
	}
	return db
}

func fill(t *testing.T, db *sqldb.DB, n int) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{int64(i), "it's a ? tool", []byte{0, byte(i)}})
		}
		return tx.Insert(t.Context(), "shed_tools", []string{"id", "name", "body"}, rows)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, q sqldb.Querier) (n int) {
	t.Helper()
	if _, err := q.One(t.Context(), "SELECT count(*) FROM shed_tools", nil, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRowsComeBack(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		db := open(t, where)
		fill(t, db, 37) // more than one chunk of each size
		var name string
		var body []byte
		found, err := db.One(t.Context(), "SELECT name, body FROM shed_tools WHERE name <> 'why?' AND id = ?", []any{36}, &name, &body)
		if err != nil || !found || name != "it's a ? tool" || string(body) != "\x00\x24" {
			t.Errorf("row 36: found %v, %q %q, %v", found, name, body, err)
		}
		if found, err := db.One(t.Context(), "SELECT name FROM shed_tools WHERE id = ?", []any{99}, &name); found || err != nil {
			t.Errorf("row 99: found %v, %v", found, err)
		}
		if n := count(t, db); n != 37 {
			t.Errorf("%d rows, want 37", n)
		}
	})
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		db := open(t, where)
		stop := errors.New("stop")
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := tx.Exec(t.Context(), "INSERT INTO shed_tools (id, name) VALUES (?, ?)", 1, "saw"); err != nil {
				return err
			}
			return stop
		})
		if !errors.Is(err, stop) || count(t, db) != 0 {
			t.Errorf("got %v and %d rows, want our own error and none", err, count(t, db))
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = db.Write(ctx, func(tx *sqldb.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO shed_tools (id, name) VALUES (?, ?)", 1, "saw"); err != nil {
				return err
			}
			cancel()
			_, err := tx.Exec(ctx, "INSERT INTO shed_tools (id, name) VALUES (?, ?)", 2, "axe")
			return err
		})
		if !errors.Is(err, context.Canceled) || count(t, db) != 0 {
			t.Errorf("canceled: got %v and %d rows, want none", err, count(t, db))
		}
	})
}

func TestReadSeesOneMoment(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		db := open(t, where)
		fill(t, db, 3)
		err := db.Read(t.Context(), func(tx *sqldb.Tx) error {
			before := count(t, tx)
			if _, err := db.Exec(t.Context(), "DELETE FROM shed_tools"); err != nil {
				return err
			}
			if after := count(t, tx); after != before {
				t.Errorf("the snapshot went from %d to %d rows", before, after)
			}
			return nil
		})
		if err != nil || count(t, db) != 0 {
			t.Errorf("after it: %d rows, %v", count(t, db), err)
		}
	})
}

func TestInstancesStartTogether(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		var all sync.WaitGroup
		for range 8 {
			db := dbtest.Open(t, where)
			all.Go(func() {
				if err := db.Migrate(t.Context(), shed); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		fill(t, dbtest.Open(t, where), 1)
	})
}

func TestNewerStoreIsRefused(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		db := open(t, where)
		old := shed
		old.Steps = shed.Steps[:1]
		if err := db.Migrate(t.Context(), old); !errors.Is(err, sqldb.ErrNewer) {
			t.Errorf("got %v, want ErrNewer", err)
		}
	})
}

func TestListen(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		here, there := open(t, where), open(t, where)
		notes := here.Listen(t.Context(), "tools")
		if first := wait(t, notes); !first.Missed {
			t.Errorf("the first note is %+v, want Missed", first)
		}
		note := func(db *sqldb.DB, payload string) {
			err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
				if err := tx.Note(t.Context(), "other", "not for us"); err != nil {
					return err
				}
				if err := tx.Note(t.Context(), "tools", payload); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), "INSERT INTO shed_tools (id, name) VALUES (?, ?)", time.Now().UnixNano(), payload)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		note(here, "saw")
		if got := wait(t, notes); got.Payload != "saw" {
			t.Errorf("own note: %+v", got)
		}
		note(there, "axe")
		if got := wait(t, notes); got.Payload != "axe" && !got.Missed {
			t.Errorf("note of the other instance: %+v", got)
		}
		if err := here.Close(); err != nil {
			t.Error(err)
		}
		for range notes {
			// closing ends it
		}
	})
}

func wait(t *testing.T, notes <-chan sqldb.Note) sqldb.Note {
	t.Helper()
	select {
	case note := <-notes:
		return note
	case <-time.After(10 * time.Second):
		t.Fatal("no note came")
		return sqldb.Note{}
	}
}

func TestMove(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		file := open(t, filepath.Join(t.TempDir(), "from.db"))
		fill(t, file, 20)
		there := open(t, where)
		if n, err := sqldb.Move(t.Context(), file, there, shed); n != 20 || err != nil {
			t.Fatalf("there: %d rows, %v", n, err)
		}
		if _, err := sqldb.Move(t.Context(), file, there, shed); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("a second time: %v", err)
		}
		back := dbtest.Open(t, filepath.Join(t.TempDir(), "back.db"))
		if n, err := sqldb.Move(t.Context(), there, back, shed); n != 20 || err != nil {
			t.Fatalf("and back: %d rows, %v", n, err)
		}
		var body []byte
		if _, err := back.One(t.Context(), "SELECT body FROM shed_tools WHERE id = 7", nil, &body); err != nil || string(body) != "\x00\x07" {
			t.Errorf("row 7 came back with %q, %v", body, err)
		}
		info, err := back.Info(t.Context(), shed)
		if err != nil || info.Bytes == 0 || info.Version == "" || info.Tables[0].Rows != 20 {
			t.Errorf("info: %+v, %v", info, err)
		}
		if err := back.Vacuum(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestFaultsHaveTheirKind(t *testing.T) {
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(damaged, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where string
		kind  error
	}{
		{damaged, sqldb.ErrDamaged},
		{filepath.Join(damaged, "below-a-file.db"), sqldb.ErrAddress},
		{"/proc/none/store.db", sqldb.ErrAddress},
		{"postgres://user:hunter2@127.0.0.1:1/none", sqldb.ErrUnavailable},
		{"postgres://user:hunter2@[nonsense", sqldb.ErrAddress},
	} {
		_, err := sqldb.Open(t.Context(), c.where)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.where, err, c.kind)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the message repeats the password: %v", err)
		}
	}
}

func TestLockedFileIsBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as a writer waits")
	}
	where := filepath.Join(t.TempDir(), "store.db")
	here, there := open(t, where), open(t, where)
	err := there.Write(t.Context(), func(*sqldb.Tx) error {
		_, err := here.Exec(t.Context(), "DELETE FROM shed_tools")
		if !errors.Is(err, sqldb.ErrBusy) {
			t.Errorf("got %v, want ErrBusy", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := here.Exec(t.Context(), "DELETE FROM shed_tools"); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestFileIsForThisUser(t *testing.T) {
	where := filepath.Join(t.TempDir(), "a dir with ? and %", "store.db")
	open(t, where)
	info, err := os.Stat(where)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func BenchmarkInsert(b *testing.B) {
	db := dbtest.Open(b, filepath.Join(b.TempDir(), "store.db"))
	if err := db.Migrate(b.Context(), shed); err != nil {
		b.Fatal(err)
	}
	rows := make([][]any, 64)
	id, body := int64(0), []byte(strings.Repeat("x", 500))
	b.ReportAllocs()
	for b.Loop() {
		for i := range rows {
			id++
			rows[i] = []any{id, "saw", body}
		}
		err := db.Write(b.Context(), func(tx *sqldb.Tx) error {
			return tx.Insert(b.Context(), "shed_tools", []string{"id", "name", "body"}, rows)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
