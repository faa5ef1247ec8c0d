package outbound

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// choose finds the keys of a call: those of the first alternative whose schemes all have one.
// Alternatives without a key come last.
func (c *Client) choose(access twodoor.Access, rule Rule) ([]key, error) {
	usual, err := c.usual(access, rule)
	if err != nil || len(access.Need) == 0 {
		return usual, err
	}
	fitting, missing := false, []twodoor.Scheme(nil)
	for _, schemes := range access.Need {
		if len(schemes) == 0 {
			continue
		}
		keys, lacking, err := c.serve(access.Source, rule, usual, schemes)
		if err != nil || len(lacking) == 0 {
			return keys, err
		}
		fitting = fitting || len(keys) > 0
		if missing == nil || len(lacking) < len(missing) {
			missing = lacking
		}
	}
	switch {
	case len(usual) > 0 && !fitting && len(rule.ByScheme) == 0:
		return usual, nil // the description does not know this way, but whoever configured it does
	case missing == nil || !rule.isSet() || slices.ContainsFunc(access.Need, func(schemes []twodoor.Scheme) bool { return len(schemes) == 0 }):
		return nil, nil
	}
	return nil, lacks(access.Source, missing)
}

// usual is the key of the account or of the source, as it goes where no scheme is declared; none
// where the source has no connection for all.
func (c *Client) usual(access twodoor.Access, rule Rule) ([]key, error) {
	name := rule.Connection
	if access.Account != "" {
		found, ok := rule.Accounts[access.Account]
		if !ok {
			hint := "it has none: leave the account out"
			if len(rule.Accounts) > 0 {
				hint = "its accounts: " + strings.Join(slices.Sorted(maps.Keys(rule.Accounts)), ", ")
			}
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s has no account %q", access.Source, access.Account), Hint: hint}
		}
		name = found
	}
	if name == "" {
		return nil, nil
	}
	k, err := c.key(access.Source, rule, name)
	if err != nil {
		return nil, err
	}
	return []key{k}, nil
}

func (c *Client) key(source string, rule Rule, name string) (key, error) {
	conn, ok := c.Connections[name]
	if !ok {
		return key{}, &twodoor.Error{
			Code: twodoor.CodeUpstreamAuth, Message: fmt.Sprintf("the source %s names the connection %s, and there is none", source, name),
			Hint: fmt.Sprintf("add connections.%s to twodoor.yaml", name),
		}
	}
	return key{name: name, conn: conn, rule: rule}, nil
}

// serve finds a key for each of the schemes, and tells which have none.
func (c *Client) serve(source string, rule Rule, usual []key, schemes []twodoor.Scheme) (keys []key, lacking []twodoor.Scheme, err error) {
	for _, scheme := range schemes {
		name, named := rule.ByScheme[scheme.Name]
		switch {
		case named:
			k, err := c.key(source, rule, name)
			if err != nil {
				return nil, nil, err
			}
			if !k.conn.fits(scheme) {
				return nil, nil, k.unusable(fmt.Errorf("it is of the type %s, and the scheme %s wants %s", k.conn.Type, scheme.Name, describe(scheme)))
			}
			k.scheme = scheme
			keys = append(keys, k)
		case len(usual) > 0 && usual[0].conn.fits(scheme):
			k := usual[0]
			k.scheme = scheme
			keys = append(keys, k)
		default:
			lacking = append(lacking, scheme)
		}
	}
	return keys, lacking, nil
}

// lacks tells which keys are missing, and where to set them.
func lacks(source string, missing []twodoor.Scheme) error {
	var what, where []string
	for _, scheme := range missing {
		what = append(what, scheme.Name+" ("+describe(scheme)+")")
		where = append(where, fmt.Sprintf("sources.%s.connections.%s", source, scheme.Name))
	}
	return &twodoor.Error{
		Code:    twodoor.CodeUpstreamAuth,
		Message: fmt.Sprintf("%s wants a key that is not configured: %s", source, strings.Join(what, " and ")),
		Hint:    fmt.Sprintf("set %s to a connection in twodoor.yaml", strings.Join(where, " and ")),
	}
}

// describe is what a scheme wants, in words.
func describe(scheme twodoor.Scheme) string {
	switch scheme.Type {
	case "apiKey":
		return fmt.Sprintf("an api-key in the %s %s", scheme.In, scheme.Param)
	case "http":
		return "http " + scheme.Scheme
	}
	return scheme.Type
}

// Mask is a copy of a request that shows with *** where its keys would go. Nothing is looked up, and
// a key that is missing is not shown.
func (c *Client) Mask(req *http.Request, access twodoor.Access) (*http.Request, error) {
	out, err := copyOf(req)
	if err != nil {
		return nil, err
	}
	rule := c.Sources[access.Source]
	if !rule.owns(req.URL) {
		return out, nil
	}
	keys, err := c.choose(access, rule)
	if fault := twodoor.AsError(err); fault != nil && fault.Code != twodoor.CodeUpstreamAuth {
		return nil, err
	}
	for _, k := range keys {
		if _, name := k.place(); k.conn.Type != APIKey || name != "" {
			k.put(out, masked(k.conn))
		}
	}
	return out, nil
}
