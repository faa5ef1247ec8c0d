package send

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// answer is an HTTP answer on its way to a value.
type answer struct {
	invoker *Invoker
	in      *twodoor.Invocation
	route   *readyPlan
	req     *http.Request
	resp    *http.Response
	cancel  context.CancelFunc // ends the request, and with it a read that hangs
}

// read turns the answer into a value, or into a fault where the far side refused or failed.
func (a *answer) read(ctx context.Context) (*twodoor.Value, error) {
	body, err := a.unpacked()
	if err != nil {
		return nil, err
	}
	status := a.resp.StatusCode
	switch {
	case status == http.StatusNotModified:
		return &twodoor.Value{Notes: []string{"nothing has changed since the version that the call named"}}, nil
	case status < 200 || status > 299:
		return nil, a.refused(ctx, body)
	case status == http.StatusNoContent || status == http.StatusResetContent || a.req.Method == http.MethodHead:
		return &twodoor.Value{}, nil
	}
	if isStream(a.media()) {
		return a.stream(ctx, body)
	}
	data, err := a.all(ctx, body)
	if err != nil {
		return nil, err
	}
	value, err := a.value(data)
	if err != nil {
		return nil, err
	}
	a.link(value)
	return value, nil
}

func (a *answer) source() string { return a.in.Operation.Source() }

func (a *answer) media() string { return a.resp.Header.Get("Content-Type") }

// unpacked is the body without its content encoding. The transport has unpacked what it asked for.
func (a *answer) unpacked() (io.Reader, error) {
	encoding := strings.ToLower(a.resp.Header.Get("Content-Encoding"))
	switch {
	case a.resp.Uncompressed, encoding == "", encoding == "identity", a.req.Method == http.MethodHead:
		return a.resp.Body, nil
	case encoding == "gzip" || encoding == "x-gzip":
		plain, err := gzip.NewReader(a.resp.Body)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		if err != nil {
			return nil, a.nonsense("says that its answer is packed with gzip, and it is not", nil, err)
		}
		return plain, nil
	}
	return nil, a.nonsense("packed its answer as "+encoding+", which nobody asked for", nil, nil)
}

// all reads the body whole, within the bound.
func (a *answer) all(ctx context.Context, body io.Reader) ([]byte, error) {
	bound := a.invoker.maxAnswer()
	if a.resp.ContentLength > bound {
		return nil, a.tooLarge(bound)
	}
	var buffer bytes.Buffer
	buffer.Grow(int(max(min(a.resp.ContentLength, bound), 0)) + bytes.MinRead)
	_, err := buffer.ReadFrom(io.LimitReader(body, bound+1))
	switch {
	case err != nil:
		return nil, a.broken(ctx, buffer.Len(), err)
	case int64(buffer.Len()) > bound:
		return nil, a.tooLarge(bound)
	}
	return buffer.Bytes(), nil
}

func (a *answer) tooLarge(bound int64) error {
	return &twodoor.Error{
		Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the answer of %s is larger than %s", a.source(), bytesText(bound)),
		Hint: "ask for less: a smaller page, fewer fields, a narrower filter or time range",
	}
}

// bytesText is a number of bytes as people say it.
func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// broken tells a body that ended before its end.
func (a *answer) broken(ctx context.Context, got int, err error) error {
	if ctx.Err() != nil {
		return interrupted(ctx, a.source())
	}
	return a.nonsense(fmt.Sprintf("broke the connection off after %d bytes of its answer", got), nil, err)
}

// nonsense is an answer that cannot be understood.
func (a *answer) nonsense(what string, body []byte, cause error) error {
	return &twodoor.Error{
		Code: twodoor.CodeUpstream, Message: a.source() + " " + what, Cause: cause,
		Hint:     "the call may have been carried out: look before you repeat one that changes something",
		Upstream: &twodoor.UpstreamFault{Status: a.resp.StatusCode, Body: a.excerpt(body)},
	}
}

// value is the body as its content type says, and as it looks where that says nothing or is wrong.
func (a *answer) value(data []byte) (*twodoor.Value, error) {
	media := a.media()
	base := mediatype.Base(media)
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case len(data) == 0 || mediatype.IsJSON(base) && len(trimmed) == 0:
		return &twodoor.Value{}, nil
	case mediatype.IsJSON(base):
		if err := rawjson.Check(trimmed); err != nil {
			return nil, a.nonsense("sent JSON that is none: "+err.Error(), data, err)
		}
		return &twodoor.Value{JSON: trimmed}, nil
	case a.looksLikeJSON(base, trimmed):
		return &twodoor.Value{JSON: trimmed}, nil
	case base == "" && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0:
		return textValue("text/plain", string(data)), nil
	case a.isForeignPage(base):
		return nil, a.nonsense("answered with a web page where its description promises JSON: most often its target is wrong, or a login stands before it", data, nil)
	case mediatype.IsText(base) || mediatype.IsXML(base):
		if text, ok := decodeText(media, data); ok {
			return textValue(base, text), nil
		}
	}
	return &twodoor.Value{Blobs: []twodoor.Blob{a.blob(base, data)}}, nil
}

func textValue(media, text string) *twodoor.Value {
	return &twodoor.Value{JSON: rawjson.Quote(text), MediaType: media}
}

// looksLikeJSON finds JSON under a wrong content type: an object or array where the description
// promises JSON and does not promise that other type.
func (a *answer) looksLikeJSON(base string, trimmed []byte) bool {
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' || a.resp.Header.Get("Content-Disposition") != "" {
		return false
	}
	declared := a.route.Accept
	promised := slices.ContainsFunc(declared, func(media string) bool { return base != "" && mediatype.Base(media) == base })
	return !promised && (len(declared) == 0 || slices.ContainsFunc(declared, mediatype.IsJSON)) && rawjson.Check(trimmed) == nil
}

// isForeignPage tells a web page where the description promises data.
func (a *answer) isForeignPage(base string) bool {
	declared := a.route.Accept
	return base == "text/html" && slices.ContainsFunc(declared, mediatype.IsJSON) && !slices.Contains(declared, base)
}

// decodeText makes UTF-8 of a text, for the charsets that the web still has.
func decodeText(media string, data []byte) (string, bool) {
	_, params, _ := mime.ParseMediaType(media)
	switch strings.ToLower(params["charset"]) {
	case "iso-8859-1", "latin1":
		runes := make([]rune, len(data))
		for i, c := range data {
			runes[i] = rune(c)
		}
		return string(runes), true
	}
	return string(data), utf8.Valid(data)
}

// blob is a binary answer, named where the far side names it. Of a name only its last part counts:
// it may become the name of a file here.
func (a *answer) blob(base string, data []byte) twodoor.Blob {
	if base == "" {
		base = mediatype.Base(http.DetectContentType(data))
	}
	blob := twodoor.Blob{MediaType: base, Data: data}
	_, params, err := mime.ParseMediaType(a.resp.Header.Get("Content-Disposition"))
	if err != nil {
		return blob
	}
	name := path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	if name != "." && name != ".." && name != "/" && !strings.ContainsFunc(name, isControl) {
		blob.Name = name
	}
	return blob
}
