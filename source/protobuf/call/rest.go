package call

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"connectrpc.com/connect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// overHTTP makes a call by a google.api.http rule.
func (c *calling) overHTTP(ctx context.Context) (*twodoor.Value, error) {
	req, _, err := c.httpRequest(ctx)
	if err != nil {
		return nil, err
	}
	trip := &trip{}
	resp, err := c.invoker.Doer.Do(req, c.access())
	if err != nil {
		return nil, c.fault(ctx, err, trip)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.invoker.maxAnswer()+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, c.interrupted(ctx)
	case err != nil:
		return nil, c.nonsense(fmt.Sprintf("broke the connection off after %d bytes of its answer", len(data)), nil, err)
	case int64(len(data)) > c.invoker.maxAnswer():
		return nil, c.tooLarge()
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, c.httpRefusal(resp, data)
	}
	return c.httpAnswer(resp, data)
}

// httpAnswer is the body as a value.
func (c *calling) httpAnswer(resp *http.Response, data []byte) (*twodoor.Value, error) {
	if c.method.Out == httpBody {
		return valueOf(resp.Header.Get("Content-Type"), data, nil), nil
	}
	text := rawjson.Trim(data)
	if len(text) == 0 {
		text = []byte("{}")
	}
	if err := rawjson.Check(text); err != nil {
		return nil, c.nonsense("sent JSON that is none: "+err.Error(), data, err)
	}
	if rule := c.rule(nil); rule.Resp != "" {
		var whole rawjson.Object
		whole.Put(rule.Resp, text)
		text = whole.Bytes()
	}
	if c.method.Stream {
		return &twodoor.Value{JSON: text}, nil
	}
	text = c.outward(text)
	for _, name := range c.method.Lists {
		if _, ok := rawjson.Get(text, name); !ok && rawjson.KindOf(text) == rawjson.KindObject {
			text = rawjson.Set(text, name, []byte("[]"))
		}
	}
	return &twodoor.Value{JSON: text}, nil
}

// rule is the first HTTP rule whose path the arguments can fill.
func (c *calling) rule(args []byte) *plan.HTTP {
	for i := range c.method.HTTP {
		rule := &c.method.HTTP[i]
		filled := true
		for _, part := range rule.Path {
			if part.Field == nil {
				continue
			}
			value, ok := rawjson.GetPath(args, part.Field...)
			filled = filled && ok && fits(part.Match, plainText(value))
		}
		if filled {
			return rule
		}
	}
	return &c.method.HTTP[0]
}

// httpRequest builds the request of a call, and its body for those who show it.
func (c *calling) httpRequest(ctx context.Context) (*http.Request, []byte, error) {
	args, err := c.inputJSON()
	if err != nil {
		return nil, nil, err
	}
	rule := c.rule(args)
	address, args, err := c.path(rule, args)
	if err != nil {
		return nil, nil, err
	}
	body := bodyOf(rule, &args)
	if rule.Body != "*" {
		query := url.Values{}
		addQuery(query, "", args, 0)
		if len(query) > 0 {
			address += "?" + query.Encode()
		}
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, rule.Verb, address, reader)
	if err != nil {
		return nil, nil, fmt.Errorf("build the request of %s: %w", c.in.Operation.ID, err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.invoker.agent())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, body, nil
}

// path fills a path in, and takes what it used from the arguments.
func (c *calling) path(rule *plan.HTTP, args []byte) (string, []byte, error) {
	var out strings.Builder
	out.WriteString(c.method.Server)
	rest := args
	for _, part := range rule.Path {
		if part.Field == nil {
			out.WriteString(part.Text)
			continue
		}
		name := strings.Join(part.Field, ".")
		value, _ := rawjson.GetPath(args, part.Field...)
		text := plainText(value)
		if text == "" {
			return "", nil, misfit(name, "is empty, and the path needs a value here")
		}
		if !fits(part.Match, text) {
			return "", nil, misfit(name, fmt.Sprintf("is %q, and has to be like %s", text, wordOr(part.Match, "one segment without a slash")))
		}
		for i, segment := range strings.Split(text, "/") {
			if i > 0 {
				out.WriteByte('/')
			}
			out.WriteString(url.PathEscape(segment))
		}
		rest = without(rest, part.Field)
	}
	return out.String(), rest, nil
}

func wordOr(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// fits reports whether a value has the form of a pattern: * is one segment, ** any number. No segment
// leads elsewhere.
func fits(pattern, text string) bool {
	if pattern == "" {
		pattern = "*"
	}
	segments := strings.Split(text, "/")
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	for i, want := range strings.Split(pattern, "/") {
		switch {
		case want == "**":
			return len(segments) >= i
		case i >= len(segments), want != "*" && want != segments[i]:
			return false
		}
	}
	return len(segments) == strings.Count(pattern, "/")+1
}

func misfit(path, problem string) error {
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: path + " " + problem, Fields: []twodoor.Problem{{Path: path, Problem: problem}}}
}

// without is an object without the member at a path.
func without(raw []byte, path []string) []byte {
	if len(path) == 1 {
		return rawjson.Delete(raw, path[0])
	}
	inner, ok := rawjson.Get(raw, path[0])
	if !ok {
		return raw
	}
	return rawjson.Set(raw, path[0], without(inner, path[1:]))
}

// bodyOf is the body that a rule asks for; it leaves the arguments that go into the query.
func bodyOf(rule *plan.HTTP, args *[]byte) []byte {
	switch rule.Body {
	case "":
		return nil
	case "*":
		return *args
	}
	body, ok := rawjson.Get(*args, rule.Body)
	if !ok {
		return []byte("{}")
	}
	*args = rawjson.Delete(*args, rule.Body)
	return body
}

// addQuery writes fields as query parameters: nested ones with dots, lists by repeating.
func addQuery(query url.Values, name string, raw []byte, depth int) {
	switch rawjson.KindOf(raw) {
	case rawjson.KindObject:
		for key, value := range rawjson.Members(raw) {
			if depth < 20 {
				addQuery(query, strings.TrimPrefix(name+"."+key, "."), value, depth+1)
			}
		}
	case rawjson.KindArray:
		for value := range rawjson.Elements(raw) {
			query.Add(name, plainText(value))
		}
	case rawjson.KindNull:
	default:
		query.Add(name, plainText(raw))
	}
}

// plainText is a value as it stands in a URL.
func plainText(raw []byte) string {
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	return string(rawjson.Trim(raw))
}

// httpRefusal is an answer that is no success: a google.rpc.Status under "error" or at the top, else
// what the status says.
func (c *calling) httpRefusal(resp *http.Response, data []byte) error {
	status, ok := rawjson.Get(data, "error")
	if !ok || rawjson.KindOf(status) != rawjson.KindObject {
		status = data
	}
	code := codeOf(resp.StatusCode)
	if name := textOf(status, "status"); name != "" {
		var named connect.Code
		if named.UnmarshalText([]byte(strings.ToLower(name))) == nil {
			code = named
		}
	}
	text := textOf(status, "message")
	if text == "" {
		text = http.StatusText(resp.StatusCode)
	}
	told := connect.NewError(code, fmt.Errorf("%s", text))
	for name, values := range resp.Header {
		told.Meta()[name] = values
	}
	fault := c.refusedWith(told, &trip{status: resp.StatusCode}, c.httpDetails(status))
	if fault.Upstream != nil && rawjson.Check(data) == nil {
		fault.Upstream.Body = c.excerpt(data)
	}
	return fault
}

func (c *calling) httpDetails(status []byte) *saying {
	s := &saying{calling: c}
	details, _ := rawjson.Get(status, "details")
	for detail := range rawjson.Elements(details) {
		url := textOf(detail, "@type")
		s.read(url[strings.LastIndexByte(url, '/')+1:], detail)
	}
	return s
}

// codeOf is what a status means without a word from the far side (google.rpc.Code).
func codeOf(status int) connect.Code {
	switch status {
	case http.StatusBadRequest:
		return connect.CodeInvalidArgument
	case http.StatusUnauthorized:
		return connect.CodeUnauthenticated
	case http.StatusForbidden:
		return connect.CodePermissionDenied
	case http.StatusNotFound:
		return connect.CodeNotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return connect.CodeAborted
	case http.StatusTooManyRequests:
		return connect.CodeResourceExhausted
	case http.StatusNotImplemented, http.StatusMethodNotAllowed:
		return connect.CodeUnimplemented
	case http.StatusServiceUnavailable:
		return connect.CodeUnavailable
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return connect.CodeDeadlineExceeded
	}
	if status >= 400 && status < 500 {
		return connect.CodeInvalidArgument
	}
	return connect.CodeUnknown
}
