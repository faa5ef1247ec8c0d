package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func (r *run) schemaCommand() cli.Command {
	return cli.Command{
		Name: "schema", Args: "ID [PART]", Short: "Show what an operation takes and answers, as JSON Schema",
		Long:    "PART is output for the answer, or the dotted path of an input: steps.action. Below a depth of N levels (default 3) only the kind of a part is shown, and the command that shows it; --depth 0 shows everything.",
		Example: "twodoor schema harbor.workflow.create steps --depth 2",
		Flags:   []cli.Flag{{Name: "depth", Kind: cli.FlagInt, Default: "3", Usage: "levels shown; 0: all"}},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			op, err := r.operation(ctx, in.Args[0], in.Profile())
			if err != nil {
				return err
			}
			part, path, err := partOf(op, strings.Join(in.Args[1:], ""))
			if err != nil {
				return err
			}
			p := pruner{op: op, depth: in.Int("depth")}
			return in.Print(json.RawMessage(p.prune(part, path, 0, nil)))
		},
		Complete: r.completeIDs,
	}
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
				Hint: "there is " + orElse(strings.Join(names, ", "), "nothing below it"), Try: rawjson.Nearest(names, step, 3),
			}
		}
		part, at = next, append(at, step)
	}
	return part, at, nil
}

// property is the schema of a property, looked for through references, lists and branches.
func property(op *twodoor.Operation, schema json.RawMessage, name string) (found json.RawMessage, names []string) {
	walkParts(op, schema, 0, func(layer json.RawMessage) bool {
		properties, _ := rawjson.Get(layer, "properties")
		for key, value := range rawjson.Members(properties) {
			names = append(names, key)
			if key == name {
				found = value
				return false
			}
		}
		return true
	})
	return found, names
}

const maxLayers = 32 // bound of references and branches that are followed to one property

// walkParts visits a schema and everything that describes the same value or the elements of a list.
func walkParts(op *twodoor.Operation, schema json.RawMessage, layer int, visit func(json.RawMessage) bool) bool {
	if layer == maxLayers {
		return true
	}
	if target := deref(op, schema); target != nil {
		return walkParts(op, target, layer+1, visit)
	}
	if !visit(schema) {
		return false
	}
	for _, word := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := rawjson.Get(schema, word)
		for branch := range rawjson.Elements(branches) {
			if !walkParts(op, branch, layer+1, visit) {
				return false
			}
		}
	}
	if items, ok := rawjson.Get(schema, "items"); ok {
		return walkParts(op, items, layer+1, visit)
	}
	return true
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
	if p.depth > 0 && level >= p.depth && deeper(schema) {
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
		case "allOf", "oneOf", "anyOf":
			var branches rawjson.Array
			for branch := range rawjson.Elements(value) {
				branches.Add(p.prune(branch, path, level, open))
			}
			value = branches.Bytes()
		}
		out.Put(key, value)
	}
	return out.Bytes()
}

// deeper reports whether a schema has parts of its own.
func deeper(schema json.RawMessage) bool {
	for _, word := range []string{"properties", "items", "allOf", "oneOf", "anyOf", "additionalProperties"} {
		if value, ok := rawjson.Get(schema, word); ok && rawjson.KindOf(value) != rawjson.KindBool {
			return true
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
