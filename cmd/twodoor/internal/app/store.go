package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/session"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/journal"
	"github.com/twodoor/twodoor/shelf"
)

// store is the database of a configuration, open, and the rooms that keep something in it. Programs
// that stay have one, and commands that read it.
type store struct {
	db       *sqldb.DB
	shelf    *shelf.Shelf
	sessions *session.Stored
	journal  *journal.Journal
	sealKey  []byte
	end      context.CancelFunc
}

// schemas are the tables of all rooms, in the order in which a store is moved.
var schemas = []sqldb.Schema{keySchema, shelf.Schema, session.Schema, journal.Schema}

// storeFolder is where the state of the configuration is kept on this machine.
func (r *run) storeFolder() (string, error) {
	if r.folders.State == "" {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no place for the store: neither HOME nor XDG_STATE_HOME is set", Hint: "set one"}
	}
	sum := sha256.Sum256([]byte(r.identity()))
	return filepath.Join(r.folders.State, "stores", hex.EncodeToString(sum[:8])), nil
}

// storeWhere is the address of the store that a text names: "sqlite" is a file of the configuration's.
func (r *run) storeWhere(text string) (string, error) {
	if text == "" || text == "sqlite" {
		folder, err := r.storeFolder()
		return filepath.Join(folder, "store.db"), err
	}
	full, err := r.resolver().Resolve(secret.NewRef(text))
	if err != nil {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: "store: " + err.Error(), Hint: "set it, or write sqlite", Cause: err}
	}
	return full.Reveal(), nil
}

// remembers reports whether there is a store, or something to take into one, without opening it.
func (r *run) remembers() bool {
	folder, err := r.storeFolder()
	if err != nil {
		return false
	}
	return r.site.Store != "" && r.site.Store != "sqlite" || isFile(filepath.Join(folder, "store.db")) || isFile(filepath.Join(folder, spoolName))
}

// openStore opens the store of the configuration, once, and takes in what commands have recorded since
// a server last ran.
func (r *run) openStore(ctx context.Context) (*store, error) {
	if r.memory.store != nil {
		return r.memory.store, nil
	}
	if _, err := r.find(); err != nil {
		return nil, err
	}
	where, err := r.storeWhere(r.site.Store)
	if err != nil {
		return nil, err
	}
	db, err := openDB(ctx, where)
	if err != nil {
		return nil, err
	}
	s, err := r.furnish(ctx, db)
	if err != nil {
		return nil, errors.Join(toldStore(err), db.Close())
	}
	r.memory.use(s)
	r.takeIn(ctx, s)
	return s, nil
}

// openDB opens a database and makes its tables.
func openDB(ctx context.Context, where string) (*sqldb.DB, error) {
	db, err := sqldb.Open(ctx, where)
	if err != nil {
		return nil, toldStore(err)
	}
	if err := db.Migrate(ctx, schemas...); err != nil {
		return nil, errors.Join(toldStore(err), db.Close())
	}
	return db, nil
}

// furnish opens the rooms on a database.
func (r *run) furnish(ctx context.Context, db *sqldb.DB) (*store, error) {
	folder, err := r.storeFolder()
	if err != nil && db.Dialect() == sqldb.SQLite {
		return nil, err
	}
	key, err := keyOf(ctx, db, folder)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &store{db: db, shelf: &shelf.Shelf{DB: db}, sessions: &session.Stored{DB: db}, sealKey: derived(key, "confirm"), end: end}
	options := journal.Options{DB: db, Key: derived(key, "journal"), Redaction: r.redaction(), Required: r.site.Journal.Required, Log: r.log()}
	options.MaxAge, options.MaxBytes = boundsOf(r.site.Journal)
	if s.journal, err = journal.Open(life, options); err != nil {
		end()
		return nil, err
	}
	return s, nil
}

// boundsOf is how long and how much is kept; zero: the journal's own bounds.
func boundsOf(c config.Journal) (age time.Duration, bytes int64) {
	if c.Keep != "" {
		age, _ = config.Age(c.Keep) // was checked when it was read
	}
	if c.MaxBytes != "" {
		bytes, _ = config.Size(c.MaxBytes)
	}
	return age, bytes
}

// redaction is what a record goes through before it is kept or sent anywhere.
func (r *run) redaction() journal.Redaction {
	return journal.Redaction{Live: r.memory.secrets.Clean, Arguments: journal.Arguments(r.site.Journal.Arguments)}
}

// log is the log of this program: on stderr, without secrets.
func (r *run) log() *slog.Logger {
	if r.quiet {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(clean{r}, nil))
}

// clean takes secrets out of what is written to stderr. A line is one write.
type clean struct{ run *run }

func (c clean) Write(line []byte) (int, error) {
	_, err := c.run.Stderr.Write(secret.Hide(c.run.memory.secrets.Clean(line)))
	return len(line), err
}

// close writes what waits and closes the store.
func (s *store) close() error {
	s.end()
	err := s.journal.Close()
	return errors.Join(err, s.db.Close())
}

// toldStore tells a fault of the store, which the person at this machine can mend.
func toldStore(err error) error {
	fault, ok := errors.AsType[*sqldb.Error](err)
	if !ok {
		return err
	}
	code := twodoor.CodeUnavailable
	if errors.Is(err, sqldb.ErrAddress) {
		code = twodoor.CodeInvalid
	}
	told := *fault
	told.Hint = ""
	return &twodoor.Error{Code: code, Message: told.Error(), Hint: fault.Hint, Cause: err}
}

// takeIn takes in what commands have recorded.
func (r *run) takeIn(ctx context.Context, s *store) {
	folder, err := r.storeFolder()
	if err != nil {
		return
	}
	_, bad, err := s.journal.TakeIn(ctx, filepath.Join(folder, spoolName))
	if err != nil || bad > 0 {
		r.log().Warn("not every record of a command could be taken in", "lines", bad, "reason", err)
	}
}

// remember opens the store of a program that stays, and what tells others of its calls. Without one it goes on and says so, unless the
// configuration names a database or demands that calls are recorded.
func (r *run) remember(ctx context.Context) error {
	r.memory.stays = true
	r.startTelemetry()
	s, err := r.openStore(ctx)
	if err == nil {
		go s.sessions.Follow(context.WithoutCancel(ctx))
		return nil
	}
	if ctx.Err() != nil || r.site.Journal.Required || r.site.Store != "" && r.site.Store != "sqlite" {
		return err
	}
	fault := twodoor.AsError(err)
	r.note(fmt.Sprintf("twodoor: calls are not recorded, and nothing that is kept outlives this process: %s (%s)", fault.Message, fault.Hint))
	return nil
}

// keySchema is the table of the key that instances share.
var keySchema = sqldb.Schema{
	Name: "keys", Tables: []string{"store_keys"},
	Steps: []sqldb.Step{{
		SQLite:   []string{"CREATE TABLE store_keys (name TEXT PRIMARY KEY, key BLOB NOT NULL)"},
		Postgres: []string{"CREATE TABLE store_keys (name TEXT PRIMARY KEY, key BYTEA NOT NULL)"},
	}},
}

const (
	keyFile  = "store.key"
	keyBytes = 32
)

// keyOf is the key of a store: of a file, it lies beside it, readable by this user alone; of a
// database that several share, it lies in there.
func keyOf(ctx context.Context, db *sqldb.DB, folder string) ([]byte, error) {
	if db.Dialect() == sqldb.SQLite {
		return keyIn(filepath.Join(folder, keyFile))
	}
	if _, err := db.Exec(ctx, "INSERT INTO store_keys (name, key) VALUES ('store', ?) ON CONFLICT (name) DO NOTHING", newKey()); err != nil {
		return nil, err
	}
	var key []byte
	_, err := db.One(ctx, "SELECT key FROM store_keys WHERE name = 'store'", nil, &key)
	return key, err
}

// keyIn is the key in a file, made where there is none. Processes that start at once agree on one.
func keyIn(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := publish(path, newKey()); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("keep the key of the store: %w", err)
		}
		key, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of the store: %w", err)
	}
	if len(key) != keyBytes {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: path + " holds no key", Hint: "put the right one back; without it the journal cannot be verified. To begin anew, move it and store.db away"}
	}
	return key, nil
}

// publish writes a whole file under another name first: who finds it finds all of it, and of several
// writers one wins.
func publish(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), path)
}

// derived is a key for one use.
func derived(key []byte, use string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("twodoor " + use))
	return mac.Sum(nil)
}
