package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Headers of Streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerSession = "Mcp-Session-Id"
	headerLast    = "Last-Event-Id"
)

// Mirror is an argument that a request repeats in a header, for whoever stands between and reads
// headers only (MCP 2026-07-28, "x-mcp-header").
type Mirror struct {
	Path   []string // of properties
	Header string   // canonical
}

// Mirrors lists what a tool's input schema wants repeated. An annotation that breaks the rules is
// an error: the tool must not be offered then.
func Mirrors(schema []byte) ([]Mirror, error) {
	if !strings.Contains(string(schema), `"x-mcp-header"`) {
		return nil, nil
	}
	var found []Mirror
	seen := map[string]bool{}
	err := walkMirrors(schema, nil, true, func(m Mirror) error {
		if seen[m.Header] {
			return fmt.Errorf("two arguments want the header %s", m.Header)
		}
		seen[m.Header] = true
		found = append(found, m)
		return nil
	})
	return found, err
}

// walkMirrors follows a schema. reached says whether properties alone have led there: an annotation
// anywhere else stands for no fixed argument.
func walkMirrors(schema []byte, path []string, reached bool, each func(Mirror) error) error {
	if name, ok := rawjson.Get(schema, "x-mcp-header"); ok {
		m, err := mirrorOf(schema, name, path, reached)
		if err != nil {
			return err
		}
		if err := each(m); err != nil {
			return err
		}
	}
	for keyword, sub := range rawjson.Members(schema) {
		if keyword == "properties" {
			for name, property := range rawjson.Members(sub) {
				if err := walkMirrors(property, append(path[:len(path):len(path)], name), reached, each); err != nil {
					return err
				}
			}
			continue
		}
		if err := walkOthers(keyword, sub, path, each); err != nil {
			return err
		}
	}
	return nil
}

// walkOthers looks through the keywords that hold schemas besides properties.
func walkOthers(keyword string, sub []byte, path []string, each func(Mirror) error) error {
	visit := func(s []byte) error { return walkMirrors(s, path, false, each) }
	switch keyword {
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return visit(sub)
	case "oneOf", "anyOf", "allOf", "prefixItems":
		for s := range rawjson.Elements(sub) {
			if err := visit(s); err != nil {
				return err
			}
		}
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		for _, s := range rawjson.Members(sub) {
			if err := visit(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func mirrorOf(schema, name []byte, path []string, reached bool) (Mirror, error) {
	where := strings.Join(path, ".")
	header, ok := rawjson.String(name)
	kind, _ := rawjson.Get(schema, "type")
	scalar, _ := rawjson.String(kind)
	switch {
	case !ok || !isToken(header):
		return Mirror{}, fmt.Errorf("the x-mcp-header of %q is no header name", where)
	case !reached || len(path) == 0:
		return Mirror{}, fmt.Errorf("the x-mcp-header %q is not reached by properties alone", header)
	case scalar != "string" && scalar != "integer" && scalar != "boolean":
		return Mirror{}, fmt.Errorf("the x-mcp-header of %q is on no string, integer or boolean", where)
	}
	return Mirror{path, http.CanonicalHeaderKey(headerParam + header)}, nil
}

// isToken is the rule for names of headers (RFC 9110 §5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return text != ""
}

var errUnsafe = errors.New("an integer beyond 2^53 cannot be repeated in a header")

// MirrorHeaders are the headers that repeat the arguments. Absent ones and null have none.
func MirrorHeaders(mirrors []Mirror, arguments []byte) (http.Header, error) {
	headers := http.Header{}
	for _, m := range mirrors {
		value, ok := rawjson.GetPath(arguments, m.Path...)
		if !ok {
			continue
		}
		switch rawjson.KindOf(value) {
		case rawjson.KindString:
			text, _ := rawjson.String(value)
			headers[m.Header] = []string{encodeHeader(text)}
		case rawjson.KindBool:
			headers[m.Header] = []string{string(value)}
		case rawjson.KindNumber:
			const safe = 1<<53 - 1
			n, err := strconv.ParseInt(string(value), 10, 64)
			if err != nil || n > safe || n < -safe {
				return nil, fmt.Errorf("%s: %w", strings.Join(m.Path, "."), errUnsafe)
			}
			headers[m.Header] = []string{string(value)}
		}
	}
	return headers, nil
}

// encodeHeader writes a value that a header cannot hold as it is in base64 between two marks. So
// does a value that only looks encoded.
func encodeHeader(text string) string {
	const head, tail = "=?base64?", "?="
	plain := text == strings.Trim(text, " \t")
	for i := range len(text) {
		plain = plain && (text[i] >= ' ' && text[i] <= '~' || text[i] == '\t')
	}
	if plain && !(strings.HasPrefix(text, head) && strings.HasSuffix(text, tail)) {
		return text
	}
	return head + base64.StdEncoding.EncodeToString([]byte(text)) + tail
}
