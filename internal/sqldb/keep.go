package sqldb

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Info is what a store holds.
type Info struct {
	Dialect Dialect `json:"dialect"`
	Where   string  `json:"where"`
	Version string  `json:"version"` // of the database
	Bytes   int64   `json:"bytes"`   // on disk, with what is written ahead
	Free    int64   `json:"free"`    // SQLite: of these, to be used again or given back by vacuum
	Tables  []Table `json:"tables"`
}

// Table is how much one table holds.
type Table struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
}

// Info counts what the tables of the rooms hold.
func (db *DB) Info(ctx context.Context, schemas ...Schema) (*Info, error) {
	info := &Info{Dialect: db.dialect, Where: db.where}
	if err := db.measure(ctx, info); err != nil {
		return nil, err
	}
	for _, schema := range schemas {
		for _, name := range schema.Tables {
			table := Table{Schema: schema.Name, Name: name}
			if _, err := db.One(ctx, "SELECT count(*) FROM "+name, nil, &table.Rows); err != nil {
				return nil, err
			}
			info.Tables = append(info.Tables, table)
		}
	}
	return info, nil
}

func (db *DB) measure(ctx context.Context, info *Info) error {
	if db.dialect == Postgres {
		_, err := db.One(ctx, "SELECT current_setting('server_version'), pg_database_size(current_database())", nil, &info.Version, &info.Bytes)
		return err
	}
	_, err := db.One(ctx, "SELECT sqlite_version(), page_size * freelist_count FROM pragma_page_size(), pragma_freelist_count()", nil, &info.Version, &info.Free)
	for _, end := range []string{"", "-wal"} {
		if file, statErr := os.Stat(db.where + end); statErr == nil {
			info.Bytes += file.Size()
		}
	}
	return err
}

// Vacuum gives back what deleted rows held. It may take long, and others wait for it.
func (db *DB) Vacuum(ctx context.Context) error {
	if db.dialect == Postgres {
		_, err := db.pool.ExecContext(ctx, "VACUUM")
		return told("vacuum", err)
	}
	return db.writer.alone(ctx, func() error {
		for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
			if _, err := db.writer.conn.ExecContext(ctx, statement); err != nil {
				return told("vacuum", err)
			}
		}
		return nil
	})
}

// Shrink gives back up to so many free pages of a SQLite file: a small step that nobody notices.
// PostgreSQL does this by itself.
func (db *DB) Shrink(ctx context.Context, pages int) error {
	if db.dialect == Postgres {
		return nil
	}
	return db.writer.alone(ctx, func() error {
		rows, err := db.writer.conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
		return each(rows, err, func(Scan) error { return nil })
	})
}

// Check looks for damage of the file. quick leaves out the indexes. PostgreSQL looks after itself.
func (db *DB) Check(ctx context.Context, quick bool) error {
	if db.dialect == Postgres {
		return nil
	}
	pragma := "PRAGMA integrity_check(1)"
	if quick {
		pragma = "PRAGMA quick_check(1)"
	}
	var said string
	if _, err := db.One(ctx, pragma, nil, &said); err != nil {
		return err
	}
	if said != "ok" {
		return &Error{Kind: ErrDamaged, Doing: "check the store " + db.where, Hint: hints[ErrDamaged] + " (" + said + ")"}
	}
	return nil
}

// Move copies every row of the rooms from one store into another, whose tables it makes and which
// must hold no rows of theirs. Both are untouched where it fails.
func Move(ctx context.Context, from, to *DB, schemas ...Schema) (rows int64, err error) {
	if err := to.Migrate(ctx, schemas...); err != nil {
		return 0, err
	}
	err = to.Write(ctx, func(in *Tx) error {
		return from.Read(ctx, func(out *Tx) error {
			for _, schema := range schemas {
				for _, table := range schema.Tables {
					n, err := copyTable(ctx, out, in, table)
					if err != nil {
						return fmt.Errorf("move %s: %w", table, err)
					}
					rows += n
				}
			}
			return nil
		})
	})
	return rows, err
}

func copyTable(ctx context.Context, out, in *Tx, table string) (copied int64, err error) {
	if taken, err := in.One(ctx, "SELECT 1 FROM "+table+" LIMIT 1", nil, new(int)); err != nil || taken {
		if taken {
			err = &Error{Kind: ErrAddress, Doing: "write " + table, Hint: "the target holds rows already: name an empty one"}
		}
		return 0, err
	}
	rows, err := out.run.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return 0, told("read", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, told("read", err)
	}
	insert := insertText(table, columns, 1)
	values, dest := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return copied, told("read", err)
		}
		if _, err := in.Exec(ctx, insert, values...); err != nil {
			return copied, err
		}
		copied++
	}
	if err := rows.Err(); err != nil {
		return copied, told("read", err)
	}
	var there int64
	if _, err := in.One(ctx, "SELECT count(*) FROM "+table, nil, &there); err != nil {
		return copied, err
	}
	if there != copied {
		return copied, fmt.Errorf("%d rows were read, and %d are there", copied, there)
	}
	return copied, nil
}

// Like escapes text for LIKE ? ESCAPE '\': it then stands for itself.
func Like(text string) string { return likeEscape.Replace(text) }

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
