package mcpupstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// toolList are the tools, but for the one that is added later.
const toolList = `{"name":"echo","description":"Answers its arguments, byte for byte","inputSchema":{"type":"object","properties":{"value":{}}},"annotations":{"readOnlyHint":true},"x-unknown":1152921504606846977},
{"name":"page_oncall","description":"Pages whoever is on call; asks how urgent it is","inputSchema":{"type":"object","properties":{"incident":{"type":"string"}},"required":["incident"]}},
{"name":"hand_over","description":"Hands a shift over; asks two things, one after the other","inputSchema":{"type":"object"}},
{"name":"summarize","description":"Has the client's model sum something up","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}},
{"name":"folders","description":"Lists the client's folders","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"watch_deploy","description":"Follows a deployment: tells progress and logs","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"set_status","description":"Changes the status, which is a resource","inputSchema":{"type":"object","properties":{"status":{"type":"string"}},"required":["status"]}},
{"name":"add_tool","description":"Adds a tool, and says that the list has changed","inputSchema":{"type":"object"}},
{"name":"board","description":"The board of incidents, with a view","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://harbor/board"},"ui/resourceUri":"ui://harbor/board"}},
{"name":"stall","description":"Never answers","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
{"name":"crash","description":"Ends the server in the middle of the call","inputSchema":{"type":"object"}}`

const extraTool = `,{"name":"drain","description":"Was added by add_tool","inputSchema":{"type":"object"}}`

// tools is the list of now.
func (c *client) tools() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.extra {
		return "[" + toolList + extraTool + "]"
	}
	return "[" + toolList + "]"
}

// Forms that a person fills in.
const (
	urgency = `{"message":"How urgent is it?","requestedSchema":{"type":"object","properties":{"urgency":{"type":"string","enum":["high","low"]}},"required":["urgency"]}}`
	takes   = `{"message":"Who takes over?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`
	notes   = `{"message":"What should they know?","requestedSchema":{"type":"object","properties":{"notes":{"type":"string"}}}}`
)

// call carries out tools/call.
func (x *exchange) call(ctx context.Context) (json.RawMessage, error) {
	raw, _ := rawjson.Get(x.params, "name")
	name, _ := rawjson.String(raw)
	arguments, _ := rawjson.Get(x.params, "arguments")
	result, err := x.run(ctx, name, arguments)
	if asked, ok := errors.AsType[*inputRequired](err); ok {
		return asked.result, nil
	}
	return result, err
}

func (x *exchange) run(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	switch name {
	case "echo":
		return text(string(arguments)), nil
	case "page_oncall":
		answer, err := x.ask(ctx, "urgency", "elicitation/create", urgency, "page")
		return text("paged: " + string(answer)), err
	case "hand_over":
		return x.handOver(ctx)
	case "summarize":
		answer, err := x.ask(ctx, "summary", "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up."}}],"maxTokens":100}`, "sum")
		return text("summary: " + string(answer)), err
	case "folders":
		answer, err := x.ask(ctx, "folders", "roots/list", `{}`, "")
		return text("folders: " + string(answer)), err
	case "watch_deploy":
		x.deploy()
		return text("deployed"), nil
	case "set_status":
		x.setStatus(arguments)
		return text("changed"), nil
	case "add_tool":
		x.mu.Lock()
		x.extra = true
		x.mu.Unlock()
		x.changed("notifications/tools/list_changed", "toolsListChanged", "")
		return text("added"), nil
	case "board":
		return json.RawMessage(`{"content":[{"type":"text","text":"2 open incidents"},{"type":"resource_link","uri":"ui://harbor/board","name":"board"}],"structuredContent":{"open":2},"_meta":{"ui":{"resourceUri":"ui://harbor/board"}}}`), nil
	case "stall":
		<-ctx.Done()
		return nil, ctx.Err()
	case "crash":
		x.crash(errCrashed)
		if x.server.Crash != nil {
			x.server.Crash()
		}
		return nil, errCrashed
	}
	return nil, &fault{Code: -32602, Message: fmt.Sprintf("unknown tool %q", name)}
}

// handOver asks two things, one after the other; in the modern era its state carries the first.
func (x *exchange) handOver(ctx context.Context) (json.RawMessage, error) {
	first := x.state()
	if first == "" || first == "begun" {
		answer, err := x.ask(ctx, "takes", "elicitation/create", takes, "begun")
		if err != nil {
			return nil, err
		}
		first = string(answer)
	}
	second, err := x.ask(ctx, "notes", "elicitation/create", notes, first)
	return text("handed over: " + first + " " + string(second)), err
}

// deploy tells three steps, and logs them.
func (x *exchange) deploy() {
	token, told := rawjson.GetPath(x.params, "_meta", "progressToken")
	_, level := rawjson.GetPath(x.params, "_meta", "io.modelcontextprotocol/logLevel")
	x.mu.Lock()
	logs := !x.modern && x.logs || level
	x.mu.Unlock()
	for step := 1; step <= 3; step++ {
		if told {
			x.notify("notifications/progress", json.RawMessage(fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":3,"message":"step %d"}`, token, step, step)))
		}
		if logs {
			x.notify("notifications/message", json.RawMessage(fmt.Sprintf(`{"level":"warning","logger":"deploy","data":{"step":%d,"at":1152921504606846977}}`, step)))
		}
	}
}

func (x *exchange) setStatus(arguments json.RawMessage) {
	raw, _ := rawjson.Get(arguments, "status")
	x.mu.Lock()
	x.status, _ = rawjson.String(raw)
	watched := x.watched[statusURI] || len(x.listens) > 0
	x.mu.Unlock()
	if watched {
		x.changed("notifications/resources/updated", "resourceSubscriptions", `"uri":"`+statusURI+`",`)
	}
}

func text(text string) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":` + string(rawjson.Quote(text)) + `}]}`)
}
