package hosts

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// The keywords that hold a schema, a list of schemas, or schemas by name.
var (
	oneSchema    = []string{"items", "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
	listOfSchema = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	mapOfSchema  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// walk visits a schema and all its parts.
func walk(n *rawjson.Node, path string, visit func(path string, n *rawjson.Node)) {
	visit(path, n)
	for _, part := range partsOf(n) {
		walk(part.node, path+part.path, visit)
	}
}

// part is a schema in a schema, and the pointer from the outer one to it.
type part struct {
	path string
	node *rawjson.Node
}

func partsOf(n *rawjson.Node) []part {
	var parts []part
	for key, value := range n.Members() {
		at := "/" + escape(key)
		switch {
		case slices.Contains(oneSchema, key):
			if value.Kind != rawjson.KindBool || key != "additionalProperties" && key != "unevaluatedProperties" {
				parts = append(parts, part{at, value})
			}
		case slices.Contains(listOfSchema, key):
			for i, inner := range value.Items {
				parts = append(parts, part{at + "/" + strconv.Itoa(i), inner})
			}
		case slices.Contains(mapOfSchema, key):
			for name, inner := range value.Members() {
				parts = append(parts, part{at + "/" + escape(name), inner})
			}
		}
	}
	return parts
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escape(step string) string { return escaper.Replace(step) }

// lastStep is the name at the end of a JSON pointer in a URI fragment.
func lastStep(pointer string) string {
	step := unescaper.Replace(pointer[strings.LastIndexByte(pointer, '/')+1:])
	if plain, err := url.PathUnescape(step); err == nil {
		return plain
	}
	return step
}

// find follows a reference into the schema, by pointer or by anchor.
func find(root *rawjson.Node, ref string) (pointer string, n *rawjson.Node) {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return "", nil
	}
	if pointer == "" || pointer[0] == '/' {
		n, _ = root.At(pointer)
		return pointer, n
	}
	anchor := pointer
	walk(root, "", func(path string, part *rawjson.Node) {
		if n == nil && part.Get("$anchor").Str() == anchor {
			pointer, n = path, part
		}
	})
	return pointer, n
}
