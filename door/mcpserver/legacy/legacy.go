package legacy

//lint:file-ignore SA1019 the revisions served here have logging, which only 2026-07-28 deprecates

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Core answers what a session asks, with whole results as JSON.
type Core interface {
	// List is a page of what a method lists ("tools/list", "prompts/list", …), as its result; the empty
	// cursor asks for the first.
	List(ctx context.Context, by Caller, method, cursor string) (json.RawMessage, *Fault)
	// Do carries out a call for the caller; the outcome is a result of the method that asks for it.
	Do(ctx context.Context, by Caller, call twodoor.Call) (json.RawMessage, *Fault)
	// Watch tells of changes of a resource, from any goroutine, until the context ends.
	Watch(ctx context.Context, by Caller, uri string, changed func()) *Fault
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
	MaxBody      int64         // bytes of a POST; 0: 4 MiB
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
	events   eventSessions
	maxBody  int64
	send     mcp.MethodHandler // requests to clients
	watches  watches
	asking   asking
}

// New makes a server without sessions.
func New(o Options) *Server {
	s := &Server{core: o.Core, sessions: newSessions(o.MaxSessions), maxBody: cmp.Or(o.MaxBody, 4<<20)}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: o.Title, Version: o.Version}, &mcp.ServerOptions{
		Instructions:              o.Instructions,
		SupportedProtocolVersions: versions(),
		Capabilities: &mcp.ServerCapabilities{
			Logging:     &mcp.LoggingCapabilities{},
			Tools:       &mcp.ToolCapabilities{ListChanged: true},
			Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
			Prompts:     &mcp.PromptCapabilities{ListChanged: true},
			Completions: &mcp.CompletionCapabilities{},
		},
		GetSessionID:       s.sessions.mint,
		SubscribeHandler:   s.subscribe,
		UnsubscribeHandler: s.unsubscribe,
	})
	s.sdk.AddReceivingMiddleware(s.answer)
	s.sdk.AddSendingMiddleware(func(send mcp.MethodHandler) mcp.MethodHandler { s.send = send; return send })
	ttl := o.SessionTTL
	if ttl == 0 {
		ttl = 30 * time.Minute
	}
	s.http = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		SessionTimeout:             ttl,
		MaxRequestBodyBytes:        s.maxBody,
		DisableLocalhostProtection: true, // the door has checked Host and Origin, by its own list
	})
	return s
}

// Changed tells all sessions which lists are other ones.
func (s *Server) Changed(lists twodoor.Lists) {
	// The SDK announces a changed list only with what it holds itself. This is never seen: lists are
	// answered by the core.
	if lists&twodoor.ListOfOperations != 0 {
		s.sdk.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	if lists&twodoor.ListOfResources != 0 {
		s.sdk.AddResource(&mcp.Resource{Name: "changed", URI: "twodoor://changed"}, nil)
	}
	if lists&twodoor.ListOfPrompts != 0 {
		s.sdk.AddPrompt(&mcp.Prompt{Name: "changed"}, nil)
	}
}

// Close ends all sessions.
func (s *Server) Close() {
	s.asking.left(func(*mcp.ServerSession) bool { return true })
	for session := range s.sdk.Sessions() {
		session.Close()
	}
}

// answer takes from the SDK what the core answers, and leaves it the rest.
func (s *Server) answer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if cursor, lists := cursorOf(r); lists {
			return wire(s.core.List(ctx, s.caller(ctx, r.GetSession().(*mcp.ServerSession)), method, cursor))
		}
		switch r := r.(type) {
		case *mcp.CallToolRequest:
			if r.Params.Name == misfitTool {
				return nil, misfitOf(r.Params)
			}
			return do(ctx, s, r, r.Params, twodoor.Call{Operation: r.Params.Name, Arguments: r.Params.Arguments})
		case *mcp.ReadResourceRequest:
			return do(ctx, s, r, r.Params, twodoor.Call{Of: twodoor.OfResource, Operation: r.Params.URI})
		case *mcp.GetPromptRequest:
			arguments, err := json.Marshal(r.Params.Arguments)
			if err != nil {
				return nil, err
			}
			return do(ctx, s, r, r.Params, twodoor.Call{Of: twodoor.OfPrompt, Operation: r.Params.Name, Arguments: arguments})
		case *mcp.CompleteRequest:
			return do(ctx, s, r, nil, completion(r.Params))
		}
		return next(ctx, method, r)
	}
}

// cursorOf is the cursor of a request that lists.
func cursorOf(r mcp.Request) (cursor string, lists bool) {
	switch p := r.GetParams().(type) {
	case *mcp.ListToolsParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *mcp.ListResourcesParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *mcp.ListResourceTemplatesParams:
		if p != nil {
			cursor = p.Cursor
		}
	case *mcp.ListPromptsParams:
		if p != nil {
			cursor = p.Cursor
		}
	default:
		return "", false
	}
	return cursor, true
}

// completion is the call that proposes values.
func completion(p *mcp.CompleteParams) twodoor.Call {
	call := twodoor.Call{Of: twodoor.OfResource, Completing: &twodoor.Completing{Argument: p.Argument.Name, Value: p.Argument.Value}}
	if p.Context != nil {
		call.Completing.Others = p.Context.Arguments
	}
	if p.Ref == nil {
		return call
	}
	call.Operation = p.Ref.URI
	if p.Ref.Type == "ref/prompt" {
		call.Of, call.Operation = twodoor.OfPrompt, p.Ref.Name
	}
	return call
}

// do carries out a call of a session. What may report progress has a token in its params.
func do[P mcp.Params](ctx context.Context, s *Server, r *mcp.ServerRequest[P], params mcp.RequestParams, call twodoor.Call) (mcp.Result, error) {
	by := s.caller(ctx, r.Session)
	by.Trace = traceOf(r.Params.GetMeta(), r.Extra)
	var token any
	if params != nil {
		token = params.GetProgressToken()
	}
	call.Progress, call.Log = tell(ctx, r.Session, token)
	if call.Declared = declared(r.Session.InitializeParams()); call.Declared != nil && call.Completing == nil {
		call.Asker = s.asker(r.Session)
	}
	return wire(s.core.Do(ctx, by, call))
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
	var by Caller
	if of, ok := ctx.Value(callerKey{}).(func() Caller); ok {
		by = of()
	} else {
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
func traceOf(meta map[string]any, extra *mcp.RequestExtra) twodoor.Trace {
	if parent, ok := meta["traceparent"].(string); ok {
		state, _ := meta["tracestate"].(string)
		return twodoor.ParseTrace(parent, state)
	}
	if extra == nil || extra.Header == nil {
		return twodoor.Trace{}
	}
	return twodoor.ParseTrace(extra.Header.Get("Traceparent"), extra.Header.Get("Tracestate"))
}

// callerKey carries the Caller of a stream; sessions over HTTP have theirs in the table.
type callerKey struct{}

// tell passes on what a running call has to say: progress where the request gave a token, its words
// and its notes as log messages where the session set a level.
func tell(ctx context.Context, session *mcp.ServerSession, token any) (func(twodoor.Progress), func(twodoor.Note)) {
	var mu sync.Mutex
	begun, last := false, 0.0
	note := func(n twodoor.Note) {
		session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(n.Level), Logger: n.Logger, Data: n.Data})
	}
	return func(p twodoor.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if token != nil && (!begun || p.Done > last) {
			begun, last = true, p.Done
			session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
			})
		}
		if p.Message != "" {
			note(twodoor.Note{Level: "info", Data: rawjson.Quote(p.Message)})
		}
	}, note
}
