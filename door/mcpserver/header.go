package mcpserver

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Headers of Streamable HTTP, in canonical form.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerSession = "Mcp-Session-Id"
)

// mirror is an argument that clients repeat in a header (x-mcp-header in its schema).
type mirror struct {
	path   []string
	header string // canonical
}

// agree checks that the headers of a modern request say what its body says. The body is the truth:
// whatever stands between may have read the headers only (2026-07-28, SEP-2243).
func (d *Door) agree(h http.Header, m *message) *fault {
	version, _ := rawjson.String(m.params.version)
	if f := same(h, headerVersion, version); f != nil {
		return f
	}
	if f := same(h, headerMethod, m.method); f != nil {
		return f
	}
	named := m.params.name
	switch m.method {
	case "tools/call", "prompts/get":
	case "resources/read":
		named = m.params.uri
	default:
		return nil
	}
	name, ok := rawjson.String(named)
	if !ok {
		return nil // answered as what it is: params without a name
	}
	if f := sameValue(h, headerName, name); f != nil || m.method != "tools/call" {
		return f
	}
	op, _, _ := d.Engine.Catalog().Find(name)
	if op == nil {
		return nil
	}
	return agreeParams(h, d.mirrors(op), m.params.arguments)
}

// same checks a header that is plain text.
func same(h http.Header, header, value string) *fault {
	got, sent := h[header]
	switch {
	case !sent:
		return mismatch("the header " + header + " is missing: send " + value)
	case len(got) > 1 || got[0] != value:
		return mismatch("the header " + header + " is " + strings.Join(got, ", ") + ", but the body says " + value)
	}
	return nil
}

// sameValue checks a header that may be encoded.
func sameValue(h http.Header, header, value string) *fault {
	got, sent := h[header]
	if sent && len(got) == 1 && got[0] == value {
		return nil
	}
	if !sent {
		return mismatch("the header " + header + " is missing: send " + value)
	}
	text, ok := decodeHeader(got[0])
	if len(got) > 1 || !ok || text != value {
		return mismatch("the header " + header + " is " + strings.Join(got, ", ") + ", but the body says " + value)
	}
	return nil
}

func mismatch(text string) *fault { return &fault{code: codeHeaderMismatch, message: text} }

// decodeHeader undoes the encoding of values that a header cannot hold as they are. A value without
// both of its marks is not encoded.
func decodeHeader(text string) (string, bool) {
	const head, tail = "=?base64?", "?="
	if len(text) < len(head)+len(tail) || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
		return text, true
	}
	raw, err := base64.StdEncoding.DecodeString(text[len(head) : len(text)-len(tail)])
	return string(raw), err == nil
}

func agreeParams(h http.Header, mirrors []mirror, arguments []byte) *fault {
	if len(mirrors) == 0 {
		return nil
	}
	if text, ok := rawjson.String(arguments); ok { // some hosts send the object as a string
		arguments = []byte(text)
	}
	for _, m := range mirrors {
		if f := m.agree(h, arguments); f != nil {
			return f
		}
	}
	return nil
}

func (m *mirror) agree(h http.Header, arguments []byte) *fault {
	got, sent := h[m.header]
	value, has := rawjson.GetPath(arguments, m.path...)
	if has = has && rawjson.KindOf(value) != rawjson.KindNull; !has && !sent {
		return nil
	}
	where := strings.Join(m.path, ".")
	switch {
	case !has:
		return mismatch("the header " + m.header + " is sent, but the argument " + where + " is not")
	case !sent:
		return mismatch("the header " + m.header + " is missing: it repeats the argument " + where)
	}
	text, ok := decodeHeader(got[0])
	if len(got) > 1 || !ok || !sameScalar(text, value) {
		return mismatch("the header " + m.header + " differs from the argument " + where)
	}
	return nil
}

// sameScalar compares integers as numbers, all else as text.
func sameScalar(text string, value []byte) bool {
	switch rawjson.KindOf(value) {
	case rawjson.KindString:
		want, _ := rawjson.String(value)
		return text == want
	case rawjson.KindBool:
		return text == string(value)
	case rawjson.KindNumber:
		return text == string(value) || sameNumber(text, string(value))
	}
	return false
}

// sameNumber compares within the integers that a float holds exactly; mirrored ones must be among
// them.
func sameNumber(a, b string) bool {
	const safe = 1<<53 - 1
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y && x >= -safe && x <= safe
}

// mirrors lists the arguments of an operation that are repeated in headers, found once a catalog.
func (d *Door) mirrors(op *twodoor.Operation) []mirror {
	s := d.show()
	if known, ok := s.mirrored.Load(op); ok {
		return known.([]mirror)
	}
	var found []mirror
	if raw := inputSchema(op); strings.Contains(string(raw), `"x-mcp-header"`) {
		found = findMirrors(raw, nil)
	}
	s.mirrored.Store(op, found)
	return found
}

// findMirrors follows properties only: a header stands for an argument at a fixed place.
func findMirrors(schema []byte, path []string) (found []mirror) {
	properties, _ := rawjson.Get(schema, "properties")
	for name, sub := range rawjson.Members(properties) {
		at := append(path[:len(path):len(path)], name)
		raw, _ := rawjson.Get(sub, "x-mcp-header")
		if header, _ := rawjson.String(raw); header != "" {
			found = append(found, mirror{path: at, header: http.CanonicalHeaderKey(headerParam + header)})
		}
		found = append(found, findMirrors(sub, at)...)
	}
	return found
}
