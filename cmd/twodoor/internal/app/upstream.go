package app

import (
	"net"
	"net/url"

	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/secret"
)

// outbound is the way out to the far sides of a configuration, with their keys. As long as the
// catalog is not opened, a source's own origins are its target and where its tokens are issued.
func (r *run) outbound(s *site) *outbound.Client {
	client := &outbound.Client{Connections: map[string]outbound.Connection{}, Sources: map[string]outbound.Rule{}, Secrets: r.resolver()}
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
		client.Sources[name] = rule
	}
	return client
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
