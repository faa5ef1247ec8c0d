package call

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"

	"connectrpc.com/connect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// fault tells why a call failed: the far side refused, could not be reached, or sent nonsense.
func (c *calling) fault(ctx context.Context, err error, trip *trip) error {
	if own, ok := errors.AsType[*twodoor.Error](err); ok {
		return own
	}
	if ctx.Err() != nil {
		return c.interrupted(ctx)
	}
	told, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return c.unreached(err)
	}
	if !connect.IsWireError(err) && trip.status == 0 {
		return c.unreached(err)
	}
	if !connect.IsWireError(err) && told.Code() == connect.CodeResourceExhausted {
		return c.tooLarge()
	}
	return c.refused(told, trip)
}

func (c *calling) tooLarge() error {
	return &twodoor.Error{
		Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the answer of %s is larger than %d MiB", c.source(), c.invoker.maxAnswer()>>20),
		Hint: "ask for less: a smaller page, fewer fields, a narrower filter or time range",
	}
}

// nonsense is an answer that cannot be understood.
func (c *calling) nonsense(what string, body []byte, cause error) error {
	return &twodoor.Error{
		Code: twodoor.CodeUpstream, Message: c.source() + " " + what, Cause: cause,
		Hint:     "the call may have been carried out: look before you repeat one that changes something",
		Upstream: &twodoor.UpstreamFault{Body: c.excerpt(body)},
	}
}

// meaning is what a code of Connect and gRPC is to callers (connectrpc.com/docs/protocol#error-codes).
func meaning(code connect.Code) twodoor.Code {
	switch code {
	case connect.CodeInvalidArgument, connect.CodeOutOfRange:
		return twodoor.CodeInvalid
	case connect.CodeDeadlineExceeded:
		return twodoor.CodeTimeout
	case connect.CodeNotFound:
		return twodoor.CodeNotFound
	case connect.CodeAlreadyExists, connect.CodeFailedPrecondition, connect.CodeAborted:
		return twodoor.CodeConflict
	case connect.CodePermissionDenied:
		return twodoor.CodeForbidden
	case connect.CodeResourceExhausted:
		return twodoor.CodeLimited
	case connect.CodeUnavailable:
		return twodoor.CodeUnavailable
	case connect.CodeUnauthenticated:
		return twodoor.CodeUpstreamAuth
	}
	return twodoor.CodeUpstream // canceled, unknown, unimplemented, internal, data_loss
}

// refused is an error that the far side sent, with its details.
func (c *calling) refused(told *connect.Error, trip *trip) error {
	return c.refusedWith(told, trip, c.detailsOf(told))
}

func (c *calling) refusedWith(told *connect.Error, trip *trip, said *saying) *twodoor.Error {
	fault := &twodoor.Error{
		Code: meaning(told.Code()), RetryAfter: said.retry, Hint: said.hint, Cause: told,
		Upstream: &twodoor.UpstreamFault{Status: trip.status, Body: said.body(told), Told: true},
	}
	fault.Message = fmt.Sprintf("%s answered %s", c.source(), told.Code())
	text := said.message
	if text == "" {
		text = c.clean(told.Message())
	}
	if text != "" {
		fault.Message += ": " + text
	}
	if said.reason != "" {
		fault.Message += " (" + said.reason + ")"
	}
	if fault.Code == twodoor.CodeInvalid {
		fault.Fields = said.fields
	} else if len(said.fields) > 0 {
		for _, each := range said.fields {
			fault.Message += "; " + strings.TrimPrefix(each.Path+": ", ": ") + each.Problem
		}
	}
	if fault.RetryAfter == 0 {
		fault.RetryAfter = c.retryAfter(told.Meta())
	}
	if fault.Hint == "" {
		fault.Hint = c.hintOf(told.Code(), fault)
	}
	return fault
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110 §10.2.3).
func (c *calling) retryAfter(header http.Header) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if date, err := http.ParseTime(text); err == nil {
		return bounded(date.Sub(c.invoker.now()))
	}
	if span, err := time.ParseDuration(text + "s"); err == nil {
		return bounded(span)
	}
	return 0
}

// bounded is a wait that is passed on: what asks for more than a day is a mistake or forever.
func bounded(d time.Duration) time.Duration { return min(max(d, 0), 24*time.Hour) }

// hintOf is the next step where the far side names none.
func (c *calling) hintOf(code connect.Code, fault *twodoor.Error) string {
	switch fault.Code {
	case twodoor.CodeUpstreamAuth:
		return fmt.Sprintf("name a connection with a valid key at sources.%s.connection in twodoor.yaml", c.source())
	case twodoor.CodeForbidden:
		return "the far side knows the key, and does not let it do this: use another connection, or ask its owner for the right"
	case twodoor.CodeNotFound:
		return "check the ids of the call: list or search first"
	case twodoor.CodeConflict:
		return "its present state forbids this: read it, then decide"
	case twodoor.CodeLimited, twodoor.CodeUnavailable:
		if fault.RetryAfter > 0 {
			return fmt.Sprintf("call again in %s", fault.RetryAfter.Round(time.Second))
		}
		return "wait a little and call again"
	case twodoor.CodeTimeout:
		return "ask for less; a call that changes something may have been carried out: look before you repeat it"
	case twodoor.CodeInvalid:
		return ""
	}
	if code == connect.CodeUnimplemented {
		return fmt.Sprintf("it does not know this method: look whether sources.%s.target and wire (here %s) are right, and whether its description is of the same version", c.source(), c.method.Wire)
	}
	return "the fault is the far side's: call again later, and look first whether a call that changes something was carried out"
}

// Bounds of what a fault repeats of the far side's answer.
const (
	maxFaultBody = 4 << 10
	maxFaultText = 600
)

// clean makes words of the far side fit to be repeated: bounded, on one line, without keys, and
// without characters that steer a terminal or hide from a reader.
func (c *calling) clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, c.invoker.redact(text))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxFaultText {
		text = strings.ToValidUTF8(text[:maxFaultText], "") + "…"
	}
	return text
}

// excerpt is the beginning of a body as JSON.
func (c *calling) excerpt(data []byte) json.RawMessage {
	text := c.invoker.redact(strings.ToValidUTF8(string(data), "\uFFFD"))
	switch {
	case text == "":
		return nil
	case len(text) <= maxFaultBody && rawjson.Check([]byte(text)) == nil:
		return rawjson.Compact(nil, []byte(text))
	case len(text) > maxFaultBody:
		text = strings.ToValidUTF8(text[:maxFaultBody], "") + "…"
	}
	return rawjson.Quote(text)
}

// unreached tells why no answer came. The cause is kept for the log; it may name addresses.
func (c *calling) unreached(err error) error {
	source := c.source()
	fault := &twodoor.Error{Code: twodoor.CodeUpstream, Message: source + " broke the connection off before it answered",
		Hint: "whether the call was carried out is not known: look before you repeat it", Cause: err}
	unavailable := func(what, hint string) {
		fault.Code, fault.Message, fault.Hint = twodoor.CodeUnavailable, source+" cannot be reached: "+what, hint
	}
	var network net.Error
	switch {
	case isA[*net.DNSError](err):
		unavailable("its host name has no address", "check the source's target and this machine's network")
	case isA[*tls.CertificateVerificationError](err):
		unavailable("its certificate is not trusted here", "correct the target's host name, or have this machine trust who signed the certificate")
	case isA[tls.RecordHeaderError](err):
		unavailable("it does not speak TLS", "its target may have to begin with http://")
	case isDial(err):
		unavailable("nobody answers at its address", "check that it runs and that the source's target is right, then call again")
	case errors.As(err, &network) && network.Timeout():
		fault.Code, fault.Message = twodoor.CodeTimeout, source+" did not answer in time"
	}
	return fault
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// interrupted tells the end of the context: a deadline, or a caller who left.
func (c *calling) interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: c.source() + " did not answer within the time of the call",
			Hint: "ask for less, or give the call more time; a call that changes something may have been carried out", Cause: ctx.Err()}
	}
	return ctx.Err()
}
