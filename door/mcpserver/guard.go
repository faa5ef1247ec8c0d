package mcpserver

import (
	"net/http"

	"github.com/twodoor/twodoor"
)

// authenticate says on whose behalf the request comes.
func (d *Door) authenticate(r *http.Request) (caller, error) {
	c := caller{principal: twodoor.Operator, profile: d.profileOf(r), expose: exposeOf(r), shared: d.Authenticate == nil,
		trace: twodoor.ParseTrace(r.Header.Get("Traceparent"), r.Header.Get("Tracestate"))}
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
