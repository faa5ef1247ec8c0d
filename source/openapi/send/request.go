package send

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// outgoing is a request ready to be sent, and its body for those who show it.
type outgoing struct {
	req     *http.Request
	payload *payload // nil: no body
}

// request builds the request of a call from its plan: the one place where this is done.
func (v *Invoker) request(ctx context.Context, r *readyPlan, in *twodoor.Invocation) (*outgoing, error) {
	args := readArgs(in.Arguments, r.fixed)
	address, err := r.address(args, in.Operation.Source())
	if err != nil {
		return nil, err
	}
	header, err := r.header(args)
	if err != nil {
		return nil, err
	}
	payload, err := r.payload(args)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if payload != nil {
		body = bytes.NewReader(payload.data)
		header.Set("Content-Type", payload.media)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, body)
	if err != nil {
		return nil, fmt.Errorf("build the request of %s: %w", in.Operation.ID, err)
	}
	if header.Set("User-Agent", v.UserAgent); v.UserAgent == "" {
		header.Set("User-Agent", "twodoor")
	}
	req.Header = header
	return &outgoing{req, payload}, follow(req, in.Continue)
}

// follow points a request at the next page that an earlier answer named.
func follow(req *http.Request, next string) error {
	if next == "" {
		return nil
	}
	to, err := url.Parse(next)
	if err != nil || origin(to) != origin(req.URL) {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "this continuation does not belong to this operation", Hint: "start again from the first page"}
	}
	req.URL = to
	return nil
}

// origin is scheme, host and port, the port of the scheme made explicit.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// address is the URL of a call.
func (r *readyPlan) address(args *callArgs, source string) (string, error) {
	if r.Server == "" {
		return "", &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: source + " has no address: its description names no server",
			Hint: fmt.Sprintf("set sources.%s.target in twodoor.yaml to its base URL", source),
		}
	}
	out := append(make([]byte, 0, 256), r.Server...)
	out, err := r.appendPath(out, args)
	if err != nil {
		return "", err
	}
	return string(r.appendQuery(out, args)), nil
}

// appendPath fills the template in, and refuses values that would lead elsewhere.
func (r *readyPlan) appendPath(out []byte, args *callArgs) ([]byte, error) {
	start, used := len(out), []*plan.Param(nil)
	for _, part := range r.path {
		if part.param != nil {
			before := len(out)
			value := args.take(part.param.Arg)
			out = appendParam(out, part.param, value)
			if len(out) == before || isBlank(value) {
				return nil, misfit(part.param.Arg, "is empty, and the path needs a value here")
			}
			used = append(used, part.param)
			continue
		}
		from := len(out)
		out = append(out, part.text...)
		if cut := bytes.IndexByte(out[from:], '/'); cut >= 0 {
			if err := checkSegment(out[start:from+cut], used); err != nil {
				return nil, err
			}
			used, start = nil, from+bytes.LastIndexByte(out[from:], '/')+1
		}
	}
	return out, checkSegment(out[start:], used)
}

// isBlank reports whether a path value says nothing: the empty text.
func isBlank(value []byte) bool {
	return len(rawjson.Trim(value)) == 0 || string(rawjson.Trim(value)) == `""`
}

// checkSegment refuses . and .. in a part of the path that holds values, also where a far side
// that decodes too early would see them, and empty pieces.
func checkSegment(segment []byte, used []*plan.Param) error {
	if len(used) == 0 {
		return nil
	}
	if len(segment) > 0 && !bytes.ContainsAny(segment, "./%") {
		return nil
	}
	for piece := range strings.SplitSeq(string(segment), "/") {
		plain, err := url.PathUnescape(piece)
		if err != nil || plain == "" {
			return misfit(used[0].Arg, "leaves a part of the path empty")
		}
		for step := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
			if step == "." || step == ".." {
				return misfit(used[len(used)-1].Arg, "holds the path step "+step+", which would lead to another place")
			}
		}
	}
	return nil
}

// appendQuery adds the query string: the constant part of the path key, then the parameters.
func (r *readyPlan) appendQuery(out []byte, args *callArgs) []byte {
	out = append(out, '?')
	start := len(out)
	out = append(out, r.Query...)
	for i := range r.Params {
		p := &r.Params[i]
		if p.In != "query" {
			continue
		}
		value := args.take(p.Arg)
		if p.Style == "deepObject" && p.Media == "" {
			out = appendDeep(out, start, p.Wire(), value, formStyle("", p.Reserved).escape)
			continue
		}
		before := len(out)
		if before > start {
			out = append(out, '&')
		}
		from := len(out)
		out = appendParam(out, p, value)
		if len(out) == from {
			out = out[:before]
		}
	}
	if len(out) == start {
		return out[:start-1]
	}
	return out
}

// appendParam adds a parameter in its style, or as the media type that it is described with.
func appendParam(out []byte, p *plan.Param, value []byte) []byte {
	s := styleOf(p)
	switch {
	case value == nil:
		return out
	case p.Media != "":
		return s.appendPair(out, p.Wire(), scalarText(value))
	case p.Empty && s.named && rawjson.Len(value) == 0 && rawjson.KindOf(value) > rawjson.KindString:
		return s.appendPair(out, p.Wire(), "")
	}
	return s.append(out, p.Wire(), value, p.Explode)
}

// header holds the header parameters, the cookies and what the answer may be.
func (r *readyPlan) header(args *callArgs) (http.Header, error) {
	header := make(http.Header, 8)
	header.Set("Accept", r.accept)
	var cookies []byte
	for i := range r.Params {
		p := &r.Params[i]
		if p.In != "header" && p.In != "cookie" {
			continue
		}
		value := args.take(p.Arg)
		if value == nil {
			continue
		}
		text := appendParam(nil, p, value)
		if bytes.ContainsFunc(text, isControl) {
			return nil, misfit(p.Arg, "holds a line break or another control character, which no header may")
		}
		if p.In == "header" {
			header.Set(p.Wire(), string(text))
			continue
		}
		if len(cookies) > 0 && len(text) > 0 {
			cookies = append(cookies, "; "...)
		}
		cookies = append(cookies, text...)
	}
	if len(cookies) > 0 {
		header.Set("Cookie", string(cookies))
	}
	return header, nil
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
