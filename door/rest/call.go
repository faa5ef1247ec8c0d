package rest

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
)

// execute answers the execute routes: server and tool stand in the body.
func (d *Door) execute(w http.ResponseWriter, r *http.Request, who asker) {
	body, err := bodyOf(w, r)
	if err != nil {
		d.fail(w, err)
		return
	}
	e, err := readExecution(body)
	if err != nil {
		d.fail(w, err)
		return
	}
	op := d.find(e.server, e.tool)
	arguments, inner := withoutSession(op, e.arguments)
	d.bridged(w, r, who, bridged{op, e.server, e.tool, arguments, orElse(e.session, inner)})
}

// tool answers the routes of single tools: the body are the arguments.
func (d *Door) tool(w http.ResponseWriter, r *http.Request, who asker) {
	body, err := bodyOf(w, r)
	if err != nil {
		d.fail(w, err)
		return
	}
	server, tool := r.PathValue("server"), r.PathValue("tool")
	op := d.find(server, tool)
	arguments, session := withoutSession(op, body)
	d.bridged(w, r, who, bridged{op, server, tool, arguments, session})
}

// bridged is a call over a compatible route.
type bridged struct {
	op           *twodoor.Operation // nil: there is none
	server, tool string
	arguments    []byte
	session      string // as the body names it
}

// name is what the engine is asked for.
func (b *bridged) name() string {
	switch {
	case b.op != nil:
		return b.op.ID
	case b.server != "":
		return b.server + "." + b.tool
	}
	return b.tool
}

// bridged carries out a call and answers with the envelope. A session that the body names counts
// where neither path nor header names one.
func (d *Door) bridged(w http.ResponseWriter, r *http.Request, who asker, b bridged) {
	var err error
	if r.PathValue("session") == "" && r.Header.Get(headerSession) == "" && b.session != "" {
		who, err = d.as(who, b.session)
	}
	if err == nil && b.op == nil {
		err = d.noTools(r.Context(), who, b.server)
	}
	if err != nil {
		d.fail(w, err)
		return
	}
	call := d.newCall(r, who, b.name(), b.arguments)
	switch {
	case b.op == nil && b.server == "" && b.tool == specTool:
		result, err := d.specAnswer(r, who, b.arguments)
		d.reply(w, result, err, call.Profile)
	case streams(r):
		s := newStream(w, &call)
		result, err := d.Engine.Do(r.Context(), call)
		if err != nil {
			s.end("result", d.failure(twodoor.AsError(err)))
			return
		}
		s.end("result", d.envelope(result, call.Profile))
	default:
		result, err := d.Engine.Do(r.Context(), call)
		d.reply(w, result, err, call.Profile)
	}
}

// reply answers a call over a compatible route.
func (d *Door) reply(w http.ResponseWriter, result *twodoor.Result, err error, profile string) {
	if err != nil {
		d.fail(w, err)
		return
	}
	answerRaw(w, http.StatusOK, d.envelope(result, profile))
}

// noTools tells a server that is there but has nothing to call from a name that is wrong: names need
// not be tried again then.
func (d *Door) noTools(ctx context.Context, who asker, server string) error {
	if server == "" {
		return nil
	}
	for _, s := range d.serverList(ctx, who, server) {
		if s.Tools > 0 {
			continue
		}
		fault := &twodoor.Error{
			Code: twodoor.CodeUnavailable, Message: "the server " + s.Name + " is configured, but has no tools now",
			Hint: "the names are probably right: do not try others; look at /api/tools for its state, and call again later",
		}
		if s.Error != "" {
			fault.Message += ": " + s.Error
		}
		return fault
	}
	return nil
}

// fail answers a call over a compatible route that did not work.
func (d *Door) fail(w http.ResponseWriter, err error) {
	e := twodoor.AsError(err)
	mark(w, e)
	answerRaw(w, failureStatus(e.Code), d.failure(e))
}

// call answers POST /v1/call/{id}.
func (d *Door) call(w http.ResponseWriter, r *http.Request, who asker) {
	body, err := bodyOf(w, r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	call, raw := d.newCall(r, who, r.PathValue("id"), body), false
	if r.URL.RawQuery != "" {
		query := r.URL.Query()
		call.Account = query.Get("account")
		raw, _ = strconv.ParseBool(query.Get("raw"))
		if dry, _ := strconv.ParseBool(query.Get("dry_run")); dry {
			call.Mode = twodoor.DryRun
		}
	}
	if streams(r) {
		s := newStream(w, &call)
		result, err := d.Engine.Do(r.Context(), call)
		if err != nil {
			s.end("error", problem(twodoor.AsError(err)))
			return
		}
		s.end("result", answer(result, raw))
		return
	}
	result, err := d.Engine.Do(r.Context(), call)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerRaw(w, http.StatusOK, answer(result, raw))
}

// streams reports whether a caller wants to hear of progress.
func streams(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}
