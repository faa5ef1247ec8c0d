package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Dialect is the database behind a handle.
type Dialect string

// The dialects.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// busyWait is how long a writer waits for another process before it gives up with ErrBusy.
const busyWait = 5 * time.Second

// DB is an open database. It is safe for concurrent use.
//
// In SQLite one connection writes and a few read, so that a reader never waits for a writer of this
// process.
type DB struct {
	dialect Dialect
	where   string
	pool    *sql.DB         // SQLite: readers only
	config  *pgx.ConnConfig // Postgres
	writer  *writer         // SQLite
	feed    feed

	closing sync.Once
	closed  error
}

// Open opens the database at an address: postgres://…, or the path of a file, which is made
// readable by this user alone where it is not there. An address of PostgreSQL may hold a password:
// no error and no [DB.Where] repeats it.
func Open(ctx context.Context, where string) (*DB, error) {
	if strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://") {
		return openPostgres(ctx, where)
	}
	return openSQLite(ctx, where)
}

func openSQLite(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	if err := makeFile(path); err != nil {
		return nil, told("open the store "+path, err)
	}
	pool, err := sql.Open("sqlite", dsnOf(path, "query_only(on)"))
	if err != nil {
		return nil, told("open the store "+path, err)
	}
	pool.SetMaxOpenConns(max(4, runtime.NumCPU()))
	pool.SetMaxIdleConns(2)
	db := &DB{dialect: SQLite, where: path, pool: pool}
	if db.writer, err = openWriter(ctx, dsnOf(path)); err != nil {
		pool.Close()
		return nil, told("open the store "+path, err)
	}
	return db, nil
}

func dsnOf(path string, more ...string) string {
	pragmas := append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyWait.Milliseconds()), "auto_vacuum(incremental)", "journal_mode(wal)",
		"synchronous(full)", "wal_autocheckpoint(4000)", "journal_size_limit(33554432)", "foreign_keys(on)", "temp_store(memory)",
	}, more...)
	query := url.Values{"_pragma": pragmas}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query.Encode()}).String()
}

// makeFile makes the file before SQLite does, which would make it readable by others.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func openPostgres(ctx context.Context, where string) (*DB, error) {
	config, err := pgx.ParseConfig(where)
	if err != nil {
		return nil, &Error{Kind: ErrAddress, Doing: "read the address of the store", Hint: "write it like postgres://user:password@host:5432/database"}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "twodoor"
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = busyWait
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(8)
	pool.SetMaxIdleConns(4)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := &DB{dialect: Postgres, config: config, pool: pool,
		where: fmt.Sprintf("postgres://%s:%d/%s", config.Host, config.Port, config.Database)}
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return nil, told("open the store "+db.where, err)
	}
	return db, nil
}

// Dialect is the database behind the handle.
func (db *DB) Dialect() Dialect { return db.dialect }

// Where is the address of the database, without user and password.
func (db *DB) Where() string { return db.where }

// Close ends every listener, waits for who writes, and closes the database. Again it does nothing.
func (db *DB) Close() error {
	db.closing.Do(func() {
		db.feed.close()
		db.closed = db.pool.Close()
		if db.writer != nil {
			db.closed = errors.Join(db.closed, db.writer.close())
		}
	})
	return db.closed
}
