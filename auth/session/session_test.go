package session

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

func TestLoadMakesTheTokenOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "twodoor")
	first, created, err := Load(dir)
	if err != nil || !created || !strings.HasPrefix(first.Reveal(), tokenPrefix) {
		t.Fatalf("first start: %q, %v, %v", first.Reveal(), created, err)
	}
	again, created, err := Load(dir)
	if err != nil || created || !again.Equal(first) {
		t.Fatalf("second start: same %v, created %v, %v", again.Equal(first), created, err)
	}
	if other, _, _ := Load(t.TempDir()); other.Equal(first) {
		t.Error("two folders have one token")
	}
	checkFolder(t, dir)
}

// checkFolder wants the token alone in its folder, closed to others.
func checkFolder(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != TokenFile {
		t.Fatalf("the folder holds %v, %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the token has mode %v, %v", info.Mode(), err)
	}
}

func TestLoadAtOnceAgrees(t *testing.T) {
	dir := t.TempDir()
	tokens := make([]secret.Text, 16)
	var made sync.Map
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			token, created, err := Load(dir)
			if err != nil {
				t.Error(err)
			}
			if created {
				made.Store(i, true)
			}
			tokens[i] = token
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if !token.Equal(tokens[0]) {
			t.Fatal("two starts have two tokens")
		}
	}
	count := 0
	made.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d starts made the token", count)
	}
	checkFolder(t, dir)
}

func TestLoadOfWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, TokenFile)
	token := newToken()
	if err := os.WriteFile(path, []byte(token.Reveal()), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _, err := Load(dir); err != nil || !got.Equal(token) {
		t.Fatalf("an open file gives %v", err)
	}
	checkFolder(t, dir)
	for _, bad := range []string{"", "short", token.Reveal() + " " + token.Reveal()} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "delete it") || strings.Contains(err.Error(), token.Reveal()) {
			t.Errorf("a file of %d bytes gives %v", len(bad), err)
		}
	}
}

func TestPublishKeepsTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), TokenFile)
	for _, put := range []func(string, secret.Text) error{publish, writeNew} {
		first := newToken()
		if err := put(path, first); err != nil {
			t.Fatal(err)
		}
		if err := put(path, newToken()); !errors.Is(err, os.ErrExist) {
			t.Errorf("the second writer gets %v", err)
		}
		if got, err := read(path); err != nil || !got.Equal(first) {
			t.Errorf("the file holds another token, %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheck(t *testing.T) {
	token := newToken()
	withToken := &Guard{Token: token}
	tests := []struct {
		name          string
		guard         *Guard
		authorization []string
		remote        string
		known         bool
	}{
		{"the token", withToken, []string{"Bearer " + token.Reveal()}, "192.0.2.1:1", true},
		{"small letters", withToken, []string{"bearer " + token.Reveal()}, "192.0.2.1:1", true},
		{"nothing", withToken, nil, "127.0.0.1:1", false},
		{"empty", withToken, []string{"Bearer "}, "127.0.0.1:1", false},
		{"another", withToken, []string{"Bearer " + newToken().Reveal()}, "127.0.0.1:1", false},
		{"a part", withToken, []string{"Bearer " + token.Reveal()[:20]}, "127.0.0.1:1", false},
		{"another scheme", withToken, []string{"Basic " + token.Reveal()}, "127.0.0.1:1", false},
		{"two", withToken, []string{"Bearer " + token.Reveal(), "Bearer " + token.Reveal()}, "127.0.0.1:1", false},
		{"no token set", &Guard{}, []string{"Bearer "}, "127.0.0.1:1", false},
		{"loopback", &Guard{Mode: ModeNone}, nil, "127.0.0.1:1", true},
		{"loopback 6", &Guard{Mode: ModeNone}, nil, "[::1]:1", true},
		{"mapped loopback", &Guard{Mode: ModeNone}, nil, "[::ffff:127.0.0.1]:1", true},
		{"socket", &Guard{Mode: ModeNone}, nil, "@", true},
		{"abroad", &Guard{Mode: ModeNone}, nil, "192.0.2.1:1", false},
		{"nonsense", &Guard{Mode: ModeNone}, nil, "localhost", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/mcp?access_token="+token.Reveal(), nil)
			r.RemoteAddr, r.Header["Authorization"] = test.remote, test.authorization
			principal, err := test.guard.Check(r)
			if test.known {
				if err != nil || principal.Subject != twodoor.Operator.Subject {
					t.Errorf("answers %v, %v", principal, err)
				}
				return
			}
			if !principal.IsNobody() || twodoor.AsError(err) == nil || twodoor.AsError(err).Code != twodoor.CodeUnauthenticated {
				t.Errorf("answers %v, %v", principal, err)
			}
		})
	}
}

func TestMiddleware(t *testing.T) {
	token := newToken()
	handler := (&Guard{Token: token}).Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	r := httptest.NewRequest("GET", "/metrics", nil)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var body struct {
		Status int
		Error  struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" || w.Header().Get("Content-Type") != "application/problem+json" ||
		body.Status != 401 || body.Error.Code != "unauthenticated" || body.Error.Hint == "" {
		t.Errorf("answers %d %v %s", w.Code, w.Header(), w.Body)
	}
	r.Header.Set("Authorization", "Bearer "+token.Reveal())
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusTeapot {
		t.Errorf("with the token: %d", w.Code)
	}
}
