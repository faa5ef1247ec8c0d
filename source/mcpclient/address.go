package mcpclient

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// view is the scheme of views (MCP Apps). Hosts know them by it, and two servers may well have views of
// one address: the source's name goes in front, in the address and in all that points at it.
const view = "ui://"

// addressOf is the address under which we serve a resource. Addresses other than those of views stay.
func addressOf(source, uri string) string {
	if rest, ok := strings.CutPrefix(uri, view); ok {
		return view + source + "/" + rest
	}
	return uri
}

// apart is the address of a resource whose own one is taken by another source.
func apart(source, uri string) string { return source + "+" + uri }

// originOf is the source that an address names, and the address there; false where it names none.
func originOf(address string, served func(source string) bool) (source, uri string, ok bool) {
	if rest, isView := strings.CutPrefix(address, view); isView {
		source, rest, ok = strings.Cut(rest, "/")
		return source, view + rest, ok && served(source)
	}
	source, uri, ok = strings.Cut(address, "+")
	return source, uri, ok && strings.Contains(uri, ":") && served(source)
}

// readdress rewrites the addresses of views in a definition, a result or the contents of a resource.
func readdress(raw json.RawMessage, source string) json.RawMessage {
	if !bytes.Contains(raw, []byte(view)) {
		return raw
	}
	raw = readdressAt(raw, source, "_meta", "ui", "resourceUri")
	raw = readdressAt(raw, source, "_meta", "ui/resourceUri")
	for _, list := range [...]string{"content", "contents", "messages"} {
		raw = readdressEach(raw, source, list)
	}
	return raw
}

func readdressAt(raw json.RawMessage, source string, path ...string) json.RawMessage {
	value, ok := rawjson.GetPath(raw, path...)
	uri, isText := rawjson.String(value)
	if !ok || !isText || !strings.HasPrefix(uri, view) {
		return raw
	}
	return rawjson.SetPath(raw, rawjson.Quote(addressOf(source, uri)), path...)
}

// readdressEach rewrites the addresses in the blocks of a list: links, embedded resources, contents.
func readdressEach(raw json.RawMessage, source, list string) json.RawMessage {
	blocks, ok := rawjson.Get(raw, list)
	if !ok || !bytes.Contains(blocks, []byte(view)) {
		return raw
	}
	var out rawjson.Array
	for block := range rawjson.Elements(blocks) {
		for _, path := range [...][]string{{"uri"}, {"resource", "uri"}, {"content", "uri"}, {"content", "resource", "uri"}} {
			block = readdressAt(block, source, path...)
		}
		out.Add(block)
	}
	return rawjson.Set(raw, list, out.Bytes())
}
