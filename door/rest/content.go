package rest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// content are the blocks of an answer, as MCP has them, and the text in them as one.
type content struct {
	blocks rawjson.Array
	text   []string
}

func (c *content) addText(text string) {
	c.text = append(c.text, text)
	var block rawjson.Object
	block.PutString("type", "text")
	block.PutString("text", text)
	c.blocks.Add(block.Bytes())
}

// contentOf tells a result: the value, the binary parts, and last what the agent must know beside it.
func (d *Door) contentOf(result *twodoor.Result) *content {
	if len(result.Raw) > 0 {
		return rawContent(result.Raw)
	}
	c := &content{}
	if text, ok := textOf(result); ok {
		c.addText(text)
	}
	for i := range result.Blobs {
		c.addBlob(result, i)
	}
	if tail := result.Aside(d.Engine.Catalog().ToolName); tail != "" {
		c.addText(tail)
	}
	return c
}

// rawContent are the blocks of a CallToolResult as its server wrote them.
func rawContent(raw []byte) *content {
	c := &content{}
	blocks, _ := rawjson.Get(raw, "content")
	for block := range rawjson.Elements(blocks) {
		c.blocks.Add(rawjson.Compact(nil, block))
		text, isText := rawjson.Get(block, "text")
		kind, _ := rawjson.Get(block, "type")
		if words, _ := rawjson.String(text); isText && string(kind) == `"text"` {
			c.text = append(c.text, words)
			continue
		}
		c.text = append(c.text, "["+strings.Trim(string(kind), `"`)+", in content]")
	}
	return c
}

// textOf is the value as text: text as it is, everything else as compact JSON.
func textOf(result *twodoor.Result) (string, bool) {
	value := rawjson.Trim(result.Value)
	switch {
	case result.Preview != nil:
		return result.Preview.Text, true
	case len(value) == 0:
		return twodoor.NoContent, len(result.Blobs) == 0
	case strings.HasPrefix(result.MediaType, "text/") && rawjson.KindOf(value) == rawjson.KindString:
		return rawjson.String(value)
	}
	return string(rawjson.Compact(nil, value)), true
}

// addBlob adds binary content in the kind of block that hosts show best. Clients that read text alone
// are told that there is something.
func (c *content) addBlob(result *twodoor.Result, at int) {
	blob := &result.Blobs[at]
	data := base64.StdEncoding.EncodeToString(blob.Data)
	c.text = append(c.text, fmt.Sprintf("[%s, %d bytes, in content]", strings.TrimSpace(blob.MediaType+" "+blob.Name), len(blob.Data)))
	kind, _, _ := strings.Cut(blob.MediaType, "/")
	var block, resource rawjson.Object
	if blob.URI == "" && (kind == "image" || kind == "audio") {
		block.PutString("type", kind)
		block.PutString("data", data)
		block.PutString("mimeType", blob.MediaType)
		c.blocks.Add(block.Bytes())
		return
	}
	resource.PutString("uri", orElse(blob.URI, "twodoor://answer/"+result.CallID+"/"+orElse(blob.Name, strconv.Itoa(at))))
	if blob.MediaType != "" {
		resource.PutString("mimeType", blob.MediaType)
	}
	if blob.IsText() {
		resource.PutString("text", string(blob.Data))
	} else {
		resource.PutString("blob", data)
	}
	block.PutString("type", "resource")
	block.Put("resource", resource.Bytes())
	c.blocks.Add(block.Bytes())
}

// structured is the value as an object: wrapped where it is none.
func structured(value []byte) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindInvalid:
		return nil
	case rawjson.KindObject:
		return rawjson.Compact(nil, value)
	}
	return append(rawjson.Compact([]byte(`{"value":`), value), '}')
}

// shorten cuts a text at a rune before the bound.
func shorten(text string, bound int) string {
	if len(text) <= bound {
		return text
	}
	return strings.ToValidUTF8(text[:bound], "") + "…"
}

// marshal writes the root's own wire structs. What they hold raw is valid JSON, so it cannot fail.
func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}
