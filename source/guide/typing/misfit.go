package typing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/guide"
)

// Misfit is one thing that is wrong with arguments.
type Misfit struct {
	Path    string
	Kind    guide.Mistake // empty: a value that does not fit
	Message string
	Fix     string
}

// Misfits are all things that are wrong with the arguments of an operation, and the fields that its
// schema does not know.
func Misfits(op *twodoor.Operation, args json.RawMessage) []Misfit {
	check, err := schema.CompileWith(InputOf(op), func(name string) []byte { return op.Definition(name) })
	if err != nil {
		return nil
	}
	args = check.Default(check.Fit(args))
	var list []Misfit
	seen := map[string]bool{}
	for _, p := range check.Check(args) {
		m := Misfit{Path: p.Path, Message: strings.TrimSpace(p.Path + " " + p.Message)}
		if enum, ok := rawjson.Get(p.Part, "enum"); ok {
			if value := valueAt(args, p.Path); value != nil {
				m.Kind, m.Fix = guide.BadEnum, first(rawjson.Nearest(enumTexts(enum), PlainText(value), 1))
			}
		}
		seen[p.Path] = true
		list = append(list, m)
	}
	for _, m := range strangers(shapeFor(op, args), args, "", 0) {
		if !seen[m.Path] && !seen[parent(m.Path)] {
			list = append(list, m)
		}
	}
	return list
}

func enumTexts(enum json.RawMessage) []string {
	var texts []string
	for value := range rawjson.Elements(enum) {
		texts = append(texts, PlainText(value))
	}
	return texts
}

func valueAt(args json.RawMessage, path string) json.RawMessage {
	value, _ := rawjson.GetPath(args, strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")...)
	return value
}

func parent(path string) string {
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		return path[:at]
	}
	return ""
}

// shapeFor is the shape of an operation's input, of those alternatives that take the arguments.
func shapeFor(op *twodoor.Operation, args json.RawMessage) Shape {
	s := &scope{op: op, value: args}
	out := Shape{scope: s}
	s.add(&out, InputOf(op), 0)
	return out
}

// at is the shape as it is looked into for a value inside of it.
func (t Shape) at(value json.RawMessage) Shape {
	if t.scope != nil {
		t.scope = &scope{op: t.scope.op, value: value}
	}
	return t
}

// strangers are the fields of a value that its schema does not describe, where it describes any.
func strangers(t Shape, value json.RawMessage, path string, depth int) []Misfit {
	if t.any || depth > 30 {
		return nil
	}
	var list []Misfit
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		if t.kinds&isObject == 0 {
			return nil
		}
		for name, member := range rawjson.Members(value) {
			at := strings.TrimPrefix(path+"."+name, ".")
			f, ok := t.at(member).Field(name)
			if !ok {
				list = append(list, Misfit{at, guide.UnknownField, fmt.Sprintf("there is no field %s", at), first(rawjson.Nearest(t.Names(), name, 1))})
				continue
			}
			list = append(list, strangers(f, member, at, depth+1)...)
		}
	case rawjson.KindArray:
		if t.kinds&isList == 0 {
			return nil
		}
		n := 0
		for element := range rawjson.Elements(value) {
			list = append(list, strangers(t.at(element).elements(), element, fmt.Sprintf("%s[%d]", path, n), depth+1)...)
			n++
		}
	}
	return list
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
