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
	known, err := d.Authenticate(r)
	c.principal, c.session = known.Principal, known.Session
	if err != nil || !known.Bound {
		return c, err
	}
	if named := named(r); named != "" && named != known.Profile {
		return c, &twodoor.Error{Code: twodoor.CodeForbidden, Message: "this session is bound to its own profile", Hint: "name no profile in the address"}
	}
	c.profile = known.Profile
	return c, nil
}

func (d *Door) profileOf(r *http.Request) string { return orElse(named(r), d.Profile) }

// named is the profile that the address names: ?profile= or a {profile} of the mount path.
func named(r *http.Request) string {
	if name := r.PathValue("profile"); name != "" {
		return name
	}
	if r.URL.RawQuery != "" {
		return r.URL.Query().Get("profile")
	}
	return ""
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

// challenge answers 401, or 403 to whom it is known and may not.
func (d *Door) challenge(w http.ResponseWriter, r *http.Request, err error) {
	e := twodoor.AsError(err)
	if e.Code == twodoor.CodeForbidden {
		writeJSON(w, http.StatusForbidden, errorBody(e))
		return
	}
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
