package sqldb

import (
	"context"
	"fmt"
)

// Schema is what one room keeps: its tables, and the steps that make them.
type Schema struct {
	Name   string   // required; of the room: "journal"
	Tables []string // required; every table that the steps leave, for moving a store
	Steps  []Step   // required; only ever added to
}

// Step changes the tables of a room. Where PostgreSQL wants other words it says so.
type Step struct {
	SQLite   []string // required; statements
	Postgres []string // empty: the same statements
}

// migrationLock is the key of the advisory lock that instances take in turn: "twodoor" as a number.
const migrationLock = 0x7477_6f64_6f6f_72

// Migrate brings the tables of the rooms up to date. Instances that start together wait for each
// other. A store that a newer version has written is refused with ErrNewer, untouched.
func (db *DB) Migrate(ctx context.Context, schemas ...Schema) error {
	return db.Write(ctx, func(tx *Tx) error {
		if db.dialect == Postgres {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(?)", int64(migrationLock)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS store_schema (name TEXT PRIMARY KEY, version BIGINT NOT NULL)"); err != nil {
			return err
		}
		for _, schema := range schemas {
			if err := tx.migrate(ctx, schema); err != nil {
				return err
			}
		}
		return nil
	})
}

func (tx *Tx) migrate(ctx context.Context, schema Schema) error {
	var version int
	if _, err := tx.One(ctx, "SELECT version FROM store_schema WHERE name = ?", []any{schema.Name}, &version); err != nil {
		return err
	}
	if version > len(schema.Steps) {
		return &Error{Kind: ErrNewer, Doing: "open the " + schema.Name, Hint: "use that version, or another store"}
	}
	if version == len(schema.Steps) {
		return nil
	}
	for i, step := range schema.Steps[version:] {
		for _, statement := range step.of(tx.db.dialect) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("step %d of the %s: %w", version+i+1, schema.Name, err)
			}
		}
	}
	_, err := tx.Exec(ctx, "INSERT INTO store_schema (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
		schema.Name, len(schema.Steps))
	return err
}

func (s Step) of(dialect Dialect) []string {
	if dialect == Postgres && len(s.Postgres) > 0 {
		return s.Postgres
	}
	return s.SQLite
}
