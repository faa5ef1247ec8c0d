package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/journal"
)

func (r *run) storeCommand() cli.Command {
	return cli.Command{
		Name: "store", Short: "Look after the database in which calls, sessions and kept answers lie",
		Commands: []cli.Command{
			{Name: "info", Short: "Say where the store is, and what it holds", Example: "twodoor store info", Run: r.storeInfo},
			{
				Name: "move", Args: "TO", Short: "Copy everything into another, empty store: sqlite or postgres://…",
				Long:    "Copies every row and the key that signs them, and checks the copy. The store itself stays as it is; name the new one with store: afterwards. Nothing may write to it meanwhile: stop up first.",
				Example: "twodoor store move 'postgres://twodoor@db.example.com/twodoor'", Run: r.storeMove,
			},
			{Name: "vacuum", Short: "Delete what is over the bounds, and give the room back", Example: "twodoor store vacuum", Run: r.storeVacuum},
		},
	}
}

func (r *run) storeInfo(ctx context.Context, in *cli.Invocation) error {
	s, err := r.openStore(ctx)
	if err != nil {
		return err
	}
	info, err := s.db.Info(ctx, schemas...)
	if err != nil {
		return toldStore(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s %s, %d KiB", info.Where, info.Dialect, info.Version, info.Bytes>>10)
	if info.Free > 0 {
		fmt.Fprintf(&text, ", of that %d KiB free", info.Free>>10)
	}
	text.WriteByte('\n')
	for _, table := range info.Tables {
		fmt.Fprintf(&text, "  %-18s %d rows\n", table.Name, table.Rows)
	}
	return in.PrintText(text.String(), info)
}

// moved is what came of a move.
type moved struct {
	From string `json:"from"`
	To   string `json:"to"`
	Rows int64  `json:"rows"`
}

func (r *run) storeMove(ctx context.Context, in *cli.Invocation) error {
	from, err := r.openStore(ctx)
	if err != nil {
		return err
	}
	if r.alive(r.site.File) {
		return &twodoor.Error{Code: twodoor.CodeConflict, Message: "a twodoor up of this configuration runs and writes to the store", Hint: "stop it, move the store, name the new one with store:, start it again"}
	}
	where, err := r.storeWhere(in.Args[0])
	if err != nil {
		return err
	}
	if err := from.journal.Close(); err != nil { // it writes no more
		return toldStore(err)
	}
	to, err := sqldb.Open(ctx, where)
	if err != nil {
		return toldStore(err)
	}
	rows, err := r.move(ctx, from.db, to)
	if folder, placeErr := r.storeFolder(); err == nil {
		err = errors.Join(placeErr, checkCopy(ctx, to, folder))
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return toldStore(err)
	}
	told := moved{from.db.Where(), to.Where(), rows}
	return in.PrintText(fmt.Sprintf("%d rows were copied from %s to %s\nnext: write store: %s in %s\n", rows, told.From, told.To, shown(in.Args[0]), r.near(r.site.File)), told)
}

// shown is an address as one may see it: a password is none of it.
func shown(address string) string {
	if strings.HasPrefix(address, "postgres") {
		return "with the address of the new one"
	}
	return address
}

// move copies the rows and the key.
func (r *run) move(ctx context.Context, from, to *sqldb.DB) (int64, error) {
	folder, err := r.storeFolder()
	if err != nil {
		return 0, err
	}
	key, err := keyOf(ctx, from, folder)
	if err != nil {
		return 0, err
	}
	rows, err := sqldb.Move(ctx, from, to, schemas[1:]...) // the key goes its own way
	if err != nil {
		return 0, err
	}
	if err := to.Migrate(ctx, keySchema); err != nil {
		return 0, err
	}
	if to.Dialect() == sqldb.Postgres {
		_, err = to.Exec(ctx, "INSERT INTO store_keys (name, key) VALUES ('store', ?) ON CONFLICT (name) DO UPDATE SET key = excluded.key", key)
		return rows, err
	}
	path := filepath.Join(folder, keyFile)
	if there, err := keyIn(path); err == nil && bytes.Equal(there, key) {
		return rows, nil
	}
	return rows, config.WriteFile(path, key, 0o600)
}

// checkCopy reads every record of the copy, and holds it against its signature.
func checkCopy(ctx context.Context, db *sqldb.DB, folder string) error {
	key, err := keyOf(ctx, db, folder)
	if err != nil {
		return err
	}
	copied, err := journal.Open(ctx, journal.Options{DB: db, Key: derived(key, "journal")})
	if err != nil {
		return err
	}
	found, err := copied.Verify(ctx)
	if err := errors.Join(err, copied.Close()); err != nil {
		return err
	}
	if len(found.Faults) > 0 {
		return &twodoor.Error{Code: twodoor.CodeChecksFailed, Message: fmt.Sprintf("the copy does not verify: %s", found.Faults[0].What), Hint: "look whether the store itself does: twodoor calls verify"}
	}
	return nil
}

func (r *run) storeVacuum(ctx context.Context, in *cli.Invocation) error {
	s, err := r.openStore(ctx)
	if err != nil {
		return err
	}
	gone, err := s.journal.Prune(ctx)
	if err == nil {
		err = s.db.Vacuum(ctx)
	}
	if err != nil {
		return toldStore(err)
	}
	info, err := s.db.Info(ctx, schemas...)
	if err != nil {
		return toldStore(err)
	}
	return in.PrintText(fmt.Sprintf("%d records were over the bounds and are gone; the store takes %d KiB\n", gone, info.Bytes>>10), map[string]int64{"gone": gone, "bytes": info.Bytes})
}
