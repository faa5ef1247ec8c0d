package options

import (
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// field is a field of a message by name; ok is whether it is there and set.
func field(m protoreflect.Message, name protoreflect.Name) (value protoreflect.Value, of protoreflect.FieldDescriptor, ok bool) {
	if m == nil {
		return value, nil, false
	}
	of = m.Descriptor().Fields().ByName(name)
	if of == nil || !m.Has(of) {
		return value, of, false
	}
	return m.Get(of), of, true
}

func text(m protoreflect.Message, name protoreflect.Name) string {
	value, of, ok := field(m, name)
	if !ok || of.Kind() != protoreflect.StringKind || of.IsList() {
		return ""
	}
	return value.String()
}

func isTrue(m protoreflect.Message, name protoreflect.Name) bool {
	value, of, ok := field(m, name)
	return ok && of.Kind() == protoreflect.BoolKind && !of.IsList() && value.Bool()
}

func message(m protoreflect.Message, name protoreflect.Name) protoreflect.Message {
	value, of, ok := field(m, name)
	if !ok || of.Message() == nil || of.IsList() || of.IsMap() {
		return nil
	}
	return value.Message()
}

// messages are the elements of a list of messages.
func messages(m protoreflect.Message, name protoreflect.Name) (all []protoreflect.Message) {
	value, of, ok := field(m, name)
	if !ok || !of.IsList() || of.Message() == nil {
		return nil
	}
	for i := range value.List().Len() {
		all = append(all, value.List().Get(i).Message())
	}
	return all
}

// scalar is a single value as JSON; an enum value is its name.
func scalar(of protoreflect.FieldDescriptor, value protoreflect.Value) []byte {
	switch of.Kind() {
	case protoreflect.StringKind:
		return rawjson.Quote(value.String())
	case protoreflect.EnumKind:
		if v := of.Enum().Values().ByNumber(value.Enum()); v != nil {
			return rawjson.Quote(string(v.Name()))
		}
		return rawjson.Quote("")
	case protoreflect.BoolKind:
		if value.Bool() {
			return []byte("true")
		}
		return []byte("false")
	case protoreflect.BytesKind, protoreflect.MessageKind, protoreflect.GroupKind:
		return nil
	}
	number := []byte(value.String())
	if rawjson.Check(number) != nil {
		return nil // infinities
	}
	return number
}

// toJSON is a message as JSON, under the names of the file.
func (r *Reader) toJSON(m protoreflect.Message) []byte {
	raw, err := protojson.MarshalOptions{UseProtoNames: true, AllowPartial: true, Resolver: r}.Marshal(m.Interface())
	if err != nil {
		return nil
	}
	return rawjson.Compact(nil, raw)
}

// plainEnum is an enum value's name without its type's in front: EFFECT_READS is reads.
func plainEnum(enum protoreflect.EnumDescriptor, name string) string {
	prefix := upperSnake(string(enum.Name())) + "_"
	return strings.ToLower(strings.TrimPrefix(name, prefix))
}

// upperSnake is CamelCase as CAMEL_CASE.
func upperSnake(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}
