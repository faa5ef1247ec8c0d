package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/twodoor/twodoor"
)

// Watch is for the way out: it puts a request below the call that makes it, and takes its span. Of its
// address the query is left out, which may hold what only the far side should see.
func (t *Telemetry) Watch(req *http.Request) (watched *http.Request, ended func(*http.Response, error)) {
	within := twodoor.TraceOf(req.Context())
	place := t.Place(within)
	begun := time.Now()
	return req.WithContext(twodoor.WithTrace(req.Context(), place)), func(resp *http.Response, err error) {
		if place.Sampled {
			t.add(requestSpan(req, resp, err, span{place: place, within: within, kind: client, begun: begun, took: time.Since(begun)}))
		}
	}
}

func requestSpan(req *http.Request, resp *http.Response, err error, s span) span {
	s.name = req.Method
	s.set(httpMethod, req.Method)
	s.set(serverAddress, req.URL.Hostname())
	port, _ := strconv.Atoi(req.URL.Port())
	switch {
	case port != 0:
	case req.URL.Scheme == "https":
		port = 443
	default:
		port = 80
	}
	s.setNumber(serverPort, int64(port))
	s.set(urlFull, req.URL.Scheme+"://"+req.URL.Host+req.URL.EscapedPath())
	switch {
	case err != nil:
		s.failed = true
		s.set(errorType, twodoor.AsError(err).Code.String())
	case resp != nil:
		s.setNumber(httpStatus, int64(resp.StatusCode))
		if resp.StatusCode >= 400 {
			s.failed = true
			s.set(errorType, strconv.Itoa(resp.StatusCode))
		}
	}
	return s
}

// Invoker carries calls to MCP servers as inner does, with a span and a duration for each.
func (t *Telemetry) Invoker(inner twodoor.Invoker) twodoor.Invoker { return &invoker{inner, t} }

type invoker struct {
	twodoor.Invoker
	to *Telemetry
}

func (i *invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	within := twodoor.TraceOf(ctx)
	tool := toolOf(in.Operation)
	s := span{place: i.to.Place(within), within: within, name: callTool + " " + tool, kind: client, begun: time.Now()}
	value, err := i.Invoker.Invoke(twodoor.WithTrace(ctx, s.place), in)
	s.took = time.Since(s.begun)
	s.set(mcpMethod, callTool)
	s.set(genAIOperation, executeTool)
	s.set(genAITool, tool)
	if err != nil {
		s.failed, s.says = true, twodoor.AsError(err).Code.String()
		s.set(errorType, s.says)
	}
	i.to.record(clientDuration, &s, s.took)
	i.to.add(s)
	return value, err
}

// Unwrap is inner: its resources and prompts are read without a span.
func (i *invoker) Unwrap() twodoor.Invoker { return i.Invoker }

// Preview shows what inner would send, where it can.
func (i *invoker) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	if previewer, ok := i.Invoker.(twodoor.Previewer); ok {
		return previewer.Preview(ctx, in)
	}
	return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: in.Operation.ID + " has no dry run", Hint: "its kind of source cannot show what it would do"}
}
