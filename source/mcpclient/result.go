package mcpclient

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Open turns a CallToolResult into the value that it holds, for whoever does not speak MCP: the
// structured content where there is some, else its text, read as JSON where it is an object or an
// array. Images, sounds and embedded resources become blobs. A result with isError is a fault.
func Open(result json.RawMessage) (*twodoor.Value, error) {
	b := blocks{}
	content, _ := rawjson.Get(result, "content")
	for block := range rawjson.Elements(content) {
		b.add(block)
	}
	structured, has := rawjson.Get(result, "structuredContent")
	if flag, _ := rawjson.Get(result, "isError"); string(flag) == "true" {
		return nil, b.fault(structured)
	}
	value := &twodoor.Value{Blobs: b.blobs}
	switch {
	case has && rawjson.KindOf(structured) != rawjson.KindNull:
		value.JSON = structured
	case b.others || len(b.values) > 1 && b.allJSON:
		value.JSON = b.list()
	case len(b.values) == 1 && b.allJSON:
		value.JSON = b.values[0]
	case len(b.values) > 0:
		value.JSON, value.MediaType = rawjson.Quote(strings.Join(b.texts, "\n")), "text/plain"
	}
	return value, nil
}

// blocks is the content of a result, sorted.
type blocks struct {
	values  []json.RawMessage // what each block says: JSON, or a text
	texts   []string
	blobs   []twodoor.Blob
	allJSON bool // every text so far is an object or an array
	others  bool // there are blocks of other kinds: links, and what later revisions bring
}

func (b *blocks) add(block json.RawMessage) {
	kind, _ := rawjson.Get(block, "type")
	switch name, _ := rawjson.String(kind); name {
	case "text":
		raw, _ := rawjson.Get(block, "text")
		text, _ := rawjson.String(raw)
		b.text(text, raw)
	case "image", "audio":
		data, mime := field(block, "data"), field(block, "mimeType")
		b.blob(block, twodoor.Blob{MediaType: mime}, data)
	case "resource":
		resource, _ := rawjson.Get(block, "resource")
		blob := twodoor.Blob{URI: field(resource, "uri"), MediaType: field(resource, "mimeType")}
		if text, ok := rawjson.Get(resource, "text"); ok {
			words, _ := rawjson.String(text)
			blob.Data = []byte(words)
			b.blobs = append(b.blobs, blob)
			return
		}
		b.blob(block, blob, field(resource, "blob"))
	default:
		b.values, b.others = append(b.values, block), true
	}
}

func field(object json.RawMessage, key string) string {
	raw, _ := rawjson.Get(object, key)
	text, _ := rawjson.String(raw)
	return text
}

func (b *blocks) text(text string, raw json.RawMessage) {
	isJSON := false
	if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') {
		if inner := []byte(trimmed); rawjson.Check(inner) == nil {
			isJSON, raw = true, inner
		}
	}
	b.allJSON = isJSON && (b.allJSON || len(b.values) == 0)
	b.values, b.texts = append(b.values, raw), append(b.texts, text)
}

// blob decodes binary content. What is no base64 stays as the block that it is.
func (b *blocks) blob(block json.RawMessage, blob twodoor.Blob, data string) {
	var err error
	if blob.Data, err = base64.StdEncoding.DecodeString(data); err != nil {
		b.values, b.others = append(b.values, block), true
		return
	}
	b.blobs = append(b.blobs, blob)
}

func (b *blocks) list() json.RawMessage {
	var list rawjson.Array
	for _, value := range b.values {
		list.Add(value)
	}
	return list.Bytes()
}

// fault is what a tool says went wrong.
func (b *blocks) fault(structured json.RawMessage) *twodoor.Error {
	said := strings.TrimSpace(strings.Join(b.texts, "\n"))
	body := structured
	if len(body) == 0 || len(body) > maxBody {
		body = rawjson.Quote(shorten(said, maxBody))
	}
	if said == "" {
		said = "the tool failed and did not say why"
	}
	return &twodoor.Error{Code: twodoor.CodeUpstream, Message: shorten(said, maxBody), Upstream: &twodoor.UpstreamFault{Body: body}}
}
