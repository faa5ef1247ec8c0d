package mcpclient_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func TestEraOfProgram(t *testing.T) {
	for mode, want := range map[string]string{
		"modern":            "2026-07-28",
		"legacy":            "2025-11-25",
		"legacy-2024-11-05": "2024-11-05",
		"legacy-shim":       "2025-11-25", // it answers the modern question, but does not support the version
		"legacy-knows":      "2025-11-25", // it refuses it as a modern server does, and names old versions
		"legacy-dies":       "2025-11-25", // it dies of the question
		"legacy-noisy":      "2025-11-25",
	} {
		t.Run(mode, func(t *testing.T) {
			pool := serve(t, local(mode))
			if got := mustInvoke(t, pool, "notes_list", `{}`); got != result {
				t.Errorf("the result changed on its way:\n got %s\nwant %s", got, result)
			}
			s := status(t, pool)
			if s.State != mcpclient.Ready || s.Era != want || s.Transport != "stdio" || s.Tools != 14 || s.Latency <= 0 || s.LastGood.IsZero() {
				t.Errorf("status %+v, want ready in %s", s, want)
			}
			if mode == "legacy-noisy" && (s.Noise == 0 || !strings.HasPrefix(s.Stray, "Listening")) {
				t.Errorf("noise on stdout was not told: %d %q", s.Noise, s.Stray)
			}
		})
	}
	t.Run("none of ours", func(t *testing.T) {
		_, err := invoke(t.Context(), serve(t, local("modern-else")), "echo", `{}`)
		wantCode(t, err, twodoor.CodeUnavailable, "2027-01-01")
	})
}

// A server that says nothing to the modern question is greeted in the old way beside it.
func TestEraOfSilentProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the probe of five seconds")
	}
	pool := serve(t, local("legacy-silent"))
	mustInvoke(t, pool, "echo", `{}`)
	if s := status(t, pool); s.Era != "2025-11-25" {
		t.Errorf("status %+v", s)
	}
}

func TestEraOfAddress(t *testing.T) {
	for name, c := range map[string]struct {
		mode, era     string
		sse, sessions bool
	}{
		"modern":               {mode: "modern", era: "2026-07-28"},
		"modern, events":       {mode: "modern", era: "2026-07-28", sse: true},
		"session":              {mode: "legacy", era: "2025-11-25", sse: true, sessions: true},
		"session, JSON":        {mode: "legacy-2025-06-18", era: "2025-06-18", sessions: true},
		"without a session":    {mode: "legacy-2025-03-26", era: "2025-03-26"},
		"refuses as modern do": {mode: "legacy-knows", era: "2025-11-25", sse: true},
	} {
		t.Run(name, func(t *testing.T) {
			web, url := newWeb(t, c.mode)
			web.sse, web.sessions = c.sse, c.sessions
			pool := serve(t, mcpclient.Server{ID: "Fake", URL: url})
			for range 3 {
				if got := mustInvoke(t, pool, "notes_list", `{}`); got != result {
					t.Errorf("the result changed on its way:\n got %s\nwant %s", got, result)
				}
			}
			if s := status(t, pool); s.Era != c.era || s.Transport != "http" || s.State != mcpclient.Ready {
				t.Errorf("status %+v", s)
			}
			if n := web.count("initialize") + web.count("server/discover"); n > 2 || web.count("tools/list") != 2 {
				t.Errorf("three calls took %d greetings and %d pages of tools", n, web.count("tools/list"))
			}
			if got := web.last("Mcp-Protocol-Version"); c.era >= "2025-06-18" && got != c.era || c.era < "2025-06-18" && got != "" {
				t.Errorf("the version in the header is %q", got)
			}
			if (web.last("Mcp-Session-Id") != "") != c.sessions || (web.last("Mcp-Method") == "tools/call") != (c.era == "2026-07-28") {
				t.Errorf("headers of %s: %v", c.era, web.headers[len(web.headers)-1])
			}
		})
	}
}

func TestEventsOf2024(t *testing.T) {
	for _, protocol := range []mcpclient.Protocol{"", mcpclient.SSE} {
		f, url := newEvents(t)
		pool := serve(t, mcpclient.Server{ID: "Fake", URL: url, Protocol: protocol})
		if got := mustInvoke(t, pool, "notes_list", `{}`); got != result {
			t.Errorf("the result changed on its way: %s", got)
		}
		if s := status(t, pool); s.Transport != "sse" || s.Era != "2024-11-05" {
			t.Errorf("status %+v", s)
		}
		if f.count("initialize") != 1 {
			t.Error("it was greeted more than once")
		}
		pool.Close()
	}
	t.Run("found behind another path", func(t *testing.T) {
		_, url := newEvents(t)
		target := strings.TrimSuffix(url, "/sse")
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/old" && r.Method == http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("event: endpoint\ndata: " + target + "/messages\n\n"))
		}))
		defer proxy.Close()
		_, err := invoke(t.Context(), serve(t, mcpclient.Server{URL: proxy.URL + "/old"}), "echo", `{}`)
		wantCode(t, err, twodoor.CodeUnavailable) // another origin would get the key
	})
}

// A session that the server forgot is begun anew once, however many calls notice.
func TestLostSession(t *testing.T) {
	web, url := newWeb(t, "legacy")
	web.sessions, web.sse = true, true
	pool := serve(t, mcpclient.Server{URL: url})
	mustInvoke(t, pool, "echo", `{}`)
	before := web.count("initialize")
	web.mu.Lock()
	web.session += 100
	web.mu.Unlock()
	done := make(chan error, 20)
	for range cap(done) {
		go func() {
			_, err := invoke(t.Context(), pool, "echo", `{}`)
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := web.count("initialize") - before; n != 1 {
		t.Errorf("%d greetings for a lost session, want one", n)
	}
}

// The era is found out anew where the server behind an address becomes another one.
func TestEraHeals(t *testing.T) {
	for _, turn := range [][]string{{"legacy", "modern"}, {"modern", "legacy"}} {
		web, url := newWeb(t, turn[0])
		web.sessions = turn[0] == "legacy"
		pool := serve(t, mcpclient.Server{URL: url})
		mustInvoke(t, pool, "echo", `{}`)
		web.mode, web.sessions = turn[1], turn[1] == "legacy"
		_, _ = invoke(t.Context(), pool, "echo", `{}`) // this one may fail, the next may not
		mustInvoke(t, pool, "echo", `{}`)
		if s := status(t, pool); (s.Era == "2026-07-28") != (turn[1] == "modern") {
			t.Errorf("from %s to %s: %+v", turn[0], turn[1], s)
		}
	}
}

// A stream that ends before its answer is taken up again.
func TestResumedStream(t *testing.T) {
	web, url := newWeb(t, "legacy")
	web.sse, web.resume = true, true
	if got := mustInvoke(t, serve(t, mcpclient.Server{URL: url}), "notes_list", `{}`); got != result {
		t.Errorf("got %s", got)
	}
}

func TestHeadersOfArguments(t *testing.T) {
	web, url := newWeb(t, "modern")
	pool := serve(t, mcpclient.Server{URL: url})
	for args, want := range map[string][]string{
		`{"region":"eu-1","deep":{"n":-7}}`:     {"eu-1", "-7"},
		`{"region":"zürich"}`:                   {"=?base64?esO8cmljaA==?=", ""},
		`{"region":" x","deep":{"n":null}}`:     {"=?base64?IHg=?=", ""},
		`{"region":"=?base64?eA==?="}`:          {"=?base64?PT9iYXNlNjQ/ZUE9PT89?=", ""},
		`{"region":"","deep":{}}`:               {"", ""},
		`{"deep":{"n":9007199254740991}}`:       {"", "9007199254740991"},
		`{"region":"a\nInjected: b","deep":{}}`: {"=?base64?YQpJbmplY3RlZDogYg==?=", ""},
	} {
		mustInvoke(t, pool, "routed", args)
		if got := []string{web.last("Mcp-Param-Region"), web.last("Mcp-Param-N")}; !slices.Equal(got, want) {
			t.Errorf("%s went out as %q, want %q", args, got, want)
		}
		if web.last("Mcp-Name") != "routed" {
			t.Error("the tool is not named in a header")
		}
	}
	_, err := invoke(t.Context(), pool, "routed", `{"deep":{"n":9007199254740993}}`)
	wantCode(t, err, twodoor.CodeInvalid, "deep.n")
}

// A server whose tools want other headers than before refuses a call: the tools are listed again and
// the call is made once more.
func TestHeadersThatChanged(t *testing.T) {
	web, url := newWeb(t, "modern-rerouted")
	pool := serve(t, mcpclient.Server{URL: url})
	mustInvoke(t, pool, "echo", `{}`)
	lists := web.count("tools/list")
	mustInvoke(t, pool, "routed", `{"region":"eu"}`)
	if web.last("Mcp-Param-Zone") != "eu" || web.count("tools/list") == lists {
		t.Errorf("headers %v", web.headers[len(web.headers)-1])
	}
}

// A warm call makes no connection and no greeting of its own, also where answers are streams.
func TestWarmCalls(t *testing.T) {
	for _, sse := range []bool{false, true} {
		web, url := newWeb(t, "legacy")
		web.sse, web.sessions = sse, true
		pool := serve(t, mcpclient.Server{URL: url})
		mustInvoke(t, pool, "echo", `{}`)
		before := web.connections.Load()
		for range 50 {
			mustInvoke(t, pool, "echo", `{}`)
		}
		if n := web.connections.Load() - before; n > 5 || web.count("initialize") != 1 {
			t.Errorf("50 warm calls made %d connections", n)
		}
	}
}

func TestStatuses(t *testing.T) {
	for code, want := range map[int]twodoor.Code{
		401: twodoor.CodeUpstreamAuth, 403: twodoor.CodeForbidden, 404: twodoor.CodeUnavailable,
		429: twodoor.CodeLimited, 500: twodoor.CodeUpstream, 503: twodoor.CodeUnavailable, 413: twodoor.CodeTooLarge,
	} {
		web, url := newWeb(t, "modern")
		pool := serve(t, mcpclient.Server{URL: url})
		mustInvoke(t, pool, "echo", `{}`)
		web.mu.Lock()
		web.statuses = []int{code, code, code, code}
		web.mu.Unlock()
		_, err := invoke(t.Context(), pool, "echo", `{}`)
		wantCode(t, err, want)
		web.mu.Lock()
		web.statuses = nil
		web.mu.Unlock()
		pool.Retry("fake")
		mustInvoke(t, pool, "echo", `{}`)
	}
	t.Run("at the start", func(t *testing.T) {
		web, url := newWeb(t, "modern")
		web.statuses = []int{401}
		pool := serve(t, mcpclient.Server{URL: url})
		_, err := invoke(t.Context(), pool, "echo", `{}`)
		wantCode(t, err, twodoor.CodeUpstreamAuth, "sources.fake.connection")
		if s := status(t, pool); s.State != mcpclient.NeedsLogin || s.Fix == "" {
			t.Errorf("status %+v", s)
		}
	})
}
