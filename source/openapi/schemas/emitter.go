package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// Emitter writes one schema as JSON Schema 2020-12.
type Emitter struct {
	*Set
	Way  direction
	self document.Place // the definition being written: what $recursiveRef means
	buf  []byte
	Uses []*Definition
	Err  error
}

var errTooDeep = fmt.Errorf("it nests deeper than %d levels", rawjson.MaxDepth)

// Text writes a schema of its own.
func (e *Emitter) Text(p document.Place) []byte {
	outer := e.buf
	e.buf = nil
	e.schema(p)
	text := e.buf
	e.buf = outer
	return text
}

func (e *Emitter) schema(p document.Place) {
	p = e.Merged(p)
	switch {
	case p.Node.Is(rawjson.KindBool) && !p.Node.Bool():
		e.buf = append(e.buf, `{"not":{}}`...)
		return
	case !p.Node.Is(rawjson.KindObject):
		e.buf = append(e.buf, `{}`...)
		return
	case p.Node.Get(document.TooDeepKey) != nil:
		e.Err = errTooDeep
		e.buf = append(e.buf, `{}`...)
		return
	}
	if ref, is := e.reference(p.Node); is {
		e.refer(p, ref)
		return
	}
	e.open('{')
	e.keywords(p)
	e.close('}')
}

// reference is the reference that a schema is, dynamic ones included.
func (e *Emitter) reference(n *rawjson.Node) (string, bool) {
	if ref, is := document.Ref(n); is {
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
func (e *Emitter) refer(p document.Place, ref string) {
	target, err := e.target(p, ref)
	if err != nil {
		e.Note("%s: %s; any value is taken there", p.At(), err)
		e.open('{')
		e.siblings(p)
		e.close('}')
		return
	}
	if small := e.Merged(target); e.simple(small.Node) {
		e.inline(p, small)
		return
	}
	d := e.define(target, ref, e.Way)
	e.Uses = append(e.Uses, d)
	e.open('{')
	if isNullable(p.Node) {
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
func (e *Emitter) target(p document.Place, ref string) (document.Place, error) {
	if ref == "#" && (p.Doc == e.root || p.Node.Get("$ref") == nil) {
		if e.self.Node == nil {
			return document.Place{}, errors.New("the reference \"#\" stands in no schema of its own")
		}
		return e.self, nil
	}
	next, err := e.Step(p, ref)
	if err != nil {
		return document.Place{}, err
	}
	for range document.MaxHops {
		onward, is := document.Ref(next.Node)
		if !is || !e.legacy && next.Node.Len() > 1 {
			return next, nil
		}
		if next, err = e.Step(next, onward); err != nil {
			return document.Place{}, err
		}
	}
	return document.Place{}, document.ErrCircle
}

// siblings writes what stands beside a reference and counts.
func (e *Emitter) siblings(p document.Place) {
	if e.legacy && !e.own[p.Node] {
		e.describe(p.Node, nil)
		return
	}
	e.keywords(p)
}

// inline writes a small schema in place of a reference to it.
func (e *Emitter) inline(p, target document.Place) {
	whole := &rawjson.Node{Kind: rawjson.KindObject, Line: target.Node.Line}
	for key, item := range target.Node.Members() {
		whole.Put(key, item)
	}
	for key, item := range p.Node.Members() {
		counts := !e.legacy || e.own[p.Node] || key == "description" || key == "nullable"
		if counts && key != "$ref" {
			whole.Put(key, item)
		}
	}
	e.open('{')
	e.keywords(target.Doc.Place(whole))
	e.close('}')
}

// simple reports whether a schema is a scalar, or a list of scalars, short enough to stand wherever
// it is used.
func (e *Emitter) simple(n *rawjson.Node) bool {
	if !n.Is(rawjson.KindObject) {
		return false
	}
	for key, item := range n.Members() {
		switch key {
		case "properties", "additionalProperties", "allOf", "oneOf", "anyOf", "not", "if", "patternProperties", "prefixItems",
			"$ref", "$dynamicRef", "$recursiveRef", document.TooDeepKey:
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
	types := TypesOf(n)
	return len(types.Names) > 0 && !slices.Contains(types.Names, "object") && (n.Get("items") != nil || !slices.Contains(types.Names, "array"))
}

func (e *Emitter) open(c byte) { e.buf = append(e.buf, c) }

func (e *Emitter) close(c byte) { e.buf = append(e.buf, c) }

func (e *Emitter) comma() {
	if n := len(e.buf); n > 0 && !strings.ContainsRune("{[:", rune(e.buf[n-1])) {
		e.buf = append(e.buf, ',')
	}
}

func (e *Emitter) key(name string) {
	e.comma()
	e.buf = append(rawjson.AppendString(e.buf, name), ':')
}

func (e *Emitter) putString(key, text string) {
	e.key(key)
	e.buf = rawjson.AppendString(e.buf, text)
}

func (e *Emitter) put(key string, n *rawjson.Node) {
	e.key(key)
	e.buf = n.AppendJSON(e.buf)
}

// list writes schemas as an array.
func (e *Emitter) list(key string, p document.Place, more ...string) {
	e.key(key)
	e.open('[')
	for item := range p.Node.Elements() {
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
func (e *Emitter) byName(key string, p document.Place) {
	e.key(key)
	e.open('{')
	for name, item := range p.Node.Members() {
		e.key(name)
		e.schema(e.child(p, item))
	}
	e.close('}')
}
