package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// DefaultMax bounds one message where nothing else is said, in bytes.
const DefaultMax = 64 << 20

// Codes of JSON-RPC that a client must tell apart (MCP 2026-07-28, "Errors"; JSON-RPC 2.0 §5.1).
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeNoResource         = -32002 // revisions before 2026-07-28
	CodeNoMethod           = -32601
	CodeInvalidParams      = -32602
	CodeInvalidRequest     = -32600
)

// Fault is the error object of a JSON-RPC response.
type Fault struct {
	Code    int64
	Message string
	Data    json.RawMessage
	Raw     json.RawMessage // the whole object as it came
}

// Error is the server's own message with its code.
func (f *Fault) Error() string { return fmt.Sprintf("%s (%d)", f.Message, f.Code) }

// message is one JSON-RPC message, taken apart without decoding what it carries.
type message struct {
	id     string // as it is spelled, without quotes; empty: none, or null
	rawID  json.RawMessage
	method string
	params json.RawMessage
	result json.RawMessage
	fault  *Fault
}

var errNotProtocol = errors.New("not a JSON-RPC message")

// readMessages takes a message apart, or each of a batch (2025-03-26). The text must outlive them.
func readMessages(raw []byte, each func(*message)) error {
	if err := rawjson.Check(raw); err != nil {
		return errNotProtocol
	}
	if rawjson.KindOf(raw) == rawjson.KindArray {
		for element := range rawjson.Elements(raw) {
			if m := readMessage(element); m != nil {
				each(m)
			}
		}
		return nil
	}
	m := readMessage(raw)
	if m == nil {
		return errNotProtocol
	}
	each(m)
	return nil
}

func readMessage(raw []byte) *message {
	m, ours := &message{}, false
	for key, value := range rawjson.RawMembers(raw) {
		switch string(key) {
		case `"jsonrpc"`:
			ours = true
		case `"id"`:
			m.rawID, m.id = value, idText(value)
		case `"method"`:
			m.method, _ = rawjson.String(value)
		case `"params"`:
			m.params = value
		case `"result"`:
			m.result = value
		case `"error"`:
			m.fault = readFault(value)
		}
	}
	if !ours || m.method == "" && m.result == nil && m.fault == nil {
		return nil
	}
	return m
}

// idText is an id as text: some servers send the number that they were given back as a string.
func idText(raw []byte) string {
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	if rawjson.KindOf(raw) != rawjson.KindNumber {
		return ""
	}
	return string(raw)
}

func readFault(raw []byte) *Fault {
	if rawjson.KindOf(raw) == rawjson.KindNull {
		return nil
	}
	f := &Fault{Raw: raw}
	code, _ := rawjson.Get(raw, "code")
	f.Code, _ = strconv.ParseInt(string(code), 10, 64)
	text, _ := rawjson.Get(raw, "message")
	f.Message, _ = rawjson.String(text)
	f.Data, _ = rawjson.Get(raw, "data")
	return f
}

// request writes a request on one line.
func request(id, method string, params []byte) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return closeMessage(rawjson.AppendString(append(out, `,"method":`...), method), params)
}

func notification(method string, params []byte) []byte {
	return closeMessage(rawjson.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method), params)
}

func closeMessage(out, params []byte) []byte {
	if len(params) > 0 {
		out = rawjson.Compact(append(out, `,"params":`...), params)
	}
	return append(out, '}')
}

func response(id, result []byte, fault *Fault) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if fault == nil {
		return append(append(append(out, `,"result":`...), result...), '}')
	}
	out = strconv.AppendInt(append(out, `,"error":{"code":`...), fault.Code, 10)
	return append(rawjson.AppendString(append(out, `,"message":`...), fault.Message), `}}`...)
}
