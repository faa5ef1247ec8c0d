package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func (r *run) schemaCommand() cli.Command {
	return cli.Command{
		Name: "schema", Args: "ID [PART]", Short: "Show what an operation takes and answers, as JSON Schema",
		Long:    "PART is output for the answer, or the dotted path of an input: steps.action. Below a depth of N levels only the kind of a part is shown, and the command that shows it; by default as many levels as fit in one read. --depth 0 shows everything.",
		Example: "twodoor schema harbor.workflow.create steps --depth 2",
		Flags:   []cli.Flag{{Name: "depth", Kind: cli.FlagInt, Default: "-1", Usage: "levels shown; 0: all; default: as many as fit in one read"}},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			op, err := r.operation(ctx, in.Args[0], in.Profile())
			if err != nil {
				return err
			}
			part, path, err := partOf(op, strings.Join(in.Args[1:], ""))
			if err != nil {
				return err
			}
			if depth := in.Int("depth"); depth >= 0 {
				return in.Print(pruner{op, depth}.prune(part, path, 0, nil))
			}
			return in.Print(fitted(op, part, path))
		},
		Complete: r.completePart,
	}
}

// completePart lists ids, and after an id the parts that a dotted path can go on with.
func (r *run) completePart(ctx context.Context, args []string, word string) []string {
	if len(args) == 0 {
		return r.completeIDs(ctx, args, word)
	}
	op := r.named(ctx, args[0])
	if op == nil || len(args) > 1 {
		return nil
	}
	above := word[:strings.LastIndexByte(word, '.')+1]
	part, _, err := partOf(op, above)
	if err != nil {
		return nil
	}
	_, names := property(op, part, "")
	if above == "" && op.Output != nil {
		names = append(names, "output")
	}
	for i := range names {
		names[i] = above + names[i]
	}
	return names
}

// operation is the operation of a name as the engine finds it: a name that leads nowhere gets the
// engine's own answer.
func (r *run) operation(ctx context.Context, name, profile string) (*twodoor.Operation, error) {
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	op, _, err := r.engine.Catalog().Find(name)
	if err != nil {
		return nil, err
	}
	if p := r.engine.Profile(profile); op != nil && p != nil && p.Includes(op.ID) {
		return op, nil
	}
	_, err = r.engine.Do(ctx, twodoor.Call{Operation: name, Profile: profile, Principal: twodoor.Operator, Door: twodoor.DoorCLI, Mode: twodoor.DryRun})
	if err == nil {
		err = &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no operation %q", name)}
	}
	return nil, err
}

// partOf is the part of an operation's schemas that a path names.
func partOf(op *twodoor.Operation, path string) (part json.RawMessage, at []string, err error) {
	root := op.Input
	if len(root) == 0 {
		root = op.InputSchema()
	}
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	if len(steps) > 0 && steps[0] == "output" {
		at, steps, root = append(at, "output"), steps[1:], op.Output
		if root == nil {
			return nil, nil, &twodoor.Error{Code: twodoor.CodeNotFound, Message: "the answer of " + op.ID + " is not described"}
		}
	}
	part = root
	for _, step := range steps {
		next, names := property(op, part, step)
		if next == nil {
			return nil, nil, &twodoor.Error{
				Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s has no %q in %s", op.ID, step, orElse(strings.Join(at, "."), "its input")),
				Hint: "there is " + orElse(strings.Join(names[:min(len(names), maxNames)], ", "), "nothing below it"), Try: rawjson.Nearest(names, step, 3),
			}
		}
		part, at = next, append(at, step)
	}
	return part, at, nil
}

// property is the schema of a property, looked for through references, lists and branches, or the
// branch of that name; and the names that there are.
func property(op *twodoor.Operation, schema json.RawMessage, name string) (found json.RawMessage, names []string) {
	note := func(key string, value json.RawMessage) {
		if key == name && found == nil {
			found = value
		}
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	walkParts(op, schema, 0, func(layer json.RawMessage) {
		for _, word := range []string{"oneOf", "anyOf"} {
			branches, _ := rawjson.Get(layer, word)
			n := 0
			for branch := range rawjson.Elements(branches) {
				n++
				note(branchName(op, branch, n), branch)
			}
		}
		properties, _ := rawjson.Get(layer, "properties")
		for key, value := range rawjson.Members(properties) {
			note(key, value)
		}
	})
	return found, names
}

const maxNames = 40 // that a fault lists

const maxLayers = 32 // bound of references and branches that are followed to one property

// walkParts visits a schema and everything that describes the same value or the elements of a list.
func walkParts(op *twodoor.Operation, schema json.RawMessage, layer int, visit func(json.RawMessage)) {
	if layer == maxLayers {
		return
	}
	if target := deref(op, schema); target != nil {
		walkParts(op, target, layer+1, visit)
		return
	}
	visit(schema)
	for _, word := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := rawjson.Get(schema, word)
		for branch := range rawjson.Elements(branches) {
			walkParts(op, branch, layer+1, visit)
		}
	}
	if items, ok := rawjson.Get(schema, "items"); ok {
		walkParts(op, items, layer+1, visit)
	}
}

// deref is the shared schema that a schema points at, or nil.
func deref(op *twodoor.Operation, schema json.RawMessage) json.RawMessage {
	ref, _ := rawjson.Get(schema, "$ref")
	text, _ := rawjson.String(ref)
	if name, ok := strings.CutPrefix(text, "#/$defs/"); ok {
		return op.Definition(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return nil
}

// Bounds of what is shown of a schema when nobody asks for a depth.
const (
	schemaTokens = 4000
	schemaLevels = 6
)

// fitted is as much of a part as fits in one read: at least its first level.
func fitted(op *twodoor.Operation, part json.RawMessage, path []string) json.RawMessage {
	for depth := schemaLevels; ; depth-- {
		shown := pruner{op, depth}.prune(part, path, 0, nil)
		if depth == 1 || rawjson.Weigh(shown) <= schemaTokens {
			return shown
		}
	}
}

// pruner writes a schema with its references resolved, down to a depth.
type pruner struct {
	op    *twodoor.Operation
	depth int // 0: no bound
}

// prune writes one part. level counts the objects and lists above it, open the references being resolved.
func (p pruner) prune(schema json.RawMessage, path []string, level int, open []string) json.RawMessage {
	if target := deref(p.op, schema); target != nil {
		ref, _ := rawjson.Get(schema, "$ref")
		for _, name := range open {
			if name == string(ref) {
				return p.stub(target, path, "the same again")
			}
		}
		open = append(open[:len(open):len(open)], string(ref))
		for key, value := range rawjson.Members(schema) {
			if key != "$ref" {
				target = rawjson.Set(target, key, value)
			}
		}
		return p.prune(target, path, level, open)
	}
	if rawjson.KindOf(schema) != rawjson.KindObject {
		return schema
	}
	if p.depth > 0 && level >= p.depth && p.deeper(schema, 0) {
		return p.stub(schema, path, "")
	}
	var out rawjson.Object
	for key, value := range rawjson.Members(schema) {
		switch key {
		case "properties":
			var properties rawjson.Object
			for name, property := range rawjson.Members(value) {
				properties.Put(name, p.prune(property, append(path[:len(path):len(path)], name), level+1, open))
			}
			value = properties.Bytes()
		case "items", "additionalProperties":
			value = p.prune(value, path, level, open)
		case "allOf":
			var parts rawjson.Array
			for part := range rawjson.Elements(value) {
				parts.Add(p.prune(part, path, level, open))
			}
			value = parts.Bytes()
		case "oneOf", "anyOf":
			value = p.branches(value, path, level, open)
		}
		out.Put(key, value)
	}
	return out.Bytes()
}

// branches writes alternatives. Where there are several with parts of their own, each is a part with
// a name, one level down.
func (p pruner) branches(list json.RawMessage, path []string, level int, open []string) json.RawMessage {
	var out rawjson.Array
	n := 0
	for branch := range rawjson.Elements(list) {
		if n++; p.deeper(branch, 0) && rawjson.Len(list) > 1 {
			out.Add(p.prune(branch, append(path[:len(path):len(path)], branchName(p.op, branch, n)), level+1, open))
			continue
		}
		out.Add(p.prune(branch, path, level, open))
	}
	return out.Bytes()
}

// branchName is how a path names the n-th alternative: by its shared schema, its title, or the one
// value that tells it apart.
func branchName(op *twodoor.Operation, branch json.RawMessage, n int) string {
	ref, _ := rawjson.Get(branch, "$ref")
	if text, ok := rawjson.String(ref); ok {
		return text[strings.LastIndexByte(text, '/')+1:]
	}
	properties, _ := rawjson.Get(branch, "properties")
	for _, property := range rawjson.Members(properties) {
		if value, ok := rawjson.Get(property, "const"); ok {
			if text, ok := rawjson.String(value); ok {
				return text
			}
		}
	}
	title, _ := rawjson.Get(branch, "title")
	if text, ok := rawjson.String(title); ok && !strings.ContainsAny(text, ". ") {
		return text
	}
	return strconv.Itoa(n)
}

// deeper reports whether a schema has parts of its own: a list of plain values has none.
func (p pruner) deeper(schema json.RawMessage, layer int) bool {
	if target := deref(p.op, schema); target != nil {
		return layer == maxLayers || p.deeper(target, layer+1)
	}
	if properties, _ := rawjson.Get(schema, "properties"); rawjson.Len(properties) > 0 {
		return true
	}
	for _, word := range []string{"items", "additionalProperties"} {
		if value, ok := rawjson.Get(schema, word); ok && p.deeper(value, layer+1) {
			return true
		}
	}
	for _, word := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := rawjson.Get(schema, word)
		for branch := range rawjson.Elements(branches) {
			if p.deeper(branch, layer+1) {
				return true
			}
		}
	}
	return false
}

// stub stands for a part that is not shown, and says how to see it.
func (p pruner) stub(schema json.RawMessage, path []string, why string) json.RawMessage {
	var out rawjson.Object
	for _, key := range []string{"type", "title", "description"} {
		if value, ok := rawjson.Get(schema, key); ok {
			out.Put(key, value)
		}
	}
	more := fmt.Sprintf("twodoor schema %s %s", p.op.ID, strings.Join(path, "."))
	if why != "" {
		more = why + ": " + more
	}
	out.PutString("$comment", more)
	return out.Bytes()
}
