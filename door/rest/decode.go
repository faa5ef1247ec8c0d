package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// bodyOf is the body of a request: one JSON value, or nothing.
func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the body is larger than %d bytes", MaxBody)}
	}
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeCanceled, Message: "the body ended early", Cause: err}
	}
	if body = rawjson.Trim(body); len(body) == 0 {
		return nil, nil
	}
	if err := rawjson.Check(body); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the body is not JSON: " + err.Error(), Hint: `with curl: --json '{"name":"value"}'`}
	}
	return body, nil
}

// execution is the body of an execute route: both spellings of each key are in use.
type execution struct {
	server, tool, session string
	arguments             []byte
}

func readExecution(body []byte) (e execution, err error) {
	if len(body) > 0 && rawjson.KindOf(body) != rawjson.KindObject {
		return e, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the body is not an object", Hint: executeHint}
	}
	for key, value := range rawjson.Members(body) {
		text, _ := rawjson.String(value)
		switch key {
		case "server_name", "server":
			e.server = orElse(e.server, text)
		case "tool_name", "tool":
			e.tool = orElse(e.tool, text)
		case "session_id":
			e.session = text
		case "arguments", "args":
			if len(e.arguments) == 0 || key == "arguments" {
				e.arguments = value
			}
		}
	}
	if e.tool == "" {
		return e, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the body names no tool", Hint: executeHint}
	}
	return e, nil
}

const executeHint = `write it like {"server":"notes","tool":"search","args":{"query":"x"}}; an operation's id as tool is enough`

// newCall is a call of an operation as a request makes it.
func (d *Door) newCall(r *http.Request, who asker, operation string, arguments []byte) twodoor.Call {
	return twodoor.Call{
		Operation: operation, Arguments: arguments, Principal: who.principal, Profile: who.profile, Session: who.session,
		Door: twodoor.DoorREST, Client: r.UserAgent(), Timeout: timeoutOf(r),
		Trace: twodoor.ParseTrace(r.Header.Get("Traceparent"), r.Header.Get("Tracestate")),
	}
}

// maxTimeout bounds what a caller may ask for.
const maxTimeout = 24 * time.Hour

// timeoutOf is the bound that a request sets itself: seconds, or a duration like 90m. Anything else
// counts as nothing said.
func timeoutOf(r *http.Request) time.Duration {
	text := r.Header.Get(headerTimeout)
	if text == "" {
		return 0
	}
	bound, err := time.ParseDuration(text)
	if seconds, bad := strconv.ParseFloat(text, 64); bad == nil {
		bound, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || bound <= 0 {
		return 0
	}
	return min(bound, maxTimeout)
}

// withoutSession takes session_id out of arguments: existing clients send it there. An operation that
// has a property of that name keeps it.
func withoutSession(op *twodoor.Operation, arguments []byte) (rest []byte, session string) {
	raw, ok := rawjson.Get(arguments, "session_id")
	if !ok || rawjson.KindOf(arguments) != rawjson.KindObject {
		return arguments, ""
	}
	if op != nil {
		if _, own := rawjson.GetPath(op.InputSchema(), "properties", "session_id"); own {
			return arguments, ""
		}
	}
	session, _ = rawjson.String(raw)
	return rawjson.Delete(arguments, "session_id"), session
}

// find is the operation that a server's name and a tool's name mean: any spelling of the operation,
// the tool's own name, and last a name that differs in case, - and _ alone, where it is the only one.
// It is nil where there is none.
func (d *Door) find(server, tool string) *twodoor.Operation {
	catalog := d.Engine.Catalog()
	if server == "" {
		op, _, _ := catalog.Find(tool)
		return op
	}
	for _, name := range []string{orElse(d.sourceOf(server), server) + "." + tool, tool} {
		if op, _, _ := catalog.Find(name); op != nil && d.isOf(op.Source(), server) {
			return op
		}
	}
	var only *twodoor.Operation
	for _, source := range catalog.Sources() {
		if !d.isOf(source.Name, server) {
			continue
		}
		for i, entry := range catalog.Below(source.Name + ".") {
			if !sameTool(entry, source.Name, tool) {
				continue
			}
			op, err := catalog.At(i)
			if err != nil || only != nil && only.ID != op.ID {
				return nil
			}
			only = op
		}
	}
	return only
}

// isOf reports whether a source is that of a server: by the server's exact id, and only where there is
// none of that name as existing clients compare names.
func (d *Door) isOf(source, server string) bool {
	if exact := d.sourceOf(server); exact != "" {
		return source == exact
	}
	return loose(source) == loose(server)
}

// sourceOf is the source of a server's exact id, or nothing.
func (d *Door) sourceOf(server string) string {
	if d.Connections == nil {
		return ""
	}
	for source, id := range d.Connections() {
		if id == server {
			return source
		}
	}
	return ""
}

// serverName is the exact id of a source's server.
func (d *Door) serverName(source string) string {
	if d.Connections == nil {
		return source
	}
	return orElse(d.Connections()[source], source)
}

func sameTool(entry twodoor.Entry, source, tool string) bool {
	short := strings.TrimPrefix(entry.ID, source+".")
	return loose(short) == loose(tool) || loose(entry.Tool) == loose(tool)
}

// loose is a name as existing clients compare it.
func loose(name string) string {
	return strings.NewReplacer("_", "-", " ", "-", ".", "-").Replace(strings.ToLower(name))
}
