package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// emitter writes one schema as JSON Schema 2020-12.
type emitter struct {
	*schemas
	way  direction
	self place // the definition being written: what $recursiveRef means
	buf  []byte
	uses []*definition
	err  error
}

var errTooDeep = fmt.Errorf("it nests deeper than %d levels", rawjson.MaxDepth)

// text writes a schema of its own.
func (e *emitter) text(p place) []byte {
	outer := e.buf
	e.buf = nil
	e.schema(p)
	text := e.buf
	e.buf = outer
	return text
}

func (e *emitter) schema(p place) {
	p = e.merged(p)
	switch {
	case p.node.Is(rawjson.KindBool) && !p.node.Bool():
		e.buf = append(e.buf, `{"not":{}}`...)
		return
	case !p.node.Is(rawjson.KindObject):
		e.buf = append(e.buf, `{}`...)
		return
	case p.node.Get(tooDeepKey) != nil:
		e.err = errTooDeep
		e.buf = append(e.buf, `{}`...)
		return
	}
	if ref, is := e.reference(p.node); is {
		e.refer(p, ref)
		return
	}
	e.open('{')
	e.keywords(p)
	e.close('}')
}

// reference is the reference that a schema is, dynamic ones included.
func (e *emitter) reference(n *rawjson.Node) (string, bool) {
	if ref, is := refOf(n); is {
		return ref, true
	}
	for _, key := range []string{"$dynamicRef", "$recursiveRef"} {
		if ref := n.Get(key); ref.Is(rawjson.KindString) {
			return ref.Str(), true
		}
	}
	return "", false
}

// refer writes a reference: small targets in full, others as a definition.
func (e *emitter) refer(p place, ref string) {
	target, err := e.target(p, ref)
	if err != nil {
		e.note("%s: %s; any value is taken there", p.at(), err)
		e.open('{')
		e.siblings(p)
		e.close('}')
		return
	}
	if small := e.merged(target); e.simple(small.node) {
		e.inline(p, small)
		return
	}
	d := e.define(target, ref, e.way)
	e.uses = append(e.uses, d)
	e.open('{')
	if isNullable(p.node) {
		e.key("anyOf")
		e.buf = append(e.buf, `[{"$ref":"#/$defs/`+d.name+`"},{"type":"null"}]`...)
	} else {
		e.key("$ref")
		e.buf = append(e.buf, `"#/$defs/`+d.name+`"`...)
	}
	e.siblings(p)
	e.close('}')
}

// target is the schema that a reference means. A bare # is the schema being written.
func (e *emitter) target(p place, ref string) (place, error) {
	if ref == "#" && (p.doc == e.root || p.node.Get("$ref") == nil) {
		if e.self.node == nil {
			return place{}, errors.New("the reference \"#\" stands in no schema of its own")
		}
		return e.self, nil
	}
	next, err := e.step(p, ref)
	if err != nil {
		return place{}, err
	}
	for range maxHops {
		onward, is := refOf(next.node)
		if !is || !e.legacy && next.node.Len() > 1 {
			return next, nil
		}
		if next, err = e.step(next, onward); err != nil {
			return place{}, err
		}
	}
	return place{}, errCircle
}

// siblings writes what stands beside a reference and counts.
func (e *emitter) siblings(p place) {
	if e.legacy && !e.own[p.node] {
		e.describe(p.node, nil)
		return
	}
	e.keywords(p)
}

// inline writes a small schema in place of a reference to it.
func (e *emitter) inline(p, target place) {
	whole := &rawjson.Node{Kind: rawjson.KindObject, Line: target.node.Line}
	for key, item := range target.node.Members() {
		whole.Put(key, item)
	}
	for key, item := range p.node.Members() {
		counts := !e.legacy || e.own[p.node] || key == "description" || key == "nullable"
		if counts && key != "$ref" {
			whole.Put(key, item)
		}
	}
	e.open('{')
	e.keywords(place{target.doc, whole})
	e.close('}')
}

// simple reports whether a schema is a scalar, or a list of scalars, short enough to stand wherever
// it is used.
func (e *emitter) simple(n *rawjson.Node) bool {
	if !n.Is(rawjson.KindObject) {
		return false
	}
	for key, item := range n.Members() {
		switch key {
		case "properties", "additionalProperties", "allOf", "oneOf", "anyOf", "not", "if", "patternProperties", "prefixItems",
			"$ref", "$dynamicRef", "$recursiveRef", tooDeepKey:
			return false
		case "items":
			if !e.simple(item) {
				return false
			}
		case "enum":
			if item.Len() > 40 {
				return false
			}
		}
	}
	types := typesOf(n)
	return len(types.names) > 0 && !slices.Contains(types.names, "object") && (n.Get("items") != nil || !slices.Contains(types.names, "array"))
}

func (e *emitter) open(c byte) { e.buf = append(e.buf, c) }

func (e *emitter) close(c byte) { e.buf = append(e.buf, c) }

func (e *emitter) comma() {
	if n := len(e.buf); n > 0 && !strings.ContainsRune("{[:", rune(e.buf[n-1])) {
		e.buf = append(e.buf, ',')
	}
}

func (e *emitter) key(name string) {
	e.comma()
	e.buf = append(rawjson.AppendString(e.buf, name), ':')
}

func (e *emitter) putString(key, text string) {
	e.key(key)
	e.buf = rawjson.AppendString(e.buf, text)
}

func (e *emitter) put(key string, n *rawjson.Node) {
	e.key(key)
	e.buf = n.AppendJSON(e.buf)
}

// list writes schemas as an array.
func (e *emitter) list(key string, p place, more ...string) {
	e.key(key)
	e.open('[')
	for item := range p.node.Elements() {
		e.comma()
		e.schema(e.child(p, item))
	}
	for _, text := range more {
		e.comma()
		e.buf = append(e.buf, text...)
	}
	e.close(']')
}

// byName writes schemas as an object.
func (e *emitter) byName(key string, p place) {
	e.key(key)
	e.open('{')
	for name, item := range p.node.Members() {
		e.key(name)
		e.schema(e.child(p, item))
	}
	e.close('}')
}
