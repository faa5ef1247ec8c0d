package session

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Mode says what a request must bring.
type Mode uint8

// The modes (contracts §4, auth.mode).
const (
	ModeToken Mode = iota // the operator's token
	ModeNone              // nothing, from this machine; others are refused
)

// Guard checks who is asking.
type Guard struct {
	Mode  Mode
	Token secret.Text // required with ModeToken
}

// Check is on whose behalf a request comes: a fault of code unauthenticated where nobody is known.
// The token is taken from "Authorization: Bearer" (RFC 6750 §2.1) and from nowhere else: what
// stands in a URL ends in logs.
func (g *Guard) Check(r *http.Request) (twodoor.Principal, error) {
	if g.Mode == ModeNone {
		if !isLocal(r.RemoteAddr) {
			return twodoor.Principal{}, stranger("without sign-in only this machine is served")
		}
		return twodoor.Operator, nil
	}
	given, ok := bearer(r)
	switch {
	case !ok:
		return twodoor.Principal{}, stranger("the request carries no token")
	case g.Token.IsZero() || !g.Token.Equal(given):
		return twodoor.Principal{}, stranger("the token is not known here")
	}
	return twodoor.Operator, nil
}

// Middleware lets through whom Check knows, and answers everybody else with 401 and a challenge.
func (g *Guard) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := g.Check(r); err != nil {
			refuse(w, twodoor.AsError(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func stranger(message string) error {
	return &twodoor.Error{
		Code: twodoor.CodeUnauthenticated, Message: message,
		Hint: "send the operator's token as `Authorization: Bearer TOKEN`; `twodoor up` prints it",
	}
}

// bearer reads the token of a request; the scheme's name has no case (RFC 9110 §11.1).
func bearer(r *http.Request) (secret.Text, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return secret.Text{}, false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return secret.New(token), token != "" && strings.EqualFold(scheme, "Bearer")
}

// isLocal reports whether a request came over loopback or a Unix socket, whose address is empty or "@".
func isLocal(remote string) bool {
	if remote == "" || strings.HasPrefix(remote, "@") || strings.HasPrefix(remote, "/") {
		return true
	}
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// refuse writes a fault as problem details (RFC 9457) that hold the one error struct.
func refuse(w http.ResponseWriter, fault *twodoor.Error) {
	status := fault.Code.HTTP()
	body, err := json.Marshal(struct {
		Title  string         `json:"title"`
		Status int            `json:"status"`
		Detail string         `json:"detail"`
		Error  *twodoor.Error `json:"error"`
	}{http.StatusText(status), status, fault.Message, fault})
	if err != nil {
		http.Error(w, fault.Message, status)
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller left: nobody to tell
}
