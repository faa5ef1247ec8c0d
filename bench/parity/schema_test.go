package parity

import (
	"encoding/json"
	"maps"
	"slices"
)

// Questions to the schemas of a description. A schema is asked together with everything that holds
// of the same value (references, allOf) and, where any branch will do, with its branches.

// each visits a schema, all that it refers to, and the members of its allOf; with branches also
// those of its unions.
func (d *document) each(schema any, branches bool, visit func(map[string]any)) {
	d.walk(schema, branches, 0, visit)
}

func (d *document) walk(schema any, branches bool, depth int, visit func(map[string]any)) {
	s := object(schema)
	if s == nil || depth > 12 {
		return
	}
	visit(s)
	if ref, ok := s["$ref"].(string); ok {
		d.walk(d.pointer(ref), branches, depth+1, visit)
		if d.swagger {
			return
		}
	}
	parts := list(s["allOf"])
	if branches {
		parts = slices.Concat(parts, list(s["anyOf"]), list(s["oneOf"]))
		for _, heir := range object(object(s["discriminator"])["mapping"]) {
			if s["oneOf"] == nil && s["anyOf"] == nil {
				parts = append(parts, map[string]any{"$ref": heir})
			}
		}
	}
	for _, part := range parts {
		d.walk(part, branches, depth+1, visit)
	}
}

// types are the JSON types that a schema allows; none: all.
func (d *document) types(schema any) map[string]bool {
	types := map[string]bool{}
	d.each(schema, true, func(s map[string]any) {
		switch t := s["type"].(type) {
		case string:
			types[t] = true
		case []any:
			for _, name := range t {
				types[text(name)] = true
			}
		default:
			for _, value := range list(s["enum"]) {
				types[typeOf(value)] = true
			}
			switch {
			case s["properties"] != nil:
				types["object"] = true
			case s["items"] != nil:
				types["array"] = true
			}
		}
		if truth(s["nullable"]) {
			types["null"] = true
		}
	})
	if types["number"] {
		types["integer"] = true
	}
	return types
}

func (d *document) allows(schema any, name string) bool {
	types := d.types(schema)
	return len(types) == 0 || types[name] || len(types) == 1 && types["null"]
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if isInteger(string(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

func isInteger(digits string) bool {
	for i, c := range digits {
		if (c < '0' || c > '9') && (i > 0 || c != '-') {
			return false
		}
	}
	return digits != ""
}

// property is the schema of a member of an object; nil where nothing describes it.
func (d *document) property(schema any, name string) (found any) {
	d.each(schema, true, func(s map[string]any) {
		if p, ok := object(s["properties"])[name]; ok && found == nil {
			found = p
		}
	})
	if found == nil {
		d.each(schema, true, func(s map[string]any) {
			if p := object(s["additionalProperties"]); p != nil && found == nil {
				found = p
			}
		})
	}
	return found
}

// properties are the members that every branch of an object may have, by name.
func (d *document) properties(schema any) map[string]any {
	all := map[string]any{}
	d.each(schema, false, func(s map[string]any) { maps.Copy(all, object(s["properties"])) })
	return all
}

// required are the members that an object must have whatever branch it is, without those that only
// the far side writes.
func (d *document) required(schema any) (names []string) {
	props := d.properties(schema)
	d.each(schema, false, func(s map[string]any) {
		for _, name := range texts(s["required"]) {
			if !d.says(props[name], "readOnly") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

// says reports whether a schema carries a mark.
func (d *document) says(schema any, mark string) (yes bool) {
	d.each(schema, false, func(s map[string]any) { yes = yes || truth(s[mark]) })
	return yes
}

func (d *document) items(schema any) (found any) {
	d.each(schema, true, func(s map[string]any) {
		if found == nil {
			found = s["items"]
		}
	})
	return found
}

// bytes reports whether texts of a schema stand for bytes in a multipart body.
func (d *document) bytes(schema any) (yes bool) {
	d.each(schema, true, func(s map[string]any) {
		yes = yes || s["format"] == "binary" || s["type"] == "file" || s["contentEncoding"] == "base64" || s["contentMediaType"] == "application/octet-stream"
	})
	if items := d.items(schema); !yes && items != nil {
		return d.bytes(items)
	}
	return yes
}
