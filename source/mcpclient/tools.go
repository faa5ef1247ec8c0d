package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// tool is one tool as its server defines it.
type tool struct {
	name    string
	raw     json.RawMessage // the definition, byte for byte
	input   json.RawMessage
	mirrors []wire.Mirror
	problem string // why it is not served
}

// Bounds of a list of tools: a server that pages for ever must end somewhere.
const (
	maxPages = 1000
	maxTools = 20_000
)

// list reads the whole list of tools and keeps it. A server without tools has none.
func (c *conn) list(ctx context.Context) error {
	all := []tool{}
	cursor, seen := json.RawMessage(nil), map[string]bool{}
	for range maxPages {
		var params rawjson.Object
		params.Put("cursor", cursor)
		reply, err := c.call(ctx, wire.Request{Method: "tools/list", Params: params.Bytes()})
		if err != nil {
			return err
		}
		if reply.Fault != nil && reply.Fault.Code == wire.CodeNoMethod && len(all) == 0 {
			break
		}
		if reply.Fault != nil {
			return reply.Fault
		}
		page, ok := rawjson.Get(reply.Result, "tools")
		if !ok || rawjson.KindOf(page) != rawjson.KindArray {
			return fmt.Errorf("the answer to tools/list has no tools: %w", wire.ErrNonsense)
		}
		for raw := range rawjson.Elements(page) {
			all = append(all, c.readTool(raw))
		}
		cursor, _ = rawjson.Get(reply.Result, "nextCursor")
		if rawjson.KindOf(cursor) != rawjson.KindString || string(cursor) == `""` || seen[string(cursor)] || len(all) > maxTools {
			break
		}
		seen[string(cursor)] = true
	}
	c.tools.Store(&all)
	return nil
}

func (c *conn) readTool(raw json.RawMessage) tool {
	t := tool{raw: raw}
	name, _ := rawjson.Get(raw, "name")
	t.name, _ = rawjson.String(name)
	t.input, _ = rawjson.Get(raw, "inputSchema")
	mirrors, err := wire.Mirrors(t.input)
	if c.web == nil || !c.modern() {
		return t // nothing goes out in headers there
	}
	if t.mirrors = mirrors; err != nil {
		t.problem = err.Error()
	}
	return t
}

// tool is a tool by its name, as the server listed it last.
func (c *conn) tool(name string) *tool {
	all := c.tools.Load()
	if all == nil {
		return nil
	}
	for i := range *all {
		if (*all)[i].name == name {
			return &(*all)[i]
		}
	}
	return nil
}
