package send

import (
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// link keeps where the next page is, if it is at the same origin: as the Link header says (RFC 8288),
// or a field of the answer. Keys are taken out of its query: whoever sends the request puts them on again.
func (a *answer) link(value *twodoor.Value) {
	next := nextLink(a.resp.Header.Values("Link"))
	if page := a.in.Operation.Page; next == "" && page != nil && page.Style == twodoor.PageLink && page.Next != "" {
		raw, _ := rawjson.GetPath(value.JSON, strings.Split(page.Next, ".")...)
		next, _ = rawjson.String(raw)
	}
	if next == "" {
		return
	}
	here := a.req.URL
	if a.resp.Request != nil && a.resp.Request.URL != nil {
		here = a.resp.Request.URL
	}
	to, err := here.Parse(next)
	if err != nil {
		return
	}
	if origin(to) != origin(here) {
		value.Notes = append(value.Notes, "the next page is at another place, "+to.Host+", and is not followed")
		return
	}
	to.RawQuery = withoutKeys(to.RawQuery, a.route)
	value.Continue = to.String()
}

func withoutKeys(query string, route *readyPlan) string {
	if query == "" {
		return ""
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		return err == nil && isKey(route, plain)
	})
	return strings.Join(kept, "&")
}

func isKey(route *readyPlan, name string) bool {
	for _, schemes := range route.Need {
		for _, scheme := range schemes {
			if scheme.In == "query" && scheme.Param == name {
				return true
			}
		}
	}
	return false
}

// nextLink is the target of the link whose relations hold "next".
func nextLink(headers []string) string {
	for _, header := range headers {
		for header != "" {
			_, rest, found := strings.Cut(header, "<")
			if !found {
				break
			}
			target, rest, found := strings.Cut(rest, ">")
			if !found {
				break
			}
			params := rest
			if at := strings.Index(rest, "<"); at >= 0 {
				params = rest[:at]
			}
			if hasNext(params) {
				return strings.TrimSpace(target)
			}
			header = rest[len(params):]
		}
	}
	return ""
}

func hasNext(params string) bool {
	for param := range strings.FieldsFuncSeq(params, func(r rune) bool { return r == ';' || r == ',' }) {
		key, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(key), "rel") &&
			slices.Contains(strings.Fields(strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`))), "next") {
			return true
		}
	}
	return false
}
