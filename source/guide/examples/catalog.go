package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/typing"
)

// CheckCatalog finds what annotations promise and the catalog does not hold: guides that there are not,
// steps before and after a call that lead nowhere, fields of answers, inputs of paging, examples that
// do not fit.
func (c *Checker) CheckCatalog() ([]guide.Finding, error) {
	c.ready()
	var findings []guide.Finding
	for i := range c.Catalog.Entries() {
		op, err := c.Catalog.At(i)
		if err != nil {
			return nil, err
		}
		a := &annotated{Checker: c, op: op}
		a.check()
		findings = append(findings, a.findings...)
	}
	return guide.Sort(findings), nil
}

// annotated is the check of one operation.
type annotated struct {
	*Checker
	op       *twodoor.Operation
	findings []guide.Finding
}

func (a *annotated) find(kind guide.Mistake, fix, format string, args ...any) {
	file, line := a.op.At, 1
	if at := strings.LastIndexByte(file, ':'); at >= 0 {
		if n, err := strconv.Atoi(file[at+1:]); err == nil {
			file, line = file[:at], n
		}
	}
	a.findings = append(a.findings, guide.Finding{File: file, Line: line, Column: 1, Kind: kind, Message: a.op.ID + ": " + fmt.Sprintf(format, args...), Fix: fix})
}

func (a *annotated) check() {
	for _, name := range a.op.Guides {
		if a.Guides.Find(name) == nil {
			a.find(guide.UnknownGuide, first(rawjson.Nearest(a.Guides.Names(), name, 1)), "it names the guide %q, and there is none", name)
		}
	}
	answer := typing.ShapeOf(a.op, a.op.Output)
	for _, step := range a.op.Before {
		a.step("before", step, typing.ShapeOf(a.op, typing.InputOf(a.op)))
	}
	for _, step := range a.op.Next {
		from := answer
		if step.On != twodoor.CodeOK {
			from = typing.ShapeOf(a.op, failureOf(a.op))
		}
		a.jq("next.when", step.When, from)
		a.step("next", step, from)
	}
	a.answer(answer)
	a.view(answer)
	a.examples()
}

// mappings are the members of a view that name a field of a row, or a jq program over one.
var mappings = []string{"x", "y", "series", "start", "end", "label", "value", "from", "to", "source", "target", "size", "color", "group", "category", "status", "lane", "parent", "id", "name", "time"}

// view checks what a view reads of the answer: its rows, and the fields of a row that it maps.
func (a *annotated) view(answer typing.Shape) {
	raw, _ := rawjson.Get(a.op.View, "rows")
	rows, _ := rawjson.String(raw)
	row := answer
	if rows != "" {
		a.jq("view.rows", rows, answer)
		row, _ = typing.ReadJQ(rows, answer)
	}
	if row.IsKnownList() {
		row, _ = typing.ReadJQ(".[]", row)
	}
	for name, value := range rawjson.Members(a.op.View) {
		field, isText := rawjson.String(value)
		if !isText || field == "" || !slices.Contains(mappings, name) {
			continue
		}
		if !strings.HasPrefix(field, ".") {
			field = "." + field
		}
		a.jq("view."+name, field, row)
	}
}

// failureOf is the schema of what a step after a failure is filled in from.
func failureOf(op *twodoor.Operation) json.RawMessage {
	const fault = `{"type":"object","properties":{"code":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"},` +
		`"upstream":{"type":"object","properties":{"status":{"type":"integer"},"body":{}}}}}`
	return fmt.Appendf(nil, `{"type":"object","properties":{"arguments":%s,"error":%s}}`, typing.InputOf(op), fault)
}

// jq checks a program over a shape.
func (a *annotated) jq(what, program string, over typing.Shape) {
	if program == "" {
		return
	}
	_, wrong := typing.ReadJQ(program, over)
	for _, w := range wrong {
		a.find(guide.BadJQ, w.Fix, "%s: %s", what, w.Message)
	}
}

// step checks a call tied to the operation: it is there, it takes the arguments, and it gets what it
// requires.
func (a *annotated) step(what string, step twodoor.Step, from typing.Shape) {
	name := step.Call
	if strings.Count(name, ".") == 1 {
		name = a.op.Source() + "." + name
	}
	target, alias, err := a.Catalog.Find(name)
	if err != nil || target == nil {
		a.find(guide.UnknownOperation, a.nearest(name), "%s calls %s, which is no operation", what, step.Call)
		return
	}
	if alias {
		a.find(guide.OldName, target.ID, "%s calls %s by an old name", what, step.Call)
	}
	input := typing.ShapeOf(target, typing.InputOf(target))
	for _, key := range slices.Sorted(maps.Keys(step.Arguments)) {
		if _, ok := input.Field(key); !ok {
			a.find(guide.UnknownField, first(rawjson.Nearest(input.Names(), key, 1)), "%s gives %s to %s, which does not take it", what, key, target.ID)
		}
		a.jq(what+" "+key, step.Arguments[key], from)
	}
	required, _ := rawjson.Get(typing.InputOf(target), "required")
	for element := range rawjson.Elements(required) {
		key := typing.PlainText(element)
		if _, given := step.Arguments[key]; !given && !fills(target, key) {
			a.find(guide.MissingRequired, "", "%s calls %s without %s, which it requires", what, target.ID, key)
		}
	}
	a.jq(what+".until", step.Until, typing.ShapeOf(target, target.Output))
	for key, text := range map[string]string{"every": step.Every, "at_most": step.AtMost} {
		if _, err := time.ParseDuration(text); text != "" && err != nil {
			a.find(guide.BadValue, "30s", "%s: %s is no duration: %q", what, key, text)
		}
	}
}

// fills reports whether an input has a default that is filled in.
func fills(op *twodoor.Operation, name string) bool {
	value, _ := rawjson.GetPath(typing.InputOf(op), "properties", name, "x-fill")
	return string(value) == "true"
}

// answer checks what is said of the answer, and of paging.
func (a *annotated) answer(answer typing.Shape) {
	said := a.op.Answer
	root := strings.Trim(strings.TrimSuffix(said.Root, "[]"), ".")
	record := answer
	if root != "" {
		var at string
		var near []string
		if record, at, near = answer.Follow(root); at != "" {
			a.find(guide.UnknownField, first(near), "answer.root: the answer has no %s", at)
			return
		}
	}
	for _, f := range typing.WrongFields(answer, root, record.IsKnownList(), said.Fields) {
		a.find(guide.UnknownField, f.Fix, "answer.%s", f.Message)
	}
	for _, id := range slices.Sorted(maps.Values(said.IDNames)) {
		if strings.Count(id, ".") == 1 {
			id = a.op.Source() + "." + id
		}
		if op, _, err := a.Catalog.Find(id); err == nil && op == nil {
			a.find(guide.UnknownOperation, a.nearest(id), "answer.id_names asks %s, which is no operation", id)
		}
	}
	page := a.op.Page
	if page == nil {
		return
	}
	input := typing.ShapeOf(a.op, typing.InputOf(a.op))
	for key, name := range map[string]string{"param": page.Param, "size": page.Size} {
		if _, ok := input.Field(name); name != "" && !ok {
			a.find(guide.UnknownField, first(rawjson.Nearest(input.Names(), name, 1)), "page.%s is %s, which it does not take", key, name)
		}
	}
	for key, path := range map[string]string{"items": page.Items, "next": page.Next} {
		if strings.ContainsAny(path, " |(") { // a program, not a path
			a.jq("page."+key, path, answer)
			continue
		}
		if _, at, near := answer.Follow(strings.TrimPrefix(path, ".")); path != "" && at != "" {
			a.find(guide.UnknownField, first(near), "page.%s: the answer has no %s", key, at)
		}
	}
}

// examples checks the operation's own examples against its schema.
func (a *annotated) examples() {
	if len(a.op.Examples) == 0 {
		return
	}
	check, err := schema.CompileWith(typing.InputOf(a.op), func(name string) []byte { return a.op.Definition(name) })
	if err != nil {
		return
	}
	for _, e := range a.op.Examples {
		if len(e.Arguments) == 0 {
			continue
		}
		for _, p := range check.Check(check.Default(check.Fit(json.RawMessage(e.Arguments)))) {
			a.find(guide.BadBody, "", "its example %q does not fit: %s", e.Title, strings.TrimSpace(p.Path+" "+p.Message))
		}
	}
}
