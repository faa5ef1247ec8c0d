package mcpclient

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// Bounds of what a fault repeats of what a server said.
const (
	maxSaid   = 600     // bytes of a message
	maxBody   = 4 << 10 // bytes of a body
	saidLines = 3       // lines of stderr in a message
)

// explain tells why a connection is not there. It is kept and told to everybody who asks.
func (s *slot) explain(err error) *twodoor.Error {
	if fault, ok := errors.AsType[*twodoor.Error](err); ok {
		return fault
	}
	name := s.key.source
	fault := &twodoor.Error{Code: twodoor.CodeUnavailable, Cause: err,
		Hint: "look at its state and at what it printed in the list of sources"}
	status, isStatus := errors.AsType[*wire.StatusError](err)
	ended, isEnd := errors.AsType[*wire.EndedError](err)
	refused, isFault := errors.AsType[*wire.Fault](err)
	switch {
	case proc.NotFound(err):
		fault.Message = fmt.Sprintf("%s cannot be started: there is no program %q", name, s.server.Command)
		fault.Hint = "install it, or write its whole path as the command"
	case isEnd:
		fault.Message = name + ": " + ended.Error() + s.said(ended.Stderr)
	case isStatus:
		return s.statusFault(status)
	case isFault:
		fault.Message = name + " refused the connection: " + s.quote(refused.Message)
		fault.Hint = "its version may be too old or too new: try another one of it"
		if versions, ok := rawjson.Get(refused.Data, "supported"); ok {
			fault.Message += "; it supports " + shorten(string(versions), maxSaid)
		}
	case errors.Is(err, context.DeadlineExceeded):
		fault.Message = name + " did not become ready in time" + s.said(stderrOf(err))
		fault.Hint = "start it by hand to see what it waits for; one that installs itself first needs a longer start"
	case errors.Is(err, context.Canceled):
		fault.Message = name + " is being stopped"
		fault.Hint = "call again in a moment"
	case errors.Is(err, wire.ErrNonsense), errors.Is(err, wire.ErrNoAnswer), errors.Is(err, wire.ErrNoStream):
		fault.Message = name + " does not answer as an MCP server does" + s.said(stderrOf(err))
		fault.Hint = "check that its command or url is the one of its MCP server"
	default:
		network(fault, name, err)
	}
	return fault
}

// network tells how a far side could not be reached.
func network(fault *twodoor.Error, name string, err error) {
	op, isOp := errors.AsType[*net.OpError](err)
	var slow net.Error
	what := "the connection broke off"
	switch {
	case isA[*net.DNSError](err):
		what, fault.Hint = "its host name has no address", "check its url and this machine's network"
	case isA[*tls.CertificateVerificationError](err):
		what, fault.Hint = "its certificate is not trusted here", "correct the host name in its url, or have this machine trust who signed the certificate"
	case isA[tls.RecordHeaderError](err):
		what, fault.Hint = "it does not speak TLS", "its url may have to begin with http://"
	case isOp && op.Op == "dial":
		what, fault.Hint = "nobody answers at its address", "check that it runs and that its url is right"
	case errors.As(err, &slow) && slow.Timeout():
		what = "it did not answer in time"
	}
	fault.Message = name + " cannot be reached: " + what
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func stderrOf(err error) []string {
	if ended, ok := errors.AsType[*wire.EndedError](err); ok {
		return ended.Stderr
	}
	if words, ok := errors.AsType[*lastWords](err); ok {
		return words.stderr
	}
	return nil
}

// said is the end of what a program printed, without secrets.
func (s *slot) said(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "; it said: " + s.quote(strings.Join(lines[max(0, len(lines)-saidLines):], " | "))
}

func (s *slot) quote(text string) string { return shorten(s.pool.redact(text), maxSaid) }

func shorten(text string, bound int) string {
	if len(text) <= bound {
		return text
	}
	return strings.ToValidUTF8(text[:bound], "") + "…"
}

// statusFault tells what an HTTP status means (RFC 9110 §15, RFC 6585).
func (s *slot) statusFault(e *wire.StatusError) *twodoor.Error {
	name := s.key.source
	fault := &twodoor.Error{
		Code: twodoor.CodeUpstream, Cause: e, RetryAfter: retryAfter(e.Header),
		Message:  fmt.Sprintf("%s answered %d %s", name, e.Status, http.StatusText(e.Status)),
		Upstream: &twodoor.UpstreamFault{Status: e.Status, Body: s.excerpt(e.Body)},
	}
	if e.Fault != nil && e.Fault.Message != "" {
		fault.Message += ": " + s.quote(e.Fault.Message)
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		fault.Code, fault.Hint = twodoor.CodeUpstreamAuth, "it wants a key: name a connection at sources."+name+".connection in twodoor.yaml"
	case http.StatusForbidden:
		fault.Code, fault.Hint = twodoor.CodeForbidden, "its key lacks a right there: use another account, or ask its owner"
	case http.StatusTooManyRequests:
		fault.Code, fault.Hint = twodoor.CodeLimited, "wait, then call again"
	case http.StatusRequestEntityTooLarge:
		fault.Code, fault.Hint = twodoor.CodeTooLarge, "send less at a time"
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		fault.Code = twodoor.CodeTimeout
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		fault.Code, fault.Hint = twodoor.CodeUnavailable, "there is no MCP server at its url: correct the path"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		fault.Code, fault.Hint = twodoor.CodeUnavailable, "call again in a moment"
	}
	return fault
}

// maxRetryAfter is the longest wait that is passed on.
const maxRetryAfter = 24 * time.Hour

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.ParseUint(strings.TrimSpace(h.Get("Retry-After")), 10, 31)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}

// excerpt is a body as JSON, or its beginning as text.
func (s *slot) excerpt(body []byte) json.RawMessage {
	text := s.pool.redact(string(body))
	if len(text) <= maxBody && rawjson.Check([]byte(text)) == nil {
		return []byte(text)
	}
	if text == "" {
		return nil
	}
	return rawjson.Quote(shorten(text, maxBody))
}

// broken tells why a call has no answer.
func (s *slot) broken(ctx context.Context, err error) error {
	name := s.key.source
	if ctx.Err() != nil {
		return s.interrupted(ctx)
	}
	if isA[*twodoor.Error](err) {
		return err
	}
	unknown := "whether the call was carried out is not known: look before you repeat it"
	status, isStatus := errors.AsType[*wire.StatusError](err)
	ended, isEnd := errors.AsType[*wire.EndedError](err)
	switch {
	case isEnd:
		return &twodoor.Error{Code: twodoor.CodeUpstream, Message: name + " ended in the middle of the call: " + ended.Error() + s.said(ended.Stderr), Hint: unknown, Cause: err}
	case isStatus:
		return s.statusFault(status)
	case errors.Is(err, wire.ErrTooLarge):
		return &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the answer of %s is larger than %d bytes", name, s.pool.longest()), Hint: "ask for less", Cause: err}
	case errors.Is(err, wire.ErrClosed):
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: name + " is being restarted", Hint: unknown, Cause: err}
	case errors.Is(err, wire.ErrNonsense), errors.Is(err, wire.ErrNoAnswer):
		return &twodoor.Error{Code: twodoor.CodeUpstream, Message: name + " sent no answer: " + err.Error(), Hint: unknown, Cause: err}
	}
	fault := &twodoor.Error{Code: twodoor.CodeUnavailable, Hint: unknown, Cause: err}
	network(fault, name, err)
	return fault
}

// interrupted tells the end of the context: a deadline, or a caller who left.
func (s *slot) interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: s.key.source + " did not answer within the time of the call",
			Hint: "ask for less, or give the call more time; a call that changes something may have been carried out", Cause: ctx.Err()}
	}
	return ctx.Err()
}

// notYet tells a caller whose time is over that the server was not ready yet.
func (s *slot) notYet(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: s.key.source + " is still starting",
			Hint: "call again in a moment: it goes on starting", RetryAfter: minBackoff, Cause: ctx.Err()}
	}
	return ctx.Err()
}

// refusal makes an error of a JSON-RPC fault. The server did not carry the call out.
func (s *slot) refusal(f *wire.Fault, status int) error {
	fault := &twodoor.Error{
		Code: twodoor.CodeUpstream, Cause: f, Message: s.key.source + " refused the call: " + s.quote(f.Message),
		Upstream: &twodoor.UpstreamFault{Status: status, Body: s.excerpt(f.Raw)},
	}
	switch f.Code {
	case wire.CodeInvalidParams:
		fault.Code, fault.Hint = twodoor.CodeInvalid, "correct the arguments; if the tool is gone, list the operations again"
	case wire.CodeNoResource:
		fault.Code = twodoor.CodeNotFound
	case wire.CodeMissingCapability:
		fault.Code, fault.Hint = twodoor.CodeDenied, "it must ask its client something that this client cannot be asked"
		if needs, ok := rawjson.Get(f.Data, "requiredCapabilities"); ok {
			fault.Needs = json.RawMessage(needs)
		}
	case wire.CodeUnsupportedVersion:
		fault.Hint = "it speaks another revision than before: call again, it is found out anew"
	}
	return fault
}
