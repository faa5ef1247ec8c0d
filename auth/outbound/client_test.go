package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

const canary = "canary-key-4711"

// seen is what a far side was sent.
type seen struct {
	method, url, body string
	header            http.Header
}

// farSide records what it is sent, and answers 200 or as answer says.
type farSide struct {
	*httptest.Server
	got    []seen
	answer http.HandlerFunc
}

func newFarSide(t *testing.T, answer http.HandlerFunc) *farSide {
	t.Helper()
	f := &farSide{answer: answer}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *farSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.got = append(f.got, seen{r.Method, r.URL.String(), string(body), r.Header.Clone()})
	if f.answer != nil {
		f.answer(w, r)
	}
}

// told is all that a far side was told, as one text.
func (f *farSide) told() string {
	text, _ := json.Marshal(f.got)
	return fmt.Sprintf("%s %+v", text, f.got)
}

func environment(name string) (string, bool) {
	text, ok := map[string]string{"KEY": canary, "USER": "me", "PASS": "pass word", "ID": "client id", "SECRET": canary}[name]
	return text, ok
}

// client serves the source "harbor", whose own origin is given.
func client(t *testing.T, own string, rule Rule, connections map[string]Connection) *Client {
	t.Helper()
	rule.Origins = append(rule.Origins, own)
	c := &Client{
		Connections: connections, Sources: map[string]Rule{"harbor": rule},
		Secrets: &secret.Resolver{LookupEnv: environment},
	}
	t.Cleanup(c.CloseIdle)
	return c
}

func call(t *testing.T, c *Client, method, url, body string, need ...[]twodoor.Scheme) (*http.Response, error) {
	t.Helper()
	return callAs(t, c, "", method, url, body, need...)
}

func callAs(t *testing.T, c *Client, account, method, url, body string, need ...[]twodoor.Scheme) (*http.Response, error) {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req, twodoor.Access{Source: "harbor", Account: account, Need: need})
	if err == nil {
		_ = resp.Body.Close()
		if strings.Contains(resp.Request.URL.String(), canary) || strings.Contains(fmt.Sprint(resp.Request.Header), canary) {
			t.Error("the answer's request holds the key")
		}
	} else if text, _ := json.Marshal(twodoor.AsError(err)); strings.Contains(string(text), canary) || strings.Contains(err.Error(), canary) {
		t.Errorf("the fault holds the key: %s", text)
	}
	return resp, err
}

func faultOf(t *testing.T, err error, code twodoor.Code) *twodoor.Error {
	t.Helper()
	if err == nil || twodoor.AsError(err).Code != code {
		t.Fatalf("answers %v, want %s", err, code)
	}
	return twodoor.AsError(err)
}

func env(name string) secret.Ref { return secret.NewRef("${env:" + name + "}") }

var (
	bearerKey = Connection{Type: Bearer, Token: env("KEY")}
	basicKey  = Connection{Type: Basic, User: env("USER"), Password: env("PASS")}
	apiKey    = Connection{Type: APIKey, Key: env("KEY")}

	inQuery  = twodoor.Scheme{Name: "appKey", Type: "apiKey", In: "query", Param: "app_key"}
	inHeader = twodoor.Scheme{Name: "xKey", Type: "apiKey", In: "header", Param: "X-Key"}
	inCookie = twodoor.Scheme{Name: "session", Type: "apiKey", In: "cookie", Param: "sid"}
	inAuth   = twodoor.Scheme{Name: "BearerToken", Type: "apiKey", In: "header", Param: "authorization"}
	bearer   = twodoor.Scheme{Name: "bearer", Type: "http", Scheme: "bearer"}
	basicOne = twodoor.Scheme{Name: "basic", Type: "http", Scheme: "Basic"}
	oauth    = twodoor.Scheme{Name: "oauth", Type: "oauth2"}
)

func TestKeysGoWhereTheyBelong(t *testing.T) {
	for _, test := range []struct {
		name  string
		conn  Connection
		need  []twodoor.Scheme
		query string
		want  map[string]string
	}{
		{"bearer", bearerKey, []twodoor.Scheme{bearer}, "a=1", map[string]string{"Authorization": "Bearer " + canary}},
		{"bearer for oauth2", bearerKey, []twodoor.Scheme{oauth}, "a=1", map[string]string{"Authorization": "Bearer " + canary}},
		{"bearer for a header", bearerKey, []twodoor.Scheme{inAuth}, "a=1", map[string]string{"Authorization": "Bearer " + canary}},
		{"basic", basicKey, []twodoor.Scheme{basicOne}, "a=1", map[string]string{"Authorization": "Basic bWU6cGFzcyB3b3Jk"}},
		{"query", apiKey, []twodoor.Scheme{inQuery}, "a=1&app_key=" + canary, nil},
		{"header", apiKey, []twodoor.Scheme{inHeader}, "a=1", map[string]string{"X-Key": canary}},
		{"cookie", apiKey, []twodoor.Scheme{inCookie}, "a=1", map[string]string{"Cookie": "b=2; sid=" + canary}},
		{"nothing declared, bearer", bearerKey, nil, "a=1", map[string]string{"Authorization": "Bearer " + canary}},
		{"nothing declared, header", Connection{Type: APIKey, Key: env("KEY"), Name: "X-Own"}, nil, "a=1", map[string]string{"X-Own": canary}},
		{"nothing declared, query", Connection{Type: APIKey, Key: env("KEY"), In: "query", Name: "k y"}, nil, "a=1&k%20y=" + canary, nil},
		{"more headers", Connection{Type: Bearer, Token: env("KEY"), Headers: map[string]secret.Ref{"X-Tenant": secret.NewRef("t-1")}}, nil, "a=1",
			map[string]string{"Authorization": "Bearer " + canary, "X-Tenant": "t-1"}},
		{"a way the description does not know", basicKey, []twodoor.Scheme{bearer}, "a=1", map[string]string{"Authorization": "Basic bWU6cGFzcyB3b3Jk"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			far := newFarSide(t, nil)
			c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": test.conn})
			req, err := http.NewRequest("GET", far.URL+"/p?a=1&app_key=theirs", nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(test.query, "app_key") {
				req.URL.RawQuery = "a=1"
			}
			req.Header.Set("Cookie", "b=2; sid=theirs")
			resp, err := c.Do(req, twodoor.Access{Source: "harbor", Need: needOf(test.need)})
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if got := far.got[0]; got.url != "/p?"+test.query {
				t.Errorf("sent to %s", got.url)
			}
			for name, want := range test.want {
				if got := far.got[0].header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if req.Header.Get("Authorization") != "" || strings.Contains(req.URL.String(), canary) {
				t.Error("the caller's request was changed")
			}
		})
	}
}

func needOf(schemes []twodoor.Scheme) [][]twodoor.Scheme {
	if schemes == nil {
		return nil
	}
	return [][]twodoor.Scheme{schemes}
}

// TestCase45AndIsNotOr: the schemes of an alternative go together, alternatives are one or the other.
func TestCase45AndIsNotOr(t *testing.T) {
	both := []twodoor.Scheme{inHeader, inQuery}
	for _, test := range []struct {
		name string
		rule Rule
		need [][]twodoor.Scheme
		keys string // of X-Key, app_key, Authorization: which are sent
		lack []string
	}{
		{"both", Rule{ByScheme: map[string]string{"xKey": "k", "appKey": "k"}}, [][]twodoor.Scheme{both}, "X-Key app_key", nil},
		{"one connection serves both", Rule{Connection: "k"}, [][]twodoor.Scheme{both}, "X-Key app_key", nil},
		{"half is not enough", Rule{ByScheme: map[string]string{"xKey": "k"}}, [][]twodoor.Scheme{both}, "", []string{"appKey", "sources.harbor.connections.appKey"}},
		{"the second alternative", Rule{ByScheme: map[string]string{"bearer": "b", "xKey": "k"}}, [][]twodoor.Scheme{both, {bearer}}, "Authorization", nil},
		{"the first that is whole", Rule{Connection: "b", ByScheme: map[string]string{"xKey": "k"}}, [][]twodoor.Scheme{{inHeader}, {bearer}}, "X-Key", nil},
		{"a key is better than none", Rule{Connection: "b"}, [][]twodoor.Scheme{{}, {bearer}}, "Authorization", nil},
		{"none is allowed", Rule{ByScheme: map[string]string{"other": "k"}}, [][]twodoor.Scheme{{bearer}, {}}, "", nil},
		{"nothing is configured", Rule{}, [][]twodoor.Scheme{{bearer}}, "", nil},
		{"the least that is missing is told", Rule{ByScheme: map[string]string{"other": "k"}}, [][]twodoor.Scheme{both, {bearer}}, "", []string{"bearer (http bearer)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			far := newFarSide(t, nil)
			c := client(t, far.URL, test.rule, map[string]Connection{"k": apiKey, "b": bearerKey})
			_, err := call(t, c, "GET", far.URL+"/p", "", test.need...)
			if test.lack != nil {
				fault := faultOf(t, err, twodoor.CodeUpstreamAuth)
				for _, want := range append(test.lack, "harbor") {
					if !strings.Contains(fault.Message+fault.Hint, want) {
						t.Errorf("told as %q, %q; want %q", fault.Message, fault.Hint, want)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, name := range []string{"X-Key", "app_key", "Authorization"} {
				if far.got[0].header.Get(name) != "" || strings.Contains(far.got[0].url, name+"=") {
					sent = append(sent, name)
				}
			}
			if strings.Join(sent, " ") != test.keys {
				t.Errorf("sent %q, want %q", sent, test.keys)
			}
		})
	}
}

func TestWhatIsConfiguredWrongly(t *testing.T) {
	far := newFarSide(t, nil)
	for _, test := range []struct {
		name string
		rule Rule
		conn Connection
		need []twodoor.Scheme
		want string
	}{
		{"no such connection", Rule{Connection: "none"}, apiKey, nil, "connections.none"},
		{"no such connection for a scheme", Rule{ByScheme: map[string]string{"bearer": "none"}}, apiKey, []twodoor.Scheme{bearer}, "connections.none"},
		{"the wrong type", Rule{ByScheme: map[string]string{"bearer": "k"}}, apiKey, []twodoor.Scheme{bearer}, "http bearer"},
		{"no place for the key", Rule{Connection: "k"}, apiKey, nil, "in and name"},
		{"no such type", Rule{Connection: "k"}, Connection{Type: "magic"}, nil, `"magic"`},
		{"no such variable", Rule{Connection: "k"}, Connection{Type: Bearer, Token: env("MISSING")}, nil, "${env:MISSING}"},
		{"no token address", Rule{Connection: "k"}, Connection{Type: OAuth2, ClientID: env("ID"), ClientSecret: env("SECRET")}, nil, "token_url"},
		{"no certificate", Rule{Connection: "k"}, Connection{Type: MutualTLS, Certificate: env("ID"), PrivateKey: env("SECRET")}, nil, "no pair"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := client(t, far.URL, test.rule, map[string]Connection{"k": test.conn})
			_, err := call(t, c, "GET", far.URL, "", needOf(test.need)...)
			if fault := faultOf(t, err, twodoor.CodeUpstreamAuth); !strings.Contains(fault.Message+fault.Hint, test.want) {
				t.Errorf("told as %q, %q; want %q", fault.Message, fault.Hint, test.want)
			}
		})
	}
	if len(far.got) != 0 {
		t.Errorf("%d requests were sent all the same", len(far.got))
	}
}

func TestAccounts(t *testing.T) {
	far := newFarSide(t, nil)
	c := client(t, far.URL, Rule{Connection: "k", Accounts: map[string]string{"second": "b"}}, map[string]Connection{"k": basicKey, "b": bearerKey})
	if _, err := callAs(t, c, "second", "GET", far.URL, ""); err != nil || far.got[0].header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("sent %v, %v", far.got, err)
	}
	_, err := callAs(t, c, "k", "GET", far.URL, "")
	if fault := faultOf(t, err, twodoor.CodeInvalid); !strings.Contains(fault.Hint, "second") {
		t.Errorf("the hint is %q", fault.Hint)
	}
	c = client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": basicKey})
	_, err = callAs(t, c, "second", "GET", far.URL, "")
	if fault := faultOf(t, err, twodoor.CodeInvalid); !strings.Contains(fault.Hint, "leave the account out") {
		t.Errorf("without accounts the hint is %q", fault.Hint)
	}
}

func TestNoOtherOriginGetsAKey(t *testing.T) {
	own, other := newFarSide(t, nil), newFarSide(t, nil)
	c := client(t, own.URL, Rule{Connection: "k"}, map[string]Connection{"k": bearerKey})
	if _, err := call(t, c, "GET", other.URL, "", []twodoor.Scheme{bearer}); err != nil || strings.Contains(other.told(), canary) {
		t.Errorf("the other side got %s, %v", other.told(), err)
	}
	other.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }
	_, err := call(t, c, "GET", other.URL, "", []twodoor.Scheme{bearer})
	if fault := faultOf(t, err, twodoor.CodeUpstreamAuth); !strings.Contains(fault.Message, "no origin of the source harbor") {
		t.Errorf("told as %q", fault.Message)
	}
	req, err := http.NewRequest("GET", own.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req, twodoor.Access{Source: "stranger", Need: [][]twodoor.Scheme{{bearer}}})
	if err != nil || strings.Contains(own.told(), canary) {
		t.Fatalf("another source got the key: %s, %v", own.told(), err)
	}
	_ = resp.Body.Close()
}

func TestOrigins(t *testing.T) {
	rule := Rule{Origins: []string{"https://API.example.com", "http://localhost:8080/base", ":"}}
	for address, want := range map[string]bool{
		"https://api.example.com/x": true, "https://api.example.com:443/": true, "http://localhost:8080/": true,
		"http://api.example.com/": false, "https://api.example.com:8443/": false, "https://api.example.com.evil.example/": false,
		"https://evil.example/api.example.com": false, "https://api.example.com@evil.example/": false, "http://localhost/": false,
	} {
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rule.owns(req.URL) != want {
			t.Errorf("%s is owned: %v", address, !want)
		}
	}
}

func TestRedirects(t *testing.T) {
	other := newFarSide(t, nil)
	for _, test := range []struct {
		name, method string
		status       int
		to           string
		want         string // in the fault; empty: it is followed
	}{
		{"within the origin", "GET", 302, "/next?x=1", ""},
		{"HEAD", "HEAD", 308, "next", ""},
		{"to another host", "GET", 302, other.URL + "/steal?token=x", "another origin"},
		{"to another host, POST", "POST", 307, other.URL + "/steal", "another origin"},
		{"a POST within the origin", "POST", 307, "/next", "not sent again"},
		{"a POST, see other", "POST", 303, "/next", "not sent again"},
		{"nonsense", "GET", 302, "http://%zz", "cannot be read"},
		{"no host", "GET", 302, "mailto:x", "cannot be read"},
		{"a circle", "GET", 302, "/start", "more than 10 times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			far := newFarSide(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/start") {
					w.Header().Set("Location", test.to)
					w.WriteHeader(test.status)
				}
			})
			c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": bearerKey})
			resp, err := call(t, c, test.method, far.URL+"/start", "body")
			if test.want == "" {
				if err != nil || resp.StatusCode != 200 || len(far.got) != 2 || far.got[1].header.Get("Authorization") == "" || far.got[1].method != test.method {
					t.Errorf("answered %v, %v, sent %s", resp, err, far.told())
				}
				return
			}
			if fault := faultOf(t, err, twodoor.CodeUpstream); !strings.Contains(fault.Message, test.want) || strings.Contains(fault.Message, "token=x") {
				t.Errorf("told as %q", fault.Message)
			}
		})
	}
	if len(other.got) != 0 {
		t.Errorf("the other host was sent %s", other.told())
	}
}

func TestARedirectThatIsNone(t *testing.T) {
	for _, status := range []int{300, 304, 302} {
		far := newFarSide(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		resp, err := call(t, client(t, far.URL, Rule{}, nil), "GET", far.URL, "")
		if err != nil || resp.StatusCode != status {
			t.Errorf("%d without a place answers %v, %v", status, resp, err)
		}
	}
}

func TestMask(t *testing.T) {
	access := twodoor.Access{Source: "harbor", Need: [][]twodoor.Scheme{{inQuery, bearer, basicOne}}}
	rule := Rule{Origins: []string{"https://api.example.com"}, ByScheme: map[string]string{"appKey": "k", "bearer": "b", "basic": "p"}}
	b := bearerKey
	b.Headers = map[string]secret.Ref{"X-Tenant": env("MISSING")}
	c := &Client{Sources: map[string]Rule{"harbor": rule}, Connections: map[string]Connection{"k": apiKey, "b": b, "p": basicKey}}
	mask := func(address string, access twodoor.Access) *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Mask(req, access)
		if err != nil {
			t.Fatal(err)
		}
		if req.Header.Get("Authorization") != "" || req.URL.RawQuery != "a=1" {
			t.Error("the request itself was changed")
		}
		return got
	}
	got := mask("https://api.example.com/p?a=1", access)
	if got.URL.RawQuery != "a=1&app_key=***" || got.Header.Get("Authorization") != "Basic ***" || got.Header.Get("X-Tenant") != "***" {
		t.Errorf("shown as %s %v", got.URL, got.Header)
	}
	if got = mask("https://other.example/p?a=1", access); strings.Contains(fmt.Sprint(got.URL, got.Header), "***") {
		t.Errorf("another origin is shown a key: %s %v", got.URL, got.Header)
	}
	access.Need = [][]twodoor.Scheme{{inHeader}}
	if got = mask("https://api.example.com/p?a=1", access); len(got.Header) != 0 {
		t.Errorf("a missing key is shown: %v", got.Header)
	}
}

func TestSecretsAreLookedUpAgain(t *testing.T) {
	now, value, looks := time.Unix(1e9, 0), "first-value", 0
	status := 200
	far := newFarSide(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": bearerKey})
	c.Now = func() time.Time { return now }
	c.Secrets = &secret.Resolver{LookupEnv: func(string) (string, bool) { looks++; return value, true }}
	use := func() string {
		if _, err := call(t, c, "GET", far.URL, ""); err != nil {
			t.Fatal(err)
		}
		return far.got[len(far.got)-1].header.Get("Authorization")
	}
	use()
	if use(); looks != 1 {
		t.Errorf("it was looked up %d times for two calls", looks)
	}
	value, now = "second-value", now.Add(keepRead+time.Second)
	if got := use(); got != "Bearer second-value" {
		t.Errorf("after a minute %s is sent", got)
	}
	value, status = "third-value", 401
	use()
	if got := use(); got != "Bearer third-value" {
		t.Errorf("after a refusal %s is sent", got)
	}
	if got := c.Redact("first-value second-value third-value"); got != "*** *** ***" {
		t.Errorf("redacted to %q", got)
	}
}

func TestLiterals(t *testing.T) {
	conn := Connection{Type: OAuth2, ClientID: secret.NewRef("id"), ClientSecret: secret.NewRef("x"), Token: env("KEY"), Key: secret.NewRef("y")}
	if got := fmt.Sprint(conn.Literals()); got != "[client_secret key]" {
		t.Errorf("literal are %s", got)
	}
	if text := fmt.Sprintf("%v %+v %#v", conn, conn, conn); strings.Contains(text, `"x"`) || strings.Contains(text, " x") {
		t.Errorf("a literal is printed: %s", text)
	}
}

func TestTheContextEndsACall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	far := newFarSide(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	req, err := http.NewRequestWithContext(ctx, "GET", far.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client(t, far.URL, Rule{}, nil).Do(req, twodoor.Access{Source: "harbor"}); err == nil || ctx.Err() == nil {
		t.Errorf("the call ends with %v", err)
	}
}

// TestHeadersOnly holds a connection that is nothing but headers: they go to the source's own origin and
// nowhere else, and a reference that cannot be resolved is told by its place.
func TestHeadersOnly(t *testing.T) {
	var seen []string
	echo := func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("X-One")+" "+r.Header.Get("Authorization"))
	}
	own, other := httptest.NewServer(http.HandlerFunc(echo)), httptest.NewServer(http.HandlerFunc(echo))
	defer own.Close()
	defer other.Close()
	client := &Client{
		Connections: map[string]Connection{
			"entry": {Type: HeadersOnly, Headers: map[string]secret.Ref{"X-One": secret.NewRef("1"), "Authorization": secret.NewRef("Bearer ${env:T}")}},
			"lost":  {Type: HeadersOnly, Headers: map[string]secret.Ref{"X-One": secret.NewRef("${env:NONE}")}, At: "the headers in the entry of b"},
		},
		Sources: map[string]Rule{"a": {Origins: []string{own.URL}, Connection: "entry"}, "b": {Origins: []string{own.URL}, Connection: "lost"}},
		Secrets: &secret.Resolver{LookupEnv: func(name string) (string, bool) { return "secret-of-the-test", name == "T" }},
	}
	send := func(source, url string) error {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req, twodoor.Access{Source: source})
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	for _, url := range []string{own.URL, other.URL} {
		if err := send("a", url); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"1 Bearer secret-of-the-test", " "}; !slices.Equal(seen, want) {
		t.Errorf("sent %q, want %q", seen, want)
	}
	if text := client.Redact("it was secret-of-the-test"); strings.Contains(text, "secret-of") {
		t.Error(text)
	}
	if fault := twodoor.AsError(send("b", own.URL)); fault == nil || fault.Code != twodoor.CodeUpstreamAuth || !strings.Contains(fault.Hint, "the headers in the entry of b") {
		t.Errorf("got %v", fault)
	}
}
