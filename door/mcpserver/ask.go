package mcpserver

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// declared is what the client can be asked, of the capabilities that it declares with the request.
func (p *params) declared() json.RawMessage {
	for _, kind := range [...]string{"elicitation", "sampling", "roots"} {
		if _, ok := rawjson.Get(p.capabilities, kind); ok {
			return p.capabilities
		}
	}
	return nil
}

// takeInput reads what the client brings of an earlier round: its answers, and the state.
func (p *params) takeInput(call *twodoor.Call) *fault {
	if p.requestState != nil {
		var ok bool
		if call.State, ok = rawjson.String(p.requestState); !ok || call.State == "" {
			return &fault{code: codeInvalidParams, message: "requestState is no text that was handed out: send it back as it came"}
		}
	}
	if p.inputResponses == nil {
		return nil
	}
	if rawjson.KindOf(p.inputResponses) != rawjson.KindObject {
		return &fault{code: codeInvalidParams, message: "inputResponses is not an object of answers by key"}
	}
	call.Answers = twodoor.Answers{}
	for key, answer := range rawjson.Members(p.inputResponses) {
		call.Answers[key] = answer
	}
	return nil
}

// inputRequired is the reply that asks (2026-07-28, "Multi Round-Trip Requests"). The client sends the
// same request again, with the answers and the state.
func (d *Door) inputRequired(r *request, asked *twodoor.Asked) []byte {
	var requests rawjson.Object
	for _, q := range asked.Questions {
		var request rawjson.Object
		request.PutString("method", q.Method)
		params := []byte(q.Params)
		if len(params) == 0 {
			params = []byte("{}")
		}
		request.Put("params", rawjson.Compact(nil, params))
		requests.Put(q.Key, request.Bytes())
	}
	out := append(openReply(r.id, 1024), `{"resultType":"input_required","inputRequests":`...)
	out = append(append(out, requests.Bytes()...), `,"requestState":`...)
	out = rawjson.AppendString(out, asked.State)
	out = append(out, `,"_meta":{"`+metaServer+`":`...)
	return append(append(out, d.serverInfo()...), `}}}`...)
}

// lacking tells what the client would have to declare.
func lacking(e *twodoor.Error) *fault {
	var data rawjson.Object
	data.Put("requiredCapabilities", e.Needs)
	return &fault{code: codeMissingCapability, message: e.Error() + "; " + e.Hint, data: data.Bytes()}
}
