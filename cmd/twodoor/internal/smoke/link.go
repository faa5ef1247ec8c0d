package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// link carries messages to a server and back.
type link interface {
	ask(ctx context.Context, method string, params json.RawMessage) (*reply, error)
	tell(ctx context.Context, method string) error
	// malformed sends what is no JSON. answer says what came back; the error means that the server
	// reacted as no server may.
	malformed(ctx context.Context) (answer string, err error)
	close()
}

// reply is the answer to a request.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"` // set: it is no reply
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// rpcError is a JSON-RPC 2.0 error object.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// JSON-RPC 2.0, "Error object".
const (
	methodNotFound = -32601
	invalidParams  = -32602
)

// String is the error in a line.
func (e *rpcError) String() string { return fmt.Sprintf("%d %s", e.Code, cut(e.Message)) }

// request writes a message. Without an id it is a notification.
func request(id int, method string, params json.RawMessage) []byte {
	m := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      int             `json:"id,omitempty"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // params are made here, and are JSON
	}
	return raw
}

// errSilent is the error of a server that does not answer in time.
var errSilent = errors.New("no answer in time")

// cut makes a text fit a line.
func cut(text string) string {
	const most = 120
	out := make([]rune, 0, most)
	for _, r := range text {
		if len(out) == most {
			return string(out) + "…"
		}
		if r < ' ' {
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}
