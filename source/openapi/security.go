package openapi

import (
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// security reads what a call has to present: any one of the alternatives, all of its schemes. An
// operation's own word replaces the document's, an empty list included (OpenAPI 3.1 "Security
// Requirement Object").
func (c *compiler) security() [][]twodoor.Scheme {
	given := c.found.op.Node.Get("security")
	if given == nil {
		given = c.document.Root.Get("security")
	}
	if !given.Is(rawjson.KindArray) {
		return nil
	}
	need := make([][]twodoor.Scheme, 0, given.Len())
	for alternative := range given.Elements() {
		together := []twodoor.Scheme{}
		for name, scopes := range alternative.Members() {
			together = append(together, c.scheme(name, scopes.Strings()))
		}
		need = append(need, together)
	}
	if len(need) == 0 {
		return [][]twodoor.Scheme{{}}
	}
	return need
}

// scheme is a security scheme by its name; one that is not described keeps its name alone.
func (c *compiler) scheme(name string, scopes []string) twodoor.Scheme {
	s := twodoor.Scheme{Name: name, Scopes: scopes}
	all := c.document.Place(c.document.Root.Path("components", "securitySchemes"))
	if c.swagger {
		all = c.document.Place(c.document.Root.Get("securityDefinitions"))
	}
	p, err := c.Resolve(all.Get(name))
	if err != nil || p.Node == nil {
		c.Note("%s: the security scheme %q is not described", c.at(), name)
		return s
	}
	n := p.Node
	s.Type, s.In, s.Param, s.Scheme = n.Get("type").Str(), n.Get("in").Str(), n.Get("name").Str(), n.Get("scheme").Str()
	if s.Type == "basic" { // Swagger 2
		s.Type, s.Scheme = "http", "basic"
	}
	if token := tokenURL(n); token != "" {
		s.TokenURL = c.absolute(token)
	}
	return s
}

// tokenURL is where client credentials are traded for a token.
func tokenURL(n *rawjson.Node) string {
	if flow := n.Get("flow").Str(); flow == "application" { // Swagger 2
		return n.Get("tokenUrl").Str()
	}
	return n.Path("flows", "clientCredentials", "tokenUrl").Str()
}
