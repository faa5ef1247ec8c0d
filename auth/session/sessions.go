package session

import (
	"container/list"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Bounds of sessions where [Sessions] and [Wish] say nothing else.
const (
	DefaultTTL = 12 * time.Hour
	MaxTTL     = 30 * 24 * time.Hour
	DefaultMax = 10_000
)

// idPrefix marks the ids given out here: a session of such an id that is not known has ended, and is
// no name that somebody made up.
const idPrefix = "ses_"

// Sessions are the sessions that live, in memory: they end with the process. A session ends when it
// was idle for its TTL, and when a new one finds the house full and it is the one idle longest; nothing
// of it is kept then. The zero value is ready; it must not be copied.
type Sessions struct {
	Max int              // how many live at once; 0: DefaultMax
	Now func() time.Time // nil: time.Now

	mu      sync.Mutex
	byID    map[string]*list.Element // of *entry
	byToken map[[sha256.Size]byte]*list.Element
	recent  list.List // the one used last in front
}

// Wish is what a new session should be.
type Wish struct {
	Principal   twodoor.Principal // nobody: one of the session's own; it holds the permissions given here
	Profile     string
	FolderGuard json.RawMessage
	TTL         time.Duration // 0: DefaultTTL; at most MaxTTL
}

// Session is a session at the moment when it was asked for. It holds no token.
type Session struct {
	ID          string
	Principal   twodoor.Principal
	Profile     string
	FolderGuard json.RawMessage
	Created     time.Time
	Expires     time.Time // unless it is used before
}

// entry is a session that lives. Only the digest of its token is kept.
type entry struct {
	Session
	ttl    time.Duration
	digest [sha256.Size]byte
}

// Mint begins a session. The token is returned once and kept nowhere.
func (s *Sessions) Mint(wish Wish) (Session, secret.Text, error) {
	e, token, err := newEntry(wish, s.now())
	if err != nil {
		return Session{}, secret.Text{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(e.Created)
	for s.recent.Len() >= s.max() {
		s.drop(s.recent.Back())
	}
	if s.byID == nil {
		s.byID, s.byToken = map[string]*list.Element{}, map[[sha256.Size]byte]*list.Element{}
	}
	at := s.recent.PushFront(e)
	s.byID[e.ID], s.byToken[e.digest] = at, at
	return e.Session, token, nil
}

// newEntry is a session as it is wished, begun now.
func newEntry(wish Wish, now time.Time) (*entry, secret.Text, error) {
	switch {
	case wish.TTL < 0 || wish.TTL > MaxTTL:
		return nil, secret.Text{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "a session may idle for at most 720h", Hint: "ask for a ttl between 1s and 720h"}
	case wish.TTL == 0:
		wish.TTL = DefaultTTL
	}
	token := newToken()
	e := &entry{ttl: wish.TTL, digest: digestOf(token)}
	e.Session = Session{ID: newID(), Principal: wish.Principal, Profile: wish.Profile, FolderGuard: wish.FolderGuard, Created: now, Expires: now.Add(wish.TTL)}
	if e.Principal.IsNobody() {
		e.Principal.Subject = "session:" + e.ID
	}
	return e, token, nil
}

// Check is the session of a request's bearer token, and counts as a use of it. It is false where the
// request carries no token of a session that lives.
func (s *Sessions) Check(r *http.Request) (found Session, ok bool, err error) {
	token, ok := bearer(r)
	if !ok {
		return Session{}, false, nil
	}
	digest := digestOf(token)
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok = s.use(s.byToken[digest])
	return found, ok, nil
}

// Session is the session of an id, and counts as a use of it. The fault is of code unauthenticated
// where it was given out here and has ended; where the id is no id of ours, ok is false.
func (s *Sessions) Session(id string) (found Session, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok = s.use(s.byID[id]); ok {
		return found, true, nil
	}
	if !isID(id) {
		return Session{}, false, nil
	}
	return Session{}, false, hasEnded(id)
}

func hasEnded(id string) error {
	return &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "the session " + id + " has ended", Hint: "begin a new one with POST /api/sessions"}
}

// All lists the sessions that live, the one used last first.
func (s *Sessions) All() ([]Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(s.now())
	all := make([]Session, 0, s.recent.Len())
	for at := s.recent.Front(); at != nil; at = at.Next() {
		all = append(all, at.Value.(*entry).Session)
	}
	return all, nil
}

// End ends a session at once. It reports whether there was one.
func (s *Sessions) End(id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.byID[id]
	if at == nil {
		return false, nil
	}
	alive := s.now().Before(at.Value.(*entry).Expires)
	s.drop(at)
	return alive, nil
}

// use renews a session, or frees one that has ended.
func (s *Sessions) use(at *list.Element) (Session, bool) {
	if at == nil {
		return Session{}, false
	}
	e, now := at.Value.(*entry), s.now()
	if !now.Before(e.Expires) {
		s.drop(at)
		return Session{}, false
	}
	e.Expires = now.Add(e.ttl)
	s.recent.MoveToFront(at)
	return e.Session, true
}

// sweepMost bounds the sessions looked at in one sweep, so that none takes long.
const sweepMost = 64

// sweep frees ended sessions, from the one idle longest. TTLs differ, so an ended one may hide behind
// one that lives: it goes when its turn comes, at the latest when the house is full.
func (s *Sessions) sweep(now time.Time) {
	at := s.recent.Back()
	for range sweepMost {
		if at == nil {
			return
		}
		before := at.Prev()
		if !now.Before(at.Value.(*entry).Expires) {
			s.drop(at)
		}
		at = before
	}
}

func (s *Sessions) drop(at *list.Element) {
	e := s.recent.Remove(at).(*entry)
	delete(s.byID, e.ID)
	delete(s.byToken, e.digest)
}

func (s *Sessions) max() int {
	if s.Max > 0 {
		return s.Max
	}
	return DefaultMax
}

func (s *Sessions) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func digestOf(token secret.Text) [sha256.Size]byte { return sha256.Sum256([]byte(token.Reveal())) }

// idBytes is the length of an id's random part: an id is a name, but none that can be guessed.
const idBytes = 15

func newID() string {
	random := make([]byte, idBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand ends the program instead
	return idPrefix + strings.ToLower(base32.HexEncoding.EncodeToString(random))
}

func isID(id string) bool {
	return strings.HasPrefix(id, idPrefix) && len(id) == len(idPrefix)+base32.HexEncoding.EncodedLen(idBytes)
}
