package mcpserver

import (
	"fmt"
	"math"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Keys of _meta (2026-07-28, "Request Metadata").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaTraceParent  = "traceparent" // W3C Trace Context, unprefixed (SEP-414)
	metaTraceState   = "tracestate"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// message is one JSON-RPC message as it came. All slices are parts of it.
type message struct {
	id     []byte // nil: a notification
	method string // empty: the answer to a request of ours
	params params
}

// params is what the methods of this door read of a message's params, each as raw JSON.
type params struct {
	name, arguments  []byte // tools/call, prompts/get
	uri              []byte // resources/read
	ref, argument    []byte // completion/complete
	context          []byte
	inputResponses   []byte // of a call that was asked something
	requestState     []byte
	cursor           []byte // of the lists
	notifications    []byte // subscriptions/listen
	requestID        []byte // notifications/cancelled
	version          []byte // of the protocol
	capabilities     []byte // of the client
	client, logLevel []byte
	progressToken    []byte
	traceParent      []byte
	traceState       []byte
}

// modern reports whether the message itself says that it is of 2026-07-28 or later.
func (m *message) modern() bool { return m.params.version != nil }

// readMessage reads one JSON-RPC message. Where it is malformed, what could be read of it is
// returned beside the fault, so that the reply can carry its id.
func readMessage(raw []byte) (m message, f *fault) {
	if err := rawjson.Check(raw); err != nil {
		return m, &fault{code: codeParse, message: "not JSON: " + err.Error()}
	}
	var version, method, id, params []byte
	answer := false
	for key, value := range rawjson.RawMembers(raw) {
		switch string(key) {
		case `"jsonrpc"`:
			version = value
		case `"id"`:
			id = value
		case `"method"`:
			method = value
		case `"params"`:
			params = value
		case `"result"`, `"error"`:
			answer = true
		}
	}
	if id != nil && !isID(id) {
		return m, invalid("the id is neither a string nor an integer")
	}
	m.id = id
	if string(version) != `"2.0"` {
		return m, invalid(`not a JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	}
	if method == nil && answer && id != nil {
		return m, nil
	}
	if m.method, _ = rawjson.String(method); m.method == "" {
		return m, invalid("the method is not a string")
	}
	return m, m.readParams(params)
}

func invalid(text string) *fault { return &fault{code: codeInvalidRequest, message: text} }

// isID takes strings and integers (MCP forbids null and fractions).
func isID(raw []byte) bool {
	switch rawjson.KindOf(raw) {
	case rawjson.KindString:
		return true
	case rawjson.KindNumber:
		for _, c := range raw {
			if c == '.' || c == 'e' || c == 'E' {
				return false
			}
		}
		return true
	}
	return false
}

func (m *message) readParams(raw []byte) *fault {
	if raw == nil {
		return nil
	}
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return &fault{code: codeInvalidParams, message: "params is not an object"}
	}
	p := &m.params
	var meta []byte
	for key, value := range rawjson.RawMembers(raw) {
		switch string(key) {
		case `"name"`:
			p.name = value
		case `"arguments"`:
			p.arguments = value
		case `"uri"`:
			p.uri = value
		case `"ref"`:
			p.ref = value
		case `"argument"`:
			p.argument = value
		case `"context"`:
			p.context = value
		case `"inputResponses"`:
			p.inputResponses = value
		case `"requestState"`:
			p.requestState = value
		case `"cursor"`:
			p.cursor = value
		case `"notifications"`:
			p.notifications = value
		case `"requestId"`:
			p.requestID = value
		case `"_meta"`:
			meta = value
		}
	}
	if meta == nil {
		return nil
	}
	if rawjson.KindOf(meta) != rawjson.KindObject {
		return &fault{code: codeInvalidParams, message: "_meta is not an object"}
	}
	for key, value := range rawjson.RawMembers(meta) {
		switch string(key) {
		case `"` + metaVersion + `"`:
			p.version = value
		case `"` + metaCapabilities + `"`:
			p.capabilities = value
		case `"` + metaClient + `"`:
			p.client = value
		case `"` + metaLogLevel + `"`:
			p.logLevel = value
		case `"progressToken"`:
			p.progressToken = value
		case `"` + metaTraceParent + `"`:
			p.traceParent = value
		case `"` + metaTraceState + `"`:
			p.traceState = value
		}
	}
	return nil
}

// check is what every modern request must carry.
func (p *params) check() *fault {
	version, ok := rawjson.String(p.version)
	if !ok {
		return &fault{code: codeInvalidParams, message: "_meta lacks " + metaVersion +
			": send it with every request, or begin with initialize (2025-11-25 and before)"}
	}
	if version != Version {
		return unsupported(version)
	}
	if rawjson.KindOf(p.capabilities) != rawjson.KindObject {
		return &fault{code: codeInvalidParams, message: "_meta lacks " + metaCapabilities + ": an empty object will do"}
	}
	return p.checkOptional()
}

func (p *params) checkOptional() *fault {
	if p.progressToken != nil && !isID(p.progressToken) {
		return &fault{code: codeInvalidParams, message: "progressToken is neither a string nor an integer"}
	}
	if level, _ := rawjson.String(p.logLevel); p.logLevel != nil && logRank(level) < 0 {
		return &fault{code: codeInvalidParams, message: fmt.Sprintf("%s is not a log level", p.logLevel)}
	}
	return nil
}

// trace is the place that the request names in _meta, else the one of its transport.
func (p *params) trace(ambient twodoor.Trace) twodoor.Trace {
	if p.traceParent == nil {
		return ambient
	}
	parent, _ := rawjson.String(p.traceParent)
	state, _ := rawjson.String(p.traceState)
	return twodoor.ParseTrace(parent, state)
}

// logs is the least urgent level of log messages that the request asked for; more than all levels
// where it asked for none.
func (p *params) logs() int {
	level, ok := rawjson.String(p.logLevel)
	if !ok {
		return math.MaxInt
	}
	return logRank(level)
}

// logRank orders the levels of RFC 5424 from the least urgent; -1: not a level.
func logRank(level string) int {
	for i, name := range [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		if name == level {
			return i
		}
	}
	return -1
}

// clientName is the client's own name and version, for the journal only.
func (p *params) clientName() string {
	name, _ := rawjson.GetPath(p.client, "name")
	version, _ := rawjson.GetPath(p.client, "version")
	text, _ := rawjson.String(name)
	if v, _ := rawjson.String(version); v != "" {
		text += "/" + v
	}
	return text
}
