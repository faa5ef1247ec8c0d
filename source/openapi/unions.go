package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// property is one field of an object.
type property struct {
	name  string
	place place
}

// shape is an object taken apart into its fields. The branches of a union are told as one: their
// fields beside each other, required where every branch requires them.
type shape struct {
	fields   []property
	required []string
	rest     place // schema of further fields; none: there are none
	variants []variant
	combos   [][]string // sets of fields of which one has to be given
}

// variant is one branch of a union.
type variant struct {
	label    string
	fields   []string
	required []string
}

// flatten takes a schema apart, where it is an object with fields or a union of such.
func (s *schemas) flatten(p place) (*shape, bool) {
	return s.flat(p, nil, map[*rawjson.Node]bool{})
}

// flat is flatten of a schema inside of others; only, where given, names the branches to keep.
func (s *schemas) flat(p place, only []string, inside map[*rawjson.Node]bool) (*shape, bool) {
	p, err := s.resolve(s.merged(p))
	if err != nil || p.node == nil || inside[p.node] {
		return nil, false
	}
	inside[p.node] = true
	defer delete(inside, p.node)
	p = s.merged(p)
	if _, is := refOf(p.node); is {
		return s.flat(p, only, inside)
	}
	if t := typesOf(p.node); len(t.names) > 0 && !t.has("object") || len(t.names) > 1 || p.node.Get(tooDeepKey) != nil {
		return nil, false
	}
	f := &shape{required: p.node.Get("required").Strings()}
	props := s.childAt(p, "properties")
	if props.node.Get(tooDeepKey) != nil {
		return nil, false
	}
	for name, item := range props.node.Members() {
		f.fields = append(f.fields, property{name, s.child(props, item)})
	}
	ok := props.node.Is(rawjson.KindObject) || p.node.Get("additionalProperties").Is(rawjson.KindBool) && !p.node.Get("additionalProperties").Bool()
	for _, union := range s.unionsOf(p) {
		isObject, fits := s.joinUnion(f, p, union, only, inside)
		if !fits {
			return nil, false
		}
		ok = ok || isObject
	}
	if rest := s.childAt(p, "additionalProperties"); rest.node.Is(rawjson.KindObject) || rest.node.Bool() {
		f.rest = rest
	}
	if len(f.fields) == 0 && f.rest.node != nil {
		return nil, false // a map
	}
	return f, ok
}

// unionsOf are the unions of a schema, those that merging left over included.
func (s *schemas) unionsOf(p place) (unions []place) {
	for _, key := range []string{"oneOf", "anyOf"} {
		if union := s.childAt(p, key); union.node.Len() > 0 {
			unions = append(unions, union)
		}
	}
	for item := range p.node.Get("allOf").Elements() {
		unions = append(unions, s.unionsOf(s.child(p, item))...)
	}
	return unions
}

// joinUnion adds the fields of a union's branches; isObject reports whether a branch has any, fits
// is false where a branch is something else than an object.
func (s *schemas) joinUnion(f *shape, p, union place, only []string, inside map[*rawjson.Node]bool) (isObject, fits bool) {
	all := &shape{}
	var shared []string
	bare := true
	first := true
	for item := range union.node.Elements() {
		branch := s.child(union, item)
		if typesOf(item).none {
			continue
		}
		label := s.label(p, branch)
		if len(only) > 0 && !slices.ContainsFunc(only, func(name string) bool {
			return strings.EqualFold(name, label) || strings.EqualFold(name, nameOfBranch(item))
		}) {
			continue
		}
		b, ok := s.branch(branch, inside)
		if !ok {
			return false, false
		}
		isObject = isObject || len(b.fields) > 0
		bare = bare && len(b.fields) == 0
		all.variants = append(all.variants, variant{label: label, fields: namesOf(b.fields), required: b.required})
		if len(b.required) > 0 {
			all.combos = append(all.combos, b.required)
		}
		if first {
			shared = b.required
		}
		first = false
		shared = slices.DeleteFunc(slices.Clone(shared), func(name string) bool { return !slices.Contains(b.required, name) })
		all.join(s, b)
	}
	all.required = nil
	s.discriminate(all, p, union)
	f.join(s, all)
	for _, name := range shared {
		if !slices.Contains(f.required, name) {
			f.required = append(f.required, name)
		}
	}
	if f.combos == nil {
		f.combos = beyond(f.required, all.combos, len(all.variants))
	}
	if !bare && all.differ() {
		f.variants = append(f.variants, all.variants...)
	}
	return isObject, true
}

// beyond are the sets of fields of which one has to be given besides those required anyway; none,
// where not every branch has one.
func beyond(required []string, sets [][]string, branches int) (combos [][]string) {
	for _, names := range sets {
		more := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(required, name) })
		if len(more) == 0 {
			return nil
		}
		combos = append(combos, more)
	}
	if len(combos) < branches {
		return nil
	}
	return combos
}

// describes reports whether all of these fields are described.
func (f *shape) describes(names []string) bool {
	described := namesOf(f.fields)
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(described, name) })
}

// differ reports whether the branches do not all have the same fields.
func (f *shape) differ() bool {
	return slices.ContainsFunc(f.variants, func(v variant) bool {
		return !slices.Equal(v.fields, f.variants[0].fields) || !slices.Equal(v.required, f.variants[0].required)
	})
}

// branch is one branch of a union: an object, or a schema that only says which fields are required.
func (s *schemas) branch(p place, inside map[*rawjson.Node]bool) (*shape, bool) {
	if f, ok := s.flat(p, nil, inside); ok {
		return f, true
	}
	n := p.node
	if required := n.Get("required").Strings(); len(required) > 0 && n.Get("properties") == nil && n.Get("$ref") == nil {
		return &shape{required: required}, true
	}
	return nil, false
}

func namesOf(fields []property) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// join adds the fields of another shape beside the own ones.
func (f *shape) join(s *schemas, other *shape) {
	for _, prop := range other.fields {
		at := slices.IndexFunc(f.fields, func(old property) bool { return old.name == prop.name })
		if at < 0 {
			f.fields = append(f.fields, prop)
			continue
		}
		old := f.fields[at].place
		if old.node == prop.place.node || sameSchema(old.node, prop.place.node) {
			continue
		}
		m := merger{schemas: s, doc: old.doc, into: objectNode("properties", objectNode(prop.name, old.node))}
		m.offer(prop.name, prop.place)
		f.fields[at].place = place{old.doc, m.into.Get("properties").Get(prop.name)}
	}
	if f.rest.node == nil {
		f.rest = other.rest
	}
}

// label is how a branch is called: the value of the discriminator that picks it, else its title,
// else the name of its schema.
func (s *schemas) label(p, branch place) string {
	ref, is := refOf(branch.node)
	for value, to := range p.node.Get("discriminator").Get("mapping").Members() {
		if is && (to.Str() == ref || strings.HasSuffix(ref, "/"+to.Str())) {
			return value
		}
	}
	target, err := s.resolve(branch)
	if err != nil {
		return nameOfBranch(branch.node)
	}
	if values := constantsOf(s.merged(target).node.Get("properties").Get(discriminatorOf(p.node))); len(values) == 1 {
		return values[0].Str()
	}
	if title := strings.TrimSpace(target.node.Get("title").Str()); title != "" {
		return title
	}
	return nameOfBranch(branch.node)
}

func nameOfBranch(n *rawjson.Node) string {
	if ref, is := refOf(n); is {
		return nameOf(ref)
	}
	return n.Get("title").Str()
}

// discriminate lists the values of the field that picks the branch of a union.
func (s *schemas) discriminate(all *shape, p, union place) {
	name := discriminatorOf(p.node)
	at := slices.IndexFunc(all.fields, func(f property) bool { return f.name == name })
	mapping := p.node.Get("discriminator").Get("mapping")
	if name == "" || at < 0 || mapping.Len() == 0 {
		return
	}
	old := all.fields[at].place
	n := objectNode("type", rawjson.StringNode("string"))
	n.Put("enum", stringsNode(mapping.Keys))
	if text := old.node.Get("description"); text != nil {
		n.Put("description", text)
	}
	all.fields[at].place = place{old.doc, n}
}

// Bounds of what is said about the branches of a union.
const (
	maxVariants    = 12
	maxVariantText = 900
)

// tellVariants says in the operation's description which fields go together.
func (c *compiler) tellVariants(f *shape, args map[string]string) {
	spell := func(names []string) (told []string) {
		for _, name := range names {
			if arg := args[name]; arg != "" {
				told = append(told, arg)
			}
		}
		return told
	}
	for _, names := range f.combos {
		if told := spell(names); len(told) == len(names) {
			c.combos = append(c.combos, told)
		} else if f.rest.node != nil || f.describes(names) {
			c.combos = nil // it may be met in a way that cannot be told: by a further field, or one that only answers have
			break
		}
	}
	if len(c.combos) == 1 {
		c.args.require(c.combos[0])
		c.combos = nil
	}
	if len(f.variants) < 2 {
		return
	}
	var lines []string
	for i, v := range f.variants {
		if i == maxVariants {
			lines = append(lines, fmt.Sprintf("… and %d more", len(f.variants)-i))
			break
		}
		lines = append(lines, v.tell(spell, i))
	}
	text := "Takes the fields of one of these (* required): " + strings.Join(lines, "; ") + "."
	if len(text) > maxVariantText {
		text = strings.ToValidUTF8(text[:maxVariantText], "") + "…"
	}
	c.variants = text
}

func (v variant) tell(spell func([]string) []string, i int) string {
	var fields []string
	for _, name := range v.fields {
		for _, arg := range spell([]string{name}) {
			if slices.Contains(v.required, name) {
				arg += "*"
			}
			fields = append(fields, arg)
		}
	}
	label := v.label
	if label == "" {
		label = fmt.Sprintf("form %d", i+1)
	}
	return label + " (" + strings.Join(fields, ", ") + ")"
}
