package find

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// fitBound is how heavy a described schema may be before its deeper parts are only named, in
// estimated tokens.
const fitBound = 1500

// describe answers describe_operations.
func (i *Invoker) describe(in *twodoor.Invocation, view View) (*twodoor.Value, error) {
	var args struct {
		IDs   []string
		Depth int
		Part  string
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
	}
	var list, unknown rawjson.Array
	for _, id := range args.IDs {
		op, _, err := view.Catalog().Find(id)
		if err != nil {
			return nil, err
		}
		if op == nil || !view.Shows(twodoor.EntryOf(op)) {
			unknown.Add(i.unknown(id, view))
			continue
		}
		row, err := describeOne(op, args.Depth, args.Part)
		if err != nil {
			return nil, err
		}
		list.Add(row)
	}
	var out rawjson.Object
	out.Put("operations", list.Bytes())
	if !unknown.Empty() {
		out.Put("unknown", unknown.Bytes())
	}
	return &twodoor.Value{JSON: out.Bytes()}, nil
}

// unknown tells of an id that is none, and what is near.
func (i *Invoker) unknown(id string, view View) []byte {
	near := view.Catalog().Nearest(id, 3, view.Shows)
	fault := &twodoor.Error{Code: twodoor.CodeUnknown, Try: near}
	if told, ok := i.repair(fault, id, view).(*twodoor.Error); ok {
		near = told.Try
	}
	var row rawjson.Object
	row.PutString("id", id)
	row.PutStrings("nearest", near)
	return row.Bytes()
}

func describeOne(op *twodoor.Operation, depth int, part string) ([]byte, error) {
	input, err := inputOf(op, depth, part)
	if err != nil {
		return nil, err
	}
	var row rawjson.Object
	row.PutString("id", op.ID)
	if part != "" {
		row.PutString("part", part)
		row.Put("schema", input)
		return row.Bytes(), nil
	}
	row.PutString("effect", string(op.Effect))
	row.PutString("does", descriptionOf(op))
	if op.Permission != "" {
		row.PutString("permission", op.Permission)
	}
	if op.Deprecated != "" {
		row.PutString("deprecated", op.Deprecated)
	}
	row.Put("schema", input)
	row.Put("example", exampleOf(op))
	if op.Answer.Meaning != "" {
		row.PutString("answer", op.Answer.Meaning)
	}
	if op.Answer.Empty != "" {
		row.PutString("empty_answer", op.Answer.Empty)
	}
	if len(op.Guides) > 0 {
		row.PutStrings("guides", op.Guides)
	}
	return row.Bytes(), nil
}

func descriptionOf(op *twodoor.Operation) string {
	if op.Title == "" || strings.HasPrefix(op.Description, op.Title) {
		return op.Description
	}
	return strings.TrimSpace(strings.TrimSuffix(op.Title, ".") + ". " + op.Description)
}

// exampleOf is the first example of the description, else one made from the schema.
func exampleOf(op *twodoor.Operation) []byte {
	for _, example := range op.Examples {
		if len(example.Arguments) > 0 {
			return rawjson.Compact(nil, example.Arguments)
		}
	}
	return schema.Example(op.InputSchema())
}

// inputOf is the schema of the arguments, or of a part of them, with as many levels as are asked
// for, or as fit.
func inputOf(op *twodoor.Operation, depth int, part string) ([]byte, error) {
	whole := []byte(op.InputSchema())
	if part != "" {
		found, err := partOf(whole, part)
		if err != nil {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s: %s", op.ID, err), Hint: "leave part out to see what there is", Cause: err}
		}
		whole = found
	}
	slim := whole
	if part == "" || isObject(whole) {
		slim = hosts.Rewrite(whole)
	}
	if depth > 0 {
		return outline(slim, depth, part), nil
	}
	for depth = 4; depth > 0 && rawjson.Weigh(slim) > fitBound; depth-- {
		slim = outline(slim, depth, part)
	}
	return slim, nil
}

func isObject(raw []byte) bool {
	kind, _ := rawjson.Get(raw, "type")
	_, properties := rawjson.Get(raw, "properties")
	return properties || string(kind) == `"object"`
}

// partOf is the schema at a path like steps[].match, with the shared schemas that it may reach.
func partOf(root []byte, path string) ([]byte, error) {
	at := root
	for step := range strings.SplitSeq(path, ".") {
		name := strings.TrimRight(step, "[]")
		if name != "" {
			next, names := property(root, at, name, 0)
			if next == nil {
				return nil, fmt.Errorf("there is no part %q at %q: it has %s", path, step, orNothing(names))
			}
			at = next
		}
		for range strings.Count(step, "[]") {
			items, ok := rawjson.Get(follow(root, at), "items")
			if !ok {
				return nil, fmt.Errorf("there is no part %q: %q is no list", path, name)
			}
			at = items
		}
	}
	at = follow(root, at)
	if defs, ok := rawjson.Get(root, "$defs"); ok && bytes.Contains(at, []byte(`"$ref"`)) {
		at = rawjson.Set(at, "$defs", defs)
	}
	return at, nil
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "no parts"
	}
	return strings.Join(names[:min(len(names), 20)], ", ")
}

// property is a property of an object schema, in whatever form of it; and all names that there are.
func property(root, at []byte, name string, depth int) (found []byte, names []string) {
	at = follow(root, at)
	properties, _ := rawjson.Get(at, "properties")
	for key, value := range rawjson.Members(properties) {
		names = append(names, key)
		if key == name {
			found = value
		}
	}
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := rawjson.Get(at, keyword)
		for branch := range rawjson.Elements(branches) {
			if depth > maxDepth {
				break
			}
			other, more := property(root, branch, name, depth+1)
			names = append(names, more...)
			if found == nil {
				found = other
			}
		}
	}
	return found, names
}

// follow takes references into $defs of the root. One that leads nowhere takes anything.
func follow(root, at []byte) []byte {
	for range 8 {
		name, ok := strings.CutPrefix(textOf(at, "$ref"), "#/$defs/")
		if !ok {
			return at
		}
		at, _ = rawjson.GetPath(root, "$defs", name)
	}
	return []byte(`{}`)
}

// outline keeps some levels of nested objects of a schema; what lies deeper is named as a part.
func outline(raw []byte, depth int, part string) []byte {
	o := outliner{root: raw}
	out := o.level(raw, depth, part)
	return rawjson.Delete(out, "$defs")
}

type outliner struct {
	root   []byte
	nested int // levels of schemas that the walk is in
	work   int // schemas seen
}

// Bounds of an outline: schemas may lead back to themselves without an object between.
const (
	maxNested = 40
	maxWork   = 4000
)

// level rewrites one schema. References are put in place: below the last level none is left.
func (o *outliner) level(raw []byte, depth int, path string) []byte {
	target := follow(o.root, raw)
	if _, nested := rawjson.Get(raw, "$ref"); nested {
		if text, ok := rawjson.Get(raw, "description"); ok {
			target = rawjson.Set(target, "description", text)
		}
	}
	o.work++
	if o.nested > maxNested || o.work > maxWork || depth == 0 && o.isDeep(target, 0) {
		return named(target, path)
	}
	o.nested++
	defer func() { o.nested-- }()
	return rawjson.Rewrite(target, func(key []byte, _ int, value []byte) []byte {
		switch string(key) {
		case `"properties"`:
			return rawjson.Rewrite(value, func(name []byte, _ int, property []byte) []byte {
				text, _ := rawjson.String(name)
				return o.level(property, depth-1, join(path, text))
			})
		case `"items"`:
			return o.level(value, depth, path+"[]")
		case `"oneOf"`, `"anyOf"`, `"allOf"`:
			return rawjson.Rewrite(value, func(_ []byte, _ int, branch []byte) []byte { return o.level(branch, depth, path) })
		case `"additionalProperties"`:
			if rawjson.KindOf(value) == rawjson.KindObject {
				return o.level(value, max(0, depth-1), join(path, "*"))
			}
		case `"$defs"`:
			return nil
		}
		return value
	})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// isDeep reports whether a schema has levels below it.
func (o *outliner) isDeep(raw []byte, lists int) bool {
	if items, ok := rawjson.Get(raw, "items"); ok {
		return lists > maxDepth || o.isDeep(follow(o.root, items), lists+1)
	}
	for _, keyword := range []string{"properties", "oneOf", "anyOf", "allOf"} {
		if inner, ok := rawjson.Get(raw, keyword); ok && rawjson.Len(inner) > 0 {
			return true
		}
	}
	return false
}

// named stands for a part that is left out.
func named(raw []byte, path string) []byte {
	var out rawjson.Object
	kind, _ := rawjson.Get(raw, "type")
	out.Put("type", kind)
	for string(kind) == `"array"` && !strings.HasSuffix(path, "[]") {
		path += "[]"
	}
	text := firstSentence(textOf(raw, "description"), maxHeapText)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	out.PutString("description", strings.TrimSpace(text+" Part "+path))
	return out.Bytes()
}
