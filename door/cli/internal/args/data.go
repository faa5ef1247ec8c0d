package args

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

// readObject is the object of --data: from stdin, a file, or the argument itself.
func (l *Line) readObject(text string) json.RawMessage {
	raw, err := l.readData(text)
	if err == nil && rawjson.KindOf(raw) != rawjson.KindObject {
		err = errors.New("is not an object")
	}
	if err != nil {
		l.wrong(Meaning{}, "--data", err.Error())
		return json.RawMessage(`{}`)
	}
	return l.In.open(raw)
}

func (l *Line) readData(text string) (json.RawMessage, error) {
	switch {
	case text == "-":
		data, err := l.Reader.readStdin("--data")
		if err != nil {
			return nil, err
		}
		return structured(data)
	case strings.HasPrefix(text, "@"):
		data, err := l.Reader.readFile("--data", text[1:])
		if err != nil {
			return nil, err
		}
		return structured(data)
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		return structured([]byte(text))
	}
	return nil, fmt.Errorf("%q is neither - (stdin) nor @FILE; a file is --data @%s", text, text)
}

// structured reads JSON, or YAML where it is no JSON.
func structured(data []byte) (json.RawMessage, error) {
	fault := rawjson.Check(data)
	if fault == nil {
		return rawjson.Trim(data), nil
	}
	if kind := rawjson.KindOf(data); kind == rawjson.KindObject || kind == rawjson.KindArray {
		if raw, err := rawyaml.ToJSON(data); err == nil {
			return raw, nil
		}
		return nil, fmt.Errorf("is not JSON: %w", fault)
	}
	raw, err := rawyaml.ToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("is neither JSON nor YAML: %w", err)
	}
	return raw, nil
}

// open takes the object of an operation whose one object property is opened in either form: whole,
// or as what stands inside that property.
func (in *Inputs) open(raw json.RawMessage) json.RawMessage {
	if in.opened == nil {
		return raw
	}
	if inner, ok := rawjson.Get(raw, in.opened.Name); ok && rawjson.KindOf(inner) == rawjson.KindObject {
		return raw
	}
	out, inner := json.RawMessage(`{}`), json.RawMessage(`{}`)
	for name, value := range rawjson.Members(raw) {
		if f := in.outer(name); f != nil {
			out = rawjson.Set(out, name, value)
		} else {
			inner = rawjson.Set(inner, name, value)
		}
	}
	return rawjson.Set(out, in.opened.Name, inner)
}

// outer is the field of a name that stands beside what is opened and is not shadowed inside it.
func (in *Inputs) outer(name string) *Field {
	var found *Field
	for _, f := range in.Fields {
		if f.Name != name {
			continue
		}
		if len(f.Path) > 1 {
			return nil
		}
		found = f
	}
	return found
}

// assign is one --set: "a.b=text" or "a.b:=JSON". A text takes the type that the schema has at that place.
func (l *Line) assign(args json.RawMessage, arg string) json.RawMessage {
	path, text, isJSON, err := splitSet(arg)
	if err != nil {
		l.wrong(Meaning{}, "--set "+arg, err.Error())
		return args
	}
	path = l.In.enter(path)
	t := l.In.at(path)
	var value json.RawMessage
	switch {
	case isJSON:
		value = json.RawMessage(text)
		if err = rawjson.Check(value); err != nil {
			err = fmt.Errorf("has no JSON after := (%w)", err)
		}
	case t.Is(typed.Array):
		value, err = l.Reader.list(t, "--set "+PathText(path), []string{text})
	default:
		value, err = t.Convert(text)
	}
	if err == nil {
		args, err = l.In.put(args, path, value, nil)
	}
	if err != nil {
		l.wrong(Meaning{}, "--set "+PathText(path), err.Error())
	}
	return args
}

// readField is one --field-file: the content of a file in a field, untouched.
func (l *Line) readField(args json.RawMessage, arg string) json.RawMessage {
	path, text, _, err := splitSet(arg)
	as := "--field-file " + PathText(path)
	var value json.RawMessage
	if err == nil {
		path = l.In.enter(path)
		name := strings.TrimPrefix(text, "@")
		if l.In.at(path).Binary() {
			value, err = l.Reader.content(as, "@"+name)
		} else {
			var data []byte
			if data, err = l.Reader.readFile(as, name); err == nil {
				value, err = textOf(data)
			}
		}
	}
	if err == nil {
		args, err = l.In.put(args, path, value, nil)
	}
	if err != nil {
		l.wrong(Meaning{}, as, err.Error())
	}
	return args
}

// splitSet takes "a.b=text" or "a.b:=JSON" apart. A backslash takes its meaning from the dot, bracket,
// colon or equals sign after it.
func splitSet(arg string) (path []string, text string, isJSON bool, err error) {
	var step strings.Builder
	for i := 0; i < len(arg); i++ {
		switch c := arg[i]; {
		case c == '\\' && i+1 < len(arg):
			i++
			step.WriteByte(arg[i])
		case c == '.':
			path = append(path, step.String())
			step.Reset()
		case c == '[' && strings.IndexByte(arg[i:], ']') > 0:
			if step.Len() > 0 {
				path = append(path, step.String())
				step.Reset()
			}
			end := i + strings.IndexByte(arg[i:], ']')
			step.WriteString(arg[i+1 : end])
			i = end
			if i+1 < len(arg) && arg[i+1] == '.' {
				path = append(path, step.String())
				step.Reset()
				i++
			}
		case c == '=':
			return append(path, step.String()), arg[i+1:], false, nil
		case c == ':' && strings.HasPrefix(arg[i:], ":="):
			return append(path, step.String()), arg[i+2:], true, nil
		default:
			step.WriteByte(c)
		}
	}
	return append(path, step.String()), "", false, errors.New("has no value: write NAME=text or NAME:=JSON")
}

// PathText is a path as --set takes it.
func PathText(path []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `:`, `\:`, `=`, `\=`)
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = escape.Replace(step)
	}
	return strings.Join(steps, ".")
}

// enter makes the path of --set lead from the arguments: through what is opened, and to a property
// whose name holds dots.
func (in *Inputs) enter(path []string) []string {
	if whole := strings.Join(path, "."); len(path) > 1 && in.Field(path[0]) == nil {
		if f := in.Field(whole); f != nil {
			return f.Path
		}
	}
	if in.opened == nil || path[0] == in.opened.Name {
		return path
	}
	if in.outer(path[0]) != nil {
		return path
	}
	return append([]string{in.opened.Name}, path...)
}

// at is the type that the schema has at a path; anything where it has none.
func (in *Inputs) at(path []string) *typed.Type {
	raw := json.RawMessage(in.Op.Input)
	for _, step := range path {
		layers := in.Scope.Layers(raw)
		next, ok := typed.PropertyOf(layers, step)
		if !ok {
			next, ok = typed.ElementOf(layers, step)
		}
		if !ok {
			return &typed.Type{}
		}
		raw = next
	}
	return in.Scope.TypeOf(raw)
}

// put sets a value at a path and makes what is missing on the way: lists where the schema has lists,
// else objects.
func (in *Inputs) put(raw json.RawMessage, path []string, value json.RawMessage, above []string) (json.RawMessage, error) {
	if len(path) == 0 {
		return value, nil
	}
	step, here := path[0], append(above[:len(above):len(above)], path[0])
	if isList(raw, in, above, step) {
		return in.putElement(raw, path, value, above)
	}
	inner, _ := rawjson.Get(raw, step)
	inner, err := in.put(inner, path[1:], value, here)
	if err != nil {
		return raw, err
	}
	return rawjson.Set(raw, step, inner), nil
}

// isList reports whether a step leads into a list.
func isList(raw json.RawMessage, in *Inputs, above []string, step string) bool {
	if len(raw) > 0 {
		return rawjson.KindOf(raw) == rawjson.KindArray
	}
	if _, err := strconv.Atoi(step); err != nil && step != "" {
		return false
	}
	return in.at(above).Is(typed.Array)
}

func (in *Inputs) putElement(raw json.RawMessage, path []string, value json.RawMessage, above []string) (json.RawMessage, error) {
	var items []json.RawMessage
	for element := range rawjson.Elements(raw) {
		items = append(items, element)
	}
	at := len(items)
	if path[0] != "" {
		n, err := strconv.Atoi(path[0])
		if err != nil || n < 0 || n > len(items) {
			return raw, fmt.Errorf("has no element %q: the list has %d, and the next is %d", path[0], len(items), len(items))
		}
		at = n
	}
	if at == len(items) {
		items = append(items, nil)
	}
	element, err := in.put(items[at], path[1:], value, append(above[:len(above):len(above)], "0"))
	if err != nil {
		return raw, err
	}
	items[at] = element
	var out rawjson.Array
	for _, item := range items {
		out.Add(item)
	}
	return out.Bytes(), nil
}
