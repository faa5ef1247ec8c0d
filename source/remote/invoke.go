package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Headers that bridges send.
const (
	headerSession = "X-Session-ID"
	headerScope   = "X-Virtual-Scope-ID"
	headerTimeout = "X-Call-Timeout"
)

// Invoker carries out the operations that Source reads. It is safe for concurrent use. It tries
// nothing twice: whether a call whose answer was lost was carried out, nobody knows.
type Invoker struct {
	Doer      Doer          // required
	Session   string        // sent with every call of a relay; empty: none
	Scope     string        // sent with calls of virtual tools; empty: none
	Timeout   time.Duration // told to the far side as the bound of each call; 0: it bounds them itself
	MaxAnswer int64         // bytes of an answer; 0: 64 MiB
}

const defaultMaxAnswer = 64 << 20

// Invoke makes one call.
func (v *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	return v.send(ctx, in, false)
}

// Preview asks the far side what it would send.
func (v *Invoker) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	value, err := v.send(ctx, in, true)
	if err != nil {
		return nil, err
	}
	return value.Preview, nil
}

func (v *Invoker) send(ctx context.Context, in *twodoor.Invocation, dry bool) (*twodoor.Value, error) {
	p, err := planOf(in.Operation)
	if err != nil {
		return nil, err
	}
	if dry && p.ID == "" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: in.Operation.ID + " has no dry run", Hint: "the far side cannot show what it would do"}
	}
	req, err := v.request(ctx, &p, in, dry)
	if err != nil {
		return nil, err
	}
	resp, err := v.Doer.Do(req, twodoor.Access{Source: p.Source, Account: in.Account, Principal: in.Principal})
	if err != nil {
		return nil, unreached(ctx, hostOf(p.URL), err)
	}
	defer resp.Body.Close()
	body, event, err := v.read(resp, in.Progress)
	if err != nil {
		return nil, v.broken(ctx, hostOf(p.URL), err)
	}
	if p.ID == "" {
		return readEnvelope(resp, body)
	}
	if resp.StatusCode != http.StatusOK || event == "error" {
		return nil, refused(resp, body, p.Relay)
	}
	return readAnswer(body, p.Relay)
}

func (v *Invoker) request(ctx context.Context, p *plan, in *twodoor.Invocation, dry bool) (*http.Request, error) {
	address := p.address()
	query := url.Values{}
	if in.Account != "" && p.ID != "" {
		query.Set("account", in.Account)
	}
	if dry {
		query.Set("dry_run", "true")
	}
	if p.Definition != nil {
		query.Set("raw", "true")
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(arguments(p, in)))
	if err != nil {
		return nil, fmt.Errorf("address of %s: %w", in.Operation.ID, err)
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if in.Progress != nil {
		h.Set("Accept", "text/event-stream, application/json")
	}
	if v.Session != "" && p.Relay {
		h.Set(headerSession, v.Session)
	}
	if v.Scope != "" && p.Type == typeVirtual {
		h.Set(headerScope, v.Scope)
	}
	if v.Timeout > 0 {
		h.Set(headerTimeout, strconv.FormatFloat(v.Timeout.Seconds(), 'f', -1, 64))
	}
	return req, nil
}

// arguments are those of the call. Where the answer is shaped here, all of it is asked for.
func arguments(p *plan, in *twodoor.Invocation) []byte {
	args := in.Arguments
	if len(args) == 0 {
		args = []byte("{}")
	}
	if p.Relay {
		return args
	}
	if _, own := rawjson.GetPath(in.Operation.Input, "properties", twodoor.WantKey); own {
		return args
	}
	return rawjson.Set(args, twodoor.WantKey, []byte(`{"budget":-1}`))
}

// read is the body of an answer: of a stream, the data of its last event. Progress is told on the way.
func (v *Invoker) read(resp *http.Response, progress func(twodoor.Progress)) (body []byte, event string, err error) {
	bound := v.MaxAnswer
	if bound <= 0 {
		bound = defaultMaxAnswer
	}
	limited := &io.LimitedReader{R: resp.Body, N: bound + 1}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		body, event, err = readEvents(limited, progress)
	} else {
		body, err = io.ReadAll(limited)
	}
	if limited.N <= 0 {
		return nil, "", &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the answer is larger than the bound of %d MiB", bound>>20), Hint: "ask for less with _want: fields, limit or jq"}
	}
	return body, event, err
}

// broken tells an answer that ended early.
func (v *Invoker) broken(ctx context.Context, host string, err error) error {
	if fault := twodoor.AsError(err); fault.Code == twodoor.CodeTooLarge || ctx.Err() != nil {
		return err
	}
	return &twodoor.Error{Code: twodoor.CodeUpstream, Message: host + " broke its answer off", Hint: "whether the call was carried out is not known: look before you repeat it", Cause: err}
}

// isNotEnvelope reports whether a body is in none of the forms of the routes.
func isNotEnvelope(body []byte) bool {
	if rawjson.KindOf(body) != rawjson.KindObject || rawjson.Check(body) != nil {
		return true
	}
	_, ok := rawjson.Get(body, "success")
	return !ok
}

// trim is a text without white space around it, bounded.
func trim(body []byte, bound int) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(body), "\uFFFD"))
	if len(text) > bound {
		text = strings.ToValidUTF8(text[:bound], "") + "…"
	}
	return text
}
