package examples

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/shelltext"
	"github.com/twodoor/twodoor/source/guide/typing"
)

// references are the names that a text may mean by a span of code.
type references struct {
	sources  map[string]bool     // "harbor"
	groups   map[string][]string // "incident" → the sources that have it
	prefixes []string            // "harbor_incident_": tool names begin so
	fields   map[string]bool     // names of inputs, which look like tools at times
}

func (c *Checker) references() *references {
	refs := &references{sources: map[string]bool{}, groups: map[string][]string{}, fields: map[string]bool{}}
	prefixes := map[string]bool{}
	for _, entry := range c.Catalog.Entries() {
		source, rest, _ := strings.Cut(entry.ID, ".")
		refs.sources[source] = true
		group, _, deeper := strings.Cut(rest, ".")
		if !deeper || source == twodoor.OwnSource {
			continue
		}
		if list := refs.groups[group]; len(list) == 0 || list[len(list)-1] != source {
			refs.groups[group] = append(list, source)
		}
		if at := strings.Index(entry.Tool, "_"+group+"_"); at > 0 {
			prefixes[entry.Tool[:at+len(group)+2]] = true
		}
	}
	for prefix := range prefixes {
		refs.prefixes = append(refs.prefixes, prefix)
	}
	for i := range c.Tree.Commands {
		for _, in := range c.Tree.Commands[i].Inputs {
			refs.fields[in.Name] = true
		}
	}
	return refs
}

// reference checks a span that names an operation, or calls a tool.
func (r *pageCheck) reference(s guide.Span, col int) {
	name, args, _ := strings.Cut(s.Text, " ")
	at := shelltext.Word{Text: name}
	at.Line, at.Col, at.From = r.page.Place(s.Line, col)
	at.To = at.From + len(name)
	if args = strings.TrimSpace(args); strings.HasPrefix(args, "{") && isOperationLike(name) {
		r.tool(at, name, json.RawMessage(args))
		return
	}
	if args != "" || !r.looksLikeOperation(name) {
		return
	}
	r.named(at, name)
}

// isOperationLike reports whether a word can be the name of a tool or an operation.
func isOperationLike(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == "" && strings.ContainsAny(name, "_.")
}

// looksLikeOperation reports whether a word means an operation: it begins as ids and tools do.
func (r *pageCheck) looksLikeOperation(name string) bool {
	if !isOperationLike(name) || r.refs.fields[name] || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "_") {
		return false
	}
	parts := strings.Split(name, ".")
	if len(parts) == 3 && r.refs.sources[parts[0]] {
		return parts[1] != "resource" && parts[1] != "prompt" || len(r.refs.groups[parts[1]]) > 0 // ids of what is no operation
	}
	if len(parts) == 2 && len(r.refs.groups[parts[0]]) > 0 {
		return !isFile(parts[1])
	}
	for _, prefix := range r.refs.prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func isFile(ending string) bool {
	switch ending {
	case "md", "yaml", "yml", "json", "proto", "go", "sh", "txt", "com", "io", "org":
		return true
	}
	return false
}

// named checks the name of an operation in any spelling; group.verb is of any source that has it.
func (r *pageCheck) named(at shelltext.Word, name string) *twodoor.Operation {
	op, alias := r.lookup(name)
	switch {
	case op == nil:
		fix := r.nearest(name)
		if parts := strings.Split(name, "."); len(parts) == 2 {
			fix = strings.TrimPrefix(fix, r.refs.first(parts[0])+".")
		}
		r.add(at, guide.UnknownOperation, fmt.Sprintf("there is no operation %q", name), fix)
	case alias:
		f := r.add(at, guide.OldName, fmt.Sprintf("%s is an old name", name), op.ID)
		f.Note = true
		right := op.ID
		switch {
		case !strings.Contains(name, "."):
			right = op.Spelling().MCP
		case strings.Count(name, ".") == 1:
			right = strings.TrimPrefix(op.ID, op.Source()+".")
		}
		f.Edit = &guide.Edit{Start: at.From, End: at.To, Text: right}
	}
	return op
}

func (refs *references) first(group string) string { return first(refs.groups[group]) }

func (r *pageCheck) lookup(name string) (op *twodoor.Operation, alias bool) {
	if op, alias, err := r.Catalog.Find(name); err == nil && op != nil {
		return op, alias
	}
	group, _, _ := strings.Cut(name, ".")
	for _, source := range r.refs.groups[group] {
		if op, alias, err := r.Catalog.Find(source + "." + name); err == nil && op != nil {
			return op, alias
		}
	}
	return nil, false
}

// json checks a block of JSON that calls tools: one call, a list of them, or lines of them.
func (r *pageCheck) json(b *guide.Block, text string) {
	for _, part := range documents(text) {
		line, col, _ := r.page.Place(b.Line+strings.Count(text[:part.at], "\n"), b.Dent)
		r.value(shelltext.Word{Line: line, Col: col, From: -1}, json.RawMessage(part.text))
	}
}

// document is one JSON value of a text.
type document struct {
	text string
	at   int
}

// documents are the JSON values of a text: the whole, or one a line.
func documents(text string) []document {
	if rawjson.Check([]byte(text)) == nil {
		return []document{{text, 0}}
	}
	var list []document
	at := 0
	for row := range strings.SplitSeq(text, "\n") {
		if trimmed := strings.TrimSpace(row); strings.HasPrefix(trimmed, "{") && rawjson.Check([]byte(trimmed)) == nil {
			list = append(list, document{trimmed, at})
		}
		at += len(row) + 1
	}
	return list
}

// value checks JSON that is a call of a tool: {"name","arguments"}, {"tool","args"}, or a whole
// tools/call message.
func (r *pageCheck) value(at shelltext.Word, raw json.RawMessage) {
	if rawjson.KindOf(raw) == rawjson.KindArray {
		for element := range rawjson.Elements(raw) {
			r.value(at, element)
		}
		return
	}
	if method, _ := rawjson.Get(raw, "method"); string(method) == `"tools/call"` {
		raw, _ = rawjson.Get(raw, "params")
	}
	var name string
	var args json.RawMessage
	for _, key := range []string{"name", "tool", "tool_name", "id"} {
		if value, ok := rawjson.Get(raw, key); ok {
			if text, isText := rawjson.String(value); isText && name == "" {
				name = text
			}
		}
	}
	found := false
	for _, key := range []string{"arguments", "args", "input"} {
		if value, ok := rawjson.Get(raw, key); ok && rawjson.KindOf(value) == rawjson.KindObject {
			args, found = value, true
		}
	}
	if name == "" || !found || !isOperationLike(name) || shelltext.IsHole(name) {
		return
	}
	r.tool(at, name, args)
}

// isCallTool reports whether a name is one of the operations of the program that call another one.
func isCallTool(name string) bool {
	switch strings.TrimPrefix(name, twodoor.OwnSource+".") {
	case "read_operation", "write_operation", "destroy_operation", "read-operation", "write-operation", "destroy-operation":
		return true
	}
	return false
}

// tool checks a call of a tool: its name, its arguments, and what it wants of the answer.
func (r *pageCheck) tool(at shelltext.Word, name string, args json.RawMessage) {
	if err := rawjson.Check(args); err != nil {
		if !strings.Contains(string(args), "…") && !strings.Contains(string(args), "...") {
			r.add(at, guide.BadBody, "the arguments are no JSON: "+err.Error(), "")
		}
		return
	}
	if isCallTool(name) {
		id, _ := rawjson.Get(args, "id")
		text, _ := rawjson.String(id)
		inner, _ := rawjson.Get(args, "arguments")
		if inner == nil {
			inner = json.RawMessage(`{}`)
		}
		if want, ok := rawjson.Get(args, "want"); ok {
			inner = rawjson.Set(inner, twodoor.WantKey, want)
		}
		if text == "" {
			r.add(at, guide.MissingRequired, name+" needs the id of an operation", `"id": "…"`)
		} else if !shelltext.IsHole(text) {
			r.tool(at, text, inner)
		}
		return
	}
	op, _ := r.lookup(name)
	if op == nil {
		r.add(at, guide.UnknownTool, fmt.Sprintf("there is no tool %q", name), r.toolNear(name))
		return
	}
	r.named(at, name)
	r.arguments(at, op, args)
}

func (r *pageCheck) toolNear(name string) string {
	near := r.nearest(name)
	if op, _, err := r.Catalog.Find(near); err == nil && op != nil && !strings.Contains(name, ".") {
		return op.Spelling().MCP
	}
	return near
}

// arguments checks the arguments of a tool, its _want among them.
func (r *pageCheck) arguments(at shelltext.Word, op *twodoor.Operation, args json.RawMessage) {
	var want twodoor.Projection
	if raw, ok := rawjson.Get(args, twodoor.WantKey); ok {
		if _, own := rawjson.GetPath(op.Input, "properties", twodoor.WantKey); !own {
			args = rawjson.Delete(args, twodoor.WantKey)
			want = r.want(at, raw)
		}
	}
	args = fill(op, typing.InputOf(op), args)
	for _, m := range typing.Misfits(op, args) {
		kind := m.Kind
		if kind == "" {
			kind = guide.BadBody
		}
		r.add(at, kind, m.Message, m.Fix)
	}
	if op.ID == guide.ReadID {
		names, _ := rawjson.Get(args, "names")
		for name := range rawjson.Elements(names) {
			if text, _ := rawjson.String(name); r.Guides.Find(text) == nil {
				fault := r.Guides.Unknown(text)
				r.add(at, guide.UnknownGuide, fault.Message, first(fault.Try))
			}
		}
	}
	root := ""
	if c := r.book.byID[op.ID]; c != nil && c.Answer != nil {
		root = c.Answer.Root
	}
	_, wrong := typing.ReadAnswer(op, root, want)
	for _, m := range wrong {
		r.add(at, m.Kind, m.Message, m.Fix)
	}
}

// wantKeys are the keys of _want.
var wantKeys = []string{"fields", "jq", "limit", "page", "all", "summary", "budget", "format", "confirm"}

// want reads what a call wants of the answer.
func (r *pageCheck) want(at shelltext.Word, raw json.RawMessage) (want twodoor.Projection) {
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "fields":
			if text, ok := rawjson.String(value); ok {
				want.Fields = strings.Split(text, ",")
			}
			for element := range rawjson.Elements(value) {
				want.Fields = append(want.Fields, typing.PlainText(element))
			}
		case "jq":
			want.JQ, _ = rawjson.String(value)
		case "summary":
			want.Summary = string(value) == "true"
		case "limit", "page", "all", "budget", "format", "confirm":
		default:
			r.add(at, guide.UnknownField, twodoor.WantKey+" has no key "+key, first(rawjson.Nearest(wantKeys, key, 1)))
		}
	}
	return want
}
