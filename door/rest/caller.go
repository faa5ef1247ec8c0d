package rest

import (
	"net/http"

	"github.com/twodoor/twodoor"
)

// Headers of existing bridges, and one of ours.
const (
	headerSession = "X-Session-ID"
	headerScope   = "X-Virtual-Scope-ID"
	headerTimeout = "X-Call-Timeout"
)

// asker is on whose behalf a request is carried out.
type asker struct {
	principal twodoor.Principal
	profile   string
	session   string
	bound     bool // by its credential: it cannot name another session or profile
	operator  bool
}

// who says on whose behalf a request is: as its credential says, and as the session that it names.
func (d *Door) who(r *http.Request) (asker, error) {
	caller := Caller{Principal: twodoor.Operator}
	if d.Authenticate != nil {
		var err error
		if caller, err = d.Authenticate(r); err != nil {
			return asker{}, err
		}
	}
	a := asker{
		principal: caller.Principal, profile: d.Profile, session: caller.Session, bound: caller.Session != "",
		operator: caller.Session == "" && caller.Principal.Holds("*"),
	}
	if a.bound {
		a.profile = caller.Profile
	}
	if err := a.takeProfile(r); err != nil {
		return asker{}, err
	}
	named, err := namedSession(r)
	if err != nil || named == "" {
		return a, err
	}
	return d.as(a, named)
}

// takeProfile takes the profile that the address names. Who is bound can name its own only.
func (a *asker) takeProfile(r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	name := r.URL.Query().Get("profile")
	if name == "" || name == a.profile {
		return nil
	}
	if a.bound {
		return &twodoor.Error{Code: twodoor.CodeForbidden, Message: "this session is bound to its own profile", Hint: "leave ?profile= out"}
	}
	a.profile = name
	return nil
}

// namedSession is the session that path and header name.
func namedSession(r *http.Request) (string, error) {
	path, header := r.PathValue("session"), r.Header.Get(headerSession)
	if path != "" && header != "" && path != header {
		return "", &twodoor.Error{Code: twodoor.CodeForbidden, Message: "the path and " + headerSession + " name two sessions", Hint: "name one of them"}
	}
	return orElse(path, header), nil
}

// as is the asker acting in a session that it names. A session's own credential is good for that
// session alone. The operator selects one: then the session's rights count, not the operator's. A
// name that no session was ever given stays a mere name, as existing bridges use it.
func (d *Door) as(a asker, named string) (asker, error) {
	switch {
	case a.bound && named != a.session:
		return asker{}, &twodoor.Error{Code: twodoor.CodeForbidden, Message: "the token is bound to another session than the one named", Hint: "leave " + headerSession + " out, or send the token of that session"}
	case a.bound:
		return a, nil
	case d.Sessions == nil:
		a.session = named
		return a, nil
	}
	s, err := d.Sessions.Session(named)
	switch {
	case err != nil:
		return asker{}, err
	case s == nil:
		a.session = named
		return a, nil
	case !a.operator:
		return asker{}, &twodoor.Error{Code: twodoor.CodeForbidden, Message: "only the operator acts in the sessions of others"}
	}
	return asker{principal: s.Principal, profile: s.Profile, session: s.ID, bound: true}, nil
}

// onlyOperator refuses everybody else.
func (a asker) onlyOperator(what string) error {
	if a.operator {
		return nil
	}
	return &twodoor.Error{Code: twodoor.CodeForbidden, Message: "only the operator may " + what, Hint: "send the operator's token, and no " + headerSession}
}
