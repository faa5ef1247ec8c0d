package remote

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// readAnswer reads the answer of /v1/call. What was shaped at the far side is shaped no more.
func readAnswer(body []byte, relay bool) (*twodoor.Value, error) {
	var a struct {
		Value     json.RawMessage
		MediaType string `json:"media_type"`
		Blobs     []struct {
			MediaType string `json:"media_type"`
			Name, URI string
			Data      []byte
		}
		Preview *struct {
			Text   string
			Detail json.RawMessage
		}
		Next  []twodoor.Suggestion
		Cut   *twodoor.Cut
		Notes []string
		Raw   json.RawMessage
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: "the far side answers with something else than a twodoor does", Cause: err}
	}
	value := &twodoor.Value{JSON: a.Value, MediaType: a.MediaType, Cut: a.Cut, Notes: a.Notes, Raw: a.Raw, Shaped: true}
	if relay {
		value.Next = a.Next
	}
	for _, blob := range a.Blobs {
		value.Blobs = append(value.Blobs, twodoor.Blob{MediaType: blob.MediaType, Name: blob.Name, URI: blob.URI, Data: blob.Data})
	}
	if a.Preview != nil {
		value.Preview = &twodoor.Preview{Text: a.Preview.Text, Detail: a.Preview.Detail}
	}
	return value, nil
}

// readEnvelope reads the answer of a tool route: {"success","result","error"}, with content beside it
// where the far side is a twodoor. A body in no such form is the answer itself.
func readEnvelope(resp *http.Response, body []byte) (*twodoor.Value, error) {
	if resp.StatusCode >= http.StatusBadRequest {
		return nil, refused(resp, body, true)
	}
	if isNotEnvelope(body) {
		return textValue(strings.ToValidUTF8(string(body), "\uFFFD")), nil
	}
	success, _ := rawjson.Get(body, "success")
	isError, _ := rawjson.Get(body, "isError")
	if string(success) != "true" || string(isError) == "true" {
		return nil, failed(body)
	}
	content, ok := rawjson.Get(body, "content")
	if !ok || rawjson.KindOf(content) != rawjson.KindArray {
		result, _ := rawjson.Get(body, "result")
		if text, isText := rawjson.String(result); isText {
			return textValue(text), nil
		}
		return &twodoor.Value{JSON: result, Shaped: true}, nil
	}
	value := readContent(content)
	value.Raw = toolResult(body, content, nil)
	return value, nil
}

// toolResult is an envelope's content as the CallToolResult that it was; of one that failed with the
// fault beside it.
func toolResult(body, content []byte, fault *twodoor.Error) json.RawMessage {
	var out, meta rawjson.Object
	out.Put("content", content)
	structured, _ := rawjson.Get(body, "structuredContent")
	out.Put("structuredContent", structured)
	if fault != nil {
		out.PutBool("isError", true)
		if told, err := fault.MarshalJSON(); err == nil {
			meta.Put("twodoor/error", told)
		}
		out.Put("_meta", meta.Bytes())
	}
	return out.Bytes()
}

// readContent reads content blocks: texts, and binary parts beside them.
func readContent(content []byte) *twodoor.Value {
	var texts []string
	var blobs []twodoor.Blob
	for block := range rawjson.Elements(content) {
		switch text(block, "type") {
		case "text":
			texts = append(texts, text(block, "text"))
		case "image", "audio":
			blobs = append(blobs, twodoor.Blob{MediaType: text(block, "mimeType"), Data: decode(text(block, "data"))})
		case "resource":
			resource, _ := rawjson.Get(block, "resource")
			blob := twodoor.Blob{URI: text(resource, "uri"), MediaType: text(resource, "mimeType"), Data: []byte(text(resource, "text"))}
			if data := text(resource, "blob"); data != "" {
				blob.Data = decode(data)
			}
			blobs = append(blobs, blob)
		default:
			texts = append(texts, string(rawjson.Compact(nil, block)))
		}
	}
	value := &twodoor.Value{Shaped: true}
	if len(texts) > 0 {
		value = textValue(strings.Join(texts, "\n"))
	}
	value.Blobs = blobs
	return value
}

// textValue is a text as a value: as the JSON that it is where nothing is lost by that.
func textValue(text string) *twodoor.Value {
	raw := []byte(text)
	if kind := rawjson.KindOf(raw); kind == rawjson.KindObject || kind == rawjson.KindArray {
		if rawjson.Check(raw) == nil && string(rawjson.Compact(nil, raw)) == text {
			return &twodoor.Value{JSON: raw, Shaped: true}
		}
	}
	return &twodoor.Value{JSON: rawjson.Quote(text), MediaType: "text/plain", Shaped: true}
}
