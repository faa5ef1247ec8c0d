package mcpupstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// inputRequired is a result that asks the client, in the modern era.
type inputRequired struct{ result json.RawMessage }

func (i *inputRequired) Error() string { return "the client is asked" }

// ask asks the client one thing, and gives its answer: in the modern era by a result, in the legacy
// one by a request. state comes back with the answer in the modern era.
func (x *exchange) ask(ctx context.Context, key, method, params, state string) (json.RawMessage, error) {
	if capability := map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}[method]; !x.can(capability) {
		return nil, &fault{Code: -32021, Message: "the client cannot be asked: " + capability, Data: json.RawMessage(`{"requiredCapabilities":{"` + capability + `":{}}}`)}
	}
	if !x.modern {
		return x.askNow(ctx, method, params)
	}
	if answer, ok := rawjson.GetPath(x.params, "inputResponses", key); ok {
		return answer, nil
	}
	var result rawjson.Object
	result.PutString("resultType", "input_required")
	result.Put("inputRequests", []byte(`{"`+key+`":{"method":"`+method+`","params":`+params+`}}`))
	result.PutString("requestState", state)
	return nil, &inputRequired{result.Bytes()}
}

// state is what came back with an answer.
func (x *exchange) state() string {
	raw, _ := rawjson.Get(x.params, "requestState")
	text, _ := rawjson.String(raw)
	return text
}

func (x *exchange) can(capability string) bool {
	declared, _ := rawjson.GetPath(x.params, "_meta", "io.modelcontextprotocol/clientCapabilities")
	if !x.modern {
		x.mu.Lock()
		declared = x.capabilities
		x.mu.Unlock()
	}
	_, ok := rawjson.Get(declared, capability)
	return ok
}

// askNow sends a request to a legacy client and waits.
func (x *exchange) askNow(ctx context.Context, method, params string) (json.RawMessage, error) {
	x.mu.Lock()
	x.asked++
	id := strconv.Quote("harbor-" + strconv.Itoa(x.asked))
	reply := make(chan json.RawMessage, 1)
	x.waiting[id] = reply
	x.mu.Unlock()
	x.say([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`))
	select {
	case message := <-reply:
		if refused, ok := rawjson.Get(message, "error"); ok {
			return nil, fmt.Errorf("the client refused: %s", refused)
		}
		result, _ := rawjson.Get(message, "result")
		return result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answered hands an answer to whoever waits for it.
func (c *client) answered(id string, message json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reply := c.waiting[id]; reply != nil {
		reply <- message
		delete(c.waiting, id)
	}
}
