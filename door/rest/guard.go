package rest

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// barred says why a request may not come in at all, or nothing: browsers send requests that no person
// meant, from pages of another origin and by DNS names rebound to this machine.
func (d *Door) barred(r *http.Request) string {
	if !d.hostAllowed(r) {
		return "this server does not answer to the host " + r.Host
	}
	if origin := r.Header.Get("Origin"); origin != "" && !d.originAllowed(origin) {
		return "requests from the origin " + origin + " are not allowed"
	}
	return ""
}

// hostAllowed takes loopback and the names given. Where no name is given, every name is good on an
// address that is not loopback: nothing else says what the server is called there, and a page that
// was rebound to it is still stopped by its Origin.
func (d *Door) hostAllowed(r *http.Request) bool {
	host := hostOf(r.Host)
	if isLoopback(host) || slices.ContainsFunc(d.Hosts, func(known string) bool { return strings.EqualFold(hostOf(known), host) }) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return len(d.Hosts) == 0 && (local == nil || !isLoopback(hostOf(local.String())))
}

func (d *Door) originAllowed(origin string) bool {
	if slices.Contains(d.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopback(u.Hostname())
}

// crossOrigin lets pages of allowed origins read the answers, and answers their preflights (Fetch
// Standard, "CORS protocol"). It reports whether that was all there was to answer.
func (d *Door) crossOrigin(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, "+headerSession+", "+headerScope+", "+headerTimeout)
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
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
