package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// issuer gives out the tokens token-1, token-2, … and an API that takes the last one alone.
type issuer struct {
	*httptest.Server
	mu     sync.Mutex
	forms  []url.Values
	auths  []string
	issued int
	life   string
	dead   bool // the API takes no token
	calls  atomic.Int64
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{life: "3600"}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path == "/token" {
		if err := r.ParseForm(); err != nil {
			panic(err)
		}
		i.forms, i.auths = append(i.forms, r.PostForm), append(i.auths, r.Header.Get("Authorization"))
		i.issued++
		fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":%s}`, i.issued, i.life)
		return
	}
	i.calls.Add(1)
	if i.dead || r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d", i.issued) {
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func oauthClient(t *testing.T, i *issuer, change func(*Connection)) *Client {
	t.Helper()
	conn := Connection{Type: OAuth2, ClientID: env("ID"), ClientSecret: env("SECRET"), TokenURL: i.URL + "/token"}
	if change != nil {
		change(&conn)
	}
	return client(t, i.URL, Rule{Connection: "k"}, map[string]Connection{"k": conn})
}

func TestATokenIsGotOnce(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, func(conn *Connection) {
		conn.Scopes, conn.Params = []string{"read", "write"}, map[string]string{"audience": "api"}
	})
	for range 3 {
		if resp, err := call(t, c, "GET", i.URL+"/api", "", []twodoor.Scheme{oauth}); err != nil || resp.StatusCode != 200 {
			t.Fatalf("answered %v, %v", resp, err)
		}
	}
	form := i.forms[0]
	if i.issued != 1 || form.Get("grant_type") != "client_credentials" || form.Get("scope") != "read write" || form.Get("audience") != "api" || form.Has("client_secret") ||
		i.auths[0] != "Basic Y2xpZW50K2lkOmNhbmFyeS1rZXktNDcxMQ==" {
		t.Errorf("%d tokens were issued, for %v with %s", i.issued, form, i.auths[0])
	}
	if got := c.Redact("token-1"); got != secret.Mask {
		t.Errorf("the token is shown: %s", got)
	}
}

func TestTheClientInTheBody(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, func(conn *Connection) { conn.InBody = true })
	if _, err := call(t, c, "GET", i.URL+"/api", ""); err != nil {
		t.Fatal(err)
	}
	if i.forms[0].Get("client_id") != "client id" || i.forms[0].Get("client_secret") != canary || i.auths[0] != "" {
		t.Errorf("sent %v with %q", i.forms[0], i.auths[0])
	}
}

func TestATokenEnds(t *testing.T) {
	for life, want := range map[string]struct{ after, later time.Duration }{
		"3600":   {3569 * time.Second, 3571 * time.Second},
		`"3600"`: {3569 * time.Second, 3571 * time.Second},
		"40":     {19 * time.Second, 21 * time.Second},
	} {
		i, now := newIssuer(t), time.Unix(1e9, 0)
		i.life = life
		c := oauthClient(t, i, nil)
		c.Now = func() time.Time { return now }
		use := func() int {
			if resp, err := call(t, c, "GET", i.URL+"/api", ""); err != nil || resp.StatusCode != 200 {
				t.Fatalf("answered %v, %v", resp, err)
			}
			return i.issued
		}
		use()
		now = time.Unix(1e9, 0).Add(want.after)
		if use() != 1 {
			t.Errorf("a token of %s s is renewed after %s", life, want.after)
		}
		now = time.Unix(1e9, 0).Add(want.later)
		if use() != 2 {
			t.Errorf("a token of %s s is used after %s", life, want.later)
		}
	}
}

func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, nil)
	if _, err := call(t, c, "GET", i.URL+"/api", ""); err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	i.issued++ // the API now wants a token that nobody has
	i.mu.Unlock()
	if resp, err := call(t, c, "POST", i.URL+"/api", "body"); err != nil || resp.StatusCode != 200 || i.issued != 3 {
		t.Fatalf("answered %v, %v, after %d tokens", resp, err, i.issued)
	}
	i.dead = true
	before := i.calls.Load()
	if resp, err := call(t, c, "GET", i.URL+"/api", ""); err != nil || resp.StatusCode != 401 || i.calls.Load()-before != 2 {
		t.Errorf("answered %v, %v, after %d tries", resp, err, i.calls.Load()-before)
	}
}

func TestCallersShareAToken(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, nil)
	use := func() {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if resp, err := call(t, c, "GET", i.URL+"/api", ""); err != nil || resp.StatusCode != 200 {
					t.Errorf("answered %v, %v", resp, err)
				}
			})
		}
		wg.Wait()
	}
	if use(); i.issued != 1 {
		t.Errorf("%d tokens for callers that came at once", i.issued)
	}
	i.mu.Lock()
	i.issued = 10
	i.mu.Unlock()
	if use(); i.issued != 11 {
		t.Errorf("%d tokens after one was refused", i.issued-10)
	}
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestCallersShareAFault: who waits while a token is refused does not ask again; who comes later does.
func TestCallersShareAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := client(t, "https://api.example.com", Rule{Connection: "k"}, map[string]Connection{
			"k": {Type: OAuth2, ClientID: env("ID"), ClientSecret: env("SECRET"), TokenURL: "https://id.example.com/token"}})
		c.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			asked++
			select {
			case <-time.After(time.Second):
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
			return &http.Response{StatusCode: 400, Body: http.NoBody, Request: req}, nil
		})
		use := func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Do(req, twodoor.Access{Source: "harbor"})
			return err
		}
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				if err := use(t.Context()); twodoor.AsError(err).Code != twodoor.CodeUpstreamAuth {
					t.Errorf("a caller gets %v", err)
				}
			})
		}
		synctest.Wait()
		leaving, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		wg.Go(func() {
			if err := use(leaving); twodoor.AsError(err).Code != twodoor.CodeTimeout {
				t.Errorf("a caller who left gets %v", err)
			}
		})
		wg.Wait()
		if asked != 1 {
			t.Errorf("%d requests for callers that came at once", asked)
		}
		if faultOf(t, use(t.Context()), twodoor.CodeUpstreamAuth); asked != 2 {
			t.Errorf("%d requests after another caller", asked)
		}
	})
}

func TestTokensThatAreNotIssued(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		code   twodoor.Code
		want   string
	}{
		{401, `{"error":"invalid_client","error_description":"bad ` + canary + `"}`, twodoor.CodeUpstreamAuth, "invalid_client: bad ***"},
		{400, `nonsense`, twodoor.CodeUpstreamAuth, "400 Bad Request"},
		{200, `{"token_type":"bearer"}`, twodoor.CodeUpstreamAuth, "200 OK"},
		{200, `{"access_token":"a-token","token_type":"mac"}`, twodoor.CodeUpstreamAuth, `"mac"`},
		{302, ``, twodoor.CodeUpstreamAuth, "302"},
		{503, ``, twodoor.CodeUnavailable, "503"},
	} {
		far := newFarSide(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		})
		c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": {Type: OAuth2, ClientID: env("ID"), ClientSecret: env("SECRET"), TokenURL: far.URL + "/token"}})
		_, err := call(t, c, "GET", far.URL+"/api", "")
		if fault := faultOf(t, err, test.code); !strings.Contains(fault.Message, test.want) || len(far.got) != 1 {
			t.Errorf("%d %s is told as %q after %d requests", test.status, test.body, fault.Message, len(far.got))
		}
	}
}

func TestTheDescriptionsTokenAddress(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, func(conn *Connection) { conn.TokenURL = "" })
	scheme := twodoor.Scheme{Name: "oauth", Type: "oauth2", TokenURL: i.URL + "/token", Scopes: []string{"s"}}
	if _, err := call(t, c, "GET", i.URL+"/api", "", []twodoor.Scheme{scheme}); err != nil || i.forms[0].Get("scope") != "s" {
		t.Fatalf("sent %v, %v", i.forms, err)
	}
	other := newFarSide(t, nil)
	scheme.TokenURL = other.URL + "/token"
	_, err := call(t, c, "GET", i.URL+"/api", "", []twodoor.Scheme{scheme})
	if fault := faultOf(t, err, twodoor.CodeUpstreamAuth); !strings.Contains(fault.Message, "token_url") || len(other.got) != 0 {
		t.Errorf("told as %q; the other host was sent %s", fault.Message, other.told())
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	i := newIssuer(t)
	c := oauthClient(t, i, nil)
	if _, err := call(t, c, "GET", i.URL+"/api", ""); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal([]any{c.Connections, c.Sources})
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %s", c.Connections, c.Sources, asJSON)
	for id, slot := range c.tokens {
		printed += fmt.Sprintf("%v %v %+v", id, slot.text, slot.err)
	}
	for _, text := range []string{canary, "token-1"} {
		if strings.Contains(printed, text) {
			t.Errorf("%s is printed in %s", text, printed)
		}
	}
}
