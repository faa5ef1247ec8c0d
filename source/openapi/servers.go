package openapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// server is the base URL of an operation, or "" where the description names no host. Source.Target
// stands for every server; else the operation's own comes first, then the path's, then the
// document's. Of several in a list the first is taken.
func (c *compiler) server() string {
	if c.source.Target != "" {
		return strings.TrimRight(c.source.Target, "/")
	}
	if c.swagger {
		schemes := c.found.op.Node.Get("schemes").Strings()
		if len(schemes) == 0 {
			schemes = c.document.Root.Get("schemes").Strings()
		}
		return c.base(swaggerServer(c.document.Root, schemes))
	}
	for _, owner := range []document.Place{c.found.op, c.found.item, c.document.Place(c.document.Root)} {
		if servers := owner.Node.Get("servers"); servers.Is(rawjson.KindArray) && servers.Len() > 0 {
			return c.base(c.filled(servers.Items[0]))
		}
	}
	return c.base("")
}

// filled is the URL of a server with its variables filled in, or "" where one has no value.
func (c *compiler) filled(server *rawjson.Node) string {
	address := server.Get("url").Str()
	for _, name := range pathNames(address) {
		variable := server.Get("variables").Get(name)
		value, set := c.source.Variables[name]
		switch allowed := variable.Get("enum").Strings(); {
		case set && len(allowed) > 0 && !slices.Contains(allowed, value):
			c.Note("the server variable %s is %q, which is none of %s", name, value, strings.Join(allowed, ", "))
		case !set && variable.Get("default") != nil:
			value = variable.Get("default").Str()
		case !set && len(allowed) > 0:
			value = allowed[0]
		case !set:
			c.Note("the server %s needs a value for %s: set variables.%s, or target", address, name, name)
			return ""
		}
		address = strings.ReplaceAll(address, "{"+name+"}", value)
	}
	return address
}

// base is a base URL made absolute, or "" where there is no host to make it so.
func (c *compiler) base(address string) string {
	whole := c.absolute(address)
	if !document.IsURL(whole) {
		c.Note("the description names no host: set target to the base URL of the API")
		return ""
	}
	if _, err := url.Parse(whole); err != nil {
		c.Note("the server address %q is none: set target to the base URL of the API", whole)
		return ""
	}
	whole, _, _ = strings.Cut(whole, "?")
	whole, _, _ = strings.Cut(whole, "#")
	return strings.TrimRight(whole, "/")
}

// absolute resolves an address against the one that the description was read from.
func (c *compiler) absolute(address string) string {
	if document.IsURL(address) || !document.IsURL(c.document.Location) {
		return address
	}
	base, err := url.Parse(c.document.Location)
	if err != nil {
		return address
	}
	if address == "" { // OpenAPI: without servers it is the root of the host
		address = "/"
	}
	to, err := base.Parse(address)
	if err != nil {
		return address
	}
	return to.String()
}

// originOf is scheme://host of a URL.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
