package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

func with(token secret.Text) *http.Request {
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Authorization", "Bearer "+token.Reveal())
	return r
}

func TestSessionLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Sessions
		made, token, err := s.Mint(Wish{Principal: twodoor.Principal{Subject: "alice", Permissions: []string{"read"}}, Profile: "oncall", TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 { // each use begins the hour anew
			time.Sleep(59 * time.Minute)
			if got, ok, _ := s.Check(with(token)); !ok || got.ID != made.ID || got.Principal.Subject != "alice" || got.Profile != "oncall" {
				t.Fatalf("the token gives %+v, %v", got, ok)
			}
		}
		time.Sleep(time.Hour)
		if got, ok, _ := s.Check(with(token)); ok {
			t.Errorf("after an idle hour the token gives %+v", got)
		}
		if _, ok, err := s.Session(made.ID); ok || twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeUnauthenticated {
			t.Errorf("an ended session gives %v, %v", ok, err)
		}
		if s.recent.Len() != 0 || len(s.byToken) != 0 {
			t.Error("an ended session is kept")
		}
	})
}

func TestSessionsAreApart(t *testing.T) {
	var s Sessions
	a, tokenA, _ := s.Mint(Wish{})
	b, tokenB, _ := s.Mint(Wish{})
	if a.Principal.Subject == b.Principal.Subject || a.Principal.IsNobody() || a.ID == b.ID || tokenA.Equal(tokenB) {
		t.Errorf("two sessions share something: %+v, %+v", a, b)
	}
	if got, ok, _ := s.Check(with(tokenB)); !ok || got.ID != b.ID {
		t.Errorf("the token of b gives %+v", got)
	}
	if !ends(t, &s, a.ID) || ends(t, &s, a.ID) {
		t.Error("a session ends once")
	}
	if _, ok, _ := s.Check(with(tokenA)); ok {
		t.Error("the token outlives its session")
	}
	for _, name := range []string{"made-up", "", idPrefix + "short"} {
		if _, ok, err := s.Session(name); ok || err != nil {
			t.Errorf("%q is no id of ours, and gives %v, %v", name, ok, err)
		}
	}
	for _, bad := range []secret.Text{newToken(), secret.New(a.ID), secret.New("")} {
		if _, ok, _ := s.Check(with(bad)); ok {
			t.Error("a token that was never given out is known")
		}
	}
}

func TestMintRefuses(t *testing.T) {
	var s Sessions
	for _, ttl := range []time.Duration{-time.Second, MaxTTL + 1} {
		if _, _, err := s.Mint(Wish{TTL: ttl}); twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeInvalid {
			t.Errorf("a ttl of %v gives %v", ttl, err)
		}
	}
}

// TestAbandoned leaves sessions behind without ending them: the house stays as it is, and who comes
// often stays in it.
func TestAbandoned(t *testing.T) {
	const abandoned = 30_000
	s := Sessions{Max: 1000}
	_, mine, _ := s.Mint(Wish{})
	for i := range abandoned {
		if _, _, err := s.Mint(Wish{Profile: fmt.Sprint(i), FolderGuard: []byte(strings.Repeat(" ", 1000))}); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 {
			if _, ok, _ := s.Check(with(mine)); !ok {
				t.Fatal("a session in use was given up for a new one")
			}
		}
	}
	if len(s.byID) != 1000 || len(s.byToken) != 1000 || s.recent.Len() != 1000 {
		t.Errorf("%d sessions live, by %d tokens, %d in order", len(s.byID), len(s.byToken), s.recent.Len())
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > 16<<20 { // 30,000 would weigh twice as much in guards alone
		t.Errorf("%d bytes are still in use", memory.HeapAlloc)
	}
	runtime.KeepAlive(&s)
}

// TestExpiredAreFreed lets time free what nobody asks for any more.
func TestExpiredAreFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Sessions
		for range 3000 {
			if _, _, err := s.Mint(Wish{TTL: time.Minute}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if n := s.recent.Len(); n > 60 {
			t.Errorf("%d sessions are kept, and 60 live", n)
		}
	})
}

func TestSessionsAtOnce(t *testing.T) {
	s := Sessions{Max: 50}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				made, token, _ := s.Mint(Wish{})
				if got, ok, _ := s.Check(with(token)); ok && got.ID != made.ID {
					t.Errorf("the token of %s gives %s", made.ID, got.ID)
				}
				s.All()
				s.End(made.ID)
			}
		})
	}
	wg.Wait()
	if len(s.byID) != 0 {
		t.Errorf("%d sessions are left", len(s.byID))
	}
}
