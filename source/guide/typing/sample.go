package typing

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// SchemaAt is the schema of the argument at a path, or nil.
func SchemaAt(op *twodoor.Operation, root json.RawMessage, path []string) json.RawMessage {
	t := ShapeOf(op, root)
	for i, step := range path {
		var next json.RawMessage
		for _, raw := range t.layers {
			properties, _ := rawjson.Get(raw, "properties")
			if value, ok := rawjson.Get(properties, step); ok {
				next = value
				break
			}
			if items, ok := rawjson.Get(raw, "items"); ok {
				next = items
			}
		}
		if next == nil {
			return nil
		}
		if i == len(path)-1 {
			return next
		}
		t = ShapeOf(op, next)
	}
	return nil
}

// Example is a value that fits a part of an operation's schema.
func Example(op *twodoor.Operation, raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage(`"value"`)
	}
	return schema.Example(schema.Close(raw, func(name string) []byte { return op.Definition(name) }))
}

// PlainText is a value as one types it: a text without its quotes.
func PlainText(value json.RawMessage) string {
	if text, ok := rawjson.String(value); ok {
		return text
	}
	return string(value)
}

// InputOf is the schema of an operation's arguments; of one without, any object.
func InputOf(op *twodoor.Operation) json.RawMessage {
	if len(op.Input) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return op.Input
}
