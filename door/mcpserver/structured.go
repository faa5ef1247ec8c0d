package mcpserver

import (
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// outputSchema is the schema of structuredContent: relaxed, because strict clients check answers
// against it, and of an object, because the legacy revisions know no other.
func outputSchema(op *twodoor.Operation) []byte {
	raw := []byte(op.OutputSchema())
	if raw == nil || op.Verbatim {
		return raw
	}
	definitions, shared := rawjson.Get(raw, "$defs")
	raw = rawjson.Delete(raw, "$defs")
	kind, _ := rawjson.Get(raw, "type")
	raw = relax(raw)
	if string(kind) != `"object"` {
		var properties, wrapped rawjson.Object
		properties.Put("value", raw)
		wrapped.PutString("type", "object")
		wrapped.Put("properties", properties.Bytes())
		raw = wrapped.Bytes()
	}
	if !shared {
		return raw
	}
	return rawjson.Set(raw, "$defs", relaxEach(definitions))
}

// relax drops from a schema what an honest answer may break: required keys, forbidden extra keys,
// enums that have grown, formats and bounds.
func relax(raw []byte) []byte {
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return raw
	}
	var out rawjson.Object
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "type", "description", "title", "$ref":
			out.Put(key, value)
		case "properties", "$defs":
			out.Put(key, relaxEach(value))
		case "items":
			out.Put(key, relax(value))
		case "anyOf", "oneOf":
			var branches rawjson.Array
			for branch := range rawjson.Elements(value) {
				branches.Add(relax(branch))
			}
			out.Put("anyOf", branches.Bytes())
		}
	}
	return out.Bytes()
}

func relaxEach(raw []byte) []byte {
	var out rawjson.Object
	for name, sub := range rawjson.Members(raw) {
		out.Put(name, relax(sub))
	}
	return out.Bytes()
}

// appendStructured appends the value as an object: wrapped where it is none.
func appendStructured(out, value []byte) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindInvalid:
		return out
	case rawjson.KindObject:
		return rawjson.Compact(append(out, `,"structuredContent":`...), value)
	}
	return append(rawjson.Compact(append(out, `,"structuredContent":{"value":`...), value), '}')
}
