package rest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

// book holds sessions by id; their token is "token-" and the id.
type book struct{ all map[string]*Session }

func (b *book) Mint(want SessionRequest) (*Session, string, error) {
	id := string(rune('a' + len(b.all)))
	if want.Principal.IsNobody() {
		want.Principal.Subject = "session:" + id
	}
	s := &Session{ID: id, Principal: want.Principal, Profile: want.Profile, FolderGuard: want.FolderGuard, Expires: time.Unix(0, 0).Add(want.TTL)}
	b.all[id] = s
	return s, "token-" + id, nil
}

func (b *book) Session(id string) (*Session, error) {
	if id == "ended" {
		return nil, &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "it has ended"}
	}
	return b.all[id], nil
}

func (b *book) All() (all []*Session, err error) {
	for _, s := range b.all {
		all = append(all, s)
	}
	return all, nil
}

func (b *book) End(id string) (bool, error) {
	_, ok := b.all[id]
	delete(b.all, id)
	return ok, nil
}

func (b *book) authenticate(r *http.Request) (Caller, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "operator" {
		return Caller{Principal: twodoor.Operator}, nil
	}
	if s := b.all[strings.TrimPrefix(token, "token-")]; s != nil {
		return Caller{Principal: s.Principal, Session: s.ID, Profile: s.Profile}, nil
	}
	return Caller{}, &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "the token is not known here"}
}

func guarded(t *testing.T) *Door {
	b := &book{all: map[string]*Session{}}
	return &Door{Engine: notes(t), Sessions: b, Authenticate: b.authenticate}
}

const asOperator = "Authorization: Bearer operator"

func as(id string) string { return "Authorization: Bearer token-" + id }

func TestMint(t *testing.T) {
	door := guarded(t)
	w := ask(door, "POST", "/api/sessions", `{"principal":{"subject":"alice","permissions":["vault"]},"profile":"mine","ttl":"8h","folder_guard":{"mode":"strict"}}`, asOperator)
	if w.Code != 201 || field(t, w, "id") != "a" || field(t, w, "token") != "token-a" || field(t, w, "principal", "subject") != "alice" ||
		field(t, w, "expires") != "1970-01-01T08:00:00Z" || field(t, w, "folder_guard", "mode") != "strict" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for key, want := range map[string]string{
		"MCP_API_URL": "http://127.0.0.1/api", "MCP_API_TOKEN": "token-a", "MCP_SESSION_ID": "a", "MCP_AUTH": "Authorization: Bearer token-a",
		"MCP_MCP": "http://127.0.0.1/api/tools/mcp", "MCP_CUSTOM": "http://127.0.0.1/api/tools/custom", "MCP_VIRTUAL": "http://127.0.0.1/api/tools/virtual",
	} {
		if got := field(t, w, "env", key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for _, bad := range []string{`{"profil":"mine"}`, `{"profile":"nobodys"}`, `{"ttl":"soon"}`, `{"folder_guard":[]}`, `{"principal":7}`} {
		if w := ask(door, "POST", "/api/sessions", bad, asOperator); w.Code != 400 || field(t, w, "code") != "invalid" {
			t.Errorf("%s: %d %s", bad, w.Code, w.Body)
		}
	}
	if w := ask(door, "POST", "/sessions", "", asOperator); w.Code != 201 || field(t, w, "principal", "subject") != "session:b" {
		t.Errorf("without wishes: %d %s", w.Code, w.Body)
	}
	if w := ask(door, "GET", "/api/sessions", "", asOperator); w.Code != 200 || strings.Contains(w.Body.String(), "token") {
		t.Errorf("the list: %d %s", w.Code, w.Body)
	}
}

// TestSessionsAreBound holds that a token is good for its own session, and for nothing else.
func TestSessionsAreBound(t *testing.T) {
	door := guarded(t)
	ask(door, "POST", "/api/sessions", `{"principal":"alice","profile":"mine"}`, asOperator)
	ask(door, "POST", "/api/sessions", `{"principal":"bob"}`, asOperator)
	call := "/api/tools/mcp/notes/get_Me"
	for _, test := range []struct {
		name, target, body string
		headers            []string
		status             int
		want               string // session and subject that carried it out
	}{
		{"own token", call, `{"query":"x"}`, []string{as("a")}, 200, "a alice"},
		{"own token and id", call, `{"query":"x"}`, []string{as("a"), "X-Session-ID: a"}, 200, "a alice"},
		{"own token and path", "/s/a/tools/mcp/notes/get_Me", `{"query":"x"}`, []string{as("a")}, 200, "a alice"},
		{"another's id", call, `{"query":"x"}`, []string{as("a"), "X-Session-ID: b"}, 403, ""},
		{"a made-up id", call, `{"query":"x"}`, []string{as("a"), "X-Session-ID: z"}, 403, ""},
		{"another's path", "/s/b/tools/mcp/notes/get_Me", `{"query":"x"}`, []string{as("a")}, 403, ""},
		{"path and header differ", "/s/a/tools/mcp/notes/get_Me", `{"query":"x"}`, []string{as("a"), "X-Session-ID: b"}, 403, ""},
		{"another's id in the body", "/api/mcp/execute", `{"tool":"notes.get_Me","args":{"query":"x"},"session_id":"b"}`, []string{as("a")}, 403, ""},
		{"another profile", call + "?profile=default", `{"query":"x"}`, []string{as("a")}, 403, ""},
		{"operator", call, `{"query":"x"}`, []string{asOperator}, 200, " operator"},
		{"operator selects", call, `{"query":"x"}`, []string{asOperator, "X-Session-ID: a"}, 200, "a alice"},
		{"operator names", call, `{"query":"x"}`, []string{asOperator, "X-Session-ID: run-7"}, 200, "run-7 operator"},
		{"operator selects an ended one", call, `{"query":"x"}`, []string{asOperator, "X-Session-ID: ended"}, 401, ""},
		{"operator in the body", "/api/mcp/execute", `{"tool":"notes.get_Me","args":{"query":"x"},"session_id":"b"}`, []string{asOperator}, 200, "b bob"},
		{"no token", call, `{"query":"x"}`, []string{"X-Session-ID: a"}, 401, ""},
	} {
		w := ask(door, "POST", test.target, test.body, test.headers...)
		got := ""
		if w.Code == 200 {
			var told struct{ Session, Subject string }
			unmarshal(t, field(t, w, "result"), &told)
			got = told.Session + " " + told.Subject
		}
		if w.Code != test.status || got != test.want {
			t.Errorf("%s: %d as %q, want %d as %q: %s", test.name, w.Code, got, test.status, test.want, w.Body)
		}
	}
}

// TestSessionsOfOthers holds what a session may see and end: itself.
func TestSessionsOfOthers(t *testing.T) {
	door := guarded(t)
	ask(door, "POST", "/api/sessions", `{"profile":"mine"}`, asOperator)
	ask(door, "POST", "/api/sessions", ``, asOperator)
	for _, test := range []struct {
		method, target string
		headers        []string
		status         int
	}{
		{"POST", "/api/sessions", []string{as("a")}, 403}, {"GET", "/api/sessions", []string{as("a")}, 403},
		{"GET", "/api/sessions/b", []string{as("a")}, 403}, {"DELETE", "/api/sessions/b", []string{as("a")}, 403},
		{"POST", "/api/sessions", []string{asOperator, "X-Session-ID: a"}, 403},
		{"GET", "/api/sessions/a", []string{as("a")}, 200}, {"GET", "/api/sessions/a", []string{asOperator}, 200},
		{"GET", "/api/sessions/z", []string{asOperator}, 404}, {"DELETE", "/api/sessions/ended", []string{asOperator}, 404},
		{"DELETE", "/api/sessions/a", []string{as("a")}, 204}, {"GET", "/api/sessions/a", []string{as("a")}, 401},
		{"DELETE", "/api/sessions/b", []string{asOperator}, 204},
	} {
		if w := ask(door, test.method, test.target, "", test.headers...); w.Code != test.status {
			t.Errorf("%s %s with %v: %d %s", test.method, test.target, test.headers, w.Code, w.Body)
		}
	}
}

// TestProfileOfSession holds that a session is shown its own profile and no more.
func TestProfileOfSession(t *testing.T) {
	door := guarded(t)
	ask(door, "POST", "/api/sessions", `{"profile":"mine"}`, asOperator)
	for _, target := range []string{"/api/tools", "/api/tools?format=servers", "/api/v1/operations", "/api/tools?format=mcp"} {
		body := ask(door, "GET", target, "", as("a")).Body.String()
		if !strings.Contains(body, "notes_get_Me") || slices.ContainsFunc([]string{"notes-base", "harbor", "vault"}, func(other string) bool { return strings.Contains(body, other) }) {
			t.Errorf("%s shows %s", target, body)
		}
	}
	for _, name := range []string{"notes-base.get_Me", "harbor.incident.close", "vault.key.read"} {
		if w := ask(door, "POST", "/api/v1/call/"+name, `{"query":"x"}`, as("a")); w.Code != 404 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
