package app

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/session"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/secret"
)

// compatListen is where existing agents look for their tool bridge.
const compatListen = "127.0.0.1:8080"

// addresses are those to listen at: with --compat also that of existing bridges.
func (r *run) addresses(in *cli.Invocation) []string {
	listen := in.List("listen")
	if !in.Switch("compat") {
		return listen
	}
	if len(listen) == 0 {
		listen = r.site.Server.Listen
	}
	if len(listen) == 0 {
		listen = []string{defaultListen}
	}
	if slices.Contains(listen, compatListen) {
		return listen
	}
	return append(slices.Clone(listen), compatListen)
}

// newREST is the REST door beside the MCP door of a server: on the same engine, for the same callers
// and the sessions that the operator begins.
func (l *live) newREST(r *run) *rest.Door {
	door := &rest.Door{
		Engine: r.engine, Version: r.Version.Number, Profile: orElse(r.early.Profile, r.getenv("TWODOOR_PROFILE")),
		PublicURL: r.site.Server.PublicURL, Origins: r.site.Server.Origins,
		Definition: definitionOf, Servers: &restServers{live: l}, Connections: l.connections,
	}
	if public, err := url.Parse(r.site.Server.PublicURL); err == nil && public.Host != "" {
		door.Hosts = []string{public.Host}
	}
	if l.guard != nil {
		door.Sessions, door.Authenticate = &l.sessions, l.sessions.authenticator(l.guard)
	}
	return door
}

// mountREST serves the REST door where nothing else is. Of its routes one lies under a path of the MCP
// door.
func (u *server) mountREST(mux *http.ServeMux) {
	mux.Handle("POST /mcp/execute", u.live.rest)
	mux.Handle("/", u.live.rest)
}

// sessionKeeper keeps sessions: in memory, or in the store.
type sessionKeeper interface {
	Mint(wish session.Wish) (session.Session, secret.Text, error)
	Check(r *http.Request) (found session.Session, ok bool, err error)
	Session(id string) (found session.Session, ok bool, err error)
	All() ([]session.Session, error)
	End(id string) (bool, error)
}

// restSessions are the sessions as the REST door knows them.
type restSessions struct {
	keeper sessionKeeper
	ended  func(id string) // nil: nobody is told
}

// check is the session whose token a request carries, else whom the guard knows. The guard is asked
// first where it asks for a token: most requests are the operator's, and need no look into the store.
func (s *restSessions) check(guard *session.Guard, r *http.Request) (own *session.Session, principal twodoor.Principal, err error) {
	principal, unknown := guard.Check(r)
	if unknown == nil && guard.Mode == session.ModeToken {
		return nil, principal, nil
	}
	found, ok, err := s.keeper.Check(r)
	switch {
	case ok:
		return &found, found.Principal, nil
	case unknown != nil && err != nil: // it may be a session's: nobody can tell now
		return nil, twodoor.Principal{}, err
	}
	return nil, principal, unknown
}

// authenticator takes the token of a session, and whatever the guard takes.
func (s *restSessions) authenticator(guard *session.Guard) func(*http.Request) (rest.Caller, error) {
	return func(r *http.Request) (rest.Caller, error) {
		own, principal, err := s.check(guard, r)
		if own != nil {
			return rest.Caller{Principal: own.Principal, Session: own.ID, Profile: own.Profile}, nil
		}
		return rest.Caller{Principal: principal}, err
	}
}

// forMCP is the same for the MCP door: there the session that a request names is settled here. Who
// holds a session's token can name no other; the operator acts in the one that is named, with its
// rights; a name that was never given out is a mere name.
func (s *restSessions) forMCP(guard *session.Guard) func(*http.Request) (mcpserver.Caller, error) {
	return func(r *http.Request) (mcpserver.Caller, error) {
		named := r.Header.Get("X-Session-ID")
		own, principal, err := s.check(guard, r)
		if own == nil {
			if err != nil || named == "" {
				return mcpserver.Caller{Principal: principal}, err
			}
			chosen, ok, err := s.keeper.Session(named)
			if err != nil || !ok {
				return mcpserver.Caller{Principal: principal, Session: named}, err
			}
			own = &chosen
		}
		if named != "" && named != own.ID {
			return mcpserver.Caller{}, &twodoor.Error{Code: twodoor.CodeForbidden, Message: "the token is bound to another session than the one named", Hint: "leave X-Session-ID out, or send the token of that session"}
		}
		return mcpserver.Caller{Principal: own.Principal, Session: own.ID, Bound: true, Profile: own.Profile}, nil
	}
}

// Mint begins a session.
func (s *restSessions) Mint(want rest.SessionRequest) (*rest.Session, string, error) {
	made, token, err := s.keeper.Mint(session.Wish{Principal: want.Principal, Profile: want.Profile, FolderGuard: want.FolderGuard, TTL: want.TTL})
	if err != nil {
		return nil, "", err
	}
	return restSession(made), token.Reveal(), nil
}

// Session is the session of an id.
func (s *restSessions) Session(id string) (*rest.Session, error) {
	found, ok, err := s.keeper.Session(id)
	if err != nil || !ok {
		return nil, err
	}
	return restSession(found), nil
}

// All lists the sessions that live.
func (s *restSessions) All() ([]*rest.Session, error) {
	kept, err := s.keeper.All()
	var all []*rest.Session
	for _, one := range kept {
		all = append(all, restSession(one))
	}
	return all, err
}

// End ends a session.
func (s *restSessions) End(id string) (bool, error) {
	ended, err := s.keeper.End(id)
	if ended && s.ended != nil {
		s.ended(id)
	}
	return ended, err
}

func restSession(s session.Session) *rest.Session {
	return &rest.Session{ID: s.ID, Principal: s.Principal, Profile: s.Profile, FolderGuard: s.FolderGuard, Created: s.Created, Expires: s.Expires}
}
