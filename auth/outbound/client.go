package outbound

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Client sends requests with their keys. It is safe for concurrent use and must not be copied or
// changed: a changed configuration is a new Client.
type Client struct {
	Connections map[string]Connection // by name
	Sources     map[string]Rule       // by source; one that is missing gets no key
	Secrets     *secret.Resolver      // looks references up; nil: only literal secrets work
	Transport   http.RoundTripper     // nil: NewTransport. Client certificates need an *http.Transport
	Now         func() time.Time      // nil: time.Now

	Redactor *secret.Redactor // is told every secret that was used; may be nil

	// Watch is shown every request before it gets a key, may put another one in its place, and is told
	// how it ended; nil: nobody watches.
	Watch func(*http.Request) (watched *http.Request, ended func(*http.Response, error))

	redactor secret.Redactor // knows every secret that was used
	once     sync.Once
	plain    http.RoundTripper // of calls without a certificate
	bare     *http.Transport   // of HTTP/2 without encryption; nil: nobody asked yet
	mu       sync.Mutex
	read     map[string]credential // by connection
	tokens   map[string]*token     // by connection, address and scopes
	secure   map[string]*http.Transport
}

// Rule says whose key a source uses, and where it may go.
type Rule struct {
	Origins    []string          // scheme://host[:port] of the source's own addresses: nothing else gets a key
	Connection string            // serves every scheme that it fits, and calls for which no scheme is declared
	ByScheme   map[string]string // security scheme → connection; stronger than Connection
	Accounts   map[string]string // account → connection, in place of Connection where a call names one
}

// maxHops bounds how many redirects are followed.
const maxHops = 10

// Do sends a request. Its body is closed by the transport, the answer's by the caller.
//
// Where the description needs keys, the first alternative is taken whose schemes all have a
// connection. A request of HTTP/2 (ProtoMajor 2) to an http:// address, as gRPC needs it, goes there
// as HTTP/2 without encryption. A source for which nothing is configured is called without a key: the far side says
// whether it wants one. A missing key, and a redirect that is not followed, are faults with a code.
func (c *Client) Do(req *http.Request, access twodoor.Access) (resp *http.Response, err error) {
	if c.Watch != nil {
		var ended func(*http.Response, error)
		req, ended = c.Watch(req)
		defer func() { ended(resp, err) }()
	}
	if place := twodoor.TraceOf(req.Context()); !place.IsZero() {
		req = traced(req, place)
	}
	return c.follow(req, access)
}

// traced is the request with the place that it is made from (W3C Trace Context).
func traced(req *http.Request, place twodoor.Trace) *http.Request {
	out := *req
	out.Header = req.Header.Clone()
	out.Header.Set("Traceparent", place.Parent())
	if place.State != "" {
		out.Header.Set("Tracestate", place.State)
	}
	return &out
}

// follow sends a request, and those to which it is redirected.
func (c *Client) follow(req *http.Request, access twodoor.Access) (*http.Response, error) {
	rule := c.Sources[access.Source]
	for hop := 0; ; hop++ {
		resp, err := c.hop(req, access, rule)
		if err != nil {
			return nil, err
		}
		resp.Request = req // without the key
		next, err := c.redirect(req, resp, access.Source, hop)
		if next == nil {
			return resp, err
		}
		req = next
	}
}

// hop sends a request to one place, with the keys that belong there.
func (c *Client) hop(req *http.Request, access twodoor.Access, rule Rule) (*http.Response, error) {
	if !rule.owns(req.URL) {
		resp, err := c.transportOf(req).RoundTrip(req)
		if err == nil && resp.StatusCode == http.StatusUnauthorized && rule.isSet() {
			drop(resp)
			return nil, foreign(access.Source, req.URL)
		}
		return resp, err
	}
	keys, err := c.choose(access, rule)
	if err != nil {
		return nil, err
	}
	resp, err := c.keyed(req, keys)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || len(keys) == 0 {
		return resp, err
	}
	if c.forget(req.Context(), keys) && replayable(req) {
		drop(resp)
		return c.keyed(req, keys)
	}
	return resp, nil
}

// keyed puts the keys on a copy of the request and sends it.
func (c *Client) keyed(req *http.Request, keys []key) (*http.Response, error) {
	if len(keys) == 0 {
		return c.transportOf(req).RoundTrip(req)
	}
	out, err := copyOf(req)
	if err != nil {
		return nil, err
	}
	transport := c.transportOf(req)
	for i, k := range keys {
		cred, err := c.credential(req.Context(), k)
		if err != nil {
			return nil, err
		}
		k.put(out, cred)
		keys[i].used = cred.key
		if k.conn.Type == MutualTLS {
			if transport, err = c.withCertificate(k, cred); err != nil {
				return nil, err
			}
		}
	}
	return transport.RoundTrip(out)
}

// copyOf is the request with a body and headers of its own.
func copyOf(req *http.Request) (*http.Request, error) {
	out := req.Clone(req.Context())
	if req.GetBody == nil {
		return out, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, fmt.Errorf("read the request body again: %w", err)
	}
	out.Body = body
	return out, nil
}

func replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// drop ends an answer that nobody will read, and frees its connection where little is left of it.
func drop(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

// redirect is the request that follows a redirect; nil: the answer is none. Only reading follows,
// and only within an origin.
func (c *Client) redirect(req *http.Request, resp *http.Response, source string, hop int) (*http.Request, error) {
	location := resp.Header.Get("Location")
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if location == "" {
		return nil, nil
	}
	drop(resp)
	to, err := req.URL.Parse(location)
	if err != nil || to.Host == "" {
		return nil, c.astray(source, resp.StatusCode, "to an address that cannot be read", "")
	}
	place := to.Scheme + "://" + to.Host + to.EscapedPath()
	switch {
	case origin(to) != origin(req.URL):
		return nil, c.astray(source, resp.StatusCode, "to "+place+", which is another origin: it was not followed, and no key was sent there",
			fmt.Sprintf("set sources.%s.target where the API has moved; else fetch that address without a key", source))
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return nil, c.astray(source, resp.StatusCode, req.Method+" to "+place+": it was not sent again",
			"the call may have been carried out: look before you repeat it; correct the path or the target where the API has moved")
	case hop >= maxHops:
		return nil, c.astray(source, resp.StatusCode, fmt.Sprintf("more than %d times, last to %s", maxHops, place), "")
	}
	next, err := copyOf(req)
	if err != nil {
		return nil, err
	}
	next.URL, next.Host = to, ""
	return next, nil
}

func (c *Client) astray(source string, status int, where, hint string) error {
	return &twodoor.Error{
		Code: twodoor.CodeUpstream, Message: c.Redact(source + " redirects " + where), Hint: hint,
		Upstream: &twodoor.UpstreamFault{Status: status},
	}
}

func foreign(source string, at *url.URL) error {
	return &twodoor.Error{
		Code: twodoor.CodeUpstreamAuth, Message: fmt.Sprintf("%s wants a key, and got none: it is no origin of the source %s", at.Host, source),
		Hint:     fmt.Sprintf("set sources.%s.target to it if it may have the key", source),
		Upstream: &twodoor.UpstreamFault{Status: http.StatusUnauthorized},
	}
}

// owns reports whether an address is the source's own.
func (r Rule) owns(u *url.URL) bool {
	here := origin(u)
	return slices.ContainsFunc(r.Origins, func(own string) bool {
		parsed, err := url.Parse(own)
		return err == nil && origin(parsed) == here
	})
}

func (r Rule) isSet() bool { return r.Connection != "" || len(r.ByScheme) > 0 || len(r.Accounts) > 0 }

// origin is scheme, host and port (RFC 6454), the port of the scheme made explicit.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	switch {
	case port != "":
	case scheme == "https":
		port = "443"
	case scheme == "http":
		port = "80"
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// used makes a secret known to who redacts.
func (c *Client) used(text secret.Text) {
	c.redactor.Add(text)
	c.Redactor.Add(text)
}

// Redact is the text with *** for every secret that was used so far.
func (c *Client) Redact(text string) string { return c.redactor.Redact(text) }

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
