package webguard

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Guard says who may come in from a browser. The zero value takes what stays on this machine.
type Guard struct {
	Hosts   []string // names that the server is called by, beside loopback
	Origins []string // of pages that may call, beside those of loopback
}

// Barred says why a request may not come in at all; empty: it may (MCP 2026-07-28, "Security Warning"
// of Streamable HTTP).
func (g Guard) Barred(r *http.Request) string {
	if !g.hostAllowed(r) {
		return "this server does not answer to the host " + r.Host
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.originAllowed(origin) {
		return "requests from the origin " + origin + " are not allowed"
	}
	return ""
}

// hostAllowed takes loopback and the names given. Where no name is given, every name is good on an
// address that is not loopback: nothing else says what the server is called there, and a page that
// was rebound to it is still stopped by its Origin.
func (g Guard) hostAllowed(r *http.Request) bool {
	host := hostOf(r.Host)
	if isLoopback(host) || slices.ContainsFunc(g.Hosts, func(known string) bool { return strings.EqualFold(hostOf(known), host) }) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return len(g.Hosts) == 0 && local != nil && !isLoopback(hostOf(local.String()))
}

func (g Guard) originAllowed(origin string) bool {
	if slices.Contains(g.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopback(u.Hostname())
}

// hostOf is a Host header without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
