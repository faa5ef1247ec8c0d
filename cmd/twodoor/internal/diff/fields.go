package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// difference is one between two schemas, at a path from where they begin.
type difference struct {
	path string
	what what
	text string
}

type what uint8

const (
	appeared         what = iota // optional
	appearedRequired             //
	vanished
	becameRequired
	becameOptional
	narrowed
	widened
	altered // neither takes what the other does
)

// ofInput tells a difference of the input.
func (d difference) ofInput(op *twodoor.Operation) Change {
	switch d.what {
	case appeared:
		return change(InputAdded, op, d.path, false, false, "it takes %s now", d.path)
	case appearedRequired:
		return change(InputRequired, op, d.path, true, true, "it needs %s, which is new", d.path)
	case vanished:
		return change(InputRemoved, op, d.path, true, true, "it does not take %s any more", d.path)
	case becameRequired:
		return change(InputRequired, op, d.path, true, true, "it needs %s, which was optional", d.path)
	case becameOptional:
		return change(InputOptional, op, d.path, false, false, "%s is optional now", d.path)
	case widened:
		return change(InputWidened, op, d.path, false, false, "%s takes more: %s", d.path, d.text)
	}
	return change(InputNarrowed, op, d.path, true, true, "%s takes less: %s", d.path, d.text)
}

// ofAnswer tells a difference of the answer: what is read of it must still be there.
func (d difference) ofAnswer(op *twodoor.Operation) Change {
	path := d.path
	if path == "" {
		path = "the answer"
	}
	switch d.what {
	case appeared, appearedRequired:
		return change(FieldAdded, op, d.path, false, false, "the answer has %s now", path)
	case vanished:
		return change(FieldRemoved, op, d.path, true, true, "the answer does not have %s any more", path)
	case becameRequired:
		return change(FieldNarrowed, op, d.path, false, false, "%s is always there now", path)
	case becameOptional:
		return change(FieldWidened, op, d.path, false, false, "%s may be absent now", path)
	case widened:
		return change(FieldWidened, op, d.path, false, false, "%s may be more: %s", path, d.text)
	case narrowed:
		return change(FieldNarrowed, op, d.path, false, false, "%s is less: %s", path, d.text)
	}
	return change(FieldChanged, op, d.path, true, true, "%s is something else: %s", path, d.text)
}

// memo keeps what was found out about two shared schemas, which many operations lead to.
type memo struct {
	known map[[2]string][]difference
	busy  map[[2]string]bool
}

func newMemo() *memo {
	return &memo{known: map[[2]string][]difference{}, busy: map[[2]string]bool{}}
}

func (m *memo) inputs(before, after *twodoor.Operation) []difference {
	return m.between(before, after, before.Input, after.Input)
}

func (m *memo) outputs(before, after *twodoor.Operation) []difference {
	if len(before.Output) == 0 || len(after.Output) == 0 {
		switch {
		case len(before.Output) > 0:
			return []difference{{what: vanished}}
		case len(after.Output) > 0:
			return []difference{{what: appeared}}
		}
		return nil
	}
	return m.between(before, after, before.Output, after.Output)
}

func (m *memo) between(before, after *twodoor.Operation, a, b json.RawMessage) []difference {
	c := &comparison{memo: m, before: view{before}, after: view{after}}
	return c.schemas(a, b, 0)
}

// comparison is of one operation.
type comparison struct {
	*memo
	before, after view
}

// view resolves references of one side.
type view struct{ op *twodoor.Operation }

func (v view) ref(raw json.RawMessage) (name string) {
	value, _ := rawjson.Get(raw, "$ref")
	text, _ := rawjson.String(value)
	name, ok := strings.CutPrefix(text, "#/$defs/")
	if !ok {
		return ""
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

func (v view) target(raw json.RawMessage) json.RawMessage {
	if target := v.op.Definition(v.ref(raw)); target != nil {
		return target
	}
	return json.RawMessage(`{}`)
}

const maxDepth = 60

// schemas compares two schemas. Shared ones are compared once; inside of themselves they differ in
// nothing that is not told already.
func (c *comparison) schemas(a, b json.RawMessage, depth int) []difference {
	if depth > maxDepth {
		return nil
	}
	first, second := c.before.ref(a), c.after.ref(b)
	if first == "" || second == "" || rawjson.Len(a) > 1 || rawjson.Len(b) > 1 {
		return c.nodes(nodeOf(c.before, a), nodeOf(c.after, b), depth)
	}
	key := [2]string{c.before.op.Source() + "." + first, c.after.op.Source() + "." + second}
	if list, done := c.known[key]; done || c.busy[key] {
		return list
	}
	c.busy[key] = true
	list := c.nodes(nodeOf(c.before, a), nodeOf(c.after, b), depth)
	delete(c.busy, key)
	c.known[key] = list
	return list
}

// node is a schema with its references followed and its parts joined; alternatives stay apart.
type node struct {
	types    []string
	enum     []string // nil: not bounded
	fields   []field
	items    []json.RawMessage
	values   []json.RawMessage // of additionalProperties
	branches []json.RawMessage
	bounds   map[string]string
	null     bool
}

type field struct {
	name     string
	raw      json.RawMessage
	required bool
}

func nodeOf(v view, raw json.RawMessage) *node {
	n := &node{bounds: map[string]string{}}
	required := map[string]bool{}
	n.lay(v, raw, required, 0)
	for i := range n.fields {
		n.fields[i].required = required[n.fields[i].name]
	}
	slices.Sort(n.types)
	n.types = slices.Compact(n.types)
	if len(n.branches) == 1 {
		only := n.branches[0]
		n.branches = nil
		n.lay(v, only, required, 1)
		for i := range n.fields {
			n.fields[i].required = required[n.fields[i].name]
		}
		slices.Sort(n.types)
		n.types = slices.Compact(n.types)
	}
	return n
}

// lay joins a schema to the node.
func (n *node) lay(v view, raw json.RawMessage, required map[string]bool, hops int) {
	if hops > 20 {
		return
	}
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "$ref":
			n.lay(v, v.target(raw), required, hops+1)
		case "allOf":
			for part := range rawjson.Elements(value) {
				n.lay(v, part, required, hops+1)
			}
		case "anyOf", "oneOf":
			n.alternatives(value)
		case "type":
			n.addTypes(value)
		case "enum":
			n.addEnum(value)
		case "const":
			n.enum = append(n.enum, string(rawjson.AppendCanonical(nil, value)))
		case "properties":
			for name, property := range rawjson.Members(value) {
				n.fields = append(n.fields, field{name: name, raw: property})
			}
		case "required":
			for name := range rawjson.Elements(value) {
				text, _ := rawjson.String(name)
				required[text] = true
			}
		case "items":
			n.items = append(n.items, value)
		case "additionalProperties":
			if rawjson.KindOf(value) == rawjson.KindObject {
				n.values = append(n.values, value)
			}
		case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "pattern":
			n.bounds[key] = string(value)
		}
	}
}

func (n *node) addTypes(value json.RawMessage) {
	add := func(raw json.RawMessage) {
		if text, ok := rawjson.String(raw); ok && text == "null" {
			n.null = true
		} else if ok {
			n.types = append(n.types, text)
		}
	}
	add(value)
	for element := range rawjson.Elements(value) {
		add(element)
	}
}

func (n *node) addEnum(value json.RawMessage) {
	n.enum = []string{}
	for element := range rawjson.Elements(value) {
		if rawjson.KindOf(element) == rawjson.KindNull {
			n.null = true
			continue
		}
		n.enum = append(n.enum, string(rawjson.AppendCanonical(nil, element)))
	}
	slices.Sort(n.enum)
}

// alternatives adds the branches of a union, but for null.
func (n *node) alternatives(list json.RawMessage) {
	for raw := range rawjson.Elements(list) {
		if kind, _ := rawjson.Get(raw, "type"); string(kind) == `"null"` {
			n.null = true
			continue
		}
		n.branches = append(n.branches, raw)
	}
}

// keyed are the branches of a union by what each is told from others by.
func (v view) keyed(branches []json.RawMessage) (keys []string, byKey map[string]json.RawMessage) {
	byKey = map[string]json.RawMessage{}
	for at, raw := range branches {
		key := v.ref(raw)
		if key == "" {
			title, _ := rawjson.Get(raw, "title")
			key = v.told(raw) + string(title)
		}
		if _, taken := byKey[key]; key == "" || taken {
			key = fmt.Sprint(key, "#", at)
		}
		keys, byKey[key] = append(keys, key), raw
	}
	return keys, byKey
}

// told is what an alternative without a name is told from others by: the values that its properties
// are bound to, else the names of what it requires.
func (v view) told(raw json.RawMessage) string {
	fixed := nodeOf(v, raw)
	var values, names []string
	for _, f := range fixed.fields {
		if n := nodeOf(v, f.raw); len(n.enum) > 0 && len(n.enum) < 4 && len(n.fields) == 0 {
			values = append(values, f.name+"="+strings.Join(n.enum, "|"))
		}
		if f.required {
			names = append(names, f.name)
		}
	}
	if len(values) > 0 {
		return strings.Join(values, ",")
	}
	return strings.Join(append(names, fixed.types...), ",")
}

// nodes compares two nodes.
func (c *comparison) nodes(a, b *node, depth int) []difference {
	list := c.scalars(a, b)
	list = append(list, c.fields(a, b, depth)...)
	if len(a.items) > 0 && len(b.items) > 0 {
		list = append(list, under("[]", c.schemas(a.items[0], b.items[0], depth+1))...)
	}
	if len(a.values) > 0 && len(b.values) > 0 {
		list = append(list, under(".*", c.schemas(a.values[0], b.values[0], depth+1))...)
	}
	return dedupe(append(list, c.unions(a, b, depth)...))
}

// under puts a step in front of paths.
func under(step string, list []difference) []difference {
	out := make([]difference, len(list))
	for i, d := range list {
		switch {
		case d.path == "":
			d.path = strings.TrimPrefix(step, ".")
		case d.path[0] == '[' || step == "[]" && d.path[0] == '.':
			d.path = strings.TrimPrefix(step, ".") + d.path
		default:
			d.path = strings.TrimPrefix(step, ".") + "." + d.path
		}
		out[i] = d
	}
	return out
}

func dedupe(list []difference) []difference {
	seen := map[difference]bool{}
	return slices.DeleteFunc(list, func(d difference) bool {
		again := seen[d]
		seen[d] = true
		return again
	})
}

// fields compares the members of two objects.
func (c *comparison) fields(a, b *node, depth int) (list []difference) {
	before := map[string]field{}
	for _, f := range a.fields {
		before[f.name] = f
	}
	after := map[string]bool{}
	for _, f := range b.fields {
		if after[f.name] {
			continue
		}
		after[f.name] = true
		old, was := before[f.name]
		switch {
		case !was && f.required && !hasDefault(f.raw):
			list = append(list, difference{f.name, appearedRequired, ""})
		case !was:
			list = append(list, difference{f.name, appeared, ""})
		case f.required && !old.required:
			list = append(list, difference{f.name, becameRequired, ""})
		case !f.required && old.required:
			list = append(list, difference{f.name, becameOptional, ""})
		}
		if was {
			list = append(list, under("."+f.name, c.schemas(old.raw, f.raw, depth+1))...)
		}
	}
	told := map[string]bool{}
	for _, f := range a.fields {
		if !after[f.name] && !told[f.name] {
			told[f.name] = true
			list = append(list, difference{f.name, vanished, ""})
		}
	}
	return list
}

// hasDefault reports whether the far side fills a required input itself.
func hasDefault(raw json.RawMessage) bool {
	fills, _ := rawjson.Get(raw, "x-fill")
	return string(fills) == "true"
}

// unions compares alternatives, those of one name or place with each other.
func (c *comparison) unions(a, b *node, depth int) (list []difference) {
	if len(a.branches) == 0 && len(b.branches) == 0 {
		return nil
	}
	keysBefore, before := c.before.keyed(a.branches)
	keysAfter, after := c.after.keyed(b.branches)
	for _, key := range keysAfter {
		if old, was := before[key]; was {
			list = append(list, c.schemas(old, after[key], depth+1)...)
		} else if len(a.branches) > 0 {
			list = append(list, difference{what: widened, text: "one more form"})
		}
	}
	for _, key := range keysBefore {
		if _, is := after[key]; !is && len(b.branches) > 0 {
			list = append(list, difference{what: narrowed, text: "a form less"})
		}
	}
	switch {
	case len(a.branches) == 0 && len(a.fields) > 0, len(b.branches) == 0 && len(b.fields) > 0:
		list = append(list, c.fields(c.flat(c.before, a), c.flat(c.after, b), depth+1)...)
	}
	return list
}

// flat is a node whose alternatives are joined: the fields of all of them, none required.
func (c *comparison) flat(v view, n *node) *node {
	if len(n.branches) == 0 {
		return n
	}
	out := &node{fields: slices.Clone(n.fields)}
	for _, branch := range n.branches {
		for _, f := range nodeOf(v, branch).fields {
			f.required = false
			out.fields = append(out.fields, f)
		}
	}
	return out
}
