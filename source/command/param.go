package command

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// param is a parameter as the file declares it.
type param struct {
	rule
	schema   *rawjson.Node // its JSON Schema, without our own keys
	list     bool
	required bool
	line     int32
}

// keywords are the keys of JSON Schema that a parameter may have beside our own.
var keywords = []string{
	"title", "description", "default", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"pattern", "minLength", "maxLength", "format", "minItems", "maxItems", "uniqueItems", "properties", "additionalProperties", "examples", "deprecated",
}

// kinds are the types that a parameter may have, with the type of their schema.
var kinds = map[string]struct {
	kind   kind
	schema string
}{
	"string": {kindWord, "string"}, "text": {kindText, "string"}, "integer": {kindNumber, "integer"}, "number": {kindNumber, "number"},
	"boolean": {kindTruth, "boolean"}, "object": {kindJSON, "object"}, "array": {"", "array"}, "options": {kindOptions, "array"},
}

// params reads the parameters under a path.
func (r *fileReader) params(n *rawjson.Node, path string) (params []param) {
	r.each(n, path, func(key string, n *rawjson.Node) {
		if !paramName.MatchString(key) {
			r.fault(n, join(path, key), "%q is no name of a parameter: letters, digits, _ and -, a letter first", key)
			return
		}
		params = append(params, r.param(key, n, join(path, key)))
	})
	return params
}

// param reads one parameter: its type alone, or a mapping.
func (r *fileReader) param(name string, n *rawjson.Node, path string) param {
	p := param{rule: rule{Name: name}, schema: &rawjson.Node{Kind: rawjson.KindObject}, line: n.Line}
	if n.Is(rawjson.KindString) {
		r.kind(&p, n, path)
		r.finish(&p, n, path)
		return p
	}
	known := map[string]func(*rawjson.Node){
		"type":     func(n *rawjson.Node) { r.kind(&p, n, join(path, "type")) },
		"items":    func(n *rawjson.Node) { r.items(&p, n, join(path, "items")) },
		"required": r.truthInto(&p.required, join(path, "required")),
		"local": func(n *rawjson.Node) {
			r.truthInto(&p.Local, join(path, "local"))(n)
			p.Anywhere = !p.Local
		},
		"allow": func(n *rawjson.Node) { p.Allow = r.optionNames(n, join(path, "allow")) },
	}
	for _, key := range keywords {
		known[key] = func(n *rawjson.Node) { p.schema.Put(key, n) }
	}
	r.keys(n, path, known)
	r.finish(&p, n, path)
	return p
}

func (r *fileReader) kind(p *param, n *rawjson.Node, path string) {
	name := r.text(n, path)
	k, ok := kinds[name]
	if !ok {
		r.fault(n, path, "%s is %q, none of string, text, integer, number, boolean, array, object, options", path, name)
		return
	}
	if p.list = k.schema == "array"; k.kind != "" {
		p.Kind = k.kind
	}
	p.schema.Put("type", rawjson.StringNode(k.schema))
}

// items reads what a list has: a type alone, or a mapping.
func (r *fileReader) items(p *param, n *rawjson.Node, path string) {
	inner := param{}
	if n.Is(rawjson.KindString) {
		inner = r.param("items", n, path)
	} else if n.Is(rawjson.KindObject) {
		inner = r.param("items", n, path)
	} else {
		r.fault(n, path, "%s is neither a type nor a mapping", path)
		return
	}
	if inner.list || inner.Kind == kindJSON || inner.Kind == kindTruth {
		r.fault(n, path, "%s: the items of a list are strings, texts or numbers", path)
	}
	p.Kind, p.Safe = inner.Kind, inner.Safe
	p.schema.Put("items", inner.schema)
}

// finish fills in what goes without saying, and checks the schema.
func (r *fileReader) finish(p *param, n *rawjson.Node, path string) {
	if p.schema.Get("type") == nil {
		p.Kind = kindWord
		p.schema.Put("type", rawjson.StringNode("string"))
	}
	if p.list && p.schema.Get("items") == nil {
		item := &rawjson.Node{Kind: rawjson.KindObject}
		item.Put("type", rawjson.StringNode("string"))
		if p.Kind == "" {
			p.Kind = kindWord
		}
		p.schema.Put("items", item)
	}
	if p.Kind == kindOptions {
		r.options(p)
	} else if len(p.Allow) > 0 {
		r.fault(n, path, "%s: allow is for the type options", path)
	}
	p.Safe = p.Safe || p.schema.Get("enum") != nil || p.schema.Get("const") != nil
	if _, err := schema.Compile(p.schema.JSON()); err != nil {
		r.fault(n, path, "%s is no schema: %v", path, err)
	}
}

// options lists, where none of the allowed options takes a value, what may be given.
func (r *fileReader) options(p *param) {
	valued := func(name string) bool { return name[len(name)-1] == '=' }
	if len(p.Allow) == 0 || slices.ContainsFunc(p.Allow, valued) {
		return
	}
	enum := &rawjson.Node{Kind: rawjson.KindArray}
	for _, name := range p.Allow {
		enum.Items = append(enum.Items, rawjson.StringNode(name))
	}
	p.schema.Get("items").Put("enum", enum)
}
