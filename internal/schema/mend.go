package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Mended is a value made to fit.
type Mended struct {
	// Value fits the schema wherever anything that fits could be found.
	Value []byte
	// Filled are the paths where something was put in that the caller did not say.
	Filled []string
	// Dropped are the paths of what has no place there.
	Dropped []string
}

// cost is how far a mended value is from what the caller wrote.
func (m Mended) cost() int { return 2*len(m.Filled) + 3*len(m.Dropped) }

// Mend makes a value that fits out of one that does not, and keeps of it what it
// can: misspelt names and enum values become the nearest known ones, types are
// converted, numbers and texts brought into their bounds, unknown members left
// out, and what is missing taken from an example that fits, which may be nil, else
// made. The value must be valid JSON.
func (s *Schema) Mend(value, example []byte) Mended {
	m := mender{generator: generator{extent: requiredOnly}}
	return m.mend(s, value, example, "")
}

// maxMendWork bounds the schemas looked at, since branches of branches multiply.
// What is left then is filled, not mended.
const maxMendWork = 10_000

type mender struct {
	generator generator
	work      int
}

func (m *mender) mend(s *Schema, value, example []byte, path string) Mended {
	if m.accepts(s, value) {
		return Mended{Value: value}
	}
	if m.work > maxMendWork || s.never {
		return m.fill(s, example, path)
	}
	if fitted := s.Fit(value); m.accepts(s, fitted) {
		return Mended{Value: fitted}
	}
	var best Mended
	for try := range m.tries(s, value, example, path) {
		if m.accepts(s, try.Value) && (best.Value == nil || try.cost() < best.cost()) {
			best = try
		}
		if best.Value != nil && best.cost() == 0 {
			return best
		}
	}
	if best.Value == nil {
		return m.fill(s, example, path)
	}
	return best
}

func (m *mender) accepts(s *Schema, value []byte) bool {
	c := checker{stopEarly: true}
	c.check(s, value)
	m.work += c.work
	return c.count == 0
}

// fill is a value that the caller did not say.
func (m *mender) fill(s *Schema, example []byte, path string) Mended {
	if example == nil || !s.Accepts(example) {
		example = m.generator.value(s, 0)
	}
	return Mended{Value: example, Filled: []string{path}}
}

// tries yields what the value may become, the likeliest first.
func (m *mender) tries(s *Schema, value, example []byte, path string) func(yield func(Mended) bool) {
	return func(yield func(Mended) bool) {
		for _, v := range s.recast(value) {
			if !yield(Mended{Value: v}) {
				return
			}
		}
		for _, try := range m.byKind(s, value, example, path) {
			if !yield(try) {
				return
			}
		}
		parts := s.forms()
		if s.hasRef {
			parts = append(parts, s.resolve())
		}
		for _, part := range append(parts, s.all...) {
			if !yield(m.mend(part, value, example, path)) {
				return
			}
		}
	}
}

// byKind mends objects and lists from within, and puts on or takes off a list.
func (m *mender) byKind(s *Schema, value, example []byte, path string) (list []Mended) {
	wanted, kind := s.kinds(0), kindOf(value)
	if kind == kindObject && wanted.has(kindObject) {
		for _, branch := range append(s.forms(), nil) {
			list = append(list, m.object(s, branch, value, example, path))
		}
	}
	switch {
	case kind == kindArray && wanted.has(kindArray):
		list = append(list, m.array(s, value, path))
	case kind == kindArray && rawjson.Len(value) == 1:
		for only := range rawjson.Elements(value) {
			list = append(list, m.mend(s, only, example, path))
		}
	case kind != kindNull && wanted.has(kindArray) && wanted != 0:
		var one rawjson.Array
		one.Add(value)
		list = append(list, m.array(s, one.Bytes(), path))
	}
	return list
}

// object mends the members of an object by a schema, by all that holds beside it,
// and by a branch, which may be nil.
func (m *mender) object(s, branch *Schema, value, example []byte, path string) (out Mended) {
	var f fields
	f.gather(s, 0)
	if branch != nil {
		f.gather(branch, 0)
	}
	meant := m.meant(s, branch, &f, value)
	var object rawjson.Object
	seen := map[string]bool{}
	for key, v := range rawjson.Members(value) {
		name, known := meant[key]
		if !known || seen[name] {
			out.Dropped = append(out.Dropped, below(path, key))
			continue
		}
		seen[name] = true
		object.Put(name, out.take(m.member(s, f.byName[name], v, memberOf(example, name), below(path, name))))
	}
	for _, field := range f.list {
		if field.required && !seen[field.name] {
			object.Put(field.name, out.take(m.missing(s, field, memberOf(example, field.name), below(path, field.name))))
		}
	}
	out.Value = object.Bytes()
	return out
}

// take adds what was done to a part.
func (m *Mended) take(part Mended) []byte {
	m.Filled = append(m.Filled, part.Filled...)
	m.Dropped = append(m.Dropped, part.Dropped...)
	return part.Value
}

// member mends one member by all that is said about it. One that is null and need
// not be there is left out.
func (m *mender) member(s *Schema, field *field, value, example []byte, path string) Mended {
	switch {
	case field == nil && s.additional != nil && !s.additional.never:
		return m.mend(s.additional, value, example, path)
	case field == nil || field.fits(value):
		return Mended{Value: value}
	case rawjson.KindOf(value) == rawjson.KindNull && !field.required:
		return Mended{Dropped: []string{path}}
	}
	var out Mended
	for _, part := range field.schemas {
		value = out.take(m.mend(part, value, example, path))
	}
	if !field.fits(value) {
		return m.missing(s, field, example, path)
	}
	out.Value = value
	return out
}

func (m *mender) missing(s *Schema, field *field, example []byte, path string) Mended {
	if example == nil || !field.fits(example) {
		example, _ = m.generator.field(s, field, 0)
	}
	return Mended{Value: example, Filled: []string{path}}
}

// meant tells for each member which name the caller meant: a name that is not
// known and may not stand there is taken for the nearest that is not there yet;
// one that resembles none is not in the map.
func (m *mender) meant(s, branch *Schema, f *fields, value []byte) map[string]string {
	meant := map[string]string{}
	var free []string
	closed := s.closed(0) || branch != nil && branch.closed(0)
	for _, field := range f.list {
		if _, there := rawjson.Get(value, field.name); !there && (closed || field.required) {
			free = append(free, field.name)
		}
	}
	for key := range rawjson.Members(value) {
		if f.byName[key] != nil || s.rare != nil && s.rare.matches(rawjson.Quote(key)) {
			meant[key] = key
			continue
		}
		if near := nearest(free, key); near != "" {
			meant[key] = near
			free = slices.DeleteFunc(free, func(name string) bool { return name == near })
		} else if !closed {
			meant[key] = key
		}
	}
	return meant
}

// closed tells whether an object may have no members but those that are named.
func (s *Schema) closed(hops int) bool {
	switch {
	case hops > maxFitDepth:
		return false
	case s.additional != nil && s.additional.never, s.rare != nil && s.rare.members != nil && s.rare.members.never:
		return true
	case s.hasRef && s.resolve().closed(hops+1):
		return true
	}
	return slices.ContainsFunc(s.all, func(part *Schema) bool { return part.closed(hops + 1) })
}

// nearest is the name that a word stands for: the same letters and digits, else
// much alike; "" where there is none.
func nearest(names []string, word string) string {
	for _, name := range names {
		if plainWord(name) == plainWord(word) {
			return name
		}
	}
	if near := rawjson.Nearest(names, word, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

func plainWord(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// array mends each element; brings the list into its bounds, and leaves out what
// stands twice where all must differ.
func (m *mender) array(s *Schema, value []byte, path string) (out Mended) {
	var list rawjson.Array
	bounds, items := s.boundsAnywhere(), s.itemsAnywhere()
	seen := map[string]bool{}
	count := 0
	for v := range rawjson.Elements(value) {
		at := path + "[" + strconv.Itoa(count) + "]"
		if part := s.element(count); part != nil {
			v = out.take(m.mend(part, v, nil, at))
		} else if items != nil {
			v = out.take(m.mend(items, v, nil, at))
		}
		key := string(rawjson.AppendCanonical(nil, v))
		if s.unique && seen[key] || s.bounds.maxItems >= 0 && count >= s.bounds.maxItems {
			out.Dropped = append(out.Dropped, at)
			continue
		}
		seen[key] = true
		list.Add(v)
		count++
	}
	for ; count < bounds.minItems && count < 1000 && items != nil; count++ {
		list.Add(m.generator.element(s, items, count, 0))
		out.Filled = append(out.Filled, path+"["+strconv.Itoa(count)+"]")
	}
	out.Value = list.Bytes()
	return out
}

// recast lists what a scalar may become in another type or within the bounds.
func (s *Schema) recast(value []byte) (list [][]byte) {
	text, isText := rawjson.String(value)
	kind := kindOf(value)
	switch kind {
	case kindObject, kindArray, kindNull:
		return nil
	case kindString:
	default:
		text = string(value)
	}
	if near, ok := s.nearestAllowed(text); ok {
		list = append(list, near)
	}
	if !isText {
		list = append(list, rawjson.Quote(text))
	}
	bounds := s.boundsAnywhere()
	if isText {
		list = append(list, rawjson.Quote(sized(text, bounds.minLength, bounds.maxLength)))
	}
	if truth, ok := truths[strings.ToLower(text)]; ok {
		list = append(list, []byte(truth))
	}
	if number := []byte(strings.TrimSpace(text)); kindOf(number)&(kindInteger|kindNumber) != 0 && rawjson.Check(number) == nil {
		list = append(list, number)
		if whole, _, cut := strings.Cut(string(number), "."); cut {
			list = append(list, []byte(whole))
		}
		for _, bound := range [][]byte{bounds.minimum, bounds.maximum} {
			if bound != nil {
				list = append(list, bound)
			}
		}
	}
	return list
}

var truths = map[string]string{"true": "true", "yes": "true", "on": "true", "1": "true", "false": "false", "no": "false", "off": "false", "0": "false"}

// nearestAllowed is the value of an enum that a text stands for.
func (s *Schema) nearestAllowed(text string) ([]byte, bool) {
	byName := map[string][]byte{}
	var names []string
	for _, v := range s.behind(0).enum {
		name, isText := rawjson.String(v)
		if !isText {
			name = string(v)
		}
		byName[name] = v
		names = append(names, name)
	}
	near := nearest(names, text)
	value, ok := byName[near]
	return value, ok
}

// below is the path of a member.
func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// memberOf is a member of an example, nil where there is none.
func memberOf(example []byte, name string) []byte {
	value, _ := rawjson.Get(example, name)
	return value
}
