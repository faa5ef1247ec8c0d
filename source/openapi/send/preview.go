package send

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// Preview shows the request that Invoke would send: as a curl command, and as data. Where the Doer
// is a Masker it shows where the key goes, masked.
func (v *Invoker) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	route, err := v.ready(in.Operation)
	if err != nil {
		return nil, err
	}
	out, err := v.request(ctx, route, in)
	if err != nil {
		return nil, err
	}
	if masker, ok := v.Doer.(Masker); ok {
		if out.req, err = masker.Mask(out.req, access(route, in)); err != nil {
			return nil, err
		}
	}
	return &twodoor.Preview{Text: out.curl(), Detail: out.detail()}, nil
}

// curl is the request as a command line.
func (o *outgoing) curl() string {
	lines := []string{"curl " + quoteShell(o.req.URL.String())}
	if method := o.req.Method; method != http.MethodGet || o.payload != nil {
		lines[0] = "curl -X " + method + " " + quoteShell(o.req.URL.String())
	}
	for _, name := range headerNames(o.req.Header) {
		if name == "Content-Type" && o.payload != nil && o.payload.parts != nil {
			continue // curl makes its own boundary
		}
		lines = append(lines, "-H "+quoteShell(name+": "+strings.Join(o.req.Header[name], ", ")))
	}
	return strings.Join(append(lines, o.payload.curl()...), " \\\n  ")
}

func (p *payload) curl() []string {
	switch {
	case p == nil:
		return nil
	case p.parts == nil && p.binary:
		return []string{"--data-binary @- # " + describeBytes(p.media, p.data)}
	case p.parts == nil:
		return []string{"--data-raw " + quoteShell(string(p.data))}
	}
	var lines []string
	for _, part := range p.parts {
		lines = append(lines, part.curl())
	}
	return lines
}

func (p part) curl() string {
	switch {
	case p.file != "":
		return "-F " + quoteShell(p.name+"=@"+p.file+";type="+p.media)
	case p.media != "":
		return "-F " + quoteShell(p.name+"="+string(p.data)+";type="+p.media)
	}
	return "--form-string " + quoteShell(p.name+"="+string(p.data))
}

// detail is the request as {"method","url","headers","body"}: a JSON body as it is, a text as a
// string, bytes described.
func (o *outgoing) detail() json.RawMessage {
	var headers, detail rawjson.Object
	for _, name := range headerNames(o.req.Header) {
		headers.PutString(name, strings.Join(o.req.Header[name], ", "))
	}
	detail.PutString("method", o.req.Method)
	detail.PutString("url", o.req.URL.String())
	detail.Put("headers", headers.Bytes())
	if o.payload != nil {
		detail.Put("body", o.payload.detail())
	}
	return detail.Bytes()
}

func (p *payload) detail() []byte {
	switch {
	case p.parts != nil:
		var parts rawjson.Array
		for _, part := range p.parts {
			parts.Add(part.detail())
		}
		return parts.Bytes()
	case p.binary || !utf8.Valid(p.data):
		return rawjson.Quote(describeBytes(p.media, p.data))
	case mediatype.IsJSON(p.media) && rawjson.Check(p.data) == nil:
		return p.data
	}
	return rawjson.Quote(string(p.data))
}

func (p part) detail() []byte {
	var o rawjson.Object
	o.PutString("name", p.name)
	if p.file != "" {
		o.PutString("file", p.file)
	}
	if p.media != "" {
		o.PutString("type", p.media)
	}
	if p.file != "" || !utf8.Valid(p.data) {
		o.PutInt("bytes", int64(len(p.data)))
	} else {
		o.PutString("value", string(p.data))
	}
	return o.Bytes()
}

func describeBytes(media string, data []byte) string {
	return fmt.Sprintf("%d bytes of %s", len(data), media)
}

func headerNames(header http.Header) []string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// quoteShell makes one word of a text for a POSIX shell.
func quoteShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
