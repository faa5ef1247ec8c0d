package legacy

import (
	"bytes"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refuse answers, over HTTP, a single message that no session takes. The SDK would turn it away in
// plain text with status 400, where its client waits for a JSON-RPC error, or for nothing.
func refuse(w http.ResponseWriter, r *http.Request) (done bool) {
	if r.Method != http.MethodPost {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		return refuseOfBatch(w, r, trimmed)
	}
	message, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return false
	}
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return false
	}
	fault := misfit(request)
	if fault == nil && r.Header.Get(headerSession) == "" && request.IsCall() && request.Method != "initialize" && request.Method != "ping" {
		fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: noSession}
	}
	switch {
	case fault == nil:
		return false
	case !request.IsCall():
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	reply, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: request.ID, Error: fault})
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(reply) // the client left: nobody to tell
	return true
}

// misfit is why a session does not take the request; nil where it does.
func misfit(r *jsonrpc.Request) error {
	needsParams, notification := false, false
	switch r.Method {
	case "ping", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list":
	case "initialize", "tools/call", "prompts/get", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"completion/complete", "logging/setLevel", "subscriptions/listen":
		needsParams = true
	case "notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed":
		notification = true
	case "notifications/progress":
		notification, needsParams = true, true
	default:
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there is no method " + r.Method + " in this revision"}
	}
	switch {
	case notification == r.IsCall():
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Method + " is a notification: send it without an id"}
	case needsParams && len(r.Params) == 0:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Method + " needs params"}
	}
	return nil
}
