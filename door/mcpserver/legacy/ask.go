package legacy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

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

// asker asks the client of a session by requests of the server, one after the other.
func (s *Server) asker(session *mcp.ServerSession) twodoor.Asker {
	return func(ctx context.Context, questions []twodoor.Question) (twodoor.Answers, error) {
		answers := twodoor.Answers{}
		for _, q := range questions {
			answer, err := s.ask(ctx, session, q)
			if err != nil {
				return nil, err
			}
			answers[q.Key] = answer
		}
		return answers, nil
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
	answer, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("read what the client answered: %w", err)
	}
	return answer, nil
}

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
	return rawjson.Compact(nil, params)
}

// rawParams are params that are JSON already.
type rawParams struct {
	mcp.ParamsBase
	json []byte
}

func (p *rawParams) MarshalJSON() ([]byte, error) { return p.json, nil }
