package remote

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxErrorText bounds what is told of a fault's body, in bytes.
const maxErrorText = 16 << 10

// refused is the fault that a far side answers a request with. A relay tells its codes as they are;
// elsewhere a credential that it does not take is ours, and a bug of it is its failure.
func refused(resp *http.Response, body []byte, relay bool) error {
	fault := told(body)
	if fault == nil {
		fault = byStatus(resp, body)
	}
	if relay {
		return fault
	}
	switch fault.Code {
	case twodoor.CodeUnauthenticated:
		fault.Code, fault.Hint = twodoor.CodeUpstreamAuth, "name a token of the far side as the source's connection"
	case twodoor.CodeInternal:
		fault.Code = twodoor.CodeUpstream
	}
	return fault
}

// told reads the one error struct out of problem details, and the envelope of the other routes.
func told(body []byte) *twodoor.Error {
	if rawjson.Check(body) != nil {
		return nil
	}
	raw, ok := rawjson.Get(body, "error")
	if ok && rawjson.KindOf(raw) == rawjson.KindObject {
		fault := readError(raw)
		if result, ok := rawjson.Get(body, "raw"); ok && fault != nil {
			fault.Upstream = withRaw(fault.Upstream, result)
		}
		return fault
	}
	if _, ok := rawjson.Get(body, "success"); ok {
		return failed(body)
	}
	return nil
}

func readError(raw []byte) *twodoor.Error {
	var e struct {
		Code       string
		Message    string
		Hint       string
		Try        []string
		Next       []twodoor.Suggestion
		Fields     []twodoor.Problem
		RetryAfter float64 `json:"retry_after_s"`
		Confirm    string
		Upstream   *twodoor.UpstreamFault
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Message == "" {
		return nil
	}
	return &twodoor.Error{
		Code: codeNamed(e.Code), Message: e.Message, Hint: e.Hint, Try: e.Try, Next: e.Next, Fields: e.Fields,
		RetryAfter: time.Duration(e.RetryAfter * float64(time.Second)), Token: e.Confirm, Upstream: e.Upstream,
	}
}

// failed is the fault in an envelope. Its text holds everything that was to be said; what the tool
// wrote before it failed belongs to it.
func failed(body []byte) *twodoor.Error {
	message := text(body, "error")
	if message == "" {
		message = "the tool failed and did not say why"
	}
	if result := text(body, "result"); result != "" {
		message += "\n" + result
	}
	fault := &twodoor.Error{Code: codeNamed(text(body, "code")), Message: trim([]byte(message), maxErrorText)}
	if content, ok := rawjson.Get(body, "content"); ok && rawjson.KindOf(content) == rawjson.KindArray {
		fault.Upstream = withRaw(nil, toolResult(body, content, fault))
	}
	return fault
}

// withRaw is an upstream's fault with the CallToolResult that told it.
func withRaw(fault *twodoor.UpstreamFault, raw json.RawMessage) *twodoor.UpstreamFault {
	if fault == nil {
		fault = &twodoor.UpstreamFault{}
	}
	fault.Raw = raw
	return fault
}

// codeNamed is a code by its name; one that is not known is a failure of the far side.
func codeNamed(name string) twodoor.Code {
	var code twodoor.Code
	if err := code.UnmarshalText([]byte(name)); err != nil || code == twodoor.CodeOK {
		return twodoor.CodeUpstream
	}
	return code
}

// byStatus tells an answer of which the status is all that can be read.
func byStatus(resp *http.Response, body []byte) *twodoor.Error {
	fault := &twodoor.Error{
		Code: twodoor.CodeUpstream, Message: "HTTP " + strconv.Itoa(resp.StatusCode) + ": " + trim(body, maxErrorText),
		Upstream: &twodoor.UpstreamFault{Status: resp.StatusCode},
	}
	for _, code := range twodoor.Codes() {
		if code.HTTP() == resp.StatusCode && code != twodoor.CodeInternal && code != twodoor.CodeChecksFailed {
			fault.Code = code
			break
		}
	}
	if fault.Code == twodoor.CodeUnauthenticated {
		fault.Hint = "the far side does not know the token: set the one that it gave out"
	}
	return fault
}

// unreached tells why no answer came. The cause is kept for the log.
func unreached(ctx context.Context, host string, err error) error {
	if fault, ok := errors.AsType[*twodoor.Error](err); ok {
		return fault
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "nobody answers at " + host, Hint: "is it running? Start it, or correct the address", Cause: err}
	}
	if fault, ok := errors.AsType[net.Error](err); ok && fault.Timeout() {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: host + " did not answer in time", Hint: "a call that changes something may have been carried out", Cause: err}
	}
	return &twodoor.Error{Code: twodoor.CodeUpstream, Message: host + " broke the connection off before it answered", Hint: "whether the call was carried out is not known: look before you repeat it", Cause: err}
}

func decode(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return []byte(text)
	}
	return data
}
