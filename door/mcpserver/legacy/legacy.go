package legacy

//lint:file-ignore SA1019 the revisions served here have logging, which only 2026-07-28 deprecates

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
)

// Core answers what a session asks, with whole results as JSON.
type Core interface {
	// List is a page of tools as a ListToolsResult; the empty cursor asks for the first.
	List(by Caller, cursor string) (json.RawMessage, *Fault)
	// Call carries out a tool call; its outcome, good or bad, is a CallToolResult.
	Call(ctx context.Context, by Caller, tool string, arguments json.RawMessage, progress func(twodoor.Progress)) (json.RawMessage, *Fault)
}

// Caller is on whose behalf a session asks, and what it is shown.
type Caller struct {
	Principal twodoor.Principal
	Session   string // what its calls belong to; empty: the session is one of its own
	Profile   string
	Expose    twodoor.Expose
	Client    string        // the client's own name and version; set by the session
	Era       string        // the version agreed on; set by the session
	Trace     twodoor.Trace // set by the request
}

// Fault is a JSON-RPC error.
type Fault struct {
	Code    int
	Message string
	Data    json.RawMessage
}

// Options of a Server.
type Options struct {
	Core         Core   // required
	Name         string // required
	Title        string
	Version      string // required
	Instructions string
	MaxSessions  int           // over HTTP at once; 0: 1,000
	SessionTTL   time.Duration // of an idle session over HTTP; 0: 30 minutes
	MaxBody      int64         // bytes of a POST; 0: the SDK's bound
}

// versions are those that begin with a handshake, newest first.
func versions() []string {
	return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// Server holds the sessions. It is safe for concurrent use.
type Server struct {
	core     Core
	sdk      *mcp.Server
	http     http.Handler
	sessions *sessions
}

// New makes a server without sessions.
func New(o Options) *Server {
	s := &Server{core: o.Core, sessions: newSessions(o.MaxSessions)}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: o.Title, Version: o.Version}, &mcp.ServerOptions{
		Instructions:              o.Instructions,
		SupportedProtocolVersions: versions(),
		Capabilities: &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{},
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
		},
		GetSessionID: s.sessions.mint,
	})
	s.sdk.AddReceivingMiddleware(s.answer)
	ttl := o.SessionTTL
	if ttl == 0 {
		ttl = 30 * time.Minute
	}
	s.http = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		SessionTimeout:             ttl,
		MaxRequestBodyBytes:        o.MaxBody,
		DisableLocalhostProtection: true, // the door has checked Host and Origin, by its own list
	})
	return s
}

// Changed tells all sessions that the list of tools is another one.
func (s *Server) Changed() {
	// The SDK announces a changed list only with its own tools. This one is never seen: lists are
	// answered by the core.
	s.sdk.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
}

// Close ends all sessions.
func (s *Server) Close() {
	for session := range s.sdk.Sessions() {
		session.Close()
	}
}

// answer takes lists and calls from the SDK and leaves it the rest.
func (s *Server) answer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch r := r.(type) {
		case *mcp.ListToolsRequest:
			cursor := ""
			if r.Params != nil {
				cursor = r.Params.Cursor
			}
			return wire(s.core.List(s.caller(ctx, r.Session), cursor))
		case *mcp.CallToolRequest:
			by := s.caller(ctx, r.Session)
			by.Trace = traceOf(r)
			return wire(s.core.Call(ctx, by, r.Params.Name, r.Params.Arguments, tell(ctx, r)))
		}
		return next(ctx, method, r)
	}
}

// raw is a result that is JSON already.
type raw struct {
	mcp.ResultBase
	json json.RawMessage
}

func (r *raw) MarshalJSON() ([]byte, error) { return r.json, nil }

func wire(result json.RawMessage, f *Fault) (mcp.Result, error) {
	if f != nil {
		return nil, &jsonrpc.Error{Code: int64(f.Code), Message: f.Message, Data: f.Data}
	}
	return &raw{json: result}, nil
}

// caller is on whose behalf the session runs.
func (s *Server) caller(ctx context.Context, session *mcp.ServerSession) Caller {
	by, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		by = s.sessions.caller(session.ID())
	}
	p := session.InitializeParams()
	if p == nil {
		return by
	}
	if by.Era = p.ProtocolVersion; !slices.Contains(versions(), by.Era) {
		by.Era = versions()[0] // what the SDK offers in its place
	}
	if p.ClientInfo != nil {
		by.Client = p.ClientInfo.Name + "/" + p.ClientInfo.Version
	}
	return by
}

// traceOf is the place that a call names in _meta, else in the headers of its request.
func traceOf(r *mcp.CallToolRequest) twodoor.Trace {
	if parent, ok := r.Params.Meta["traceparent"].(string); ok {
		state, _ := r.Params.Meta["tracestate"].(string)
		return twodoor.ParseTrace(parent, state)
	}
	if r.Extra == nil || r.Extra.Header == nil {
		return twodoor.Trace{}
	}
	return twodoor.ParseTrace(r.Extra.Header.Get("Traceparent"), r.Extra.Header.Get("Tracestate"))
}

// callerKey carries the Caller of a stream; sessions over HTTP have theirs in the table.
type callerKey struct{}

// tell passes on what a running call has to say: progress where the request gave a token, its words
// as a log message where the session set a level.
func tell(ctx context.Context, r *mcp.CallToolRequest) func(twodoor.Progress) {
	token := r.Params.GetProgressToken()
	begun, last := false, 0.0
	return func(p twodoor.Progress) {
		if token != nil && (!begun || p.Done > last) {
			begun, last = true, p.Done
			r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
			})
		}
		if p.Message != "" {
			r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: p.Message})
		}
	}
}
