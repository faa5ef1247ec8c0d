package schemas

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// Types is what a schema says of the type of a value.
type Types struct {
	Names []string // those of JSON Schema, null left out
	null  bool     // null is one of the values
	none  bool     // null is the only one
	File  bool     // Swagger 2: type file
}

// TypesOf reads the type of a schema, with the spellings that are seen in the wild.
func TypesOf(n *rawjson.Node) Types {
	t := Types{null: isNullable(n)}
	given := n.Get("type")
	if given.Is(rawjson.KindString) {
		t.add(given.Str())
	}
	for _, name := range given.Strings() {
		t.add(name)
	}
	if len(t.Names) > 0 || given != nil {
		t.none = t.null && len(t.Names) == 0 && !isNullable(n)
		return t
	}
	switch {
	case n.Get("properties").Is(rawjson.KindObject), n.Get("additionalProperties").Is(rawjson.KindObject):
		t.Names = []string{"object"}
	case n.Get("items").Is(rawjson.KindObject):
		t.Names = []string{"array"}
	}
	return t
}

func (t *Types) add(name string) {
	switch name = strings.ToLower(name); name {
	case "null":
		t.null = true
		return
	case "file":
		t.File, name = true, "string"
	case "int", "int32", "int64", "long":
		name = "integer"
	case "float", "double", "decimal":
		name = "number"
	case "bool":
		name = "boolean"
	case "str", "text", "date", "date-time", "uuid":
		name = "string"
	case "map", "dict":
		name = "object"
	case "list":
		name = "array"
	case "object", "array", "string", "number", "integer", "boolean":
	default:
		return
	}
	if !slices.Contains(t.Names, name) {
		t.Names = append(t.Names, name)
	}
}

// Only reports whether values are of this type, null aside.
func (t Types) Only(name string) bool { return len(t.Names) == 1 && t.Names[0] == name }

// Has reports whether values may be of this type.
func (t Types) Has(name string) bool { return slices.Contains(t.Names, name) }

// isNullable is OpenAPI 3.0 "nullable", and what stands for it in Swagger 2.
func isNullable(n *rawjson.Node) bool {
	return n.Get("nullable").Bool() || n.Get("x-nullable").Bool()
}

// IsBinary reports whether values of a schema are bytes.
func IsBinary(n *rawjson.Node) bool {
	t := TypesOf(n)
	switch {
	case t.File:
		return true
	case !t.Only("string") && len(t.Names) > 0:
		return false
	case n.Get("format").Str() == "binary":
		return true
	}
	media := n.Get("contentMediaType").Str()
	return media != "" && !mediatype.IsText(media) && n.Get("contentEncoding") == nil
}

// fit is a value as the type that its schema asks for, or nothing where it cannot be.
func fit(n *rawjson.Node, t Types) []byte {
	if len(t.Names) == 0 || n.Is(rawjson.KindNull) && t.null {
		return n.JSON()
	}
	if slices.Contains(t.Names, n.Kind.String()) || t.Has("integer") && n.Is(rawjson.KindNumber) {
		return n.JSON()
	}
	switch text := n.Str(); {
	case t.Only("string") && (n.Is(rawjson.KindNumber) || n.Is(rawjson.KindBool)):
		return rawjson.Quote(string(n.Text))
	case (t.Only("integer") || t.Only("number")) && rawjson.KindOf([]byte(text)) == rawjson.KindNumber && rawjson.Check([]byte(text)) == nil:
		return []byte(text)
	case t.Only("boolean") && (text == "true" || text == "false"):
		return []byte(text)
	}
	return nil
}
