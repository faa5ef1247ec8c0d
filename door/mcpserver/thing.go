package mcpserver

import (
	"context"
	"encoding/base64"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// readResource answers resources/read.
func (d *Door) readResource(ctx context.Context, r *request) ([]byte, *fault) {
	uri, ok := rawjson.String(r.params.uri)
	if !ok || uri == "" {
		return nil, &fault{code: codeInvalidParams, message: "params lacks uri, the resource to read"}
	}
	result, f := d.take(ctx, r, twodoor.OfResource, uri)
	switch {
	case f != nil:
		return nil, f
	case result.Asked != nil:
		return d.inputRequired(r, result.Asked), nil
	case result.Raw == nil:
		out := openReply(r.id, 512)
		out = appendContents(append(out, `{"resultType":"complete",`...), result)
		return d.closeCacheable(out, 0, r.shared), nil
	}
	raw := result.Raw
	if _, hinted := rawjson.Get(raw, "ttlMs"); !hinted {
		raw = rawjson.Set(raw, "ttlMs", []byte("0"))
	}
	if _, hinted := rawjson.Get(raw, "cacheScope"); !hinted || !r.shared {
		raw = rawjson.Set(raw, "cacheScope", []byte(`"private"`))
	}
	return append(appendRaw(openReply(r.id, len(raw)+64), raw, d.serverInfo()), '}'), nil
}

// take carries out a call of a resource or a prompt. It has no result that tells a fault: every fault
// is an error of the protocol.
func (d *Door) take(ctx context.Context, r *request, of twodoor.Of, name string) (*twodoor.Result, *fault) {
	call, f := r.params.call(r.caller, of, name)
	if f != nil {
		return nil, f
	}
	if of == twodoor.OfResource {
		call.Arguments = nil
	}
	result, err := d.do(ctx, r, call)
	if err == nil {
		return result, nil
	}
	e := twodoor.AsError(err)
	switch {
	case e.Code == twodoor.CodeCanceled && ctx.Err() != nil:
		return nil, &fault{silent: true}
	case e.Code == twodoor.CodeUnauthenticated && r.web:
		return nil, &fault{denied: e}
	case e.Needs != nil:
		return nil, lacking(e)
	}
	return nil, d.thingFault(e, of, name)
}

// thingFault tells what is wrong with a read; what was not found is the request's fault.
func (d *Door) thingFault(e *twodoor.Error, of twodoor.Of, name string) *fault {
	f := d.rpcFault(e)
	if e.Code == twodoor.CodeInvalid || e.Code == twodoor.CodeNotFound {
		f.code = codeInvalidParams
	}
	if of == twodoor.OfResource && f.code == codeInvalidParams {
		f.data = rawjson.Set(f.data, "uri", rawjson.Quote(name))
	}
	return f
}

// appendContents appends the contents of a resource, without the braces of the result.
func appendContents(out []byte, result *twodoor.Result) []byte {
	out = append(out, `"contents":[`...)
	for i := range result.Blobs {
		out = appendContent(comma(out), &result.Blobs[i], result.Blobs[i].URI)
	}
	return append(out, ']')
}

// appendContent appends one ResourceContents.
func appendContent(out []byte, blob *twodoor.Blob, uri string) []byte {
	out = rawjson.AppendString(append(out, `{"uri":`...), uri)
	if blob.MediaType != "" {
		out = rawjson.AppendString(append(out, `,"mimeType":`...), blob.MediaType)
	}
	if blob.IsText() {
		return append(rawjson.AppendString(append(out, `,"text":`...), string(blob.Data)), '}')
	}
	out = base64.StdEncoding.AppendEncode(append(out, `,"blob":"`...), blob.Data)
	return append(out, `"}`...)
}

// getPrompt answers prompts/get.
func (d *Door) getPrompt(ctx context.Context, r *request) ([]byte, *fault) {
	name, ok := rawjson.String(r.params.name)
	if !ok || name == "" {
		return nil, &fault{code: codeInvalidParams, message: "params lacks name, the prompt to get"}
	}
	result, f := d.take(ctx, r, twodoor.OfPrompt, name)
	switch {
	case f != nil:
		return nil, f
	case result.Asked != nil:
		return d.inputRequired(r, result.Asked), nil
	}
	return append(d.appendPrompt(openReply(r.id, 512), result, d.serverInfo()), '}'), nil
}

// appendPrompt appends a GetPromptResult. serverInfo is nil for the legacy revisions.
func (d *Door) appendPrompt(out []byte, result *twodoor.Result, serverInfo []byte) []byte {
	if result.Raw != nil {
		return appendRaw(out, result.Raw, serverInfo)
	}
	out = append(openResult(out, serverInfo), `"messages":[`...)
	for i := range result.Messages {
		m := &result.Messages[i]
		out = rawjson.AppendString(append(comma(out), `{"role":`...), orElse(m.Role, "user"))
		out = append(out, `,"content":`...)
		if m.Blob != nil {
			out = appendBlob(out, &twodoor.Result{CallID: result.CallID, Blobs: []twodoor.Blob{*m.Blob}}, 0)
		} else {
			out = appendText(out, m.Text)
		}
		out = append(out, '}')
	}
	out = append(out, ']')
	if serverInfo != nil {
		out = append(append(append(out, `,"_meta":{"`+metaServer+`":`...), serverInfo...), '}')
	}
	return append(out, '}')
}

// complete answers completion/complete.
func (d *Door) complete(ctx context.Context, r *request) ([]byte, *fault) {
	of, name, typed, f := r.params.completing()
	if f != nil {
		return nil, f
	}
	call, f := r.params.call(r.caller, of, name)
	if f != nil {
		return nil, f
	}
	call.Arguments, call.Completing, call.Declared = nil, typed, nil
	result, err := d.do(ctx, r, call)
	if err != nil {
		e := twodoor.AsError(err)
		if e.Code == twodoor.CodeUnauthenticated && r.web {
			return nil, &fault{denied: e}
		}
		return nil, d.thingFault(e, of, name)
	}
	out := append(openReply(r.id, len(result.Value)+256), `{"resultType":"complete","completion":`...)
	out = append(append(out, result.Value...), `,"_meta":{"`+metaServer+`":`...)
	return append(append(out, d.serverInfo()...), `}}}`...), nil
}

// completing reads what is being typed: ref, argument and context.
func (p *params) completing() (of twodoor.Of, name string, typed *twodoor.Completing, f *fault) {
	kind, key := member(p.ref, "type"), "uri"
	switch of = twodoor.OfResource; kind {
	case "ref/resource":
	case "ref/prompt":
		of, key = twodoor.OfPrompt, "name"
	default:
		return of, "", nil, &fault{code: codeInvalidParams, message: "ref is neither a ref/prompt nor a ref/resource"}
	}
	name = member(p.ref, key)
	typed = &twodoor.Completing{Argument: member(p.argument, "name"), Value: member(p.argument, "value"), Others: map[string]string{}}
	if name == "" || typed.Argument == "" {
		return of, "", nil, &fault{code: codeInvalidParams, message: "params lacks the " + key + " of ref, or the name of argument"}
	}
	known, _ := rawjson.Get(p.context, "arguments")
	for argument, value := range rawjson.Members(known) {
		if text, ok := rawjson.String(value); ok {
			typed.Others[argument] = text
		}
	}
	return of, name, typed, nil
}

// member is a text in an object; empty where there is none.
func member(raw []byte, key string) string {
	value, _ := rawjson.Get(raw, key)
	text, _ := rawjson.String(value)
	return text
}
