package schemas

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// Property is one field of an object.
type Property struct {
	Name  string
	Place document.Place
}

// Shape is an object taken apart into its fields. The branches of a union are told as one: their
// fields beside each other, required where every branch requires them.
type Shape struct {
	Fields   []Property
	Required []string
	Rest     document.Place // schema of further fields; none: there are none
	Variants []Variant
	Combos   [][]string // sets of fields of which one has to be given
}

// Variant is one branch of a union.
type Variant struct {
	Label    string
	Fields   []string
	Required []string
}

// Flatten takes a schema apart, where it is an object with fields or a union of such; only, where
// given, names the branches to keep.
func (s *Set) Flatten(p document.Place, only ...string) (*Shape, bool) {
	return s.flat(p, only, map[*rawjson.Node]bool{})
}

// flat is Flatten of a schema inside of others.
func (s *Set) flat(p document.Place, only []string, inside map[*rawjson.Node]bool) (*Shape, bool) {
	p, err := s.Resolve(s.Merged(p))
	if err != nil || p.Node == nil || inside[p.Node] {
		return nil, false
	}
	inside[p.Node] = true
	defer delete(inside, p.Node)
	p = s.Merged(p)
	if _, is := document.Ref(p.Node); is {
		return s.flat(p, only, inside)
	}
	if t := TypesOf(p.Node); len(t.Names) > 0 && !t.Has("object") || len(t.Names) > 1 || p.Node.Get(document.TooDeepKey) != nil {
		return nil, false
	}
	f := &Shape{Required: p.Node.Get("required").Strings()}
	props := s.ChildAt(p, "properties")
	if props.Node.Get(document.TooDeepKey) != nil {
		return nil, false
	}
	for name, item := range props.Node.Members() {
		f.Fields = append(f.Fields, Property{name, s.child(props, item)})
	}
	ok := props.Node.Is(rawjson.KindObject) || p.Node.Get("additionalProperties").Is(rawjson.KindBool) && !p.Node.Get("additionalProperties").Bool()
	for _, union := range s.unionsOf(p) {
		isObject, fits := s.joinUnion(f, p, union, only, inside)
		if !fits {
			return nil, false
		}
		ok = ok || isObject
	}
	if rest := s.ChildAt(p, "additionalProperties"); rest.Node.Is(rawjson.KindObject) || rest.Node.Bool() {
		f.Rest = rest
	}
	if len(f.Fields) == 0 && f.Rest.Node != nil {
		return nil, false // a map
	}
	return f, ok
}

// RequireOneOf says that the fields of one of these sets have to be given. It says nothing where one
// of them is given anyway, or where the shape has such sets already.
func (f *Shape) RequireOneOf(sets [][]string) {
	if f.Combos != nil {
		return
	}
	var combos [][]string
	for _, names := range sets {
		more := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(f.Required, name) })
		if len(more) == 0 {
			return
		}
		combos = append(combos, more)
	}
	f.Combos = combos
}

// Describes reports whether all of these fields are described.
func (f *Shape) Describes(names []string) bool {
	described := f.Names()
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(described, name) })
}

// differ reports whether the branches do not all have the same fields.
func (f *Shape) differ() bool {
	return slices.ContainsFunc(f.Variants, func(v Variant) bool {
		return !slices.Equal(v.Fields, f.Variants[0].Fields) || !slices.Equal(v.Required, f.Variants[0].Required)
	})
}

// Names are those of its fields.
func (f *Shape) Names() []string {
	names := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		names[i] = field.Name
	}
	return names
}

// Join adds the fields of another shape beside the own ones.
func (f *Shape) Join(s *Set, other *Shape) {
	for _, prop := range other.Fields {
		at := slices.IndexFunc(f.Fields, func(old Property) bool { return old.Name == prop.Name })
		if at < 0 {
			f.Fields = append(f.Fields, prop)
			continue
		}
		old := f.Fields[at].Place
		if document.Same(old.Node, prop.Place.Node) {
			continue
		}
		m := merger{Set: s, doc: old.Doc, into: document.Object("properties", document.Object(prop.Name, old.Node))}
		m.offer(prop.Name, prop.Place)
		f.Fields[at].Place = old.Doc.Place(m.into.Get("properties").Get(prop.Name))
	}
	if f.Rest.Node == nil {
		f.Rest = other.Rest
	}
}
