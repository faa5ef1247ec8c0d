package args

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Argv writes arguments as operands and flags: by position what has one, flat fields as flags, all
// else with --set. The line read back gives the same arguments. One that is shown to a reader has the
// option where that drives a field, and names a file where bytes are wanted.
func (in *Inputs) Argv(args json.RawMessage, shown bool) []string {
	w := &writer{in: in, reader: &Reader{Dry: true}, shown: shown}
	rest := w.operands(args)
	for key, value := range rawjson.Members(rest) {
		w.member([]string{key}, value)
	}
	return append(w.words, w.flags...)
}

// writer gathers a line.
type writer struct {
	in     *Inputs
	reader *Reader
	shown  bool // for a reader
	words  []string
	flags  []string
}

// operands writes what has a position, and returns the arguments without it.
func (w *writer) operands(args json.RawMessage) json.RawMessage {
	names := w.in.Op.Positional
	for i, name := range names {
		f := w.in.Field(name)
		if f == nil {
			break
		}
		value, has := rawjson.GetPath(args, f.Path...)
		texts, ok := w.texts(f, value)
		if !has || !ok || len(texts) > 1 && i < len(names)-1 || slices.ContainsFunc(texts, IsFlag) || !w.givesBack(f, texts, value) {
			break
		}
		w.words = append(w.words, texts...)
		args = without(args, f.Path)
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
	if w.isOpened(path, value) {
		for key, inner := range rawjson.Members(value) {
			w.member([]string{path[0], key}, inner)
		}
		return
	}
	for _, f := range w.in.Fields {
		if !slices.Equal(f.Path, path) {
			continue
		}
		if f.Driven {
			if kind := rawjson.KindOf(value); w.shown && (kind == rawjson.KindNumber || kind == rawjson.KindString) {
				w.flags = append(w.flags, "--"+strings.TrimPrefix(f.Flag, "field-"), typed.Plain(value))
				return
			}
			break
		}
		if w.shown && holdsFile(f.Type()) {
			w.flags = append(w.flags, "--"+f.Flag, "@PATH")
			return
		}
		if texts, ok := w.texts(f, value); ok && w.givesBack(f, texts, value) {
			w.flag(f, texts)
			return
		}
		break
	}
	w.set(path, value)
}

// holdsFile reports whether a reader would name files for it, not write their bytes.
func holdsFile(t *typed.Type) bool {
	return t.Binary() || t.Is(typed.Array) && t.Items != nil && t.Items.Binary()
}

// isOpened reports whether a value is the object whose fields have flags of their own.
func (w *writer) isOpened(path []string, value json.RawMessage) bool {
	opened := w.in.opened
	return opened != nil && len(path) == 1 && path[0] == opened.Name && rawjson.KindOf(value) == rawjson.KindObject && rawjson.Len(value) > 0
}

func (w *writer) flag(f *Field, texts []string) {
	if f.Type().IsSwitch() && texts[0] == "true" {
		w.flags = append(w.flags, "--"+f.Flag)
		return
	}
	if len(texts) > 1 && !strings.Contains(strings.Join(texts, ""), ",") {
		if joined := []string{strings.Join(texts, ",")}; w.givesBack(f, joined, w.value(f, texts)) {
			texts = joined
		}
	}
	for _, text := range texts {
		if text == "" || IsFlag(text) || f.Type().IsSwitch() {
			w.flags = append(w.flags, "--"+f.Flag+"="+text)
		} else {
			w.flags = append(w.flags, "--"+f.Flag, text)
		}
	}
}

// texts are the texts that a flag takes for a value, if it can hold it.
func (w *writer) texts(f *Field, value json.RawMessage) ([]string, bool) {
	switch rawjson.KindOf(value) {
	case rawjson.KindArray:
		if !f.Type().Is(typed.Array) {
			return nil, false
		}
		texts := []string{}
		for element := range rawjson.Elements(value) {
			if kind := rawjson.KindOf(element); kind == rawjson.KindArray || kind == rawjson.KindObject {
				return nil, false
			}
			texts = append(texts, typed.Plain(element))
		}
		if len(texts) == 0 {
			texts = []string{""}
		}
		return texts, true
	case rawjson.KindInvalid, rawjson.KindObject:
		return nil, false
	}
	return []string{typed.Plain(value)}, true
}

func (w *writer) value(f *Field, texts []string) json.RawMessage {
	w.reader.Owner, w.reader.Unread = "", false
	value, err := w.reader.value(f.Type(), "", texts)
	if err != nil || w.reader.Unread {
		return nil
	}
	return value
}

// givesBack reports whether the texts of a flag are read as this value.
func (w *writer) givesBack(f *Field, texts []string, value json.RawMessage) bool {
	back := w.value(f, texts)
	return back != nil && rawjson.Equal(back, value)
}

// fewElements are those that a list of texts or numbers is written by one for each, as a person would;
// more of them are written as JSON.
const fewElements = 5

// set writes an argument with --set: an object by its members, a list by its elements, a text as text,
// the rest as JSON.
func (w *writer) set(path []string, value json.RawMessage) {
	kind := rawjson.KindOf(value)
	switch {
	case kind == rawjson.KindObject && rawjson.Len(value) > 0 && w.takesObject(path):
		for key, inner := range rawjson.Members(value) {
			w.set(append(path[:len(path):len(path)], key), inner)
		}
		return
	case kind == rawjson.KindArray && rawjson.Len(value) > 0 && (!scalars(value) || rawjson.Len(value) <= fewElements) && w.in.at(path).Is(typed.Array):
		i := 0
		for element := range rawjson.Elements(value) {
			w.set(append(path[:len(path):len(path)], strconv.Itoa(i)), element)
			i++
		}
		return
	}
	if text, ok := rawjson.String(value); ok {
		if back, err := w.in.at(path).Convert(text); err == nil && !w.in.at(path).Is(typed.Array) && rawjson.Equal(back, value) {
			w.flags = append(w.flags, "--set", PathText(path)+"="+text)
			return
		}
	}
	w.flags = append(w.flags, "--set", PathText(path)+":="+string(rawjson.Compact(nil, value)))
}

// takesObject reports whether --set below a path makes an object there: not where a list is expected.
func (w *writer) takesObject(path []string) bool {
	return !w.in.at(path).Is(typed.Array)
}

func scalars(list json.RawMessage) bool {
	for element := range rawjson.Elements(list) {
		if kind := rawjson.KindOf(element); kind == rawjson.KindArray || kind == rawjson.KindObject {
			return false
		}
	}
	return true
}
