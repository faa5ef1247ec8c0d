package schemas

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// keywords are a schema being written: every keyword once, in the order of writing.
type keywords struct {
	names  []string
	values map[string][]byte
}

func (k *keywords) put(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	if k.values == nil {
		k.values = map[string][]byte{}
	}
	if k.values[name] == nil {
		k.names = append(k.names, name)
	}
	k.values[name] = value
}

func (k *keywords) text(name, value string) {
	if value != "" {
		k.put(name, rawjson.Quote(value))
	}
}

func (k *keywords) bytes() []byte {
	var out rawjson.Object
	for _, name := range k.names {
		out.Put(name, k.values[name])
	}
	return out.Bytes()
}

// member is the schema of a field as a property.
func (w *Writer) member(f *Field, way Way, tweak *options.Tweak, shape Shape, path string) ([]byte, error) {
	var out keywords
	var err error
	switch {
	case f.Desc.IsMap():
		err = w.mapOf(&out, f, way)
	case f.Desc.IsList():
		var items keywords
		err = w.single(&items, f.Desc, way, rulesOfItems(f.Rules), nil, "")
		out.text("type", "array")
		out.put("items", items.bytes())
		demand(&out, f.Rules, way)
	default:
		err = w.single(&out, f.Desc, way, f.Rules, shape, path+f.JSON)
	}
	if err != nil {
		return nil, err
	}
	w.tell(&out, f, way, tweak)
	return out.bytes(), nil
}

func rulesOfItems(r *options.Rules) *options.Rules {
	if r == nil {
		return nil
	}
	return r.Items
}

// demand writes validation rules. Answers are not held to them.
func demand(out *keywords, rules *options.Rules, way Way) {
	if rules == nil || way == Outward {
		return
	}
	for _, k := range rules.Keywords {
		out.put(k.Name, k.Value)
	}
}

// tell writes what a person or an agent reads of a field.
func (w *Writer) tell(out *keywords, f *Field, way Way, tweak *options.Tweak) {
	doc := f.Doc
	if tweak != nil && tweak.Describe != "" {
		doc = tweak.Describe
	}
	own := ""
	if known := out.values["description"]; known != nil && out.values["$ref"] == nil {
		own, _ = rawjson.String(known)
	}
	parts := []string{doc, own}
	if way == Inward {
		if md := f.Desc.Message(); md != nil && !f.Desc.IsMap() && !f.Desc.IsList() && soleOneof(md) != nil && md.Fields().Len() > 1 {
			parts = append(parts, "Exactly one member.")
		}
		if parts = append(parts, f.oneof); f.Rules != nil {
			parts = append(parts, f.Rules.Says...)
		}
	}
	out.text("description", sentences(parts...))
	if options.IsDeprecated(f.Desc) {
		out.put("deprecated", []byte("true"))
	}
	if tweak == nil {
		return
	}
	if format := timeFormat(tweak.Time, f.Desc); format != "" {
		out.text("format", format)
	}
	if tweak.Default != nil && way == Inward {
		out.put("default", tweak.Default)
		out.put("x-fill", []byte("true"))
	}
}

// timeFormat is the format of a field that an annotation calls a time.
func timeFormat(word string, fd protoreflect.FieldDescriptor) string {
	switch word {
	case "":
		return ""
	case "unix-ms", "unix-time-ms", "milliseconds", "ms":
		return "unix-time-ms"
	case "unix", "unix-time", "seconds", "s":
		return "unix-time"
	case "date":
		return "date"
	}
	if fd.Kind() == protoreflect.StringKind || fd.Message() != nil {
		return "date-time"
	}
	return "unix-time"
}

func (w *Writer) mapOf(out *keywords, f *Field, way Way) error {
	var rules, keys *options.Rules
	if f.Rules != nil {
		rules, keys = f.Rules.Values, f.Rules.Keys
	}
	var values keywords
	if err := w.single(&values, f.Desc.MapValue(), way, rules, nil, ""); err != nil {
		return err
	}
	out.text("type", "object")
	out.put("additionalProperties", values.bytes())
	if way == Inward {
		var names keywords
		switch kind := f.Desc.MapKey().Kind(); kind {
		case protoreflect.StringKind:
			demand(&names, keys, way)
		case protoreflect.BoolKind:
			names.put("enum", []byte(`["true","false"]`))
		default:
			names.text("pattern", "^-?[0-9]+$")
		}
		if len(names.names) > 0 {
			out.put("propertyNames", names.bytes())
		}
	}
	demand(out, f.Rules, way)
	return nil
}

// single is the schema of one value of a field.
func (w *Writer) single(out *keywords, fd protoreflect.FieldDescriptor, way Way, rules *options.Rules, shape Shape, path string) error {
	md := fd.Message()
	switch {
	case md != nil && md.IsPlaceholder():
		return nil
	case md != nil && wellKnown(md) != nil:
		for key, value := range rawjson.Members(wellKnown(md)) {
			out.put(key, value)
		}
	case md != nil && path != "" && shape.reaches(path):
		object, err := w.object(md, way, shape, path+".")
		if err != nil {
			return err
		}
		for key, value := range rawjson.Members(object) {
			out.put(key, value)
		}
	case md != nil:
		out.put("$ref", w.ref(md, way))
	case fd.Enum() != nil && fd.Enum().FullName() == "google.protobuf.NullValue":
		out.text("type", "null")
	case fd.Enum() != nil && !fd.Enum().IsPlaceholder():
		if rules != nil && len(rules.Keywords) > 0 { // those of enums are numbers
			rules = nil
		}
		out.put("$ref", w.ref(fd.Enum(), way))
	default:
		scalar(out, fd.Kind(), way)
	}
	demand(out, rules, way)
	return nil
}

// scalar writes the type of a scalar. 64-bit integers are taken as numbers and as texts, which is
// how they are answered.
func scalar(out *keywords, kind protoreflect.Kind, way Way) {
	switch kind {
	case protoreflect.BoolKind:
		out.text("type", "boolean")
	case protoreflect.StringKind:
		out.text("type", "string")
	case protoreflect.BytesKind:
		out.text("type", "string")
		out.text("contentEncoding", "base64")
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		if out.text("type", "number"); way == Outward {
			out.put("type", []byte(`["number","string"]`)) // "NaN", "Infinity"
		}
	default:
		integer(out, kind, way)
	}
}

func integer(out *keywords, kind protoreflect.Kind, way Way) {
	format, wide, unsigned := "int32", false, false
	switch kind {
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		format, unsigned = "uint32", true
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		format, wide = "int64", true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		format, wide, unsigned = "uint64", true, true
	}
	out.text("type", "integer")
	if wide && way == Outward {
		out.put("type", []byte(`["string","integer"]`))
	}
	if out.text("format", format); unsigned && way == Inward {
		out.put("minimum", []byte("0"))
	}
}

// WellKnown reports whether a message has a form of its own in JSON.
func WellKnown(md protoreflect.MessageDescriptor) bool { return wellKnown(md) != nil }

// wellKnown is the schema of a message that has a form of its own in JSON; nil: it has none.
func wellKnown(md protoreflect.MessageDescriptor) []byte {
	if md.ParentFile() == nil || md.ParentFile().Package() != "google.protobuf" {
		return nil
	}
	if schema, ok := wellKnownSchemas[md.Name()]; ok {
		return []byte(schema)
	}
	return nil
}

var wellKnownSchemas = map[protoreflect.Name]string{
	"Timestamp":   `{"type":"string","format":"date-time"}`,
	"Duration":    `{"type":"string","pattern":"^-?[0-9.]+s$","description":"In seconds: \"90s\", \"1.5s\"."}`,
	"FieldMask":   `{"type":"string","description":"Paths of fields, with commas: \"title,owner.displayName\"."}`,
	"Struct":      `{"type":"object"}`,
	"Value":       `{"description":"Any JSON value."}`,
	"ListValue":   `{"type":"array"}`,
	"Any":         `{"type":"object","description":"A message of any type, with its type's name: {\"@type\":\"type.googleapis.com/package.Name\", …its fields}."}`,
	"Empty":       `{"type":"object"}`,
	"BoolValue":   `{"type":"boolean"}`,
	"StringValue": `{"type":"string"}`,
	"BytesValue":  `{"type":"string","contentEncoding":"base64"}`,
	"Int32Value":  `{"type":"integer","format":"int32"}`,
	"UInt32Value": `{"type":"integer","format":"uint32","minimum":0}`,
	"Int64Value":  `{"type":["integer","string"],"format":"int64"}`,
	"UInt64Value": `{"type":["integer","string"],"format":"uint64"}`,
	"FloatValue":  `{"type":"number"}`,
	"DoubleValue": `{"type":"number"}`,
}
