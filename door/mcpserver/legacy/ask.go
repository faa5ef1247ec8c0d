//lint:file-ignore SA1019 what 2026-07-28 deprecates is what the revisions before it have

package legacy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// declared is what the client said in its greeting that it can be asked; nil: nothing.
func declared(p *mcp.InitializeParams) json.RawMessage {
	if p == nil || p.Capabilities == nil {
		return nil
	}
	c := p.Capabilities
	var o rawjson.Object
	put := func(key string, value any) {
		if raw, err := json.Marshal(value); err == nil {
			o.Put(key, raw)
		}
	}
	if c.Elicitation != nil {
		put("elicitation", c.Elicitation)
	}
	if c.Sampling != nil {
		put("sampling", c.Sampling)
	}
	if c.RootsV2 != nil {
		put("roots", c.RootsV2)
	}
	if o.Empty() {
		return nil
	}
	return o.Bytes()
}

// asker asks the client of a session by requests of the server: those of a round together, as they are
// in a result that asks.
func (s *Server) asker(session *mcp.ServerSession) twodoor.Asker {
	return func(ctx context.Context, questions []twodoor.Question) (twodoor.Answers, error) {
		ctx, done := s.asking.enter(ctx, session)
		defer done()
		given := make([]json.RawMessage, len(questions))
		faults := make([]error, len(questions))
		var work sync.WaitGroup
		for i, q := range questions {
			work.Go(func() { given[i], faults[i] = s.ask(ctx, session, q) })
		}
		work.Wait()
		answers := twodoor.Answers{}
		for i, q := range questions {
			if faults[i] != nil {
				return nil, faults[i]
			}
			answers[q.Key] = given[i]
		}
		return answers, nil
	}
}

// asking are the sessions whose clients are being asked. A client that leaves answers nothing, and the
// SDK would wait for its answer. The zero value holds none.
type asking struct {
	mu sync.Mutex
	of map[*mcp.ServerSession]map[int]context.CancelFunc
	n  int
}

// enter is a context that ends when the client leaves.
func (a *asking) enter(ctx context.Context, session *mcp.ServerSession) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	n := a.n
	if a.of == nil {
		a.of = map[*mcp.ServerSession]map[int]context.CancelFunc{}
	}
	if a.of[session] == nil {
		a.of[session] = map[int]context.CancelFunc{}
	}
	a.of[session][n] = cancel
	return ctx, func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		if delete(a.of[session], n); len(a.of[session]) == 0 {
			delete(a.of, session)
		}
	}
}

// left ends what a client is asked that has left: that of one session, or of one id.
func (a *asking) left(gone func(*mcp.ServerSession) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for session, asked := range a.of {
		for _, cancel := range asked {
			if gone(session) {
				cancel()
			}
		}
	}
}

func (s *Server) ask(ctx context.Context, session *mcp.ServerSession, q twodoor.Question) (json.RawMessage, error) {
	result, err := s.send(ctx, q.Method, &mcp.ServerRequest[*rawParams]{Session: session, Params: &rawParams{json: paramsOf(q)}})
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, &twodoor.Error{Code: twodoor.CodeDenied, Message: "the client was asked and refused: " + refused.Message, Cause: err}
	}
	if err != nil {
		return nil, fmt.Errorf("ask the client: %w", err)
	}
	// The SDK has read the answer by its types: what it does not know is gone.
	answer, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("read what the client answered: %w", err)
	}
	return answer, nil
}

// keyMeta is where a question tells its key, for whoever knows to look: requests of these revisions
// have none, and a gateway in front has to name the question.
const keyMeta = "twodoor/key"

// paramsOf are the params of a question in the words of these revisions: an address that a person is
// to follow has an id there.
func paramsOf(q twodoor.Question) []byte {
	params := []byte(q.Params)
	if len(params) == 0 {
		params = []byte("{}")
	}
	mode, _ := rawjson.Get(params, "mode")
	if _, has := rawjson.Get(params, "elicitationId"); q.Method == twodoor.AskPerson && string(mode) == `"url"` && !has {
		params = rawjson.Set(params, "elicitationId", rawjson.Quote(rand.Text()))
	}
	return rawjson.Compact(nil, rawjson.SetPath(params, rawjson.Quote(q.Key), "_meta", keyMeta))
}

// rawParams are params that are JSON already.
type rawParams struct {
	mcp.ParamsBase
	json []byte
}

func (p *rawParams) MarshalJSON() ([]byte, error) { return p.json, nil }
