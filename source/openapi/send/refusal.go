package send

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Bounds of what a fault repeats of the far side's answer.
const (
	maxFaultBody = 4 << 10 // bytes of the body
	maxFaultRead = 64 << 10
	maxFaultText = 600 // bytes of the message
)

// maxRetryAfter is the longest wait that is passed on: what asks for more is a mistake or forever.
const maxRetryAfter = 24 * time.Hour

// refused makes a fault of an answer that is no success.
func (a *answer) refused(ctx context.Context, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, maxFaultRead))
	if err != nil && ctx.Err() != nil {
		return interrupted(ctx, a.source())
	}
	status := a.resp.StatusCode
	fault := &twodoor.Error{
		Code:       a.codeOf(status),
		Upstream:   &twodoor.UpstreamFault{Status: status, Body: a.excerpt(data)},
		RetryAfter: a.retryAfter(),
	}
	said := a.said(data)
	fault.Message = fmt.Sprintf("%s answered %d %s", a.source(), status, http.StatusText(status))
	if said.message != "" {
		fault.Message += ": " + said.message
		fault.Upstream.Told = true
	}
	if fault.Hint = said.hint; fault.Hint == "" {
		fault.Hint = a.hintOf(fault)
	}
	if fault.Code == twodoor.CodeInvalid {
		fault.Fields = said.fields
	}
	return fault
}

// codeOf tells what a status means (RFC 9110 §15, RFC 6585).
func (a *answer) codeOf(status int) twodoor.Code {
	switch status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired, http.StatusNetworkAuthenticationRequired:
		return twodoor.CodeUpstreamAuth
	case http.StatusForbidden:
		if a.isSpent() {
			return twodoor.CodeLimited
		}
		return twodoor.CodeForbidden
	case http.StatusPaymentRequired, http.StatusUnavailableForLegalReasons:
		return twodoor.CodeForbidden
	case http.StatusNotFound, http.StatusGone:
		return twodoor.CodeNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return twodoor.CodeTimeout
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusLocked:
		return twodoor.CodeConflict
	case http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong:
		return twodoor.CodeTooLarge
	case http.StatusTooManyRequests:
		return twodoor.CodeLimited
	case http.StatusServiceUnavailable, http.StatusTooEarly:
		return twodoor.CodeUnavailable
	case http.StatusMethodNotAllowed:
		return twodoor.CodeUpstream
	}
	if status >= 400 && status <= 499 {
		return twodoor.CodeInvalid
	}
	return twodoor.CodeUpstream
}

// isSpent reports a quota that is used up, which some far sides tell with 403.
func (a *answer) isSpent() bool {
	h := a.resp.Header
	return h.Get("Retry-After") != "" || h.Get("X-RateLimit-Remaining") == "0" || h.Get("RateLimit-Remaining") == "0"
}

// retryAfter is how long to wait: Retry-After in seconds or as a date (RFC 9110 §10.2.3), else the
// reset of a limit, in seconds from now or since 1970.
func (a *answer) retryAfter() time.Duration {
	h := a.resp.Header
	text := strings.TrimSpace(h.Get("Retry-After"))
	if date, err := http.ParseTime(text); err == nil {
		return bounded(date.Sub(a.invoker.now()))
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return bounded(time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second)))
	}
	if a.resp.StatusCode != http.StatusTooManyRequests && a.resp.StatusCode != http.StatusForbidden || !a.isSpent() {
		return 0
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} {
		if seconds, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil && seconds > 1e9 {
			return bounded(time.Unix(seconds, 0).Sub(a.invoker.now()))
		} else if err == nil {
			return bounded(time.Duration(min(max(seconds, 0), 1e6)) * time.Second)
		}
	}
	return 0
}

func bounded(d time.Duration) time.Duration { return min(max(d, 0), maxRetryAfter) }

// hintOf is the next step where the far side names none.
func (a *answer) hintOf(fault *twodoor.Error) string {
	source := a.source()
	switch fault.Code {
	case twodoor.CodeUpstreamAuth:
		return fmt.Sprintf("name a connection with a valid key at sources.%s.connection in twodoor.yaml", source)
	case twodoor.CodeForbidden:
		return "the far side knows the key, and does not let it do this: use another connection, or ask its owner for the right"
	case twodoor.CodeNotFound:
		return "check the ids of the call: list or search first"
	case twodoor.CodeLimited, twodoor.CodeUnavailable:
		if fault.RetryAfter > 0 {
			return fmt.Sprintf("call again in %s", fault.RetryAfter.Round(time.Second))
		}
		return "wait a little and call again"
	case twodoor.CodeTooLarge:
		return "send less in one call"
	case twodoor.CodeTimeout:
		return "ask for less; a call that changes something may have been carried out: look before you repeat it"
	}
	if a.resp.StatusCode >= 500 {
		return "the fault is the far side's: call again later, and look first whether a call that changes something was carried out"
	}
	if place := a.resp.Header.Get("Location"); place != "" && a.resp.StatusCode < 400 {
		return "it points to another place, which is not followed: correct the source's target"
	}
	return ""
}

// excerpt is the beginning of a body as JSON: the body itself where it is JSON and short, else a text.
func (a *answer) excerpt(data []byte) []byte {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	text := a.invoker.redact(string(data))
	if len(text) <= maxFaultBody && rawjson.Check([]byte(text)) == nil {
		return []byte(text)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return rawjson.Quote(fmt.Sprintf("%d bytes that are no text", len(data)))
	}
	return rawjson.Quote(cutText(text, maxFaultBody))
}

// cutText keeps the beginning of a text, whole characters only.
func cutText(text string, bound int) string {
	if len(text) <= bound {
		return text
	}
	for bound > 0 && !utf8.RuneStart(text[bound]) {
		bound--
	}
	return text[:bound] + "…"
}

// clean makes words of the far side fit to be repeated: bounded, on one line, without keys, and
// without characters that steer a terminal or hide from a reader.
func (a *answer) clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, a.invoker.redact(text))
	return cutText(strings.Join(strings.Fields(text), " "), maxFaultText)
}
