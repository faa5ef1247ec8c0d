package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// Argv writes a call of an operation as the command line that makes it, without the program's name.
// The line read back gives the same arguments.
func (d *Door) Argv(op *twodoor.Operation, args json.RawMessage) []string {
	return append(d.wordsOf(op.ID), inputsOf(op).argv(args, false)...)
}

// shown is a call as a line for a reader: what an option drives is written with the option.
func (d *Door) shown(in *inputs, args json.RawMessage) string {
	return d.shell(append(d.wordsOf(in.op.ID), in.argv(args, true)...))
}

// argv writes arguments as operands and flags: by position what has one, flat fields as flags, all
// else with --set.
func (in *inputs) argv(args json.RawMessage, shown bool) []string {
	w := &writer{in: in, run: &run{door: &Door{}, dry: true}, shown: shown}
	rest := w.operands(args)
	for key, value := range rawjson.Members(rest) {
		w.member([]string{key}, value)
	}
	return append(w.words, w.flags...)
}

// writer gathers a line.
type writer struct {
	in    *inputs
	run   *run
	shown bool // for a reader
	words []string
	flags []string
}

// operands writes what has a position, and returns the arguments without it.
func (w *writer) operands(args json.RawMessage) json.RawMessage {
	names := w.in.op.Positional
	for i, name := range names {
		f := w.in.field(name)
		if f == nil {
			break
		}
		value, has := rawjson.GetPath(args, f.path...)
		texts, ok := w.texts(f, value)
		if !has || !ok || isFlag(texts[0]) || len(texts) > 1 && i < len(names)-1 {
			break
		}
		if !w.givesBack(f, texts, value) {
			break
		}
		for _, text := range texts {
			if isFlag(text) {
				return args
			}
		}
		w.words = append(w.words, texts...)
		args = without(args, f.path)
	}
	return args
}

func without(args json.RawMessage, path []string) json.RawMessage {
	if len(path) == 1 {
		return rawjson.Delete(args, path[0])
	}
	inner, _ := rawjson.Get(args, path[0])
	inner = rawjson.Delete(inner, path[1])
	if rawjson.Len(inner) == 0 {
		return rawjson.Delete(args, path[0])
	}
	return rawjson.Set(args, path[0], inner)
}

// member writes one argument.
func (w *writer) member(path []string, value json.RawMessage) {
	if w.in.opened != nil && len(path) == 1 && path[0] == w.in.opened.name && rawjson.KindOf(value) == rawjson.KindObject && rawjson.Len(value) > 0 {
		for key, inner := range rawjson.Members(value) {
			w.member([]string{path[0], key}, inner)
		}
		return
	}
	for _, f := range w.in.fields {
		if !samePath(f.path, path) {
			continue
		}
		if f.hidden {
			if kind := rawjson.KindOf(value); w.shown && (kind == rawjson.KindNumber || kind == rawjson.KindString) {
				w.flags = append(w.flags, "--"+strings.TrimPrefix(f.flag, "field-"), plain(value))
				return
			}
			break
		}
		if texts, ok := w.texts(f, value); ok && w.givesBack(f, texts, value) {
			w.flag(f, texts)
			return
		}
		break
	}
	w.set(path, value)
}

func (w *writer) flag(f *field, texts []string) {
	if f.typ().isSwitch() && texts[0] == "true" {
		w.flags = append(w.flags, "--"+f.flag)
		return
	}
	if len(texts) > 1 && !strings.Contains(strings.Join(texts, ""), ",") {
		if joined := []string{strings.Join(texts, ",")}; w.givesBack(f, joined, w.value(f, texts)) {
			texts = joined
		}
	}
	for _, text := range texts {
		if text == "" || isFlag(text) || f.typ().isSwitch() {
			w.flags = append(w.flags, "--"+f.flag+"="+text)
		} else {
			w.flags = append(w.flags, "--"+f.flag, text)
		}
	}
}

// texts are the texts that a flag takes for a value, if it can hold it.
func (w *writer) texts(f *field, value json.RawMessage) ([]string, bool) {
	switch rawjson.KindOf(value) {
	case rawjson.KindArray:
		if !f.typ().is(isArray) {
			return nil, false
		}
		texts := []string{}
		for element := range rawjson.Elements(value) {
			if kind := rawjson.KindOf(element); kind == rawjson.KindArray || kind == rawjson.KindObject {
				return nil, false
			}
			texts = append(texts, plain(element))
		}
		if len(texts) == 0 {
			texts = []string{""}
		}
		return texts, true
	case rawjson.KindInvalid, rawjson.KindObject:
		return nil, false
	}
	return []string{plain(value)}, true
}

func (w *writer) value(f *field, texts []string) json.RawMessage {
	w.run.stdin, w.run.unread = stdin{}, false
	value, err := w.run.value(f.typ(), "", texts)
	if err != nil || w.run.unread {
		return nil
	}
	return value
}

// givesBack reports whether the texts of a flag are read as this value.
func (w *writer) givesBack(f *field, texts []string, value json.RawMessage) bool {
	back := w.value(f, texts)
	return back != nil && rawjson.Equal(back, value)
}

// set writes an argument with --set: an object by its members, a text as text, the rest as JSON.
func (w *writer) set(path []string, value json.RawMessage) {
	kind := rawjson.KindOf(value)
	switch {
	case kind == rawjson.KindObject && rawjson.Len(value) > 0 && w.takesObject(path):
		for key, inner := range rawjson.Members(value) {
			w.set(append(path[:len(path):len(path)], key), inner)
		}
		return
	case kind == rawjson.KindArray && rawjson.Len(value) > 0 && !scalars(value) && w.in.at(path).is(isArray):
		i := 0
		for element := range rawjson.Elements(value) {
			w.set(append(path[:len(path):len(path)], strconv.Itoa(i)), element)
			i++
		}
		return
	}
	if text, ok := rawjson.String(value); ok {
		if back, err := w.in.at(path).convert(text); err == nil && !w.in.at(path).is(isArray) && rawjson.Equal(back, value) {
			w.flags = append(w.flags, "--set", pathText(path)+"="+text)
			return
		}
	}
	w.flags = append(w.flags, "--set", pathText(path)+":="+string(rawjson.Compact(nil, value)))
}

// takesObject reports whether --set below a path makes an object there: not where a list is expected.
func (w *writer) takesObject(path []string) bool {
	return !w.in.at(path).is(isArray)
}

func scalars(list json.RawMessage) bool {
	for element := range rawjson.Elements(list) {
		if kind := rawjson.KindOf(element); kind == rawjson.KindArray || kind == rawjson.KindObject {
			return false
		}
	}
	return true
}

func samePath(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// exampleOf is a command line of the operation that fits.
func (d *Door) exampleOf(in *inputs) string {
	return d.shown(in, exampleArguments(in.op))
}

// exampleArguments are the description's own first example, else made from the schema.
func exampleArguments(op *twodoor.Operation) json.RawMessage {
	for _, e := range op.Examples {
		if len(e.Arguments) > 0 {
			return e.Arguments
		}
	}
	return schema.Example(op.InputSchema())
}

// nextLine is a suggested call as a command line.
func (d *Door) nextLine(next twodoor.Suggestion) string {
	op, _, err := d.Engine.Catalog().Find(next.Call)
	if err != nil || op == nil {
		return next.Call
	}
	return d.shown(inputsOf(op), next.Arguments)
}

// shell writes words as a line that a POSIX shell takes apart into the same words.
func (d *Door) shell(words []string) string {
	line := d.name()
	for _, word := range words {
		line += " " + quote(word)
	}
	return line
}

func quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return r > 0x7e || r <= ' ' || strings.ContainsRune("'\"\\$`*?[]{}()<>|&;!#~", r)
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
