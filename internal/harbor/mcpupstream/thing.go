package mcpupstream

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

const statusURI = "harbor://status"

const resourceList = `[{"uri":"harbor://status","name":"status","title":"The status of everything","mimeType":"text/plain","x-unknown":1152921504606846977},
{"uri":"ui://harbor/board","name":"board","mimeType":"text/html;profile=mcp-app","_meta":{"ui":{"prefersBorder":true}}}]`

const templateList = `[{"uriTemplate":"harbor://runbook/{service}","name":"runbook","description":"What to do when a service is down","mimeType":"text/markdown"}]`

const promptList = `[{"name":"handover","title":"Hand a shift over","description":"What happened, and what is open","arguments":[{"name":"team","required":true}]}]`

// teams are what the prompt's argument can be.
var teams = [...]string{"checkout", "payments", "platform"}

// thing answers what is no tool.
func (x *exchange) thing(ctx context.Context, method string) (json.RawMessage, error) {
	raw, _ := rawjson.Get(x.params, "uri")
	uri, _ := rawjson.String(raw)
	switch method {
	case "resources/list":
		return x.cacheable("resources", resourceList), nil
	case "resources/templates/list":
		return x.cacheable("resourceTemplates", templateList), nil
	case "prompts/list":
		return x.cacheable("prompts", promptList), nil
	case "resources/read":
		return x.read(uri)
	case "resources/subscribe", "resources/unsubscribe":
		x.mu.Lock()
		x.watched[uri] = method == "resources/subscribe"
		x.mu.Unlock()
		return json.RawMessage(`{}`), nil
	case "prompts/get":
		return x.prompt(ctx)
	case "completion/complete":
		return x.complete()
	}
	return nil, &fault{Code: -32601, Message: "method not found"}
}

func (x *exchange) read(uri string) (json.RawMessage, error) {
	content := func(mediaType, text string) json.RawMessage {
		return x.cacheable("contents", `[{"uri":`+string(rawjson.Quote(uri))+`,"mimeType":"`+mediaType+`","text":`+string(rawjson.Quote(text))+`,"x-unknown":1152921504606846977}]`)
	}
	service, runbook := strings.CutPrefix(uri, "harbor://runbook/")
	switch {
	case uri == statusURI:
		x.mu.Lock()
		defer x.mu.Unlock()
		return content("text/plain", x.status), nil
	case uri == "ui://harbor/board":
		return content("text/html;profile=mcp-app", "<!doctype html><title>Board</title>"), nil
	case runbook && service != "" && !strings.Contains(service, "/"):
		return content("text/markdown", "# When "+service+" is down\n"), nil
	}
	if x.modern {
		return nil, &fault{Code: -32602, Message: "resource not found", Data: json.RawMessage(`{"uri":` + string(rawjson.Quote(uri)) + `}`)}
	}
	return nil, &fault{Code: -32002, Message: "resource not found", Data: json.RawMessage(`{"uri":` + string(rawjson.Quote(uri)) + `}`)}
}

// prompt asks nothing but its argument.
func (x *exchange) prompt(context.Context) (json.RawMessage, error) {
	raw, _ := rawjson.Get(x.params, "name")
	if name, _ := rawjson.String(raw); name != "handover" {
		return nil, &fault{Code: -32602, Message: "unknown prompt"}
	}
	raw, _ = rawjson.GetPath(x.params, "arguments", "team")
	team, ok := rawjson.String(raw)
	if !ok {
		return nil, &fault{Code: -32602, Message: "team is missing"}
	}
	return json.RawMessage(`{"description":"Hand over","messages":[{"role":"user","content":{"type":"text","text":` + string(rawjson.Quote("Hand over the shift of "+team+".")) + `}},` +
		`{"role":"user","content":{"type":"resource","resource":{"uri":"harbor://runbook/checkout","mimeType":"text/markdown","text":"# When checkout is down\n"}}}]}`), nil
}

func (x *exchange) complete() (json.RawMessage, error) {
	raw, _ := rawjson.GetPath(x.params, "argument", "value")
	typed, _ := rawjson.String(raw)
	var found rawjson.Array
	for _, team := range teams {
		if strings.HasPrefix(team, typed) {
			found.AddString(team)
		}
	}
	return json.RawMessage(`{"completion":{"values":` + string(found.Bytes()) + `,"hasMore":false}}`), nil
}
