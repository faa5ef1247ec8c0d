package webguard

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestHostBeyondLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		hosts []string
		local string
		want  bool
	}{
		"no list, public address":   {nil, "192.0.2.1:80", true},
		"no list, loopback address": {nil, "127.0.0.1:80", false},
		"a list, public address":    {[]string{"other.example"}, "192.0.2.1:80", false},
	} {
		t.Run(name, func(t *testing.T) {
			address, err := net.ResolveTCPAddr("tcp", c.local)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "http://some.example/mcp", nil)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(address)))
			if got := (Guard{Hosts: c.hosts}).Barred(r) == ""; got != c.want {
				t.Errorf("allowed: %v", got)
			}
		})
	}
}

func TestBarred(t *testing.T) {
	guard := Guard{Hosts: []string{"tools.example.com"}, Origins: []string{"https://app.example.com"}}
	for _, c := range []struct {
		host, origin string
		want         bool // it may come in
	}{
		{"127.0.0.1:7777", "", true},
		{"[::1]:7777", "", true},
		{"localhost", "http://localhost:6274", true},
		{"TOOLS.example.com:443", "https://app.example.com", true},
		{"tools.example.com", "https://evil.example", false},
		{"tools.example.com.evil.example", "", false},
		{"rebound.example", "", false},
		{"localhost", "null", false},
		{"localhost", "http://localhost.evil.example", false},
		{"localhost", "file://localhost", false},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://"+c.host+"/mcp", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if why := guard.Barred(r); (why == "") != c.want {
			t.Errorf("host %q, origin %q: %q", c.host, c.origin, why)
		}
	}
}
