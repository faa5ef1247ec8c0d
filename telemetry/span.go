package telemetry

import (
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
)

// span is one piece of work in a trace.
type span struct {
	place  twodoor.Trace
	within twodoor.Trace
	name   string
	kind   int
	begun  time.Time
	took   time.Duration
	failed bool
	says   string // of a failure
	attrs  []attr
}

// attr is a fact about a span: a text, or a number where text is empty.
type attr struct {
	key    string
	text   string
	number int64
}

func (s *span) set(key, text string) {
	if text != "" {
		s.attrs = append(s.attrs, attr{key: key, text: text})
	}
}

func (s *span) setNumber(key string, n int64) { s.attrs = append(s.attrs, attr{key: key, number: n}) }

func (s *span) get(key string) string {
	for _, a := range s.attrs {
		if a.key == key {
			return a.text
		}
	}
	return ""
}

// callSpan is the span of a call: that of a server at the doors, that of inner work where another call
// made it.
func callSpan(e *twodoor.Event) span {
	s := span{place: e.Trace, within: e.Within, kind: server, begun: e.At, took: e.Duration, attrs: make([]attr, 0, 12)}
	tool := e.Operation
	if e.Effect != "" { // else it is a name that nobody has
		tool = twodoor.Spell(e.Operation, "").MCP
	}
	s.name = executeTool + " " + tool
	switch {
	case e.ParentID != "":
		s.kind = internal
	case e.Door == twodoor.DoorMCP:
		s.name = callTool + " " + tool
		s.set(mcpMethod, callTool)
		s.set(mcpVersion, e.Era)
	}
	s.set(genAIOperation, executeTool)
	s.set(genAITool, tool)
	s.set(door, e.Door)
	s.set(callID, e.CallID)
	s.set(operation, e.Operation)
	s.set(effect, string(e.Effect))
	s.fail(e)
	return s
}

// fail says how a call failed.
func (s *span) fail(e *twodoor.Event) {
	if e.Fault == nil {
		return
	}
	s.failed, s.says = true, e.Code.String()
	s.set(code, e.Code.String())
	rpc := e.Code.RPC()
	switch {
	case e.Door != twodoor.DoorMCP:
		s.set(errorType, e.Code.String())
	case rpc != 0 && !e.Fault.Inner:
		s.set(rpcStatus, strconv.Itoa(rpc))
		s.set(errorType, strconv.Itoa(rpc))
	default:
		s.set(errorType, toolError)
	}
}

// toolOf is the name of a tool at the MCP server that it comes from.
func toolOf(op *twodoor.Operation) string {
	_, tool, _ := strings.Cut(op.ID, ".")
	return tool
}
