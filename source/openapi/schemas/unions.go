package schemas

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// unionsOf are the unions of a schema, those that merging left over included.
func (s *Set) unionsOf(p document.Place) (unions []document.Place) {
	for _, key := range []string{"oneOf", "anyOf"} {
		if union := s.ChildAt(p, key); union.Node.Len() > 0 {
			unions = append(unions, union)
		}
	}
	for item := range p.Node.Get("allOf").Elements() {
		unions = append(unions, s.unionsOf(s.child(p, item))...)
	}
	return unions
}

// joinUnion adds the fields of a union's branches; isObject reports whether a branch has any, fits
// is false where a branch is something else than an object.
func (s *Set) joinUnion(f *Shape, p, union document.Place, only []string, inside map[*rawjson.Node]bool) (isObject, fits bool) {
	all := &Shape{}
	var shared []string
	var sets [][]string
	bare := true
	first := true
	for item := range union.Node.Elements() {
		branch := s.child(union, item)
		if TypesOf(item).none {
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
		isObject = isObject || len(b.Fields) > 0
		bare = bare && len(b.Fields) == 0
		all.Variants = append(all.Variants, Variant{Label: label, Fields: b.Names(), Required: b.Required})
		sets = append(sets, b.Required)
		if first {
			shared = b.Required
		}
		first = false
		shared = slices.DeleteFunc(slices.Clone(shared), func(name string) bool { return !slices.Contains(b.Required, name) })
		all.Join(s, b)
	}
	all.Required = nil
	s.discriminate(all, p, union)
	f.Join(s, all)
	for _, name := range shared {
		if !slices.Contains(f.Required, name) {
			f.Required = append(f.Required, name)
		}
	}
	f.RequireOneOf(sets)
	if !bare && all.differ() {
		f.Variants = append(f.Variants, all.Variants...)
	}
	return isObject, true
}

// branch is one branch of a union: an object, or a schema that only says which fields are required.
func (s *Set) branch(p document.Place, inside map[*rawjson.Node]bool) (*Shape, bool) {
	if f, ok := s.flat(p, nil, inside); ok {
		return f, true
	}
	n := p.Node
	if required := n.Get("required").Strings(); len(required) > 0 && n.Get("properties") == nil && n.Get("$ref") == nil {
		return &Shape{Required: required}, true
	}
	return nil, false
}

// label is how a branch is called: the value of the discriminator that picks it, else its title,
// else the name of its schema.
func (s *Set) label(p, branch document.Place) string {
	ref, is := document.Ref(branch.Node)
	for value, to := range p.Node.Get("discriminator").Get("mapping").Members() {
		if is && (to.Str() == ref || strings.HasSuffix(ref, "/"+to.Str())) {
			return value
		}
	}
	target, err := s.Resolve(branch)
	if err != nil {
		return nameOfBranch(branch.Node)
	}
	if values := constantsOf(s.Merged(target).Node.Get("properties").Get(discriminatorOf(p.Node))); len(values) == 1 {
		return values[0].Str()
	}
	if title := strings.TrimSpace(target.Node.Get("title").Str()); title != "" {
		return title
	}
	return nameOfBranch(branch.Node)
}

func nameOfBranch(n *rawjson.Node) string {
	if ref, is := document.Ref(n); is {
		return nameOf(ref)
	}
	return n.Get("title").Str()
}

// discriminate lists the values of the field that picks the branch of a union.
func (s *Set) discriminate(all *Shape, p, union document.Place) {
	name := discriminatorOf(p.Node)
	at := slices.IndexFunc(all.Fields, func(f Property) bool { return f.Name == name })
	mapping := p.Node.Get("discriminator").Get("mapping")
	if name == "" || at < 0 || mapping.Len() == 0 {
		return
	}
	old := all.Fields[at].Place
	n := document.Object("type", rawjson.StringNode("string"))
	n.Put("enum", document.Strings(mapping.Keys))
	if text := old.Node.Get("description"); text != nil {
		n.Put("description", text)
	}
	all.Fields[at].Place = old.Doc.Place(n)
}
