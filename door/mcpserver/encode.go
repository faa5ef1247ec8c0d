package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// appendResult appends a CallToolResult. serverInfo is nil for the legacy revisions, which know
// neither it nor resultType.
func (d *Door) appendResult(out []byte, result *twodoor.Result, profile string, serverInfo []byte) []byte {
	if len(result.Raw) > 0 {
		return appendRaw(out, result.Raw, serverInfo)
	}
	out = openResult(out, serverInfo)
	out = append(out, `"content":[`...)
	out = appendValue(out, result)
	for i := range result.Blobs {
		out = appendBlob(comma(out), result, i)
	}
	if tail := result.Aside(d.Engine.Catalog().ToolName); tail != "" {
		out = appendText(comma(out), tail)
	}
	out = append(out, ']')
	if p := d.Engine.Profile(profile); p != nil && p.OutputSchemas {
		out = appendStructured(out, result.Value)
	}
	return append(appendResultMeta(out, result, serverInfo), '}')
}

// appendRaw passes on a result that came from an MCP server: as it is, but for what the revision
// that is spoken here requires.
func appendRaw(out []byte, raw, serverInfo []byte) []byte {
	if _, ok := rawjson.Get(raw, "resultType"); serverInfo != nil && !ok {
		raw = rawjson.Set(raw, "resultType", []byte(`"complete"`))
	}
	if bytes.IndexByte(raw, '\n') >= 0 { // a message is one line on stdio
		return rawjson.Compact(out, raw)
	}
	return append(out, raw...)
}

func openResult(out, serverInfo []byte) []byte {
	if serverInfo != nil {
		return append(out, `{"resultType":"complete",`...)
	}
	return append(out, '{')
}

// comma separates content blocks.
func comma(out []byte) []byte {
	if out[len(out)-1] == '[' {
		return out
	}
	return append(out, ',')
}

func appendText(out []byte, text string) []byte {
	return append(rawjson.AppendString(append(out, `{"type":"text","text":`...), text), '}')
}

// appendValue appends the value as one block: text as it is, everything else as compact JSON, or as
// the text that the engine made of it.
func appendValue(out []byte, result *twodoor.Result) []byte {
	value := rawjson.Trim(result.Value)
	switch {
	case result.Preview != nil:
		return appendText(out, result.Preview.Text)
	case len(value) == 0 && len(result.Blobs) > 0:
		return out
	case len(value) == 0:
		return appendText(out, twodoor.NoContent)
	case result.Text != "":
		return appendText(out, result.Text)
	case strings.HasPrefix(result.MediaType, "text/") && value[0] == '"':
		return append(append(append(out, `{"type":"text","text":`...), value...), '}')
	}
	out = append(out, `{"type":"text","text":"`...)
	return append(appendEscaped(out, value), `"}`...)
}

// appendEscaped appends JSON as the inside of a JSON string, without the white space between tokens.
func appendEscaped(out, raw []byte) []byte {
	inString := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
			out = append(out, '\\', '"')
		case c == '\\':
			out = append(out, '\\', '\\')
			if i++; i < len(raw) {
				out = appendOne(out, raw[i])
			}
		case c > ' ' || inString:
			out = append(out, c)
		}
	}
	return out
}

func appendOne(out []byte, c byte) []byte {
	if c == '"' || c == '\\' {
		out = append(out, '\\')
	}
	return append(out, c)
}

// appendBlob appends binary content in the kind of block that hosts show best.
func appendBlob(out []byte, result *twodoor.Result, at int) []byte {
	blob := &result.Blobs[at]
	kind, _, _ := strings.Cut(blob.MediaType, "/")
	if blob.URI == "" && (kind == "image" || kind == "audio") {
		out = append(append(append(out, `{"type":"`...), kind...), `","data":"`...)
		out = base64.StdEncoding.AppendEncode(out, blob.Data)
		return append(rawjson.AppendString(append(out, `","mimeType":`...), blob.MediaType), '}')
	}
	uri := blob.URI
	if uri == "" {
		uri = "twodoor://answer/" + result.CallID + "/" + orElse(blob.Name, strconv.Itoa(at))
	}
	out = rawjson.AppendString(append(out, `{"type":"resource","resource":{"uri":`...), uri)
	if blob.MediaType != "" {
		out = rawjson.AppendString(append(out, `,"mimeType":`...), blob.MediaType)
	}
	if blob.IsText() {
		return append(rawjson.AppendString(append(out, `,"text":`...), string(blob.Data)), `}}`...)
	}
	out = base64.StdEncoding.AppendEncode(append(out, `,"blob":"`...), blob.Data)
	return append(out, `"}}`...)
}

// appendResultMeta appends _meta where there is something to put in it.
func appendResultMeta(out []byte, result *twodoor.Result, serverInfo []byte) []byte {
	if serverInfo == nil && len(result.Next) == 0 && result.Cut == nil && result.Text == "" {
		return out
	}
	var meta rawjson.Object
	meta.Put(metaServer, serverInfo)
	if len(result.Next) > 0 {
		meta.Put("twodoor/next", marshal(result.Next))
	}
	if result.Cut != nil {
		meta.Put("twodoor/cut", marshal(result.Cut))
	}
	if result.Text != "" {
		meta.PutString("twodoor/format", string(result.Format))
	}
	return append(append(out, `,"_meta":`...), meta.Bytes()...)
}

// marshal writes the root's own wire structs. What they hold raw is valid JSON, so it cannot fail.
func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

// appendError appends a CallToolResult that tells an error: prose for the model, the struct for programs.
func (d *Door) appendError(out []byte, e *twodoor.Error, serverInfo []byte) []byte {
	if e.Upstream != nil && len(e.Upstream.Raw) > 0 {
		return appendRaw(out, e.Upstream.Raw, serverInfo)
	}
	out = openResult(out, serverInfo)
	out = append(out, `"content":[`...)
	out = appendText(out, e.Prose(d.Engine.Catalog().ToolName))
	out = append(out, `],"isError":true,"_meta":`...)
	var meta rawjson.Object
	meta.Put(metaServer, serverInfo)
	meta.Put("twodoor/error", errorJSON(e))
	return append(append(out, meta.Bytes()...), '}')
}

func progressNotification(token []byte, p twodoor.Progress) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), token...)
	out = strconv.AppendFloat(append(out, `,"progress":`...), p.Done, 'f', -1, 64)
	if p.Total > 0 {
		out = strconv.AppendFloat(append(out, `,"total":`...), p.Total, 'f', -1, 64)
	}
	if p.Message != "" {
		out = rawjson.AppendString(append(out, `,"message":`...), p.Message)
	}
	return append(out, `}}`...)
}

func logNotification(n twodoor.Note) []byte {
	out := rawjson.AppendString([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":`), n.Level)
	if n.Logger != "" {
		out = rawjson.AppendString(append(out, `,"logger":`...), n.Logger)
	}
	return append(rawjson.Compact(append(out, `,"data":`...), n.Data), `}}`...)
}
