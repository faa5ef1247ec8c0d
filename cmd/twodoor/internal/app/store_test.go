package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

// TestStoreMoves moves a store into a database and back: calls, sessions, kept answers and the key are
// there, and the chains hold.
func TestStoreMoves(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		if l.rest == "" {
			t.Skip("there is one database only: nowhere to move to")
		}
		database := l.env["LAB_STORE"]
		l.rest = ""
		s := l.up()
		handle := s.handle()
		_, made := s.ask("POST", "/api/sessions", "", `{"principal":"ann"}`)
		var session struct{ Token string }
		if err := json.Unmarshal([]byte(made), &session); err != nil {
			t.Fatal(err)
		}
		if status, _, said := l.run("store", "move", database); status != 5 || !strings.Contains(said, "stop it") {
			t.Errorf("beside a running up: exit %d, %s", status, said)
		}
		s.stop()
		check := func(where string) {
			t.Helper()
			if text := l.must("calls", "verify", "-o", "json"); !strings.Contains(text, `"faults":[]`) {
				t.Errorf("in %s: %s", where, text)
			}
			s := l.up()
			if text := s.tool("read_result", `{"handle":"`+handle+`"}`, ""); !strings.Contains(text, "it-1") {
				t.Errorf("in %s the answer is %s", where, text)
			}
			if status, text := s.ask("POST", "/api/v1/call/lab.items.get", session.Token, `{"id":"one"}`); status != 200 {
				t.Errorf("in %s the session gets %d %s", where, status, text)
			}
			s.stop()
		}
		said := l.must("store", "move", database, "-o", "table")
		if !strings.Contains(said, "rows were copied") || strings.Contains(said, "postgres:"+strings.SplitN(database, ":", 3)[1]) {
			t.Errorf("said %s", said)
		}
		l.rest = "store: \"${env:LAB_STORE}\"\n"
		check("the database")
		if status, _, _ := l.run("store", "move", "sqlite"); status == 0 {
			t.Error("a store that holds rows was written over")
		}
		files, _ := filepath.Glob(l.dir + "/state/twodoor/stores/*")
		if err := os.RemoveAll(files[0]); err != nil {
			t.Fatal(err)
		}
		l.must("store", "move", "sqlite")
		l.rest = ""
		check("a file again")
	})
}

// TestStoreInfo holds what is told of a store, and that it is this user's alone.
func TestStoreInfo(t *testing.T) {
	l := newLab(t)
	l.must("lab", "items", "get", "one")
	var info sqldb.Info
	if err := json.Unmarshal([]byte(l.must("store", "info", "-o", "json")), &info); err != nil || info.Dialect != sqldb.SQLite || info.Bytes == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	rows := map[string]int64{}
	for _, table := range info.Tables {
		rows[table.Name] = table.Rows
	}
	if rows["journal_records"] != 1 {
		t.Errorf("holds %v", rows)
	}
	files, _ := filepath.Glob(filepath.Dir(info.Where) + "/*")
	for _, file := range files {
		if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v", file, about.Mode(), err)
		}
	}
	l.must("store", "vacuum")
	l.must("calls", "verify")
}

// TestTamperingIsFound changes a record of a real store by hand.
func TestTamperingIsFound(t *testing.T) {
	for name, change := range map[string]string{
		"altered": "UPDATE journal_records SET record = replace(record, 'one', 'two') WHERE n = 1",
		"removed": "DELETE FROM journal_records WHERE n = 2",
		"swapped": "UPDATE journal_records SET n = CASE n WHEN 1 THEN -2 ELSE -1 END; UPDATE journal_records SET n = -n",
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.must("lab", "items", "get", "one")
			l.must("lab", "items", "get", "three")
			l.must("calls", "verify")
			files, _ := filepath.Glob(l.dir + "/state/twodoor/stores/*/store.db")
			db := dbtest.Open(t, files[0])
			for statement := range strings.SplitSeq(change, "; ") {
				if _, err := db.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			_ = db.Close()
			if status, out, _ := l.run("calls", "verify", "-o", "table"); status != 7 || !strings.Contains(out, "they are not as they were written") {
				t.Errorf("exit %d: %s", status, out)
			}
		})
	}
}
