package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
)

// open begins a legacy session over HTTP and gives its id.
func (s *site) open(headers ...string) string {
	s.t.Helper()
	reply := s.post(s.t.Context(), initialize, headers...)
	io.Copy(io.Discard, reply.Body)
	return reply.Header.Get(headerSession)
}

// old sends a message in a session.
func (s *site) old(session, body string, headers ...string) (status int, text string) {
	s.t.Helper()
	reply := s.post(s.t.Context(), body, append(headers, headerSession+": "+session, "MCP-Protocol-Version: 2025-11-25")...)
	raw, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(raw)
}

func TestLegacySession(t *testing.T) {
	s := newSite(t)
	id := s.open()
	if id == "" {
		t.Fatal("no session")
	}
	s.old(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if status, text := s.old(id, legacyCall("9007199254740993", "lab_big")); status != 200 || !strings.Contains(text, `\"z\":1152921504606846977`) {
		t.Errorf("the call: %d %s", status, text)
	}
	if status, text := s.call(modern("1", "tools/call", `"name":"lab_secret"`)); status != 200 || !strings.Contains(text, "hush") {
		t.Errorf("a modern call on the same endpoint: %d %s", status, text)
	}
	r, _ := http.NewRequest(http.MethodDelete, s.url, nil)
	r.Header.Set(headerSession, id)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if status, _ := s.old(id, legacyCall("2", "lab_big")); reply.StatusCode != http.StatusNoContent || status != http.StatusNotFound {
		t.Errorf("DELETE %d, then %d", reply.StatusCode, status)
	}
}

// What no session takes is told in JSON-RPC, with the request's id; a notification is never answered.
func TestLegacyRefusesInItsOwnTongue(t *testing.T) {
	s := newSite(t)
	id := s.open()
	for _, session := range []string{"", id} {
		for name, c := range map[string]struct {
			body   string
			status int
			holds  string
		}{
			"unknown method":             {`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, 200, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`},
			"no params":                  {`{"jsonrpc":"2.0","id":"a","method":"tools/call"}`, 200, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,`},
			"a notification with an id":  {`{"jsonrpc":"2.0","id":8,"method":"notifications/initialized"}`, 200, `"code":-32600`},
			"a call without an id":       {`{"jsonrpc":"2.0","method":"tools/list"}`, 202, ""},
			"a notification of tomorrow": {`{"jsonrpc":"2.0","method":"notifications/tomorrow"}`, 202, ""},
		} {
			status, text := s.old(session, c.body)
			if status != c.status || !strings.Contains(text, c.holds) || c.holds == "" && text != "" {
				t.Errorf("%s, session %q: %d %s", name, session, status, text)
			}
		}
	}
	for _, method := range []string{"ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		if status, text := s.old(id, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`); status != 200 || strings.Contains(text, "there is no method") {
			t.Errorf("%s: %d %s", method, status, text)
		}
	}
}

// Who asks before the greeting is told what to begin with, by a code that is one.
func TestLegacyNeedsAGreeting(t *testing.T) {
	const want = `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"there is no session: begin with initialize`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	s := newSite(t)
	if status, text := s.old("", list); status != 200 || !strings.HasPrefix(text, want) {
		t.Errorf("over HTTP: %d %s", status, text)
	}
	c := dial(t, newDoor(t).Door)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`) // begins a legacy stream
	c.next()
	c.send(list)
	if got := c.next(); !strings.HasPrefix(got, want) {
		t.Errorf("over stdio: %s", got)
	}
	c.close()
}

func TestLegacyBatchOverHTTP(t *testing.T) {
	s := newSite(t)
	reply := s.post(t.Context(), strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	io.Copy(io.Discard, reply.Body)
	reply = s.post(t.Context(), "["+legacyCall("1", "lab_secret")+","+legacyCall("2", "lab_big")+"]", headerSession+": "+reply.Header.Get(headerSession))
	raw, _ := io.ReadAll(reply.Body)
	if text := string(raw); reply.StatusCode != 200 || !strings.Contains(text, "hush") || !strings.Contains(text, "1152921504606846977") {
		t.Errorf("%d %s", reply.StatusCode, text)
	}
}

// A session is the principal's who began it, and what that one may do is asked anew at each request.
func TestLegacySessionIsItsPrincipals(t *testing.T) {
	permissions := map[string][]string{"ann": {"secrets"}, "bob": {"secrets"}}
	s := newSite(t, func(d *Door) {
		d.Authenticate = func(r *http.Request) (Caller, error) {
			name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			return Caller{Principal: twodoor.Principal{Subject: name, Permissions: permissions[name]}}, nil
		}
	})
	id := s.open("Authorization: Bearer ann")
	if _, text := s.old(id, legacyCall("1", "lab_secret"), "Authorization: Bearer ann"); !strings.Contains(text, "hush") {
		t.Errorf("its own: %s", text)
	}
	if status, _ := s.old(id, legacyCall("2", "lab_secret"), "Authorization: Bearer bob"); status != http.StatusNotFound {
		t.Errorf("another's: %d", status)
	}
	permissions["ann"] = nil
	if _, text := s.old(id, legacyCall("3", "lab_secret"), "Authorization: Bearer ann"); !strings.Contains(text, `"code":"forbidden"`) {
		t.Errorf("after the permission is gone: %s", text)
	}
}

func TestLegacySessionsAreBounded(t *testing.T) {
	s := newSite(t, func(d *Door) { d.MaxSessions = 2 })
	first, second := s.open(), s.open()
	s.old(first, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	third := s.open()
	for id, want := range map[string]int{first: 200, second: 404, third: 200} {
		if status, _ := s.old(id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status != want {
			t.Errorf("session %s: %d, want %d", id, status, want)
		}
	}
}

func TestFullOfBusySessions(t *testing.T) {
	s := newSite(t, func(d *Door) { d.MaxSessions = 1 })
	id := s.open()
	var busy sync.WaitGroup
	busy.Go(func() { s.old(id, legacyCall("1", "lab_wait")) })
	<-s.started
	reply := s.post(t.Context(), initialize)
	if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", reply.StatusCode, reply.Header)
	}
	close(s.release)
	busy.Wait()
}

func TestIdleLegacySessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newDoor(t)
		b.SessionTTL = time.Minute
		id := b.handle(initialize, "").Header().Get(headerSession)
		ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		time.Sleep(50 * time.Second)
		if got := b.handle(ping, id).Code; got != http.StatusOK {
			t.Errorf("in use: %d", got)
		}
		time.Sleep(61 * time.Second)
		if got := b.handle(ping, id).Code; got != http.StatusNotFound {
			t.Errorf("idle: %d", got)
		}
		b.Close()
	})
}

// handle answers one request of a legacy client without a network.
func (b *bench) handle(body, session string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if session != "" {
		r.Header.Set(headerSession, session)
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, r)
	return w
}
