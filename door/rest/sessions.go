package rest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Sessions gives out sessions: a principal, a profile and a folder guard behind a token of their own.
type Sessions interface {
	// Mint begins a session and returns the one copy of its token.
	Mint(want SessionRequest) (s *Session, token string, err error)
	// Session is the session of an id; nil where no session was ever given that name, and a fault of
	// code unauthenticated where it has ended.
	Session(id string) (*Session, error)
	// All lists the sessions that live.
	All() ([]*Session, error)
	// End ends a session and its token at once. It reports whether there was one.
	End(id string) (bool, error)
}

// SessionRequest is what is asked of a new session.
type SessionRequest struct {
	Principal   twodoor.Principal // nobody: one of the session's own, that holds no permission
	Profile     string
	FolderGuard json.RawMessage
	TTL         time.Duration // it ends when it idles so long; 0: as whoever gives it out sees fit
}

// Session is a session as it is told to those who may see it. It holds no token.
type Session struct {
	ID          string            `json:"id"`
	Principal   twodoor.Principal `json:"principal"`
	Profile     string            `json:"profile,omitempty"`
	FolderGuard json.RawMessage   `json:"folder_guard,omitempty"`
	Created     time.Time         `json:"created"`
	Expires     time.Time         `json:"expires"` // unless it is used before
}

// mint begins a session. Only the operator does.
func (d *Door) mint(w http.ResponseWriter, r *http.Request, who asker) {
	if err := d.mayManage(who, "begin sessions"); err != nil {
		refuse(w, r, err)
		return
	}
	body, err := bodyOf(w, r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	want, err := d.readSessionRequest(body)
	if err != nil {
		refuse(w, r, err)
		return
	}
	s, token, err := d.Sessions.Mint(want)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusCreated, struct {
		*Session
		Token string            `json:"token"`
		Env   map[string]string `json:"env"`
	}{s, token, ShellEnv(d.baseOf(r), token, s.ID)})
}

// ShellEnv are the variables by which a session's shell reaches its tools with curl, as existing
// bridges name them. The base is the address of the door with its /api.
func ShellEnv(base, token, session string) map[string]string {
	return map[string]string{
		"MCP_API_URL": base, "MCP_API_TOKEN": token, "MCP_SESSION_ID": session,
		"MCP_MCP": base + "/tools/mcp", "MCP_CUSTOM": base + "/tools/custom", "MCP_VIRTUAL": base + "/tools/virtual",
		"MCP_AUTH": "Authorization: Bearer " + token,
	}
}

func (d *Door) mayManage(who asker, what string) error {
	if err := who.onlyOperator(what); err != nil {
		return err
	}
	if d.Sessions == nil {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "this server gives out no sessions"}
	}
	return nil
}

// readSessionRequest reads the body strictly: a misspelled bound would be no bound.
func (d *Door) readSessionRequest(body []byte) (want SessionRequest, err error) {
	bad := func(path, problem string) error {
		return &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: "the body does not fit: " + path + " " + problem, Fields: []twodoor.Problem{{Path: path, Problem: problem}},
			Hint: `write it like {"principal":"alice","profile":"oncall","ttl":"8h"}; every key may be left out`,
		}
	}
	for key, value := range rawjson.Members(body) {
		switch key {
		case "principal":
			want.Principal, err = readPrincipal(value)
		case "permissions":
			err = json.Unmarshal(value, &want.Principal.Permissions)
		case "profile":
			err = json.Unmarshal(value, &want.Profile)
		case "ttl":
			want.TTL, err = readDuration(value)
		case "folder_guard":
			if want.FolderGuard = value; rawjson.KindOf(value) != rawjson.KindObject {
				return want, bad(key, "is not an object")
			}
		default:
			return want, bad(key, "is no key of a session")
		}
		if err != nil {
			return want, bad(key, "is not of the right form")
		}
	}
	if d.Engine.Profile(want.Profile) == nil {
		return want, bad("profile", "names no profile of this server")
	}
	return want, nil
}

// readPrincipal takes a principal as an object, or as its subject alone.
func readPrincipal(raw []byte) (p twodoor.Principal, err error) {
	if subject, ok := rawjson.String(raw); ok {
		return twodoor.Principal{Subject: subject}, nil
	}
	return p, json.Unmarshal(raw, &p)
}

// readDuration takes seconds, or a duration like "8h".
func readDuration(raw []byte) (time.Duration, error) {
	if text, ok := rawjson.String(raw); ok {
		return time.ParseDuration(text)
	}
	var seconds float64
	err := json.Unmarshal(raw, &seconds)
	return time.Duration(seconds * float64(time.Second)), err
}

func (d *Door) listSessions(w http.ResponseWriter, r *http.Request, who asker) {
	if err := d.mayManage(who, "list sessions"); err != nil {
		refuse(w, r, err)
		return
	}
	all, err := d.Sessions.All()
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"sessions": orEmpty(all)})
}

// readSession tells of a session: to the operator, and to the session itself.
func (d *Door) readSession(w http.ResponseWriter, r *http.Request, who asker) {
	s, err := d.sessionOf(r, who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, s)
}

func (d *Door) endSession(w http.ResponseWriter, r *http.Request, who asker) {
	s, err := d.sessionOf(r, who)
	if err == nil {
		var ended bool
		if ended, err = d.Sessions.End(s.ID); err == nil && !ended {
			err = noSession(s.ID)
		}
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (d *Door) sessionOf(r *http.Request, who asker) (*Session, error) {
	id := r.PathValue("id")
	if id != who.session || !who.bound {
		if err := who.onlyOperator("look at the sessions of others"); err != nil {
			return nil, err
		}
	}
	if d.Sessions == nil {
		return nil, noSession(id)
	}
	s, err := d.Sessions.Session(id)
	if s == nil && (err == nil || twodoor.AsError(err).Code == twodoor.CodeUnauthenticated) {
		return nil, noSession(id)
	}
	return s, err
}

func noSession(id string) error {
	return &twodoor.Error{Code: twodoor.CodeNotFound, Message: "there is no session " + id, Hint: "it has ended, or never was: begin one with POST /api/sessions"}
}
