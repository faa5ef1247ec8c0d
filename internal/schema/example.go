package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Example returns a value that fits a self-contained schema: what the schema
// itself gives as an example or default, else the plainest value within its
// bounds, with required properties alone. Recursion ends early. Where nothing
// can be found that fits, what comes nearest is returned; null when the schema
// cannot be read.
func Example(raw []byte) []byte { return example(raw, requiredOnly) }

// ExampleAll is [Example] with every property that can be given.
func ExampleAll(raw []byte) []byte { return example(raw, everything) }

type extent int

const (
	requiredOnly extent = iota
	everything
)

func example(raw []byte, extent extent) []byte {
	s, err := Compile(raw)
	if err != nil {
		return []byte("null")
	}
	g := generator{extent: extent}
	return g.value(s, 0)
}

// generator makes examples. Each candidate is checked against the schema, so
// that a wrong example in a description is passed over.
type generator struct {
	extent extent
	active []*Schema // being made, against recursion
	work   int
	parts  map[*Schema][]byte
}

const (
	maxExampleDepth = 12
	maxExampleWork  = 3000
	// Past these, what is optional is left out, so that what is required is made.
	maxOptionalDepth = 5
	maxOptionalWork  = 500
)

// value returns the first candidate that fits.
func (g *generator) value(s *Schema, depth int) []byte {
	if known, found := g.parts[s]; found {
		return known
	}
	var first []byte
	for _, candidate := range g.candidates(s, depth) {
		if first == nil {
			first = candidate
		}
		if s.Accepts(candidate) {
			return g.keep(s, candidate)
		}
	}
	if first == nil {
		first = []byte("null")
	}
	return first
}

func (g *generator) keep(s *Schema, value []byte) []byte {
	if g.parts == nil {
		g.parts = make(map[*Schema][]byte)
	}
	g.parts[s] = value
	return value
}

// candidates lists what may be an example, the best first.
func (g *generator) candidates(s *Schema, depth int) [][]byte {
	g.work++
	if s.never || depth > maxExampleDepth || g.work > maxExampleWork || slices.Contains(g.active, s) {
		return [][]byte{[]byte("null")}
	}
	g.active = append(g.active, s)
	defer func() { g.active = g.active[:len(g.active)-1] }()

	list := s.given()
	list = append(list, s.enum...)
	if s.hasRef {
		list = append(list, g.value(s.resolve(), depth))
	}
	list = append(list, g.made(s, depth)...)
	return list
}

// given are the examples in the schema itself.
func (s *Schema) given() [][]byte {
	var list [][]byte
	if v, ok := rawjson.Get(s.raw, "example"); ok {
		list = append(list, v)
	}
	if examples, ok := rawjson.Get(s.raw, "examples"); ok {
		for v := range rawjson.Elements(examples) {
			list = append(list, v)
			break
		}
	}
	if v, ok := rawjson.Get(s.raw, "default"); ok && rawjson.KindOf(v) != rawjson.KindNull {
		list = append(list, v)
	}
	return list
}

// made are values made from the keywords, merged over all the parts that hold
// together.
func (g *generator) made(s *Schema, depth int) [][]byte {
	var list [][]byte
	ks := s.kinds(0)
	branches := s.forms()
	for _, branch := range branches {
		list = append(list, g.value(branch, depth))
	}
	if ks == 0 {
		ks = s.guessKinds()
	}
	if ks&kindObject != 0 {
		list = append(g.objects(s, branches, depth), list...)
	}
	if ks&kindArray != 0 {
		list = append(list, g.array(s, depth))
	}
	if ks&kindString != 0 {
		list = append(list, s.strings()...)
	}
	if ks&(kindInteger|kindNumber) != 0 {
		list = append(list, s.numbers()...)
	}
	if ks&kindBoolean != 0 {
		list = append(list, []byte("true"), []byte("false"))
	}
	for _, part := range s.all {
		list = append(list, g.value(part, depth))
	}
	return append(list, []byte("null"))
}

// forms are the schemas of which one holds together with this one, or may.
func (s *Schema) forms() []*Schema {
	forms := slices.Concat(s.any, s.one)
	if s.rare == nil {
		return forms
	}
	for _, part := range []*Schema{s.rare.then, s.rare.otherwise} {
		if part != nil {
			forms = append(forms, part)
		}
	}
	for _, d := range s.rare.dependents {
		if d.schema != nil {
			forms = append(forms, d.schema)
		}
	}
	return forms
}

// guessKinds tells what is meant where no type is said.
func (s *Schema) guessKinds() kinds {
	b, r := s.bounds, s.rare
	if r == nil {
		r = &rare{}
	}
	switch {
	case r.prefix != nil || r.contains != nil:
		return kindArray
	case len(s.properties) > 0 || r.names != nil || r.patterns != nil || r.dependents != nil || len(s.required) > 0 || s.additional != nil || b.minProperties > 0:
		return kindObject
	case s.items != nil || b.minItems > 0 || s.unique:
		return kindArray
	case b.minimum != nil || b.maximum != nil || b.multipleOf != nil:
		return kindNumber
	}
	return kindString | kindInteger | kindObject | kindArray | kindBoolean
}

// objects makes the object of the schema and its allOf, together with each branch and alone.
func (g *generator) objects(s *Schema, branches []*Schema, depth int) [][]byte {
	alone := g.padded(s, g.object(s, nil, depth))
	if len(branches) == 0 {
		return [][]byte{alone}
	}
	var list [][]byte
	for _, branch := range branches {
		together := g.object(s, branch, depth)
		value := together
		for key, v := range rawjson.Members(g.value(branch, depth)) {
			if _, there := rawjson.Get(together, key); !there {
				value = rawjson.Set(value, key, v)
			}
		}
		list = append(list, g.padded(s, value), g.padded(s, together))
	}
	return append(list, alone)
}

// object has the fields of a schema, of all that holds beside it, and of a branch, which may be nil:
// what the branch requires may be described by the schema itself.
func (g *generator) object(s, branch *Schema, depth int) []byte {
	var f fields
	f.gather(s, 0)
	if branch != nil {
		f.gather(branch, 0)
	}
	var o rawjson.Object
	for _, field := range f.list {
		if !field.required && slices.ContainsFunc(field.schemas, func(part *Schema) bool { return g.leavesOut(part, depth) }) {
			continue
		}
		value, fits := g.field(s, field, depth)
		if field.required || fits {
			o.Put(field.name, value)
		}
	}
	return o.Bytes()
}

// leavesOut tells whether an optional part is not made.
func (g *generator) leavesOut(s *Schema, depth int) bool {
	return s.never || g.extent == requiredOnly || depth >= maxOptionalDepth || g.work > maxOptionalWork || g.recurses(s, 0)
}

// field makes a value that fits all that is said about a field.
func (g *generator) field(s *Schema, f *field, depth int) (value []byte, fits bool) {
	if len(f.schemas) == 0 {
		return g.additional(s, depth), true
	}
	first := g.value(f.schemas[0], depth+1)
	if f.fits(first) {
		return first, true
	}
	for _, part := range f.schemas {
		for _, candidate := range g.candidates(part, depth+1) {
			if f.fits(candidate) {
				return candidate, true
			}
		}
	}
	return first, false
}

// fields are what an object may have by a schema, its reference and its allOf.
type fields struct {
	list   []*field
	byName map[string]*field
}

type field struct {
	name     string
	schemas  []*Schema
	required bool
}

func (f *field) fits(value []byte) bool {
	return !slices.ContainsFunc(f.schemas, func(s *Schema) bool { return !s.Accepts(value) })
}

func (f *fields) named(name string) *field {
	if known := f.byName[name]; known != nil {
		return known
	}
	if f.byName == nil {
		f.byName = make(map[string]*field)
	}
	added := &field{name: name}
	f.list, f.byName[name] = append(f.list, added), added
	return added
}

func (f *fields) gather(s *Schema, hops int) {
	if hops > 20 {
		return
	}
	for _, p := range s.properties {
		known := f.named(p.name)
		known.schemas = append(known.schemas, p.schema)
		known.required = known.required || p.required
	}
	for _, name := range s.required {
		f.named(name).required = true
	}
	if s.hasRef {
		f.gather(s.resolve(), hops+1)
	}
	for _, part := range s.all {
		f.gather(part, hops+1)
	}
}

func (g *generator) additional(s *Schema, depth int) []byte {
	if s.additional == nil {
		return []byte(`"text"`)
	}
	return g.value(s.additional, depth+1)
}

// recurses tells whether an optional part leads back to what is being made.
func (g *generator) recurses(s *Schema, hops int) bool {
	if hops > 20 || slices.Contains(g.active, s) {
		return true
	}
	if s.hasRef {
		return g.recurses(s.resolve(), hops+1)
	}
	if s.items != nil {
		return g.recurses(s.items, hops+1)
	}
	for _, part := range slices.Concat(s.all, s.any, s.one) {
		if g.recurses(part, hops+1) {
			return true
		}
	}
	return false
}

// padded adds members until there are enough of them.
func (g *generator) padded(s *Schema, value []byte) []byte {
	for i := range s.properties {
		if rawjson.Len(value) >= s.bounds.minProperties {
			return value
		}
		p := &s.properties[i]
		if _, there := rawjson.Get(value, p.name); !there && !p.schema.never {
			value = rawjson.Set(value, p.name, g.value(p.schema, maxExampleDepth-2))
		}
	}
	for i := 1; rawjson.Len(value) < s.bounds.minProperties && i < 100; i++ {
		value = rawjson.Set(value, "key"+strconv.Itoa(i), g.additional(s, maxExampleDepth-2))
	}
	return value
}

func (g *generator) array(s *Schema, depth int) []byte {
	var list rawjson.Array
	if s.rare != nil {
		g.tuple(&list, s.rare, depth)
	}
	items := s.itemsAnywhere()
	least := max(s.bounds.minItems, 0)
	if !list.Empty() {
		for i := rawjson.Len(list.Bytes()); i < min(least, 1000) && items != nil; i++ {
			list.Add(g.element(s, items, i, depth))
		}
		return list.Bytes()
	}
	if least == 0 && (items == nil || g.recurses(items, 0) || s.bounds.maxItems == 0) {
		return list.Bytes()
	}
	for i := range min(max(least, 1), 1000) {
		if items == nil {
			list.AddInt(int64(i + 1))
			continue
		}
		list.Add(g.element(s, items, i, depth))
	}
	return list.Bytes()
}

// tuple makes the elements that stand at their place, and those that must be there.
func (g *generator) tuple(list *rawjson.Array, r *rare, depth int) {
	for _, part := range r.prefix {
		if part.never {
			return
		}
		list.Add(g.value(part, depth+1))
	}
	if r.contains == nil {
		return
	}
	for range min(r.least, 1000) {
		list.Add(g.value(r.contains, depth+1))
	}
}

func (s *Schema) itemsAnywhere() *Schema {
	if s.items != nil {
		return s.items
	}
	if s.hasRef {
		return s.resolve().items
	}
	for _, part := range s.all {
		if found := part.behind(0); found.items != nil {
			return found.items
		}
	}
	return nil
}

// element makes the i-th element; where all must differ, the i-th candidate
// that fits.
func (g *generator) element(s, items *Schema, i, depth int) []byte {
	if !s.unique || i == 0 {
		return g.value(items, depth+1)
	}
	seen := map[string]bool{}
	for _, candidate := range append(g.candidates(items, depth+1), items.variants(i)...) {
		key := string(rawjson.AppendCanonical(nil, candidate))
		if seen[key] || !items.Accepts(candidate) {
			continue
		}
		if seen[key] = true; len(seen) > i {
			return candidate
		}
	}
	return g.value(items, depth+1)
}

// variants are more values of the same kind.
func (s *Schema) variants(n int) [][]byte {
	var list [][]byte
	for _, number := range s.numbers() {
		for i := range n + 2 {
			if v, ok := rational(number, 400); ok {
				list = append(list, decimalText(v.Add(v, big.NewRat(int64(i), 1))))
			}
		}
	}
	for _, text := range s.strings()[:1] {
		word, _ := rawjson.String(text)
		for i := range n + 2 {
			tail := strconv.Itoa(i)
			list = append(list, rawjson.Quote(word+tail), rawjson.Quote(word[:max(0, len(word)-len(tail))]+tail))
		}
	}
	return list
}

// numbers are values around the bounds.
func (s *Schema) numbers() [][]byte {
	list := [][]byte{[]byte("1"), []byte("0")}
	b := s.boundsAnywhere()
	for _, bound := range [][]byte{b.minimum, b.maximum} {
		v, ok := rational(bound, 400)
		if bound == nil || !ok {
			continue
		}
		list = append(list, bound)
		for _, change := range []*big.Rat{big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2), big.NewRat(1, 100), big.NewRat(-1, 100)} {
			list = append(list, decimalText(new(big.Rat).Add(v, change)))
		}
		for up := range int64(2) {
			whole := new(big.Int).Div(v.Num(), v.Denom())
			list = append(list, []byte(whole.Add(whole, big.NewInt(up)).String()))
		}
		if of, ok := rational(b.multipleOf, 400); b.multipleOf != nil && ok {
			quotient := new(big.Rat).Quo(v, of)
			whole := new(big.Int).Div(quotient.Num(), quotient.Denom())
			for up := range int64(3) {
				times := new(big.Rat).SetInt(new(big.Int).Add(whole, big.NewInt(up)))
				list = append(list, decimalText(times.Mul(times, of)))
			}
		}
	}
	if b.multipleOf != nil {
		list = append(list, b.multipleOf)
	}
	return list
}

// boundsAnywhere are the schema's bounds, completed from its reference and allOf.
func (s *Schema) boundsAnywhere() bounds {
	b := s.bounds
	others := s.all
	if s.hasRef {
		others = append(slices.Clone(others), s.resolve())
	}
	for _, other := range others {
		o := other.behind(0).bounds
		if b.minimum == nil || o.minimum != nil && rawjson.CompareNumbers(o.minimum, b.minimum) > 0 {
			b.minimum = o.minimum
		}
		if b.maximum == nil || o.maximum != nil && rawjson.CompareNumbers(o.maximum, b.maximum) < 0 {
			b.maximum = o.maximum
		}
		if b.multipleOf == nil {
			b.multipleOf = o.multipleOf
		}
		b.minLength = max(b.minLength, o.minLength)
		if b.maxLength < 0 || o.maxLength >= 0 && o.maxLength < b.maxLength {
			b.maxLength = o.maxLength
		}
	}
	return b
}

// decimalText writes a number without an exponent and without needless zeros.
func decimalText(v *big.Rat) []byte {
	if v.IsInt() {
		return []byte(v.Num().String())
	}
	return []byte(strings.TrimRight(strings.TrimRight(v.FloatString(20), "0"), "."))
}
