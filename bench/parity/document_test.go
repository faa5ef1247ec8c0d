package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// document is a description as plain data.
type document struct {
	name       string
	root       map[string]any
	swagger    bool
	operations map[string]*described // by "METHOD /path key"
	bySegments map[string][]*described
}

// described is one operation as its description has it.
type described struct {
	doc      *document
	method   string
	key      string // the path as it is keyed
	template *template
	query    string // what the key has after ?
	base     string // of the first server that counts, "" where there is none
	params   []parameter
	body     *content // nil: there is none
	answers  map[string]any
	produces []string // Swagger 2
	needs    [][]scheme
}

// parameter is a parameter of the path, query, header or cookie, with the defaults of its style filled in.
type parameter struct {
	name, in, style string
	explode         bool
	media           string // described by "content"
	required        bool
	schema          any
}

// content is a request body.
type content struct {
	required bool
	kinds    []kind
}

// kind is one media type of a body.
type kind struct {
	media    string
	schema   any
	encoding map[string]any
}

// scheme is a security scheme: where a key goes.
type scheme struct{ name, kind, in, param, scheme string }

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// readDocument reads a description without any code of the product.
func readDocument(file string) (*document, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root, err := plainData(data, filepath.Ext(file) == ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	d := &document{name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), operations: map[string]*described{}, bySegments: map[string][]*described{}}
	d.root, _ = root.(map[string]any)
	d.swagger = d.root["swagger"] != nil
	for key, item := range object(d.root["paths"]) {
		item := object(d.resolve(item))
		for _, method := range methods {
			if op, ok := d.resolve(item[method]).(map[string]any); ok {
				d.add(strings.ToUpper(method), key, item, op)
			}
		}
	}
	return d, nil
}

func plainData(data []byte, isYAML bool) (any, error) {
	if isYAML {
		var node yaml.Node
		if err := yaml.Unmarshal(data, &node); err != nil {
			return nil, err
		}
		return fromYAML(&node), nil
	}
	return decodeJSON(data)
}

// decodeJSON keeps the digits of numbers.
func decodeJSON(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && d.More() {
		err = fmt.Errorf("there is more than one value")
	}
	return v, err
}

// fromYAML reads scalars by the core schema of YAML 1.2: no is a text.
func fromYAML(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return fromYAML(n.Content[0])
	case yaml.AliasNode:
		return fromYAML(n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, fromYAML(item))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = fromYAML(n.Content[i+1])
		}
		return m
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value
	}
	switch strings.ToLower(n.Value) {
	case "", "~", "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if v, err := decodeJSON([]byte(n.Value)); err == nil {
		if number, ok := v.(json.Number); ok {
			return number
		}
	}
	return n.Value
}

func object(v any) map[string]any      { m, _ := v.(map[string]any); return m }
func list(v any) []any                 { l, _ := v.([]any); return l }
func text(v any) string                { s, _ := v.(string); return s }
func truth(v any) bool                 { b, _ := v.(bool); return b }
func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func texts(v any) (all []string) {
	for _, item := range list(v) {
		all = append(all, text(item))
	}
	return all
}

// pointer is what a local reference points at.
func (d *document) pointer(ref string) any {
	var at any = d.root
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(step)
		switch holder := at.(type) {
		case map[string]any:
			at = holder[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i < 0 || i >= len(holder) {
				return nil
			}
			at = holder[i]
		default:
			return nil
		}
	}
	return at
}

// resolve follows references.
func (d *document) resolve(v any) any {
	for range 20 {
		ref, ok := object(v)["$ref"].(string)
		if !ok {
			return v
		}
		v = d.pointer(ref)
	}
	return nil
}

func (d *document) add(method, key string, item, op map[string]any) {
	o := &described{doc: d, method: method, key: key, answers: object(op["responses"])}
	path, _, _ := strings.Cut(key, "#")
	path, o.query, _ = strings.Cut(path, "?")
	o.produces = texts(either(op, d.root, "produces"))
	o.base = d.server(item, op)
	o.needs = d.security(op)
	many := o.readParams(item, op)
	o.template = newTemplate(path, many)
	if !d.swagger {
		o.body = d.requestBody(op)
	}
	d.operations[method+" "+key] = o
	at := fmt.Sprint(method, " ", len(o.template.segments))
	if len(many) > 0 {
		at = method + " *"
	}
	d.bySegments[at] = append(d.bySegments[at], o)
}

// either is a key of an operation, else of the document.
func either(op, root map[string]any, key string) any {
	if v, ok := op[key]; ok {
		return v
	}
	return root[key]
}

// server is the base URL of an operation: its own servers come before those of the path and of the document.
func (d *document) server(item, op map[string]any) string {
	if d.swagger {
		host := text(d.root["host"])
		if host == "" {
			return ""
		}
		scheme := "https"
		if schemes := texts(either(op, d.root, "schemes")); len(schemes) > 0 && !slices.Contains(schemes, scheme) {
			scheme = schemes[0]
		}
		return scheme + "://" + host + strings.TrimRight(text(d.root["basePath"]), "/")
	}
	for _, owner := range []map[string]any{op, item, d.root} {
		if servers := list(owner["servers"]); len(servers) > 0 {
			first := object(servers[0])
			address := text(first["url"])
			for name, variable := range object(first["variables"]) {
				address = strings.ReplaceAll(address, "{"+name+"}", text(object(variable)["default"]))
			}
			return strings.TrimRight(address, "/")
		}
	}
	return ""
}

func (d *document) security(op map[string]any) (needs [][]scheme) {
	described := object(object(d.root["components"])["securitySchemes"])
	if d.swagger {
		described = object(d.root["securityDefinitions"])
	}
	for _, alternative := range list(either(op, d.root, "security")) {
		together := []scheme{}
		for _, name := range sorted(object(alternative)) {
			s := object(d.resolve(described[name]))
			one := scheme{name, text(s["type"]), text(s["in"]), text(s["name"]), strings.ToLower(text(s["scheme"]))}
			if one.kind == "basic" {
				one.kind, one.scheme = "http", "basic"
			}
			together = append(together, one)
		}
		needs = append(needs, together)
	}
	return needs
}

// readParams reads the parameters of the path item and of the operation, whose own come first.
// Variables that may hold slashes are named.
func (o *described) readParams(item, op map[string]any) (many map[string]bool) {
	seen := map[string]bool{}
	many = map[string]bool{}
	var form []map[string]any
	for _, owner := range []map[string]any{op, item} {
		for _, raw := range list(owner["parameters"]) {
			p := object(o.doc.resolve(raw))
			in, name := text(p["in"]), text(p["name"])
			if seen[in+" "+name] {
				continue
			}
			seen[in+" "+name] = true
			switch {
			case in == "body":
				o.swaggerBody(p, op)
			case in == "formData":
				form = append(form, p)
			default:
				o.params = append(o.params, o.parameter(p))
			}
			if in == "path" && truth(p["x-multi-segment"]) {
				many[name] = true
			}
		}
	}
	if len(form) > 0 {
		o.swaggerForm(form, op)
	}
	return many
}

// collections are the collectionFormats of Swagger 2.0 as styles of OpenAPI 3.
var collections = map[string]string{"csv": "simple", "": "simple", "ssv": "spaceDelimited", "pipes": "pipeDelimited", "multi": "form"}

// parameter fills in the defaults: style by place, explode by style (OpenAPI 3.1 "Parameter Object").
func (o *described) parameter(raw map[string]any) parameter {
	p := parameter{name: text(raw["name"]), in: text(raw["in"]), style: text(raw["style"]), required: truth(raw["required"]), schema: raw["schema"]}
	if o.doc.swagger {
		p.schema = raw
		p.style = collections[text(raw["collectionFormat"])]
		p.explode = p.style == "form"
		if p.in == "query" && p.style == "simple" {
			p.style = "form"
		}
		return p
	}
	for _, media := range sorted(object(raw["content"])) {
		p.media, p.schema = media, object(object(raw["content"])[media])["schema"]
	}
	if p.style == "" {
		p.style = map[string]string{"query": "form", "cookie": "form", "path": "simple", "header": "simple"}[p.in]
	}
	explode, said := raw["explode"].(bool)
	p.explode = said && explode || !said && (p.style == "form" || p.style == "deepObject")
	return p
}

func (d *document) requestBody(op map[string]any) *content {
	raw := object(d.resolve(op["requestBody"]))
	if raw == nil {
		return nil
	}
	c := &content{required: truth(raw["required"])}
	for _, media := range sorted(object(raw["content"])) {
		m := object(d.resolve(object(raw["content"])[media]))
		c.kinds = append(c.kinds, kind{media, m["schema"], object(m["encoding"])})
	}
	return c
}

func (o *described) swaggerBody(p, op map[string]any) {
	o.body = &content{required: truth(p["required"])}
	consumes := texts(either(op, o.doc.root, "consumes"))
	if len(consumes) == 0 {
		consumes = []string{"application/json"}
	}
	for _, media := range consumes {
		o.body.kinds = append(o.body.kinds, kind{media: media, schema: p["schema"]})
	}
}

func (o *described) swaggerForm(form []map[string]any, op map[string]any) {
	props, needed, media := map[string]any{}, []any{}, "application/x-www-form-urlencoded"
	encoding := map[string]any{}
	for _, p := range form {
		props[text(p["name"])] = p
		if truth(p["required"]) {
			needed = append(needed, p["name"])
		}
		if text(p["type"]) == "file" {
			media = "multipart/form-data"
		}
		encoding[text(p["name"])] = map[string]any{"style": "form", "explode": text(p["collectionFormat"]) == "multi"}
	}
	if consumes := texts(either(op, o.doc.root, "consumes")); len(consumes) == 1 {
		media = consumes[0]
	}
	o.body = &content{kinds: []kind{{media, map[string]any{"type": "object", "properties": props, "required": needed}, encoding}}}
}
