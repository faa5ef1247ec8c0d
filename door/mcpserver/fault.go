package mcpserver

import (
	"net/http"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Codes of JSON-RPC, and those that MCP 2026-07-28 adds.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// fault is a JSON-RPC error.
type fault struct {
	code    int
	message string
	data    []byte         // JSON; nil: none
	silent  bool           // the caller left: there is no reply
	denied  *twodoor.Error // HTTP: the caller must sign in first; the reply is 401
}

// status is the HTTP status that the error goes out with (2026-07-28, "Streamable HTTP").
func (f *fault) status() int {
	switch f.code {
	case codeMethodNotFound:
		return http.StatusNotFound
	case codeInternal:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// reply is the whole message. A fault whose request has no readable id goes without one: null is
// not an id by MCP's schema.
func (f *fault) reply(id []byte) []byte {
	out := append(make([]byte, 0, 128+len(f.message)+len(f.data)), `{"jsonrpc":"2.0"`...)
	if id != nil {
		out = append(append(out, `,"id":`...), id...)
	}
	return append(append(append(out, `,"error":`...), f.object()...), '}')
}

func (f *fault) object() []byte {
	out := append([]byte(nil), `{"code":`...)
	out = strconv.AppendInt(out, int64(f.code), 10)
	out = append(out, `,"message":`...)
	out = rawjson.AppendString(out, f.message)
	if f.data != nil {
		out = append(append(out, `,"data":`...), f.data...)
	}
	return append(out, '}')
}

func unsupported(version string) *fault {
	data := []byte(`{"supported":["` + Version + `"],"requested":`)
	return &fault{
		code:    codeUnsupportedVersion,
		message: "unsupported protocol version; send " + Version + ", or begin with initialize (2025-11-25 and before)",
		data:    append(rawjson.AppendString(data, version), '}'),
	}
}
