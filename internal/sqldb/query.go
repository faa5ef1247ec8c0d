package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Querier asks a database: a [DB] or a [Tx]. Arguments stand for the ? of the query, in order.
type Querier interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Each calls row with each row of the answer, until row returns an error.
	Each(ctx context.Context, query string, args []any, row func(scan Scan) error) error
	// One reads the first row of the answer. There is none: found is false.
	One(ctx context.Context, query string, args []any, dest ...any) (found bool, err error)
}

// Scan reads the columns of a row in order.
type Scan func(dest ...any) error

// Exec runs a statement on its own.
func (db *DB) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		changed, err = tx.Exec(ctx, query, args...)
		return err
	})
	return changed, err
}

// Each reads the rows of a query.
func (db *DB) Each(ctx context.Context, query string, args []any, row func(scan Scan) error) error {
	rows, err := db.pool.QueryContext(ctx, db.text(query), args...)
	return each(rows, err, row)
}

// One reads the first row of a query.
func (db *DB) One(ctx context.Context, query string, args []any, dest ...any) (bool, error) {
	return one(db.pool.QueryRowContext(ctx, db.text(query), args...), dest)
}

// Tx is a transaction. It is for one goroutine.
type Tx struct {
	db    *DB
	run   runner
	notes []Note
}

// runner is what a transaction runs on.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Write runs do in a transaction that is committed when do returns nil, and rolled back otherwise.
// In SQLite it waits for its turn to write before do begins.
func (db *DB) Write(ctx context.Context, do func(tx *Tx) error) error {
	return db.writeAs(ctx, "FULL", do)
}

// WriteSoon is Write without waiting for the disk where SQLite would: when it returns, no end of
// this process loses the transaction, but a loss of power may. It is for what comes often and
// matters little one by one.
func (db *DB) WriteSoon(ctx context.Context, do func(tx *Tx) error) error {
	return db.writeAs(ctx, "NORMAL", do)
}

func (db *DB) writeAs(ctx context.Context, sync string, do func(tx *Tx) error) error {
	if db.dialect == Postgres {
		return db.transact(ctx, nil, do)
	}
	tx := &Tx{db: db, run: db.writer}
	if err := db.writer.transact(ctx, sync, func() error { return do(tx) }); err != nil {
		return err
	}
	db.feed.tell(tx.notes...)
	return nil
}

// Read runs do over a snapshot: all of its queries see the database at one moment.
func (db *DB) Read(ctx context.Context, do func(tx *Tx) error) error {
	if db.dialect == Postgres {
		return db.transact(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}, do)
	}
	return db.transact(ctx, nil, do)
}

func (db *DB) transact(ctx context.Context, options *sql.TxOptions, do func(tx *Tx) error) error {
	inner, err := db.pool.BeginTx(ctx, options)
	if err != nil {
		return told("begin", err)
	}
	defer func() { _ = inner.Rollback() }() // after a commit it does nothing
	if err := do(&Tx{db: db, run: inner}); err != nil {
		return err
	}
	return told("commit", inner.Commit())
}

// Exec runs a statement in the transaction.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := tx.run.ExecContext(ctx, tx.db.text(query), args...)
	if err != nil {
		return 0, told("write", err)
	}
	changed, err := result.RowsAffected()
	return changed, told("write", err)
}

// Each reads the rows of a query in the transaction.
func (tx *Tx) Each(ctx context.Context, query string, args []any, row func(scan Scan) error) error {
	rows, err := tx.run.QueryContext(ctx, tx.db.text(query), args...)
	return each(rows, err, row)
}

// One reads the first row of a query in the transaction.
func (tx *Tx) One(ctx context.Context, query string, args []any, dest ...any) (bool, error) {
	return one(tx.run.QueryRowContext(ctx, tx.db.text(query), args...), dest)
}

func each(rows *sql.Rows, err error, row func(scan Scan) error) error {
	if err != nil {
		return told("read", err)
	}
	defer rows.Close()
	scan := func(dest ...any) error { return told("read", rows.Scan(dest...)) }
	for rows.Next() {
		if err := row(scan); err != nil {
			return err
		}
	}
	return told("read", rows.Err())
}

func one(row *sql.Row, dest []any) (bool, error) {
	err := row.Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, told("read", err)
}

// chunks are how many rows one statement of Insert takes: each size is prepared once.
var chunks = [...]int{16, 4, 1}

// Insert adds rows to a table. Every row has a value for each of the columns.
func (tx *Tx) Insert(ctx context.Context, table string, columns []string, rows [][]any) error {
	args := make([]any, 0, chunks[0]*len(columns))
	for _, size := range chunks {
		for len(rows) >= size {
			args = args[:0]
			for _, row := range rows[:size] {
				args = append(args, row...)
			}
			if _, err := tx.Exec(ctx, insertText(table, columns, size), args...); err != nil {
				return fmt.Errorf("into %s: %w", table, err)
			}
			rows = rows[size:]
		}
	}
	return nil
}

func insertText(table string, columns []string, rows int) string {
	one := "(?" + strings.Repeat(",?", len(columns)-1) + ")"
	return "INSERT INTO " + table + " (" + strings.Join(columns, ",") + ") VALUES " + one + strings.Repeat(","+one, rows-1)
}

// text writes the query as the dialect wants it: PostgreSQL numbers its arguments.
func (db *DB) text(query string) string {
	if db.dialect == SQLite || !strings.Contains(query, "?") {
		return query
	}
	var out strings.Builder
	n, quoted := 0, false
	for i := range len(query) {
		switch c := query[i]; {
		case c == '?' && !quoted:
			n++
			out.WriteByte('$')
			out.WriteString(strconv.Itoa(n))
		default:
			quoted = quoted != (c == '\'')
			out.WriteByte(c)
		}
	}
	return out.String()
}
