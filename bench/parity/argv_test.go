package parity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor"
)

// line is a call as it is typed: the words after the program's name, and what stdin holds.
type line struct {
	words []string
	stdin string
}

// optionNames are the flags that keep their meaning on every command: a field of such a name is
// --field-NAME (contracts §2).
var optionNames = []string{"data", "set", "field-file", "out", "dry-run", "yes", "no-input", "config", "trust", "help", "version"}

// lineOf writes arguments as a command line: path parameters and sole ids by position, flat fields
// as flags, everything else as JSON on stdin.
func lineOf(op *twodoor.Operation, input *maker, args map[string]any) (line, error) {
	w := &lineWriter{op: op, input: input, rest: map[string]any{}, flags: map[string]string{}}
	schema := input.look(json2any(op.Input))
	w.props = object(schema["properties"])
	left := w.positions(args)
	if inner, is := left[op.Opened].(map[string]any); op.Opened != "" && is {
		opened := input.look(w.props[op.Opened])
		w.opened(object(opened["properties"]), inner, left)
	}
	for _, name := range sorted(left) {
		w.argument(name, w.props[name], left[name], w.rest)
	}
	out := line{words: append(slices.Clone(op.Spelling().CLI), w.words...)}
	if op.Effect == twodoor.Destroys {
		out.words = append(out.words, "--yes")
	}
	if len(w.rest) > 0 {
		raw, err := json.Marshal(w.rest)
		if err != nil {
			return out, err
		}
		out.words, out.stdin = append(out.words, "--data", "-"), string(raw)
	}
	return out, nil
}

type lineWriter struct {
	op    *twodoor.Operation
	input *maker
	props map[string]any
	words []string
	rest  map[string]any
	flags map[string]string // by flag, the field that has it
}

// positions writes what has a position, up to the first that is not given.
func (w *lineWriter) positions(args map[string]any) map[string]any {
	left := map[string]any{}
	for name, value := range args {
		left[name] = value
	}
	for i, name := range w.op.Positional {
		value, given := left[name]
		texts, ok := w.texts(w.props[name], value)
		if !given || !ok || len(texts) > 1 && i < len(w.op.Positional)-1 || len(texts) == 1 && strings.Contains(texts[0], ",") && typeOf(value) == "array" {
			break
		}
		w.words = append(w.words, texts...)
		delete(left, name)
	}
	return left
}

// opened writes the fields of an object that is opened; what is nested goes with the rest.
func (w *lineWriter) opened(props, inner, left map[string]any) {
	rest := map[string]any{}
	for _, name := range sorted(inner) {
		if _, outer := w.props[name]; outer {
			rest[name] = inner[name]
			continue
		}
		w.argument(name, props[name], inner[name], rest)
	}
	delete(left, w.op.Opened)
	if len(rest) > 0 || len(inner) == 0 {
		w.rest[w.op.Opened] = rest
	}
}

// argument writes a flag where one can say it without doubt.
func (w *lineWriter) argument(name string, schema, value any, rest map[string]any) {
	flag := kebab(name)
	page := w.op.Page
	if slices.Contains(optionNames, flag) {
		flag = "field-" + flag
	}
	texts, ok := w.texts(schema, value)
	switch {
	case schema == nil, !ok, w.flags[flag] != "", w.twin(name, flag), page != nil && (name == page.Param || name == page.Size),
		len(texts) == 1 && typeOf(value) == "array" && strings.Contains(texts[0], ","):
		rest[name] = value
		return
	}
	w.flags[flag] = name
	for i, text := range texts {
		if i%2 == 0 || text == "" || text[0] == '-' || typeOf(value) == "boolean" {
			w.words = append(w.words, "--"+flag+"="+text)
		} else {
			w.words = append(w.words, "--"+flag, text)
		}
	}
}

// twin reports whether another input would have the same flag: then both go as JSON.
func (w *lineWriter) twin(name, flag string) bool {
	for other := range w.props {
		if other != name && kebab(other) == flag {
			return true
		}
	}
	return false
}

// texts are what a flag takes for a value. Where a text could stand for a value of another type as
// well, the schema decides for the text, and a flag cannot say the other.
func (w *lineWriter) texts(schema, value any) ([]string, bool) {
	switch value := value.(type) {
	case string:
		word := (value == "true" || value == "false") && w.allows(schema, "boolean")
		return []string{value}, value != "-" && !word && !w.allows(schema, "array")
	case json.Number:
		if w.input.look(schema)["format"] == "unix-time-ms" && len(value) < 12 {
			return nil, false // a flag takes it for seconds, and sends milliseconds
		}
		return []string{string(value)}, !w.allows(schema, "string") && !w.allows(schema, "array")
	case bool:
		return []string{fmt.Sprint(value)}, !w.allows(schema, "string") && !w.allows(schema, "array")
	case []any:
		s := w.input.look(schema)
		var all []string
		for _, item := range value {
			texts, ok := w.texts(s["items"], item)
			if _, nested := item.([]any); nested || !ok {
				return nil, false
			}
			all = append(all, texts...)
		}
		return all, len(all) > 0 && !w.allows(schema, "string")
	}
	return nil, false
}

// allows reports whether a schema of the operation's input allows a type.
func (w *lineWriter) allows(schema any, name string) bool {
	return slices.Contains(w.typesOf(schema, 0), name)
}

func (w *lineWriter) typesOf(schema any, depth int) (types []string) {
	s := object(schema)
	if depth > 8 || s == nil {
		return nil
	}
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		return texts(t)
	}
	if ref, is := s["$ref"].(string); is {
		types = append(types, w.typesOf(w.input.resolve(ref), depth+1)...)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range list(s[word]) {
			types = append(types, w.typesOf(part, depth+1)...)
		}
	}
	if len(types) == 0 && s["properties"] == nil {
		return []string{"string", "integer", "number", "boolean", "array", "object"} // it says nothing
	}
	return types
}

// kebab writes a name as a flag: its words in small letters, hyphens between.
func kebab(name string) string {
	var out []rune
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '-'
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])):
			out = append(out, '-')
		case i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]) && runes[i+1] != 's':
			out = append(out, '-')
		}
		if r != '-' || len(out) > 0 && out[len(out)-1] != '-' {
			out = append(out, unicode.ToLower(r))
		}
	}
	return strings.Trim(string(out), "-")
}

func json2any(raw []byte) any {
	v, err := decodeJSON(raw)
	if err != nil {
		return map[string]any{}
	}
	return v
}
