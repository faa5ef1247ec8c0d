package legacy

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// coalesce is for how long updates of one resource are gathered. Each session watches for itself, and
// all that subscribed are told of each change: without it each would be told as often as there are
// sessions.
const coalesce = 10 * time.Millisecond

// maxWatched bounds the resources that one session watches.
const maxWatched = 1000

// watches are the resources that sessions have subscribed to. The zero value has none.
type watches struct {
	mu      sync.Mutex
	of      map[*mcp.ServerSession]map[string]context.CancelFunc
	pending map[string]bool // addresses that are about to be told
}

// subscribe watches a resource for a session, until it unsubscribes or ends.
func (s *Server) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	uri := r.Params.URI
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if fault := s.core.Watch(life, s.caller(ctx, r.Session), uri, func() { s.updated(uri) }); fault != nil {
		cancel()
		return &jsonrpc.Error{Code: int64(fault.Code), Message: fault.Message, Data: fault.Data}
	}
	first, ok := s.watches.add(r.Session, uri, cancel)
	if first {
		go func() {
			_ = r.Session.Wait() // how it ended is all the same
			s.watches.end(r.Session)
		}()
	}
	if !ok {
		cancel()
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this session watches as many resources as it may: unsubscribe from some"}
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, r *mcp.UnsubscribeRequest) error {
	s.watches.remove(r.Session, r.Params.URI)
	return nil
}

// add enters a watch. It tells whether it is the session's first.
func (w *watches) add(session *mcp.ServerSession, uri string, cancel context.CancelFunc) (first, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	mine := w.of[session]
	if first = mine == nil; first {
		mine = map[string]context.CancelFunc{}
		if w.of == nil {
			w.of = map[*mcp.ServerSession]map[string]context.CancelFunc{}
		}
		w.of[session] = mine
	}
	if old := mine[uri]; old != nil {
		old()
	} else if len(mine) >= maxWatched {
		return first, false
	}
	mine[uri] = cancel
	return first, true
}

func (w *watches) remove(session *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.of[session][uri]; cancel != nil {
		cancel()
		delete(w.of[session], uri)
	}
}

func (w *watches) end(session *mcp.ServerSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.of[session] {
		cancel()
	}
	delete(w.of, session)
}

// updated tells all who subscribed to a resource.
func (s *Server) updated(uri string) {
	w := &s.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[uri] {
		return
	}
	if w.pending == nil {
		w.pending = map[string]bool{}
	}
	w.pending[uri] = true
	time.AfterFunc(coalesce, func() {
		w.mu.Lock()
		delete(w.pending, uri)
		w.mu.Unlock()
		_ = s.sdk.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri}) // who left hears nothing
	})
}
