package rest

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// envelope is the answer of a compatible route to a call that worked.
func (d *Door) envelope(result *twodoor.Result, profile string) []byte {
	content := d.contentOf(result)
	var out rawjson.Object
	out.PutBool("success", true)
	out.PutString("result", strings.Join(content.text, "\n"))
	out.PutString("error", "")
	out.Put("content", content.blocks.Bytes())
	out.Put("structuredContent", d.structuredOf(result, profile))
	out.PutBool("isError", false)
	out.PutString("call_id", result.CallID)
	return out.Bytes()
}

// structuredOf is the structured content of an answer: what its MCP server sent, else the value where
// the profile sends it.
func (d *Door) structuredOf(result *twodoor.Result, profile string) []byte {
	if len(result.Raw) > 0 {
		raw, _ := rawjson.Get(result.Raw, "structuredContent")
		return rawjson.Compact(nil, raw)
	}
	if p := d.Engine.Profile(profile); p != nil && p.OutputSchemas {
		return structured(result.Value)
	}
	return nil
}

// failure is the answer of a compatible route to a call that did not work.
func (d *Door) failure(e *twodoor.Error) []byte {
	prose := e.Prose(d.Engine.Catalog().ToolName)
	told := &content{}
	told.addText(prose)
	raw := rawOf(e)
	if raw != nil {
		told = rawContent(raw)
	}
	var out rawjson.Object
	out.PutBool("success", false)
	out.PutString("result", "")
	out.PutString("error", prose)
	out.Put("content", told.blocks.Bytes())
	if structured, ok := rawjson.Get(raw, "structuredContent"); ok {
		out.Put("structuredContent", rawjson.Compact(nil, structured))
	}
	out.PutBool("isError", true)
	out.PutString("code", e.Code.String())
	if e.Hint != "" {
		out.PutString("hint", e.Hint)
	}
	if e.CallID != "" {
		out.PutString("call_id", e.CallID)
	}
	return out.Bytes()
}

// rawOf is the CallToolResult that told a fault; nil: nothing of that kind.
func rawOf(e *twodoor.Error) []byte {
	if e.Upstream == nil || len(e.Upstream.Raw) == 0 {
		return nil
	}
	return e.Upstream.Raw
}

// failureStatus is the HTTP status of a call that did not work: clients of the compatible routes read
// the body, and take the status for the transport's. What concerns who asks keeps its own.
func failureStatus(code twodoor.Code) int {
	if status := code.HTTP(); status == http.StatusUnauthorized || status == http.StatusForbidden {
		return status
	}
	return http.StatusOK
}

// answer is the body of a call below /v1 that worked: the value as it is, and what belongs to it.
// With raw it also holds the whole result of an MCP server, as it came.
func answer(result *twodoor.Result, raw bool) []byte {
	var out rawjson.Object
	out.Put("value", rawjson.Compact(nil, result.Value))
	if result.MediaType != "" {
		out.PutString("media_type", result.MediaType)
	}
	out.Put("blobs", blobs(result.Blobs))
	if p := result.Preview; p != nil {
		var preview rawjson.Object
		preview.PutString("text", p.Text)
		preview.Put("detail", p.Detail)
		out.Put("preview", preview.Bytes())
	}
	if len(result.Next) > 0 {
		out.Put("next", marshal(result.Next))
	}
	if result.Cut != nil {
		out.Put("cut", marshal(result.Cut))
	}
	if len(result.Notes) > 0 {
		out.PutStrings("notes", result.Notes)
	}
	if raw {
		out.Put("raw", rawjson.Compact(nil, result.Raw))
	}
	out.PutString("call_id", result.CallID)
	return out.Bytes()
}

func blobs(all []twodoor.Blob) []byte {
	if len(all) == 0 {
		return nil
	}
	var list rawjson.Array
	for _, blob := range all {
		var one rawjson.Object
		for _, part := range [][2]string{{"media_type", blob.MediaType}, {"name", blob.Name}, {"uri", blob.URI}} {
			if part[1] != "" {
				one.PutString(part[0], part[1])
			}
		}
		one.PutString("data", base64.StdEncoding.EncodeToString(blob.Data))
		list.Add(one.Bytes())
	}
	return list.Bytes()
}

// problem is a fault as problem details (RFC 9457) that hold the one error struct.
func problem(e *twodoor.Error) []byte {
	var out rawjson.Object
	out.PutString("title", orElse(http.StatusText(e.Code.HTTP()), "Client Closed Request"))
	out.PutInt("status", int64(e.Code.HTTP()))
	out.PutString("detail", e.Error())
	if told, err := e.MarshalJSON(); err == nil {
		out.Put("error", told)
	}
	out.Put("raw", rawjson.Compact(nil, rawOf(e)))
	return out.Bytes()
}

// refuse answers a request that comes to no call. Below /v1 it is told as problem details, elsewhere
// in the envelope; the status is the code's own.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := twodoor.AsError(err)
	mark(w, e)
	if ownAPI(r) {
		w.Header().Set("Content-Type", "application/problem+json")
		answerAs(w, e.Code.HTTP(), problem(e))
		return
	}
	var out rawjson.Object
	out.PutBool("success", false)
	out.PutString("error", e.Error())
	out.PutString("code", e.Code.String())
	if e.Hint != "" {
		out.PutString("hint", e.Hint)
	}
	if len(e.Fields) > 0 {
		out.Put("fields", marshal(e.Fields))
	}
	answerRaw(w, e.Code.HTTP(), out.Bytes())
}

// mark puts what HTTP clients look for into the headers.
func mark(w http.ResponseWriter, e *twodoor.Error) {
	if e.Code == twodoor.CodeUnauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="twodoor"`)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, status = problem(twodoor.AsError(err)), http.StatusInternalServerError
	}
	answerRaw(w, status, raw)
}

func answerRaw(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	answerAs(w, status, body)
}

// answerAs writes a body. An error of it is a caller who left: nobody to tell.
func answerAs(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
