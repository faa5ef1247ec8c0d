package agentsession

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/rest"
)

// Config says what a session is.
type Config struct {
	Tools []Tool // required; fixed for the life of the session

	ID      string        // what the agent sees as its session; empty: made up
	Host    *Host         // how it is reached over loopback; nil: over its own [Session.ServeHTTP] only
	Bridge  string        // path of the mcpbridge program, for [Session.MCPServers]; empty: "mcpbridge", found on the agent's PATH
	Timeout time.Duration // bound of a call; 0: 90 minutes

	Observer twodoor.Observer // told of every call; may be nil
}

// defaultTimeout is how long a tool may work: agents give whole tasks to tools.
const defaultTimeout = 90 * time.Minute

// answerBudget is how heavy an answer may be that the agent did not bound, in estimated tokens: what is
// heavier is cut by hosts, without a word on how to get the rest.
const answerBudget = 20_000

// Session serves its tools to whoever has its token. It is safe for concurrent use.
type Session struct {
	id     string
	token  string
	digest [sha256.Size]byte // of the token
	door   *rest.Door
	host   *Host
	bridge string
	life   context.Context
	end    context.CancelCauseFunc
	closed sync.Once
}

// New begins a session. It ends with [Session.Close] or with the context: calls under way are canceled
// then, and nothing of it is kept.
func New(ctx context.Context, config Config) (*Session, error) {
	engine, err := engineOf(&config)
	if err != nil {
		return nil, err
	}
	s := &Session{id: config.ID, token: "twodoor_" + random(32), host: config.Host, bridge: config.Bridge}
	if s.id == "" {
		s.id = "ses_" + random(12)
	}
	if s.bridge == "" {
		s.bridge = "mcpbridge"
	}
	s.digest = sha256.Sum256([]byte(s.token))
	s.door = &rest.Door{Engine: engine, Authenticate: s.authenticate}
	s.life, s.end = context.WithCancelCause(ctx)
	if s.host != nil {
		if err := s.host.enter(s); err != nil {
			return nil, err
		}
	}
	context.AfterFunc(s.life, s.Close)
	return s, nil
}

// engineOf is an engine of the session's own, on its own tools.
func engineOf(config *Config) (*twodoor.Engine, error) {
	source := &twodoor.FuncSource{Name: sourceName}
	for i := range config.Tools {
		f, err := config.Tools[i].operation()
		if err != nil {
			return nil, err
		}
		source.Funcs = append(source.Funcs, f)
	}
	reading, err := source.Read(context.Background())
	if err != nil {
		return nil, err
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		return nil, fmt.Errorf("tools of one session need names of their own: %w", err)
	}
	engine := &twodoor.Engine{
		Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Observer: config.Observer, Timeout: config.Timeout,
		Profiles: map[string]*twodoor.Profile{twodoor.DefaultProfile: {Expose: twodoor.ExposeFull, AnswerBudget: answerBudget}},
	}
	if engine.Timeout == 0 {
		engine.Timeout = defaultTimeout
	}
	engine.Serve(catalog)
	return engine, nil
}

// ID is what the agent sees as its session.
func (s *Session) ID() string { return s.id }

// Token is the credential of the session, for "Authorization: Bearer".
func (s *Session) Token() string { return s.token }

// ServeHTTP answers the routes of tool bridges, at the root and under /api, to whoever has the token.
func (s *Session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.life.Err() != nil {
		refuse(w, "the session has ended")
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })()
	s.door.ServeHTTP(w, r.WithContext(ctx))
}

// authenticate knows the session's own token alone.
func (s *Session) authenticate(r *http.Request) (rest.Caller, error) {
	digest := sha256.Sum256([]byte(tokenOf(r)))
	if subtle.ConstantTimeCompare(digest[:], s.digest[:]) != 1 {
		return rest.Caller{}, &twodoor.Error{Code: twodoor.CodeUnauthenticated, Message: "the token is not known here", Hint: "send the token of the session as `Authorization: Bearer TOKEN`"}
	}
	return rest.Caller{Principal: twodoor.Principal{Subject: "session:" + s.id}, Session: s.id}, nil
}

// tokenOf is the bearer token of a request (RFC 6750 §2.1).
func tokenOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// URL is the address of the session with its /api, for MCP_API_URL; empty without a Host.
func (s *Session) URL() string {
	if s.host == nil {
		return ""
	}
	return s.host.url()
}

// Env are the variables by which an agent's shell reaches the tools with curl: MCP_API_URL,
// MCP_API_TOKEN, MCP_SESSION_ID, MCP_CUSTOM, MCP_AUTH and their like.
func (s *Session) Env() map[string]string { return rest.ShellEnv(s.URL(), s.token, s.id) }

// MCPServers is the value of "mcpServers" in an agent's configuration: one entry of the name given
// that starts mcpbridge for this session. It holds the token: keep the file to the agent's user.
func (s *Session) MCPServers(name string) json.RawMessage {
	env := map[string]string{"MCP_API_URL": s.URL(), "MCP_API_TOKEN": s.token, "MCP_SESSION_ID": s.id}
	entry := map[string]any{name: map[string]any{"command": s.bridge, "args": []string{}, "env": env}}
	raw, err := json.Marshal(entry)
	if err != nil { // texts cannot fail
		return nil
	}
	return raw
}

// Close ends the session at once: calls under way are canceled, and the token is dead.
func (s *Session) Close() {
	s.closed.Do(func() {
		s.end(context.Canceled)
		s.door.Close()
		if s.host != nil {
			s.host.leave(s)
		}
	})
}

func random(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}
