package schema

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Essence makes a part of a schema self-contained and as light as an error can
// carry: texts and annotations go; where it then weighs more than most tokens,
// what is optional goes too; where even that is too heavy, its own level is left.
// What fits the result of the first two steps, and has nothing else, fits the
// part. define is as in [CompileWith].
func Essence(part []byte, most int, define func(name string) []byte) []byte {
	for _, keep := range []func(schema []byte) []byte{withoutTexts, requiredPart} {
		light := Close(essence(part, keep), func(name string) []byte {
			if raw := define(name); raw != nil {
				return essence(raw, keep)
			}
			return nil
		})
		if Weigh(light) <= most {
			return light
		}
	}
	return ownLevel(part)
}

// essence applies keep to a schema and to all in it.
func essence(raw []byte, keep func([]byte) []byte) []byte {
	return rawjson.Rewrite(keep(raw), func(key []byte, _ int, v []byte) []byte {
		name, _ := rawjson.String(key)
		switch name {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			return rawjson.Rewrite(v, func(_ []byte, _ int, schema []byte) []byte { return essence(schema, keep) })
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
			return essence(v, keep)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			return rawjson.Rewrite(v, func(_ []byte, _ int, schema []byte) []byte { return essence(schema, keep) })
		}
		return v
	})
}

// constraints are the keywords that a value is checked by, and format, which says more than its type.
var constraints = []string{
	"$ref", "$defs", "$anchor", "type", "format", "enum", "const", "properties", "required", "additionalProperties", "items", "minimum", "maximum",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems",
	"minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "prefixItems", "contains", "minContains",
	"maxContains", "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems",
	"additionalItems", "dependencies", "definitions", "$dynamicRef", "$dynamicAnchor", "contentEncoding",
}

func withoutTexts(raw []byte) []byte {
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return raw
	}
	return rawjson.Rewrite(raw, func(key []byte, _ int, v []byte) []byte {
		if name, _ := rawjson.String(key); !slices.Contains(constraints, name) {
			return nil
		}
		return v
	})
}

// requiredPart is a schema with the properties alone that must be there.
func requiredPart(raw []byte) []byte {
	raw = withoutTexts(raw)
	properties, has := rawjson.Get(raw, "properties")
	if !has {
		return raw
	}
	required, _ := rawjson.Get(raw, "required")
	return rawjson.Set(raw, "properties", rawjson.Rewrite(properties, func(key []byte, _ int, v []byte) []byte {
		for name := range rawjson.Elements(required) {
			if text, _ := rawjson.String(name); rawjson.KeyIs(key, text) {
				return v
			}
		}
		return nil
	}))
}

// ownLevel tells the type, and what an object must have.
func ownLevel(raw []byte) []byte {
	return rawjson.Rewrite(raw, func(key []byte, _ int, v []byte) []byte {
		if name, _ := rawjson.String(key); name != "type" && name != "required" {
			return nil
		}
		return v
	})
}
