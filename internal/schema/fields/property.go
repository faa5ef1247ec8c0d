package fields

import (
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// Property is one top-level field of an object, seen through references,
// wrappers of one part and "or null": what a flag or a line of help needs.
// Numbers are texts as they are written; "" is absent.
type Property struct {
	Name        string
	Type        string // string, number, integer, boolean, array, object or any
	ItemType    string // of an array, in the same words
	Format      string
	Required    bool
	Nullable    bool
	Flat        bool     // a scalar, or an array of scalars
	Enum        []string // raw JSON; of an array, its elements' values
	Default     []byte   // raw JSON
	Description string
	Deprecated  bool

	Min, Max             string
	MinLength, MaxLength string
	MinItems, MaxItems   string

	Raw []byte // the property's schema as it stands
}

// Properties lists the top-level fields of an object schema in order. resolve
// gives the definition behind #/$defs/NAME; where it is nil or knows nothing,
// the schema's own $defs are asked. The fields of several forms (oneOf, anyOf)
// are all listed, and required only where every form requires them.
func Properties(root []byte, resolve func(name string) []byte) []Property {
	v := viewer{root: root, resolve: resolve}
	list, required := v.fields(root, 0)
	for i := range list {
		list[i].Required = slices.Contains(required, list[i].Name)
	}
	return list
}

// viewer sees through what stands between a schema and its meaning.
type viewer struct {
	root    []byte
	resolve func(name string) []byte
}

// maxHopsSeen ends references in a circle.
const maxHopsSeen = 30

func (v *viewer) target(ref []byte) []byte {
	text, _ := rawjson.String(ref)
	if name, ok := refs.Name(text); ok && v.resolve != nil {
		if raw := v.resolve(name); len(raw) > 0 {
			return raw
		}
	}
	pointer, ok := refs.Local(text)
	if !ok {
		return nil
	}
	raw, _ := refs.New(v.root, nil).Find(pointer)
	return raw
}

// fields gathers the fields of a schema and the names that it requires.
func (v *viewer) fields(raw []byte, hops int) (list []Property, required []string) {
	if hops > maxHopsSeen {
		return nil, nil
	}
	names, _ := rawjson.Get(raw, "required")
	for name := range rawjson.Elements(names) {
		text, _ := rawjson.String(name)
		required = append(required, text)
	}
	properties, _ := rawjson.Get(raw, "properties")
	for name, part := range rawjson.Members(properties) {
		list = join(list, []Property{v.field(name, part)})
	}
	if ref, ok := rawjson.Get(raw, "$ref"); ok {
		more, alsoRequired := v.fields(v.target(ref), hops+1)
		list, required = join(list, more), append(required, alsoRequired...)
	}
	all, _ := rawjson.Get(raw, "allOf")
	for part := range rawjson.Elements(all) {
		more, alsoRequired := v.fields(part, hops+1)
		list, required = join(list, more), append(required, alsoRequired...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, _ := rawjson.Get(raw, keyword)
		more, alsoRequired := v.forms(branches, hops)
		list, required = join(list, more), append(required, alsoRequired...)
	}
	return list, required
}

// forms gathers the fields of all forms and what each of them requires.
func (v *viewer) forms(branches []byte, hops int) (list []Property, required []string) {
	first := true
	for branch := range rawjson.Elements(branches) {
		more, needs := v.fields(branch, hops+1)
		if len(more) == 0 && len(needs) == 0 {
			continue // not an object, or nothing said
		}
		list = join(list, more)
		if first {
			required = needs
		} else {
			required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(needs, name) })
		}
		first = false
	}
	return list, required
}

// join appends the properties that are not in the list yet.
func join(list, more []Property) []Property {
	for _, p := range more {
		if !slices.ContainsFunc(list, func(known Property) bool { return known.Name == p.Name }) {
			list = append(list, p)
		}
	}
	return list
}

func (v *viewer) field(name string, raw []byte) Property {
	p := Property{Name: name, Raw: raw}
	v.see(&p, raw, 0)
	p.finish()
	return p
}

// see takes in a schema; what the outer one said already stands.
func (v *viewer) see(p *Property, raw []byte, hops int) {
	if hops > maxHopsSeen {
		return
	}
	for quoted, value := range rawjson.RawMembers(raw) {
		key, _ := rawjson.String(quoted)
		v.keyword(p, key, value, hops)
	}
	if ref, ok := rawjson.Get(raw, "$ref"); ok {
		v.see(p, v.target(ref), hops+1)
	}
	all, _ := rawjson.Get(raw, "allOf")
	for part := range rawjson.Elements(all) {
		v.see(p, part, hops+1)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := rawjson.Get(raw, keyword); ok {
			v.seeBranches(p, branches, hops)
		}
	}
}

func (v *viewer) keyword(p *Property, key string, value []byte, hops int) {
	switch key {
	case "type":
		p.setType(value)
	case "nullable":
		p.Nullable = p.Nullable || value[0] == 't'
	case "deprecated":
		p.Deprecated = p.Deprecated || value[0] == 't'
	case "format":
		setText(&p.Format, value)
	case "description":
		setText(&p.Description, value)
	case "default":
		if p.Default == nil {
			p.Default = value
		}
	case "enum", "const":
		p.setEnum(key, value)
	case "minimum", "exclusiveMinimum":
		setNumber(&p.Min, value)
	case "maximum", "exclusiveMaximum":
		setNumber(&p.Max, value)
	case "minLength":
		setNumber(&p.MinLength, value)
	case "maxLength":
		setNumber(&p.MaxLength, value)
	case "minItems":
		setNumber(&p.MinItems, value)
	case "maxItems":
		setNumber(&p.MaxItems, value)
	case "items":
		p.setItems(v, value, hops)
	case "properties", "additionalProperties":
		if p.Type == "" {
			p.Type = "object"
		}
	}
}

func setText(into *string, value []byte) {
	if *into == "" {
		*into, _ = rawjson.String(value)
	}
}

func setNumber(into *string, value []byte) {
	if *into == "" && rawjson.KindOf(value) == rawjson.KindNumber {
		*into = string(value)
	}
}

func (p *Property) setType(value []byte) {
	var names []string
	if rawjson.KindOf(value) == rawjson.KindString {
		name, _ := rawjson.String(value)
		names = []string{name}
	}
	for v := range rawjson.Elements(value) {
		name, _ := rawjson.String(v)
		names = append(names, name)
	}
	if slices.Contains(names, "null") && len(names) > 1 {
		p.Nullable = true
		names = slices.DeleteFunc(names, func(name string) bool { return name == "null" })
	}
	switch {
	case p.Type != "":
	case len(names) == 1 && names[0] != "null":
		p.Type = names[0]
	case len(names) > 1:
		p.Type = "any"
	}
}

func (p *Property) setEnum(key string, value []byte) {
	if p.Enum != nil {
		return
	}
	if key == "const" {
		p.Enum = []string{string(value)}
		return
	}
	for v := range rawjson.Elements(value) {
		if rawjson.KindOf(v) == rawjson.KindNull {
			p.Nullable = true
			continue
		}
		p.Enum = append(p.Enum, string(v))
	}
}

func (p *Property) setItems(v *viewer, items []byte, hops int) {
	if p.ItemType != "" {
		return
	}
	if p.Type == "" {
		p.Type = "array"
	}
	var item Property
	v.see(&item, items, hops+1)
	item.finish()
	p.ItemType = item.Type
	if p.Enum == nil {
		p.Enum = item.Enum
	}
	if p.Format == "" {
		p.Format = item.Format
	}
}

// seeBranches looks through "or null". Of several branches it keeps what they
// have in common: the type, and the values where all are enums.
func (v *viewer) seeBranches(p *Property, branches []byte, hops int) {
	var views []Property
	for branch := range rawjson.Elements(branches) {
		if isNull(branch) {
			p.Nullable = true
			continue
		}
		var view Property
		v.see(&view, branch, hops+1)
		view.finish()
		views = append(views, view)
	}
	if len(views) == 1 {
		p.complete(views[0])
		return
	}
	p.common(views)
}

func isNull(raw []byte) bool {
	kind, _ := rawjson.Get(raw, "type")
	return string(kind) == `"null"`
}

// complete fills what is not said yet from the one branch that there is.
func (p *Property) complete(from Property) {
	for _, pair := range []struct{ into, value *string }{
		{&p.Type, &from.Type}, {&p.ItemType, &from.ItemType}, {&p.Format, &from.Format}, {&p.Description, &from.Description},
		{&p.Min, &from.Min}, {&p.Max, &from.Max}, {&p.MinLength, &from.MinLength}, {&p.MaxLength, &from.MaxLength},
		{&p.MinItems, &from.MinItems}, {&p.MaxItems, &from.MaxItems},
	} {
		if *pair.into == "" {
			*pair.into = *pair.value
		}
	}
	if p.Default == nil {
		p.Default = from.Default
	}
	if p.Enum == nil {
		p.Enum = from.Enum
	}
	p.Nullable = p.Nullable || from.Nullable
	p.Deprecated = p.Deprecated || from.Deprecated
}

func (p *Property) common(views []Property) {
	kind := ""
	var enum []string
	allEnums := true
	for i, view := range views {
		if i > 0 && view.Type != kind {
			kind = "any"
		} else {
			kind = view.Type
		}
		allEnums = allEnums && view.Enum != nil
		enum = append(enum, view.Enum...)
	}
	if p.Type == "" {
		p.Type = kind
	}
	if p.Enum == nil && allEnums {
		slices.Sort(enum)
		p.Enum = slices.Compact(enum)
	}
	if p.Type == "array" && p.ItemType == "" && len(views) > 0 {
		p.ItemType = views[0].ItemType
	}
}

// finish settles the type and what follows from it.
func (p *Property) finish() {
	if p.Type == "" || !slices.Contains(typeNames, p.Type) {
		p.Type = p.typeOfEnum()
	}
	if p.Type == "array" && p.ItemType == "" {
		p.ItemType = "any"
	}
	p.Flat = isScalar(p.Type) || p.Type == "array" && isScalar(p.ItemType)
}

func (p *Property) typeOfEnum() string {
	kind := ""
	for _, value := range p.Enum {
		known := typeOf([]byte(value))
		if kind != "" && kind != known {
			return "any"
		}
		kind = known
	}
	if kind == "" {
		return "any"
	}
	return kind
}

// typeOf is the narrowest type of a value.
func typeOf(value []byte) string {
	if rawjson.KindOf(value) == rawjson.KindNumber && rawjson.IsInteger(value) {
		return "integer"
	}
	return rawjson.KindOf(value).String()
}

// typeNames are the types that a schema may name.
var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func isScalar(kind string) bool {
	switch kind {
	case "string", "number", "integer", "boolean":
		return true
	}
	return false
}
