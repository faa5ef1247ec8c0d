package sqldb

import (
	"context"
	"database/sql"
	"errors"
)

// writer is the one connection that writes to a SQLite file. Its transactions are begun and ended
// here, not by database/sql, so that prepared statements outlive them and a canceled context never
// leaves a statement outside of its transaction.
type writer struct {
	db       *sql.DB
	conn     *sql.Conn
	turn     chan struct{}        // holds one token: who has it writes
	prepared map[string]*sql.Stmt // used by who has the turn
	sync     string               // the setting "synchronous" of the connection
}

// maxPrepared bounds the statements kept: writes are few and fixed.
const maxPrepared = 64

func openWriter(ctx context.Context, dsn string) (*writer, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w := &writer{db: db, conn: conn, turn: make(chan struct{}, 1), prepared: map[string]*sql.Stmt{}}
	w.turn <- struct{}{}
	return w, nil
}

// close waits for who writes, and lets nobody write again.
func (w *writer) close() error {
	<-w.turn
	for _, stmt := range w.prepared {
		_ = stmt.Close()
	}
	return errors.Join(w.conn.Close(), w.db.Close())
}

// transact runs do between BEGIN and COMMIT, in its turn, under a setting of "synchronous".
func (w *writer) transact(ctx context.Context, sync string, do func() error) error {
	return w.alone(ctx, func() (err error) {
		if w.sync != sync {
			if _, err := w.conn.ExecContext(ctx, "PRAGMA synchronous = "+sync); err != nil {
				return told("begin", err)
			}
			w.sync = sync
		}
		if _, err := w.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return told("begin", err)
		}
		done := false
		defer func() {
			if !done {
				_, _ = w.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			}
		}()
		if err := do(); err != nil {
			return err
		}
		if _, err := w.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
			return told("commit", err)
		}
		done = true
		return nil
	})
}

// alone runs do while nobody else has the connection.
func (w *writer) alone(ctx context.Context, do func() error) error {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { w.turn <- struct{}{} }()
	return do()
}

// ExecContext runs a statement, prepared at its first time.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt := w.prepared[query]
	if stmt == nil {
		if len(w.prepared) >= maxPrepared {
			return w.conn.ExecContext(ctx, query, args...)
		}
		var err error
		if stmt, err = w.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		w.prepared[query] = stmt
	}
	return stmt.ExecContext(ctx, args...)
}

func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return w.conn.QueryContext(ctx, query, args...)
}

func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return w.conn.QueryRowContext(ctx, query, args...)
}
