package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// decoder fills the types from the tree of a file and gathers what does not fit.
type decoder struct {
	file    string
	faults  []Fault
	origins map[string]Origin
	secrets map[string]bool // paths of values that hold secrets
	depth   int
	nodes   int // visited; aliases count each time
}

// parse reads the text into a tree; nil is an empty file.
func parse(file string, text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) {
		return nil, &Invalid{Faults: []Fault{{File: file, Problem: "it is not UTF-8 text"}}}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		fault := Fault{File: file, Problem: err.Error()}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			fault.Line, _ = strconv.Atoi(m[1])
			fault.Problem = m[2]
		}
		return nil, &Invalid{Faults: []Fault{fault}}
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// The library tells the line of a syntax error in its text only.
var yamlLine = regexp.MustCompile(`^yaml: (?:construct errors: |load errors:\s+)?line (\d+)(?:, column \d+)?: (.*)$`)

func (d *decoder) fault(n *yaml.Node, path, problem, hint string) {
	d.faults = append(d.faults, Fault{File: d.file, Line: n.Line, Path: path, Problem: problem, Hint: hint})
}

// Bounds of a file, aliases counted each time they are used: a small text of aliases of aliases
// stands for a huge one.
const (
	maxDepth = 100
	maxNodes = 100_000
)

// enter goes one level down, within the bounds.
func (d *decoder) enter() error {
	d.depth++
	d.nodes++
	switch {
	case d.depth > maxDepth:
		return errors.New("nested too deeply")
	case d.nodes > maxNodes:
		return fmt.Errorf("more than %d values, aliases counted each time", maxNodes)
	}
	return nil
}

func (d *decoder) leave() { d.depth-- }

// value decodes a node into a value of the types.
func (d *decoder) value(n *yaml.Node, f field, path string, into reflect.Value) {
	defer d.leave()
	if err := d.enter(); err != nil {
		if len(d.faults) == 0 {
			d.fault(n, path, err.Error(), "")
		}
		return
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	switch {
	case into.Type() == rawType:
		d.raw(n, path, into)
	case into.Kind() == reflect.Struct:
		d.object(n, path, into)
	case into.Kind() == reflect.Map:
		d.mapping(n, f, path, into)
	case into.Kind() == reflect.Slice:
		d.list(n, f, path, into)
	default:
		d.scalar(n, f, path, into)
	}
}

// object decodes a mapping with known keys.
func (d *decoder) object(n *yaml.Node, path string, into reflect.Value) {
	fields := fieldsOf(into.Type())
	d.pairs(n, path, func(key, value *yaml.Node, at string) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == key.Value })
		if i < 0 {
			d.unknown(key, path, fields)
			return
		}
		d.value(value, fields[i], at, into.Field(fields[i].index))
	})
	if into.Type() == annotationType {
		d.raw(n, path, into.FieldByName("JSON"))
	}
}

func (d *decoder) unknown(key *yaml.Node, path string, fields []field) {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	problem := fmt.Sprintf("unknown key %q", key.Value)
	if path != "" {
		problem += " in " + path
	}
	if near := rawjson.Nearest(keys, key.Value, 1); len(near) > 0 {
		d.fault(key, join(path, key.Value), problem, fmt.Sprintf("did you mean %q?", near[0]))
		return
	}
	slices.Sort(keys)
	d.fault(key, join(path, key.Value), problem, "known keys: "+joinWords(keys))
}

// mapping decodes a mapping whose keys are names of the writer's own.
func (d *decoder) mapping(n *yaml.Node, f field, path string, into reflect.Value) {
	into.Set(reflect.MakeMap(into.Type()))
	d.pairs(n, path, func(key, value *yaml.Node, at string) {
		entry := reflect.New(into.Type().Elem()).Elem()
		d.value(value, f, at, entry)
		into.SetMapIndex(reflect.ValueOf(key.Value), entry)
	})
}

// pairs walks a mapping; a key written twice is a fault.
func (d *decoder) pairs(n *yaml.Node, path string, each func(key, value *yaml.Node, at string)) {
	if n.Kind != yaml.MappingNode {
		d.fault(n, path, fmt.Sprintf("%s is %s, not a mapping of keys to values", named(path), kindOf(n)), "")
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := join(path, key.Value)
		if line, twice := seen[key.Value]; twice {
			d.fault(key, at, fmt.Sprintf("%s is written twice, first in line %d", at, line), "")
			continue
		}
		seen[key.Value] = key.Line
		d.origins[at] = Origin{File: d.file, Line: key.Line}
		each(key, n.Content[i+1], at)
	}
}

// list decodes a sequence of texts; a single text stands for a list of one.
func (d *decoder) list(n *yaml.Node, f field, path string, into reflect.Value) {
	items := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		items = []*yaml.Node{n}
	case yaml.SequenceNode:
	default:
		d.fault(n, path, fmt.Sprintf("%s is %s, not a list", named(path), kindOf(n)), "")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(item, f, fmt.Sprintf("%s[%d]", path, i), into.Index(i))
	}
	d.origins[path] = Origin{File: d.file, Line: n.Line}
}

func (d *decoder) scalar(n *yaml.Node, f field, path string, into reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		d.fault(n, path, fmt.Sprintf("%s is %s, not a single value", named(path), kindOf(n)), "")
		return
	}
	if problem := setScalar(f, n.Value, into); problem != "" {
		d.fault(n, path, named(path)+": "+problem, "")
		return
	}
	d.origins[path] = Origin{File: d.file, Line: n.Line}
	if f.secret {
		d.secrets[path] = true
	}
}

// setScalar writes a text into a value as its type has it; it returns what is wrong with it.
func setScalar(f field, text string, into reflect.Value) (problem string) {
	switch into.Kind() {
	case reflect.Bool:
		if text != "true" && text != "false" {
			return fmt.Sprintf("%q is not true or false", text)
		}
		into.SetBool(text == "true")
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Sprintf("%q is no whole number", text)
		}
		into.SetInt(int64(n))
	default:
		if text == "" {
			return ""
		}
		if problem := f.check(text); problem != "" {
			return problem
		}
		into.SetString(text)
	}
	return ""
}

// raw keeps a node as JSON.
func (d *decoder) raw(n *yaml.Node, path string, into reflect.Value) {
	text, err := d.toJSON(n)
	if err != nil {
		d.fault(n, path, named(path)+": "+err.Error(), "")
		return
	}
	into.SetBytes(text)
	d.origins[path] = Origin{File: d.file, Line: n.Line}
}

// toJSON writes a node as JSON, its keys in the order of the file.
func (d *decoder) toJSON(n *yaml.Node) (json.RawMessage, error) {
	defer d.leave()
	if err := d.enter(); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.toJSON(n.Alias)
	case yaml.MappingNode:
		var object rawjson.Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := d.toJSON(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			object.Put(n.Content[i].Value, value)
		}
		return object.Bytes(), nil
	case yaml.SequenceNode:
		var array rawjson.Array
		for _, item := range n.Content {
			value, err := d.toJSON(item)
			if err != nil {
				return nil, err
			}
			array.Add(value)
		}
		return array.Bytes(), nil
	}
	return scalarJSON(n), nil
}

func scalarJSON(n *yaml.Node) json.RawMessage {
	switch n.Tag {
	case "!!null":
		return json.RawMessage("null")
	case "!!bool", "!!int", "!!float":
		if text := []byte(n.Value); rawjson.Check(text) == nil {
			return text
		}
	}
	return rawjson.AppendString(nil, n.Value)
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("the value %q", n.Value)
}

func named(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func joinWords(words []string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += w
	}
	return text
}
