package app

import (
	"maps"
	"net"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/secret"
)

// outbound is the way out to the far sides of a configuration, with their keys. As long as the
// catalog is not opened, a source's own origins are its target and where its tokens are issued.
func (r *run) outbound(s *site) *outbound.Client {
	client := &outbound.Client{Connections: map[string]outbound.Connection{}, Sources: map[string]outbound.Rule{}, Secrets: r.resolver(), Redactor: &r.memory.secrets}
	if t := r.memory.telemetry; t != nil {
		client.Watch = t.Watch
	}
	for name, c := range s.Connections {
		client.Connections[name] = connectionFrom(c)
	}
	described := map[string][]string{}
	if r.opened != nil {
		for _, info := range r.opened.catalog.Sources() {
			described[info.Name] = info.Origins
		}
	}
	for name, source := range s.Sources {
		rule := outbound.Rule{Origins: described[name], Connection: source.Connection, ByScheme: source.Connections}
		if source.Target != "" {
			rule.Origins = append(rule.Origins[:len(rule.Origins):len(rule.Origins)], source.Target)
		}
		if own := r.resolved(orElse(source.Remote, s.servers[name].URL)); own != "" {
			rule.Origins = append(rule.Origins[:len(rule.Origins):len(rule.Origins)], own)
		}
		if headers := s.servers[name].Headers; len(headers) > 0 {
			rule.Connection = withHeaders(client, name, rule.Connection, headers)
		}
		client.Sources[name] = rule
	}
	return client
}

// resolved is an address with its references resolved; one that cannot be is nobody's own.
func (r *run) resolved(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	full, err := r.resolver().Resolve(secret.NewRef(text))
	if err != nil {
		return ""
	}
	return full.Reveal()
}

// withHeaders is the name of a connection that sends the headers of a server's entry along with the key
// of its source, where it has one.
func withHeaders(client *outbound.Client, source, name string, headers map[string]string) string {
	connection := outbound.Connection{Type: outbound.HeadersOnly, Headers: map[string]secret.Ref{}, At: "the headers in the entry of " + source}
	if key, ok := client.Connections[name]; ok {
		connection.Type = key.Type
		all := maps.Clone(key.Headers)
		connection, connection.Headers = key, all
		if all == nil {
			connection.Headers = map[string]secret.Ref{}
		}
	}
	for header, value := range headers {
		connection.Headers[header] = secret.NewRef(value)
	}
	own := "headers of " + source // no connection of the configuration can have this name
	client.Connections[own] = connection
	return own
}

func connectionFrom(c config.Connection) outbound.Connection {
	connection := outbound.Connection{
		Type: outbound.Type(c.Type), Token: secret.NewRef(c.Token), User: secret.NewRef(c.User), Password: secret.NewRef(c.Password),
		Key: secret.NewRef(c.Key), In: c.In, Name: c.Name, TokenURL: c.TokenURL, ClientID: secret.NewRef(c.ClientID),
		ClientSecret: secret.NewRef(c.ClientSecret), Scopes: c.Scopes, Params: c.Params, InBody: c.InBody,
		Certificate: secret.NewRef(c.Certificate), PrivateKey: secret.NewRef(c.PrivateKey), CA: secret.NewRef(c.CA),
	}
	for name, value := range c.Headers {
		if connection.Headers == nil {
			connection.Headers = map[string]secret.Ref{}
		}
		connection.Headers[name] = secret.NewRef(value)
	}
	return connection
}

// refOf is a reference written without its braces: "env:TOKEN".
func refOf(text string) secret.Ref { return secret.NewRef("${" + text + "}") }

// hostPort is the address that an origin is reached at.
func hostPort(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return origin
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
