package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb"
	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

func each(t *testing.T, test func(t *testing.T, where string)) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), test)
}

func ends(t *testing.T, s interface{ End(string) (bool, error) }, id string) bool {
	t.Helper()
	ended, err := s.End(id)
	if err != nil {
		t.Error(err)
	}
	return ended
}

// instance is one of several on a store.
func instance(t *testing.T, where string) *Stored {
	t.Helper()
	db := dbtest.Open(t, where)
	if err := db.Migrate(t.Context(), Schema); err != nil {
		t.Fatal(err)
	}
	return &Stored{DB: db}
}

// TestStoredSessionsAreShared holds that a session of one instance is one at the other, by token and
// by id, with all that it was given, and after both have ended.
func TestStoredSessionsAreShared(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		here, there := instance(t, where), instance(t, where)
		wish := Wish{Principal: twodoor.Principal{Subject: "alice", Permissions: []string{"read"}}, Profile: "oncall", FolderGuard: []byte(`{"mode":"ask"}`), TTL: time.Hour}
		made, token, err := here.Mint(wish)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Stored{there, here, instance(t, where)} {
			got, ok, err := s.Check(with(token))
			if err != nil || !ok || got.ID != made.ID || got.Principal.Subject != "alice" || !got.Principal.Holds("read") || got.Profile != "oncall" || string(got.FolderGuard) != `{"mode":"ask"}` {
				t.Errorf("%+v, %v, %v", got, ok, err)
			}
			if got, ok, err := s.Session(made.ID); err != nil || !ok || got.ID != made.ID {
				t.Errorf("%+v, %v, %v", got, ok, err)
			}
			if all, err := s.All(); err != nil || len(all) != 1 {
				t.Errorf("%+v, %v", all, err)
			}
		}
		found := false
		err = here.DB.Each(t.Context(), "SELECT id, principal, profile, folder_guard FROM sessions", nil, func(scan sqldb.Scan) error {
			var texts [4]string
			err := scan(&texts[0], &texts[1], &texts[2], &texts[3])
			found = found || strings.Contains(strings.Join(texts[:], " "), token.Reveal())
			return err
		})
		if err != nil || found {
			t.Errorf("the store holds the token: %v, %v", found, err)
		}
	})
}

// TestRevokedElsewhere holds that a session that one instance has ended is refused at the other
// within a second, also while that one has just let it in, and even where it does not listen.
func TestRevokedElsewhere(t *testing.T) {
	for name, listens := range map[string]bool{"listening": true, "deaf": false} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, where string) {
				here, there := instance(t, where), instance(t, where)
				if listens {
					go there.Follow(t.Context())
				}
				made, token, err := here.Mint(Wish{})
				if err != nil {
					t.Fatal(err)
				}
				if _, ok, err := there.Check(with(token)); !ok || err != nil {
					t.Fatal(ok, err)
				}
				begun := time.Now()
				if !ends(t, here, made.ID) || ends(t, here, made.ID) {
					t.Error("a session ends once")
				}
				for ok := true; ok; {
					if _, ok, err = there.Check(with(token)); err != nil {
						t.Fatal(err)
					}
					if ok && time.Since(begun) > time.Second {
						t.Fatal("let in after a second")
					}
				}
				t.Logf("refused after %s", time.Since(begun).Round(time.Millisecond))
				if _, ok, err := there.Session(made.ID); ok || twodoor.AsError(err).Code != twodoor.CodeUnauthenticated {
					t.Errorf("by its id: %v, %v", ok, err)
				}
				if _, ok, err := there.Session("made-up"); ok || err != nil {
					t.Errorf("a name of somebody's own: %v, %v", ok, err)
				}
			})
		})
	}
}

// TestStoredSessionsEnd holds that each use begins the time anew, and that idle ones make room.
func TestStoredSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := instance(t, where)
		now := time.Now()
		s.Now, s.Max = func() time.Time { return now }, 2
		_, idle, _ := s.Mint(Wish{TTL: time.Hour})
		now = now.Add(time.Second)
		_, busy, _ := s.Mint(Wish{TTL: time.Hour})
		for range 3 {
			now = now.Add(50 * time.Minute)
			if _, ok, err := s.Check(with(busy)); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if _, ok, _ := s.Check(with(idle)); ok {
			t.Error("an idle session lives on")
		}
		for range 2 {
			if _, _, err := s.Mint(Wish{TTL: 3 * time.Hour}); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Second)
		if _, ok, _ := s.Check(with(busy)); ok {
			t.Error("a third of two sessions was let in")
		}
		if all, err := s.All(); len(all) != 2 || err != nil {
			t.Errorf("%d live, %v", len(all), err)
		}
	})
}

// TestStoreGone holds that nobody comes in while the store cannot be asked, and that this is told as
// what it is.
func TestStoreGone(t *testing.T) {
	each(t, func(t *testing.T, where string) {
		s := instance(t, where)
		_, token, err := s.Mint(Wish{})
		if err != nil {
			t.Fatal(err)
		}
		_ = s.DB.Close()
		if _, ok, err := s.Check(with(token)); ok || twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeUnavailable {
			t.Errorf("%v, %v", ok, err)
		}
	})
}
