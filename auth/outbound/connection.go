package outbound

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Type is a kind of connection (contracts §4).
type Type string

// The kinds of connections.
const (
	Bearer    Type = "bearer"
	Basic     Type = "basic"
	APIKey    Type = "api-key"
	OAuth2    Type = "oauth2" // client-credentials
	MutualTLS Type = "mtls"

	HeadersOnly Type = "headers" // its Headers are all of it, as MCP servers are configured
)

// Connection is a key for a far side, by the references that the configuration gives.
type Connection struct {
	Type Type // required

	Token secret.Ref // bearer

	User     secret.Ref // basic
	Password secret.Ref

	Key  secret.Ref // api-key
	In   string     // api-key: header, query or cookie, where no scheme of the description says so; empty: header
	Name string     // api-key: of the header, parameter or cookie, likewise

	ClientID     secret.Ref // oauth2
	ClientSecret secret.Ref
	TokenURL     string            // empty: the description's, if it is at an origin of the source
	Scopes       []string          // empty: those of the description
	Params       map[string]string // further fields of the token request: audience, resource
	InBody       bool              // the client's id and secret go into the body, not into a Basic header

	Certificate secret.Ref // mtls, all in PEM
	PrivateKey  secret.Ref
	CA          secret.Ref // of the far side; empty: the system's

	Headers map[string]secret.Ref // sent along with any key

	At string // where it is configured, for faults; empty: connections.NAME in twodoor.yaml
}

// Literals names the fields whose secret stands in the configuration itself.
func (c Connection) Literals() []string {
	var names []string
	for name, ref := range map[string]secret.Ref{
		"token": c.Token, "password": c.Password, "key": c.Key, "client_secret": c.ClientSecret, "private_key": c.PrivateKey,
	} {
		if ref.Literal() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fits reports whether the connection can serve a declared scheme.
func (c Connection) fits(scheme twodoor.Scheme) bool {
	switch scheme.Type {
	case "apiKey":
		if scheme.In == "header" && strings.EqualFold(scheme.Param, "Authorization") {
			return c.Type != MutualTLS
		}
		return c.Type == APIKey
	case "http":
		return strings.EqualFold(scheme.Scheme, string(c.Type)) || strings.EqualFold(scheme.Scheme, "bearer") && c.Type == OAuth2
	case "oauth2", "openIdConnect":
		return c.Type == OAuth2 || c.Type == Bearer
	case "mutualTLS":
		return c.Type == MutualTLS
	}
	return false
}

// key is a connection put to use, and the scheme that says where its secret goes; the zero scheme
// leaves that to the connection.
type key struct {
	name   string
	conn   Connection
	scheme twodoor.Scheme
	rule   Rule
	used   secret.Text // the token that was sent
}

// credential is what a connection amounts to, looked up.
type credential struct {
	user, key secret.Text // basic: user and password; mtls: certificate and private key; oauth2: id and secret, then the token as key
	roots     secret.Text
	headers   map[string]secret.Text
	until     time.Time
	masked    bool // it only shows where the secret goes
}

// masked is a credential that shows where it goes.
func masked(conn Connection) credential {
	cred := credential{masked: true, key: secret.New(secret.Mask), headers: map[string]secret.Text{}}
	for name := range conn.Headers {
		cred.headers[name] = secret.New(secret.Mask)
	}
	return cred
}

// put writes a credential on a request. What was there under its name goes.
func (k key) put(req *http.Request, cred credential) {
	for name, text := range cred.headers {
		req.Header.Set(name, text.Reveal())
	}
	switch k.conn.Type {
	case Bearer, OAuth2:
		req.Header.Set("Authorization", "Bearer "+cred.key.Reveal())
	case Basic:
		req.Header.Set("Authorization", "Basic "+basic(cred))
	case APIKey:
		k.putKey(req, cred)
	}
}

func basic(cred credential) string {
	if cred.masked {
		return secret.Mask
	}
	return base64.StdEncoding.EncodeToString([]byte(cred.user.Reveal() + ":" + cred.key.Reveal()))
}

// place is where an api-key goes: as the description says, else as the connection says.
func (k key) place() (in, name string) {
	if k.scheme.Type == "apiKey" {
		return k.scheme.In, k.scheme.Param
	}
	if k.conn.In == "" {
		return "header", k.conn.Name
	}
	return k.conn.In, k.conn.Name
}

func (k key) putKey(req *http.Request, cred credential) {
	text := cred.key.Reveal()
	switch in, name := k.place(); in {
	case "query":
		if !cred.masked {
			text = escape(text)
		}
		req.URL.RawQuery = setPair(req.URL.RawQuery, "&", escape(name), text)
	case "cookie":
		req.Header.Set("Cookie", setPair(req.Header.Get("Cookie"), "; ", name, text))
	default:
		req.Header.Set(name, text)
	}
}

func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// setPair puts name=value at the end of a list of pairs, in place of all others of that name.
func setPair(list, sep, name, value string) string {
	var pairs []string
	for pair := range strings.SplitSeq(list, strings.TrimSpace(sep)) {
		pair = strings.TrimSpace(pair)
		if other, _, _ := strings.Cut(pair, "="); pair != "" && !sameName(other, name) {
			pairs = append(pairs, pair)
		}
	}
	return strings.Join(append(pairs, name+"="+value), sep)
}

func sameName(a, b string) bool {
	plainA, errA := url.QueryUnescape(a)
	plainB, errB := url.QueryUnescape(b)
	return a == b || errA == nil && errB == nil && plainA == plainB
}

// keepRead is how long a secret that was looked up is used without another look.
const keepRead = time.Minute

// credential looks the secrets of a connection up, and gets a token where it takes one.
func (c *Client) credential(ctx context.Context, k key) (credential, error) {
	if _, name := k.place(); k.conn.Type == APIKey && name == "" {
		return credential{}, k.unusable(errors.New("nothing says where its key goes: set its in and name"))
	}
	c.mu.Lock()
	cred, known := c.read[k.name]
	c.mu.Unlock()
	if !known || c.now().After(cred.until) {
		var err error
		if cred, err = c.lookUp(k.conn); err != nil {
			return credential{}, k.unusable(err)
		}
		c.mu.Lock()
		if c.read == nil {
			c.read = map[string]credential{}
		}
		c.read[k.name] = cred
		c.mu.Unlock()
	}
	if k.conn.Type != OAuth2 {
		return cred, nil
	}
	text, err := c.token(ctx, k, cred)
	cred.key = text
	return cred, err
}

func (c *Client) lookUp(conn Connection) (cred credential, err error) {
	wanted := map[*secret.Text]secret.Ref{}
	switch conn.Type {
	case Bearer:
		wanted[&cred.key] = conn.Token
	case Basic:
		wanted[&cred.user], wanted[&cred.key] = conn.User, conn.Password
	case APIKey:
		wanted[&cred.key] = conn.Key
	case OAuth2:
		wanted[&cred.user], wanted[&cred.key] = conn.ClientID, conn.ClientSecret
	case MutualTLS:
		wanted[&cred.user], wanted[&cred.key], wanted[&cred.roots] = conn.Certificate, conn.PrivateKey, conn.CA
	case HeadersOnly:
	default:
		return cred, fmt.Errorf("its type %q is none of bearer, basic, api-key, oauth2, mtls", conn.Type)
	}
	for text, ref := range wanted {
		if *text, err = c.reveal(ref); err != nil {
			return cred, err
		}
	}
	cred.headers = map[string]secret.Text{}
	for name, ref := range conn.Headers {
		if cred.headers[name], err = c.reveal(ref); err != nil {
			return cred, err
		}
	}
	if conn.Type == Basic {
		c.used(secret.New(basic(cred)))
	}
	cred.until = c.now().Add(keepRead)
	return cred, nil
}

// minWord is the shortest part of a secret that is taken for one of its own, in bytes: "Bearer" is none.
const minWord = 8

func (c *Client) reveal(ref secret.Ref) (secret.Text, error) {
	resolver := c.Secrets
	if resolver == nil {
		resolver = &secret.Resolver{}
	}
	text, err := resolver.Resolve(ref)
	if err != nil {
		return text, err
	}
	c.used(text)
	if words := strings.Fields(text.Reveal()); len(words) > 1 && len(words) <= 3 { // "Bearer KEY": far sides repeat the key alone
		for _, word := range words {
			if len(word) >= minWord {
				c.used(secret.New(word))
			}
		}
	}
	return text, nil
}

// forget drops what is known of keys that were refused, so that the next call looks again. It
// reports whether another try now could end otherwise: a token can be had anew.
func (c *Client) forget(ctx context.Context, keys []key) (again bool) {
	for _, k := range keys {
		c.mu.Lock()
		delete(c.read, k.name)
		c.mu.Unlock()
		if k.conn.Type == OAuth2 {
			again = c.refused(ctx, k) == nil || again
		}
	}
	return again
}

// unusable tells that the key of a connection cannot be had.
func (k key) unusable(err error) error {
	what, where := "the connection "+k.name, "connections."+k.name+" in twodoor.yaml"
	if k.conn.At != "" {
		what, where = k.name, k.conn.At
	}
	return &twodoor.Error{
		Code: twodoor.CodeUpstreamAuth, Message: fmt.Sprintf("%s cannot be used: %s", what, err),
		Hint: fmt.Sprintf("correct %s, or what it refers to", where), Cause: err,
	}
}
