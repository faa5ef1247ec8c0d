package schema

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

var noBounds = bounds{minLength: -1, maxLength: -1, minItems: -1, maxItems: -1, minProperties: -1, maxProperties: -1}

// indexFrom is the number of properties from which a map pays.
const indexFrom = 12

// compile builds a schema and its parts, but not what its references lead to.
// up and step tell where it stands: see Schema.pointer.
func (d *document) compile(raw []byte, up *Schema, step string, depth int) (*Schema, error) {
	s := &Schema{raw: raw, doc: d, up: up, step: step, bounds: noBounds}
	if depth > rawjson.MaxDepth {
		return nil, s.fault("nested deeper than %d", rawjson.MaxDepth)
	}
	switch rawjson.KindOf(raw) {
	case rawjson.KindBool:
		s.never = raw[0] == 'f'
		return s, nil
	case rawjson.KindObject:
	default:
		return nil, s.fault("a schema is an object, true or false, not %.40s", raw)
	}
	for quoted, value := range rawjson.RawMembers(raw) {
		key, _ := rawjson.String(quoted)
		if err := s.keyword(key, value, depth); err != nil {
			return nil, err
		}
	}
	s.markRequired()
	return s, nil
}

func (s *Schema) fault(format string, args ...any) error {
	return fmt.Errorf("schema at #%s: %s", s.pointer(), fmt.Sprintf(format, args...))
}

// keyword takes one keyword in. Those that only annotate are passed over.
func (s *Schema) keyword(key string, value []byte, depth int) (err error) {
	switch key {
	case "$ref":
		return s.setRef(value)
	case "type":
		return s.setTypes(value)
	case "enum":
		return s.setEnum(value)
	case "const":
		s.enum = [][]byte{value}
	case "required":
		return s.setRequired(value)
	case "properties":
		return s.setProperties(value, depth)
	case "additionalProperties":
		s.additional, err = s.part(value, "/"+key, depth)
	case "items":
		if rawjson.KindOf(value) == rawjson.KindArray {
			s.more().prefix, err = s.parts(key, value, depth)
			return err
		}
		s.items, err = s.part(value, "/"+key, depth)
	case "not":
		s.not, err = s.part(value, "/"+key, depth)
	case "allOf":
		var parts []*Schema
		parts, err = s.parts(key, value, depth)
		s.all = append(s.all, parts...)
	case "anyOf":
		s.any, err = s.parts(key, value, depth)
	case "oneOf":
		s.one, err = s.parts(key, value, depth)
	case "pattern":
		if text, ok := rawjson.String(value); ok {
			s.pattern, _ = regexp.Compile(text)
		}
	case "uniqueItems":
		s.unique = value[0] == 't'
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		s.bounds.setNumber(key, value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		s.bounds.setCount(key, value)
	default:
		return s.rareKeyword(key, value, depth)
	}
	return err
}

func (s *Schema) part(raw []byte, step string, depth int) (*Schema, error) {
	return s.doc.compile(raw, s, step, depth+1)
}

func (s *Schema) parts(key string, raw []byte, depth int) ([]*Schema, error) {
	if rawjson.KindOf(raw) != rawjson.KindArray {
		return nil, s.fault("%s is a list of schemas, not %.40s", key, raw)
	}
	var parts []*Schema
	for value := range rawjson.Elements(raw) {
		part, err := s.part(value, "/"+key+"/"+strconv.Itoa(len(parts)), depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (s *Schema) setRef(value []byte) error {
	ref, ok := rawjson.String(value)
	if !ok {
		return s.fault("$ref is text, not %.40s", value)
	}
	pointer, ok := refs.Local(ref)
	if !ok {
		return s.fault("$ref %q leads out of the schema; put what it means into $defs", ref)
	}
	if !s.doc.Leans() {
		if _, found := s.doc.Find(pointer); !found {
			return s.fault("$ref %q leads nowhere", ref)
		}
	}
	s.ref, s.hasRef = pointer, true
	return nil
}

func (s *Schema) setTypes(value []byte) error {
	add := func(name []byte) error {
		text, _ := rawjson.String(name)
		kind := kindNamed(text)
		if kind == 0 {
			return s.fault("type %s is not one of %q", name, kindNames)
		}
		s.types |= kind
		return nil
	}
	if rawjson.KindOf(value) != rawjson.KindArray {
		return add(value)
	}
	for name := range rawjson.Elements(value) {
		if err := add(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schema) setEnum(value []byte) error {
	if rawjson.KindOf(value) != rawjson.KindArray {
		return s.fault("enum is a list, not %.40s", value)
	}
	if s.enum != nil {
		return nil // const is narrower
	}
	s.enum = [][]byte{}
	for v := range rawjson.Elements(value) {
		s.enum = append(s.enum, v)
	}
	return nil
}

// setRequired takes a list of names. The boolean of old drafts says nothing here.
func (s *Schema) setRequired(value []byte) error {
	for v := range rawjson.Elements(value) {
		name, ok := rawjson.String(v)
		if !ok {
			return s.fault("required is a list of names, not %.40s", value)
		}
		s.required = append(s.required, name)
	}
	return nil
}

func (s *Schema) setProperties(value []byte, depth int) error {
	if rawjson.KindOf(value) != rawjson.KindObject {
		return s.fault("properties is an object, not %.40s", value)
	}
	s.properties = make([]property, 0, rawjson.Len(value))
	for name, raw := range rawjson.Members(value) {
		part, err := s.part(raw, "/properties/"+refs.Escape(name), depth)
		if err != nil {
			return err
		}
		s.properties = append(s.properties, property{name: name, schema: part})
	}
	if len(s.properties) >= indexFrom {
		s.index = make(map[string]int, len(s.properties))
		for i, p := range s.properties {
			s.index[p.name] = i
		}
	}
	return nil
}

// markRequired notes what is required at its property, so that required keeps
// only the names that are no property.
func (s *Schema) markRequired() {
	var others []string
	for _, name := range s.required {
		if at := s.propertyNamed(name); at >= 0 {
			s.properties[at].required = true
		} else {
			others = append(others, name)
		}
	}
	s.required = others
}

func (s *Schema) propertyNamed(name string) int {
	if s.index != nil {
		if at, found := s.index[name]; found {
			return at
		}
		return -1
	}
	for i := range s.properties {
		if s.properties[i].name == name {
			return i
		}
	}
	return -1
}

func (b *bounds) setNumber(key string, value []byte) {
	if rawjson.KindOf(value) == rawjson.KindBool { // how OpenAPI 3.0 writes exclusiveMinimum
		b.aboveMinimum = b.aboveMinimum || key == "exclusiveMinimum" && value[0] == 't'
		b.belowMaximum = b.belowMaximum || key == "exclusiveMaximum" && value[0] == 't'
		return
	}
	if rawjson.KindOf(value) != rawjson.KindNumber {
		return
	}
	switch key {
	case "minimum":
		b.tightenMinimum(value, false)
	case "exclusiveMinimum":
		b.tightenMinimum(value, true)
	case "maximum":
		b.tightenMaximum(value, false)
	case "exclusiveMaximum":
		b.tightenMaximum(value, true)
	case "multipleOf":
		if rawjson.CompareNumbers(value, []byte("0")) > 0 {
			b.multipleOf = value
		}
	}
}

func (b *bounds) tightenMinimum(value []byte, above bool) {
	order := 1
	if b.minimum != nil {
		order = rawjson.CompareNumbers(value, b.minimum)
	}
	if order > 0 || order == 0 && above {
		b.aboveMinimum = above || b.minimum == nil && b.aboveMinimum
		b.minimum = value
	}
}

func (b *bounds) tightenMaximum(value []byte, below bool) {
	order := -1
	if b.maximum != nil {
		order = rawjson.CompareNumbers(value, b.maximum)
	}
	if order < 0 || order == 0 && below {
		b.belowMaximum = below || b.maximum == nil && b.belowMaximum
		b.maximum = value
	}
}

func (b *bounds) setCount(key string, value []byte) {
	if rawjson.KindOf(value) != rawjson.KindNumber || !rawjson.IsInteger(value) {
		return
	}
	count, ok := smallInt(value)
	if !ok {
		return
	}
	switch key {
	case "minLength":
		b.minLength = count
	case "maxLength":
		b.maxLength = count
	case "minItems":
		b.minItems = count
	case "maxItems":
		b.maxItems = count
	case "minProperties":
		b.minProperties = count
	case "maxProperties":
		b.maxProperties = count
	}
}

// smallInt reads a count of at most nine digits, also one written as 10.0.
func smallInt(value []byte) (int, bool) {
	if n, err := strconv.Atoi(string(value)); err == nil {
		return n, n >= 0
	}
	f, err := strconv.ParseFloat(string(value), 64)
	return int(f), err == nil && 0 <= f && f < 1e9
}
