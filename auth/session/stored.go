package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/internal/sqldb"
)

// Schema is the table of the sessions. Of a token only the digest is kept.
var Schema = sqldb.Schema{
	Name:   "sessions",
	Tables: []string{"sessions"},
	Steps: []sqldb.Step{{
		SQLite: []string{
			"CREATE TABLE sessions (id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, principal TEXT NOT NULL, profile TEXT NOT NULL, folder_guard TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT NOT NULL, ttl BIGINT NOT NULL)",
			"CREATE INDEX sessions_expires ON sessions (expires)",
		},
		Postgres: []string{
			"CREATE TABLE sessions (id TEXT PRIMARY KEY, digest BYTEA NOT NULL UNIQUE, principal TEXT NOT NULL, profile TEXT NOT NULL, folder_guard TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT NOT NULL, ttl BIGINT NOT NULL)",
			"CREATE INDEX sessions_expires ON sessions (expires)",
		},
	}},
}

// Stored are sessions in a store: they outlive the process, and every instance on the store has the
// same. What is kept here of a session is asked for again after half a second, and let go at once
// when another instance says that it has ended: the bound holds where nothing can be heard, too. A
// store that cannot be asked is a fault of code unavailable: nobody comes in on what was once true.
type Stored struct {
	DB  *sqldb.DB        // required; its table made by Schema
	Max int              // how many live at once; 0: DefaultMax. The one idle longest makes room
	Now func() time.Time // nil: time.Now

	mu    sync.Mutex
	known map[[sha256.Size]byte]known
}

// known is a session as the store had it a moment ago.
type known struct {
	entry
	asked time.Time
}

const (
	freshFor = 500 * time.Millisecond
	topic    = "sessions"
	maxKnown = 4096
	askTime  = 5 * time.Second // bound of one question to the store
)

// Follow lets go of what ends at other instances as soon as it is heard, until the context ends.
func (s *Stored) Follow(ctx context.Context) {
	for range s.DB.Listen(ctx, topic) {
		s.mu.Lock()
		clear(s.known)
		s.mu.Unlock()
	}
}

// Mint begins a session. The token is returned once and kept nowhere.
func (s *Stored) Mint(wish Wish) (Session, secret.Text, error) {
	e, token, err := newEntry(wish, s.now())
	if err != nil {
		return Session{}, secret.Text{}, err
	}
	principal, err := json.Marshal(e.Principal)
	if err != nil {
		return Session{}, secret.Text{}, fmt.Errorf("begin a session: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	err = s.DB.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM sessions WHERE expires <= ?", e.Created.UnixMicro()); err != nil {
			return err
		}
		var live int
		if _, err := tx.One(ctx, "SELECT count(*) FROM sessions", nil, &live); err != nil {
			return err
		}
		if live >= s.max() {
			_, err := tx.Exec(ctx, "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions ORDER BY expires LIMIT ?)", live-s.max()+1)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "INSERT INTO sessions (id, digest, principal, profile, folder_guard, created, expires, ttl) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			e.ID, e.digest[:], string(principal), e.Profile, string(e.FolderGuard), e.Created.UnixMicro(), e.Expires.UnixMicro(), int64(e.ttl))
		return err
	})
	if err != nil {
		return Session{}, secret.Text{}, unasked(err)
	}
	return e.Session, token, nil
}

// Check is the session of a request's bearer token, and counts as a use of it. It is false where the
// request carries no token of a session that lives.
func (s *Stored) Check(r *http.Request) (Session, bool, error) {
	token, ok := bearer(r)
	if !ok || !strings.HasPrefix(token.Reveal(), tokenPrefix) { // no token of ours
		return Session{}, false, nil
	}
	digest := digestOf(token)
	s.mu.Lock()
	k, ok := s.known[digest]
	s.mu.Unlock()
	now := s.now()
	if ok && now.Sub(k.asked) < freshFor && now.Before(k.Expires) {
		return k.Session, true, nil
	}
	return s.use(r.Context(), "digest = ?", digest[:])
}

// Session is the session of an id, and counts as a use of it. The fault is of code unauthenticated
// where it was given out here and has ended; where the id is no id of ours, ok is false.
func (s *Stored) Session(id string) (found Session, ok bool, err error) {
	if !isID(id) {
		return Session{}, false, nil
	}
	found, ok, err = s.use(context.Background(), "id = ?", id)
	if err == nil && !ok {
		err = hasEnded(id)
	}
	return found, ok, err
}

// All lists the sessions that live, the one that lives longest first.
func (s *Stored) All() ([]Session, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	all := []Session{}
	err := s.each(ctx, "expires > ? ORDER BY expires DESC, id", s.now().UnixMicro(), func(e entry) { all = append(all, e.Session) })
	return all, unasked(err)
}

// End ends a session at once, at every instance. It reports whether there was one.
func (s *Stored) End(id string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	var ended int64
	err := s.DB.Write(ctx, func(tx *sqldb.Tx) (err error) {
		if ended, err = tx.Exec(ctx, "DELETE FROM sessions WHERE id = ? AND expires > ?", id, s.now().UnixMicro()); err != nil {
			return err
		}
		return tx.Note(ctx, topic, id)
	})
	s.mu.Lock()
	clear(s.known)
	s.mu.Unlock()
	return ended > 0, unasked(err)
}

// use asks the store for a session, and renews it.
func (s *Stored) use(ctx context.Context, where string, arg any) (found Session, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var e entry
	if err := s.each(ctx, where, arg, func(one entry) { e, ok = one, true }); err != nil {
		return Session{}, false, unasked(err)
	}
	now := s.now()
	if !ok || !now.Before(e.Expires) {
		return Session{}, false, nil
	}
	// Writing down every use would cost a write each: a twentieth of its time is near enough.
	if until := now.Add(e.ttl); until.Sub(e.Expires) > e.ttl/20 {
		changed, err := s.DB.Exec(ctx, "UPDATE sessions SET expires = ? WHERE id = ?", until.UnixMicro(), e.ID)
		if err != nil || changed == 0 {
			return Session{}, false, unasked(err)
		}
		e.Expires = until
	}
	s.keep(known{e, now})
	return e.Session, true, nil
}

func (s *Stored) keep(k known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[[sha256.Size]byte]known{}
	}
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	s.known[k.digest] = k
}

func (s *Stored) each(ctx context.Context, where string, arg any, tell func(entry)) error {
	return s.DB.Each(ctx, "SELECT id, digest, principal, profile, folder_guard, created, expires, ttl FROM sessions WHERE "+where, []any{arg}, func(scan sqldb.Scan) error {
		var e entry
		var digest []byte
		var principal, guard string
		var created, expires, ttl int64
		if err := scan(&e.ID, &digest, &principal, &e.Profile, &guard, &created, &expires, &ttl); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(principal), &e.Principal); err != nil {
			return fmt.Errorf("read the session %s: %w", e.ID, err)
		}
		if guard != "" {
			e.FolderGuard = json.RawMessage(guard)
		}
		copy(e.digest[:], digest)
		e.Created, e.Expires, e.ttl = time.UnixMicro(created), time.UnixMicro(expires), time.Duration(ttl)
		tell(e)
		return nil
	})
}

// unasked tells that the store could not be asked: the caller may be known, and is not let in.
func unasked(err error) error {
	if err == nil {
		return nil
	}
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "sessions cannot be looked up now", Hint: "try again in a moment", Cause: err}
}

func (s *Stored) max() int {
	if s.Max > 0 {
		return s.Max
	}
	return DefaultMax
}

func (s *Stored) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
