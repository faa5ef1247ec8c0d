package parity

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/internal/secret"
)

func itoa(n int) string { return strconv.Itoa(n) }

// received is a request as it came over the wire.
type received struct {
	method, host string
	path, query  string // escaped
	origin       string // scheme://host as it was addressed
	base         string // the base URL that it had to go to
	header       http.Header
	body         []byte
}

// overWire is what a server reads of a request: its bytes, not the struct.
func overWire(req *http.Request) (*received, error) {
	var bytes bytes.Buffer
	if err := req.Write(&bytes); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	got, err := http.ReadRequest(bufio.NewReader(&bytes))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	r, err := receive(got)
	if err == nil {
		r.origin = req.URL.Scheme + "://" + req.URL.Host
	}
	return r, err
}

// receive reads a request that a server was given.
func receive(req *http.Request) (*received, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	r := &received{method: req.Method, host: req.Host, header: req.Header, body: body, origin: "http://" + req.Host}
	r.path, r.query, _ = strings.Cut(req.RequestURI, "?")
	return r, nil
}

// below is the path below the base URL.
func (r *received) below() string {
	at, err := url.Parse(r.base)
	if err != nil {
		return r.path
	}
	return strings.TrimPrefix(r.path, strings.TrimRight(at.EscapedPath(), "/"))
}

func (r *received) media() string {
	media, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// key is what connections are configured with; no other part of a request may hold it.
const key = "dummy-key-0b7c41"

// connections are the key for every scheme of a description, by the scheme's name.
func (d *document) connections() (all map[string]outbound.Connection, byScheme map[string]string) {
	all, byScheme = map[string]outbound.Connection{}, map[string]string{}
	for _, o := range d.operations {
		for _, together := range o.needs {
			for _, s := range together {
				byScheme[s.name] = s.name
				all[s.name] = connectionOf(s)
			}
		}
	}
	return all, byScheme
}

func connectionOf(s scheme) outbound.Connection {
	ref := secret.NewRef(key)
	switch {
	case s.kind == "http" && s.scheme == "basic":
		return outbound.Connection{Type: outbound.Basic, User: secret.NewRef("user"), Password: ref}
	case s.kind == "apiKey":
		return outbound.Connection{Type: outbound.APIKey, Key: ref}
	}
	return outbound.Connection{Type: outbound.Bearer, Token: ref}
}

// keyOf is the key of a scheme as the far side wants to see it.
func keyOf(s scheme) string {
	switch {
	case s.kind == "http" && s.scheme == "basic":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+key))
	case s.kind == "http", s.kind == "oauth2", s.kind == "openIdConnect":
		return "Bearer " + key
	}
	return key
}

// takeKeys takes out of a request what its security schemes put on it.
func (o *described) takeKeys(r *received, header http.Header, query, cookies []pair) {
	for _, together := range o.needs {
		for _, s := range together {
			switch {
			case s.kind == "apiKey" && s.in == "header" && r.header.Get(s.param) == keyOf(s):
				header.Del(s.param)
			case s.kind == "apiKey" && s.in == "query":
				taken(query, func(q pair) bool { return q.name == s.param && q.value == key })
			case s.kind == "apiKey" && s.in == "cookie":
				taken(cookies, func(q pair) bool { return q.name == s.param && q.value == key })
			}
		}
	}
}

// carries reports whether the key of a scheme is where the scheme says.
func (r *received) carries(s scheme) bool {
	switch {
	case s.kind == "apiKey" && s.in == "query":
		q := pairs(r.query)
		return len(taken(q, func(q pair) bool { return q.name == s.param && q.value == key })) == 1
	case s.kind == "apiKey" && s.in == "cookie":
		return strings.Contains(r.header.Get("Cookie"), s.param+"="+key)
	case s.kind == "apiKey":
		return r.header.Get(s.param) == keyOf(s)
	}
	return r.header.Get("Authorization") == keyOf(s)
}

// keyFaults says where a key is missing, and where one is that nobody asked for.
func (r *received) keyFaults(o *described) (faults []string) {
	met, most := len(o.needs) == 0, 0
	for _, together := range o.needs {
		all := true
		for _, s := range together {
			all = all && r.carries(s)
		}
		if all {
			met, most = true, max(most, len(together))
		}
	}
	if !met {
		faults = append(faults, "no alternative of its security is met")
	}
	if n := r.keys(); n > most {
		faults = append(faults, fmt.Sprintf("the key stands in %d places, its security asks for %d", n, most))
	}
	return faults
}

// keys counts the places that hold the key, in any encoding that is in use.
func (r *received) keys() (n int) {
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + key))
	for _, form := range []string{key, basic} {
		n += strings.Count(r.path+"?"+r.query, form) + bytes.Count(r.body, []byte(form))
		for _, values := range r.header {
			n += strings.Count(strings.Join(values, "\n"), form)
		}
	}
	return n
}
