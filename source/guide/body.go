package guide

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// body checks the arguments of a call against the schema of its operation.
func (l *line) body(args json.RawMessage) {
	kind := BadBody
	_, data := l.flags["--data"]
	for _, m := range misfits(l.op, args) {
		at := l.call.words[0]
		in, given, where := l.inputAt(m.path)
		if given {
			at = where
		}
		found := kind
		if m.kind != "" {
			found = m.kind
		} else if in != nil && !data {
			found = BadValue
		}
		if in != nil && in.Required && !given && !data {
			found = MissingRequired
		}
		l.add(at, found, m.message, m.fix)
	}
}

// misfit is one thing that is wrong with arguments.
type misfit struct {
	path    string
	kind    Mistake // empty: a value that does not fit
	message string
	fix     string
}

// misfits are all things that are wrong with the arguments of an operation, and the fields that its
// schema does not know.
func misfits(op *twodoor.Operation, args json.RawMessage) []misfit {
	check, err := schema.CompileWith(inputOf(op), func(name string) []byte { return op.Definition(name) })
	if err != nil {
		return nil
	}
	args = check.Default(check.Fit(args))
	var list []misfit
	seen := map[string]bool{}
	for _, p := range check.Check(args) {
		m := misfit{path: p.Path, message: strings.TrimSpace(p.Path + " " + p.Message)}
		if enum, ok := rawjson.Get(p.Part, "enum"); ok {
			if value := valueAt(args, p.Path); value != nil {
				m.kind, m.fix = BadEnum, first(rawjson.Nearest(enumTexts(enum), plainText(value), 1))
			}
		}
		seen[p.Path] = true
		list = append(list, m)
	}
	for _, m := range strangers(shapeFor(op, args), args, "", 0) {
		if !seen[m.path] && !seen[parent(m.path)] {
			list = append(list, m)
		}
	}
	return list
}

func inputOf(op *twodoor.Operation) json.RawMessage {
	if len(op.Input) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return op.Input
}

func enumTexts(enum json.RawMessage) []string {
	var texts []string
	for value := range rawjson.Elements(enum) {
		texts = append(texts, plainText(value))
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
func shapeFor(op *twodoor.Operation, args json.RawMessage) shape {
	s := &scope{op: op, value: args}
	out := shape{scope: s}
	s.add(&out, inputOf(op), 0)
	return out
}

// at is the shape as it is looked into for a value inside of it.
func (t shape) at(value json.RawMessage) shape {
	if t.scope != nil {
		t.scope = &scope{op: t.scope.op, value: value}
	}
	return t
}

// strangers are the fields of a value that its schema does not describe, where it describes any.
func strangers(t shape, value json.RawMessage, path string, depth int) []misfit {
	if t.any || depth > 30 {
		return nil
	}
	var list []misfit
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		if t.kinds&isObject == 0 {
			return nil
		}
		for name, member := range rawjson.Members(value) {
			at := strings.TrimPrefix(path+"."+name, ".")
			f, ok := t.at(member).field(name)
			if !ok {
				list = append(list, misfit{at, UnknownField, fmt.Sprintf("there is no field %s", at), first(rawjson.Nearest(t.names(), name, 1))})
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

// answer checks what is read of the answer: --fields and --jq, and the jq programs after a pipe.
func (l *line) answer(want twodoor.Projection) {
	at := func(names ...string) word {
		for _, name := range names {
			if w, ok := l.values[name]; ok {
				return w
			}
		}
		return l.call.words[0]
	}
	out, wrong := readAnswer(l.op, l.rootOf(), want)
	for _, w := range wrong {
		where := at("--fields", "--want-fields")
		if w.kind == BadJQ {
			where = at("--jq", "--want-jq")
		}
		l.add(where, w.kind, w.message, w.fix)
	}
	if mode, set := l.values["--output"]; set && mode.text != "json" {
		return
	}
	if mode, set := l.values["-o"]; set && mode.text != "json" {
		return
	}
	for _, filter := range l.call.filters {
		next, wrong := readJQ(filter.text, out)
		for _, w := range wrong {
			l.add(filter, BadJQ, w.message, w.fix)
		}
		out = next
	}
}

func (l *line) rootOf() string {
	if l.command == nil || l.command.Answer == nil {
		return ""
	}
	return l.command.Answer.Root
}

// readAnswer follows a projection through the shape of an operation's answer. The root is the jq path
// of the records: ".items[]".
func readAnswer(op *twodoor.Operation, root string, want twodoor.Projection) (out shape, wrong []misfit) {
	out = shapeOf(op, op.Output)
	path, isList := strings.CutSuffix(root, "[]")
	path = strings.Trim(path, ".")
	fields := want.Fields
	if want.JQ == "" && len(fields) == 0 {
		fields = op.Answer.Fields
	} else {
		wrong = wrongFields(out, path, isList, fields)
	}
	if len(fields) > 0 && !out.any && len(wrong) == 0 {
		out = cut(out, path, isList, fields)
	}
	if want.Summary || op.Answer.Summary && want.JQ == "" && len(want.Fields) == 0 {
		out = unknown
	}
	if want.JQ != "" {
		next, misreads := readJQ(want.JQ, out)
		for _, m := range misreads {
			wrong = append(wrong, misfit{kind: BadJQ, message: m.message, fix: m.fix})
		}
		out = next
	}
	return out, wrong
}

// wrongFields are the fields that neither a record nor what is around the records has.
func wrongFields(answer shape, path string, isList bool, fields []string) []misfit {
	if answer.any {
		return nil
	}
	record := recordOf(answer, path, isList)
	var wrong []misfit
	for _, field := range fields {
		field = strings.TrimPrefix(field, ".")
		inner := field
		if path != "" {
			inner = strings.TrimPrefix(field, path+".")
		}
		_, at, near := record.follow(inner)
		if at == "" {
			continue
		}
		if _, around, _ := answer.follow(field); around == "" {
			continue
		}
		wrong = append(wrong, misfit{path: field, kind: UnknownField, message: fmt.Sprintf("fields: the answer has no field %s", field), fix: first(near)})
	}
	return wrong
}

func recordOf(answer shape, path string, isList bool) shape {
	record, _, _ := answer.follow(path)
	if path == "" {
		record = answer
	}
	if isList {
		record = record.elements()
	}
	return record
}

// cut is the answer with nothing of its records but some fields.
func cut(answer shape, path string, isList bool, fields []string) shape {
	if !isList {
		return answer.pick(fields)
	}
	record := recordOf(answer, path, true)
	var inner, around []string
	for _, field := range fields {
		field = strings.TrimPrefix(strings.TrimPrefix(field, "."), path+".")
		if _, at, _ := record.follow(field); at == "" {
			inner = append(inner, field)
		} else {
			around = append(around, field)
		}
	}
	if path == "" {
		return listOf(record.pick(inner))
	}
	if len(around) > 0 {
		answer = answer.pick(append(around, path))
	}
	return answer.with(path, listOf(record.pick(inner)))
}
