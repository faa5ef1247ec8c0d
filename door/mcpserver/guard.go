package mcpserver

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// barred says why a request may not come in at all, or nothing. Browsers send requests that no
// person meant: from pages of another origin, and by DNS names rebound to this machine
// (2026-07-28, "Security Warning" of Streamable HTTP).
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
	return len(d.Hosts) == 0 && local != nil && !isLoopback(hostOf(local.String()))
}

func (d *Door) originAllowed(origin string) bool {
	if slices.Contains(d.Origins, origin) {
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

// authenticate says on whose behalf the request comes.
func (d *Door) authenticate(r *http.Request) (caller, error) {
	c := caller{principal: twodoor.Operator, profile: d.profileOf(r), expose: exposeOf(r), shared: d.Authenticate == nil}
	if d.Authenticate == nil {
		return c, nil
	}
	var err error
	c.principal, err = d.Authenticate(r)
	return c, err
}

// profileOf is the profile that the address names: ?profile= or a {profile} of the mount path.
func (d *Door) profileOf(r *http.Request) string {
	if name := r.PathValue("profile"); name != "" {
		return name
	}
	if r.URL.RawQuery != "" {
		if name := r.URL.Query().Get("profile"); name != "" {
			return name
		}
	}
	return d.Profile
}

// exposeOf is how the address wants operations listed: ?expose=. Anything else than a way there is
// counts as nothing said.
func exposeOf(r *http.Request) twodoor.Expose {
	if r.URL.RawQuery == "" {
		return ""
	}
	switch x := twodoor.Expose(r.URL.Query().Get("expose")); x {
	case twodoor.ExposeFull, twodoor.ExposeSearch, twodoor.ExposeAuto:
		return x
	}
	return ""
}

// challenge answers 401.
func (d *Door) challenge(w http.ResponseWriter, r *http.Request, err error) {
	e := twodoor.AsError(err)
	if e.Code != twodoor.CodeUnauthenticated {
		e = &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "sign in first", Cause: err}
	}
	text := `Bearer realm="` + d.name() + `"`
	if r.Header.Get("Authorization") != "" {
		text += `, error="invalid_token"`
	}
	if d.Challenge != nil {
		text = d.Challenge(r, e)
	}
	w.Header().Set("WWW-Authenticate", text)
	writeJSON(w, http.StatusUnauthorized, errorBody(e))
}
