package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
)

// Bounds of a token request.
const (
	tokenTime   = 30 * time.Second
	maxToken    = 1 << 20
	tokenLeeway = 30 * time.Second // a token is renewed so long before its end
)

// token is an access token of a connection, got by one caller at a time.
type token struct {
	lock  chan struct{} // held by who reads or gets it; a channel, so that waiting ends with the context
	text  secret.Text
	until time.Time    // zero: it does not say
	err   error        // how the last try ended
	tries atomic.Int64 // that have ended
}

// take gets the lock, unless the context ends first.
func (t *token) take(ctx context.Context) (release func(), err error) {
	select {
	case t.lock <- struct{}{}:
		return func() { <-t.lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// tokenID is what a token is kept under: connections may be used with different scopes.
func (k key) tokenID() string {
	return strings.Join([]string{k.name, k.tokenURL(), strings.Join(k.scopes(), " ")}, "\x00")
}

func (k key) tokenURL() string {
	if k.conn.TokenURL != "" {
		return k.conn.TokenURL
	}
	return k.scheme.TokenURL
}

func (k key) scopes() []string {
	if len(k.conn.Scopes) > 0 {
		return k.conn.Scopes
	}
	return k.scheme.Scopes
}

// token is an access token that is still good. Of callers that come at once one gets it, and the
// others share what came of that, a fault too.
func (c *Client) token(ctx context.Context, k key, client credential) (secret.Text, error) {
	t := c.tokenOf(k.tokenID())
	before := t.tries.Load()
	release, err := t.take(ctx)
	if err != nil {
		return secret.Text{}, err
	}
	defer release()
	now := c.now()
	switch {
	case !t.text.IsZero() && (t.until.IsZero() || now.Before(t.until)):
		return t.text, nil
	case t.tries.Load() > before && t.err != nil && !isContext(t.err):
		return secret.Text{}, t.err
	}
	var life time.Duration
	t.text, life, t.err = c.fetch(ctx, k, client)
	if t.until = (time.Time{}); life > 0 {
		t.until = now.Add(max(life-tokenLeeway, life/2))
	}
	t.tries.Add(1)
	return t.text, t.err
}

// refused drops a token that the far side did not take, unless another caller did so before.
func (c *Client) refused(ctx context.Context, k key) error {
	t := c.tokenOf(k.tokenID())
	release, err := t.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if t.text.Equal(k.used) {
		t.text = secret.Text{}
	}
	return nil
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (c *Client) tokenOf(id string) *token {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tokens[id]
	if t == nil {
		t = &token{lock: make(chan struct{}, 1)}
		if c.tokens == nil {
			c.tokens = map[string]*token{}
		}
		c.tokens[id] = t
	}
	return t
}

// fetch asks for a token by client credentials (RFC 6749 §4.4).
func (c *Client) fetch(caller context.Context, k key, client credential) (secret.Text, time.Duration, error) {
	ctx, cancel := context.WithTimeout(caller, tokenTime)
	defer cancel()
	req, err := tokenRequest(ctx, k, client)
	if err != nil {
		return secret.Text{}, 0, err
	}
	resp, err := c.transport().RoundTrip(req)
	if err != nil {
		return secret.Text{}, 0, unissued(caller, k, req.URL.Host+" cannot be reached", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxToken))
	if err != nil {
		return secret.Text{}, 0, unissued(caller, k, "the answer of "+req.URL.Host+" broke off", err)
	}
	return c.readToken(k, resp.StatusCode, body)
}

// unissued tells why no token came, or that the caller did not wait for it.
func unissued(caller context.Context, k key, why string, err error) error {
	if caller.Err() != nil {
		return caller.Err()
	}
	return &twodoor.Error{
		Code: twodoor.CodeUnavailable, Message: fmt.Sprintf("no token for the connection %s: %s", k.name, why), Cause: err,
		Hint: fmt.Sprintf("check connections.%s.token_url, then call again", k.name),
	}
}

func tokenRequest(ctx context.Context, k key, client credential) (*http.Request, error) {
	address, err := url.Parse(k.tokenURL())
	if err != nil || address.Host == "" {
		return nil, k.unusable(errors.New("it has no token_url, and the description names none"))
	}
	if k.conn.TokenURL == "" && !k.rule.owns(address) {
		return nil, k.unusable(fmt.Errorf("the description's token address is at %s, which is no origin of the source: set token_url if it may have the client's secret", address.Host))
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if scopes := k.scopes(); len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	for name, value := range k.conn.Params {
		form.Set(name, value)
	}
	if k.conn.InBody {
		form.Set("client_id", client.user.Reveal())
		form.Set("client_secret", client.key.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, k.unusable(errors.New("its token_url is no address"))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if !k.conn.InBody { // RFC 6749 §2.3.1: both are form-encoded first
		req.SetBasicAuth(url.QueryEscape(client.user.Reveal()), url.QueryEscape(client.key.Reveal()))
	}
	return req, nil
}

// readToken reads a token answer (RFC 6749 §5).
func (c *Client) readToken(k key, status int, body []byte) (secret.Text, time.Duration, error) {
	fault := &twodoor.Error{
		Code: twodoor.CodeUpstreamAuth, Upstream: &twodoor.UpstreamFault{Status: status},
		Message: fmt.Sprintf("no token for the connection %s: %d %s", k.name, status, http.StatusText(status)),
		Hint:    fmt.Sprintf("check client_id, client_secret and scopes of connections.%s", k.name),
	}
	if status >= 500 || status == http.StatusTooManyRequests {
		fault.Code, fault.Hint = twodoor.CodeUnavailable, "wait a little and call again"
	}
	if rawjson.Check(body) != nil {
		return secret.Text{}, 0, fault
	}
	text := memberText(body, "access_token")
	if status != http.StatusOK || text == "" {
		for _, name := range []string{"error", "error_description"} {
			if said := memberText(body, name); said != "" && len(said) < 300 {
				fault.Message += ": " + c.Redact(said)
			}
		}
		return secret.Text{}, 0, fault
	}
	if kind := memberText(body, "token_type"); kind != "" && !strings.EqualFold(kind, "bearer") {
		fault.Message += ": a token of the type " + strconv.Quote(kind) + " cannot be used"
		return secret.Text{}, 0, fault
	}
	seconds, _ := strconv.ParseFloat(memberText(body, "expires_in"), 64)
	got := secret.New(text)
	c.used(got)
	return got, time.Duration(min(max(seconds, 0), 1e8) * float64(time.Second)), nil
}

// memberText is a member that is a text or a number.
func memberText(body []byte, name string) string {
	value, _ := rawjson.Get(body, name)
	if text, ok := rawjson.String(value); ok {
		return text
	}
	if rawjson.KindOf(value) == rawjson.KindNumber {
		return string(rawjson.Trim(value))
	}
	return ""
}
