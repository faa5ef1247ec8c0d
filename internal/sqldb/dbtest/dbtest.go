// Package dbtest runs a test against every database that is at hand. Begin with [Each].
package dbtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// Each runs a test with the address of an empty store, once for each database: a SQLite file, and
// the PostgreSQL that postgres names, which is skipped where it is empty. In PostgreSQL each test
// has a schema of its own, dropped at its end.
func Each(t *testing.T, postgres string, test func(t *testing.T, where string)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, filepath.Join(t.TempDir(), "store.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		if postgres == "" {
			t.Skip("TWODOOR_POSTGRES names no server: run it through scripts/postgres.sh")
		}
		test(t, schema(t, postgres))
	})
}

// Open opens a store for the length of a test.
func Open(t testing.TB, where string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(context.Background(), where)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// schema makes a schema and gives the address that leads into it.
func schema(t *testing.T, postgres string) string {
	t.Helper()
	ctx := context.Background()
	admin, err := sqldb.Open(ctx, postgres)
	if err != nil {
		t.Fatal(err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec(ctx, "DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
		_ = admin.Close()
	})
	at, err := url.Parse(postgres)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	query.Set("search_path", name)
	at.RawQuery = query.Encode()
	return at.String()
}
