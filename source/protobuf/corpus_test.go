package protobuf_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/source/protobuf/call"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/schemas"
)

// corpus is the folder of real protos, which must be there where everything is demanded.
func corpus(t testing.TB) string {
	root := os.Getenv("TWODOOR_CORPUS")
	if root == "" {
		t.Skip("TWODOOR_CORPUS names no folder of descriptions")
	}
	return filepath.Join(root, "protobuf")
}

// TestCorpus reads every real proto: each unary and each server-streaming method becomes an
// operation, every other one is refused by name.
func TestCorpus(t *testing.T) {
	root := corpus(t)
	for _, wire := range []string{"connect", "rest"} {
		source := &protobuf.Source{Name: "g", Files: []string{root}, ImportPaths: []string{root}, Wire: wire}
		reading, err := source.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := twodoor.NewCatalog(reading); err != nil {
			t.Error(err)
		}
		for _, op := range reading.Operations {
			define := func(name string) []byte { return reading.Definitions[name] }
			if _, err := schema.CompileWith(op.Input, define); err != nil {
				t.Errorf("%s: %v", op.ID, err)
			}
		}
		streams := 0
		for _, e := range reading.Exceptions {
			if strings.Contains(e.Reason, "stream") {
				streams++
			} else if wire == "connect" {
				t.Errorf("%s is refused: %s", e.Operation, e.Reason)
			}
			if !strings.Contains(e.At, ".proto:") {
				t.Errorf("the refusal of %s has no place: %q", e.Operation, e.At)
			}
		}
		if described := len(reading.Operations) + len(reading.Exceptions); described != 1441 || streams != 4 {
			t.Errorf("%s: %d methods of 1441, %d with a stream from the client of 4", wire, described, streams)
		}
		t.Logf("%s: %d operations, %d refused, %d shared schemas and pieces", wire, len(reading.Operations), len(reading.Exceptions), len(reading.Definitions))
	}
}

// TestCorpusRoundTrip holds the mapping for every message of the corpus: JSON that fits its schema
// goes to Protobuf and back without loss.
func TestCorpusRoundTrip(t *testing.T) {
	root := corpus(t)
	input := &descriptors.Input{Files: []string{root}, ImportPaths: []string{root}}
	set, err := input.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checked := roundTrips(t, set, 3)
	if checked < 3600 {
		t.Errorf("only %d messages were tried", checked)
	}
	t.Logf("%d messages", checked)
}

// roundTrips tries every message of a set that is an object in JSON, several times each.
func roundTrips(t *testing.T, set *descriptors.Set, times int) (checked int) {
	reader, err := options.NewReader(set.All())
	if err != nil {
		t.Fatal(err)
	}
	writer := schemas.NewWriter(set.All(), reader)
	kept, err := pieces.Cut(set.All(), func(protoreflect.FullName) map[string]pieces.Tweak { return nil })
	if err != nil {
		t.Fatal(err)
	}
	define := func(name string) json.RawMessage { return kept[name] }
	maker := &maker{dice: rand.New(rand.NewPCG(1, 2))}
	for _, file := range set.Files {
		var names []string
		eachMessage(file.Messages(), func(md protoreflect.MessageDescriptor) { names = append(names, string(md.FullName())) })
		types, err := pieces.Open(define, names...)
		if err != nil {
			t.Errorf("%s: %v", file.Path(), err)
			continue
		}
		eachMessage(file.Messages(), func(md protoreflect.MessageDescriptor) {
			if md.IsMapEntry() || schemas.WellKnown(md) {
				return
			}
			checked++
			raw, err := writer.Object(md, schemas.Inward, nil)
			if err != nil {
				t.Errorf("%s: %v", md.FullName(), err)
				return
			}
			check, err := schema.CompileWith(raw, func(name string) []byte { return writer.Definitions[name] })
			if err != nil {
				t.Errorf("%s: its schema: %v", md.FullName(), err)
				return
			}
			for range times {
				roundTrip(t, md, types, check, maker.object(md, 0))
			}
		})
	}
	return checked
}

func roundTrip(t *testing.T, md protoreflect.MessageDescriptor, types *pieces.Types, check *schema.Schema, text []byte) {
	t.Helper()
	if misfits := check.Check(text); len(misfits) > 0 {
		if !demanding(misfits) {
			t.Errorf("%s: its schema refuses %s: %v", md.FullName(), text, misfits)
		}
	}
	wire, err := call.Encode(types, string(md.FullName()), text)
	if err != nil {
		t.Errorf("%s: %s does not become a message: %v", md.FullName(), text, err)
		return
	}
	back, err := call.Decode(types.Lookup(), string(md.FullName()), wire)
	if err != nil {
		t.Errorf("%s: %s does not become JSON again: %v", md.FullName(), text, err)
		return
	}
	if got, want := normal(back), normal(text); got != want {
		t.Errorf("%s:\nsent %s\ngot  %s", md.FullName(), want, got)
	}
}

// demanding reports that all misfits are demands on values, or for fields that only answers have,
// which the maker does not know of.
func demanding(misfits []schema.Problem) bool {
	return !slices.ContainsFunc(misfits, func(m schema.Problem) bool {
		text := m.Message
		return !strings.Contains(text, "required") && !strings.Contains(text, "not known here") && !strings.Contains(text, "at least 1 member")
	})
}

func eachMessage(in protoreflect.MessageDescriptors, visit func(protoreflect.MessageDescriptor)) {
	for i := range in.Len() {
		visit(in.Get(i))
		eachMessage(in.Get(i).Messages(), visit)
	}
}

// normal is JSON with its keys sorted and its 64-bit integers as numbers.
func normal(raw []byte) string {
	raw = digits(raw)
	return string(rawjson.AppendCanonical(nil, raw))
}

func digits(raw []byte) []byte {
	switch rawjson.KindOf(raw) {
	case rawjson.KindObject, rawjson.KindArray:
		return rawjson.Rewrite(raw, func(_ []byte, _ int, v []byte) []byte { return digits(v) })
	case rawjson.KindString:
		if text, _ := rawjson.String(raw); text != "" && strings.Trim(text, "0123456789-") == "" {
			return []byte(text)
		}
	}
	return raw
}

// maker makes JSON by the mapping of Protobuf, never a value that is left out on the way: no zero.
type maker struct{ dice *rand.Rand }

const deepest = 3

func (m *maker) object(md protoreflect.MessageDescriptor, depth int) []byte {
	chosen := map[protoreflect.OneofDescriptor]protoreflect.FieldDescriptor{}
	for i := range md.Oneofs().Len() {
		of := md.Oneofs().Get(i)
		chosen[of] = of.Fields().Get(m.dice.IntN(of.Fields().Len()))
	}
	var out rawjson.Object
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		of := fd.ContainingOneof()
		wanted := of != nil && chosen[of] == fd
		if of != nil && !wanted || !wanted && m.dice.IntN(3) == 0 && fd.Cardinality() != protoreflect.Required {
			continue
		}
		if value := m.field(fd, depth); value != nil {
			out.Put(fd.JSONName(), value)
		}
	}
	return out.Bytes()
}

func (m *maker) field(fd protoreflect.FieldDescriptor, depth int) []byte {
	switch {
	case fd.IsMap():
		value := m.single(fd.MapValue(), depth)
		if value == nil {
			return nil
		}
		keys := map[protoreflect.Kind]string{protoreflect.StringKind: "some key", protoreflect.BoolKind: "true"}
		key, ok := keys[fd.MapKey().Kind()]
		if !ok {
			key = "7"
		}
		var out rawjson.Object
		out.Put(key, value)
		return out.Bytes()
	case fd.IsList():
		var out rawjson.Array
		for range 1 + m.dice.IntN(2) {
			value := m.single(fd, depth)
			if value == nil {
				return nil
			}
			out.Add(value)
		}
		return out.Bytes()
	}
	return m.single(fd, depth)
}

var special = map[protoreflect.Name]string{
	"Timestamp": `"2026-11-30T18:30:00.125Z"`, "Duration": `"1.500s"`, "FieldMask": `"title,owner.displayName"`, "Struct": `{"a":[1,null,{"b":"c"}]}`,
	"Value": `{"any":[true]}`, "ListValue": `[1.5,"x"]`, "Any": `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"2s"}`, "Empty": `{}`,
	"BoolValue": "true", "StringValue": `"text"`, "BytesValue": `"aGk="`, "Int32Value": "-3", "UInt32Value": "3",
	"Int64Value": `"-9007199254740993"`, "UInt64Value": `"18446744073709551615"`, "FloatValue": "0.5", "DoubleValue": "-2.25",
}

func (m *maker) single(fd protoreflect.FieldDescriptor, depth int) []byte {
	if md := fd.Message(); md != nil {
		if schemas.WellKnown(md) {
			return []byte(special[md.Name()])
		}
		if depth >= deepest {
			return nil
		}
		return m.object(md, depth+1)
	}
	switch fd.Kind() {
	case protoreflect.EnumKind:
		if fd.Enum().FullName() == "google.protobuf.NullValue" {
			return nil
		}
		v := fd.Enum().Values().Get(fd.Enum().Values().Len() - 1)
		if v.Number() == 0 && !fd.HasPresence() {
			return nil
		}
		return rawjson.Quote(string(fd.Enum().Values().ByNumber(v.Number()).Name())) // of aliases, the one that is written
	case protoreflect.BoolKind:
		return []byte("true")
	case protoreflect.StringKind:
		return rawjson.Quote("a text, ünïcode")
	case protoreflect.BytesKind:
		return []byte(`"AP8Q"`)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return []byte("1.25")
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		if m.dice.IntN(2) == 0 {
			return []byte("-9223372036854775807")
		}
		return []byte("1152921504606846977")
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return []byte("18446744073709551615")
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return []byte("4294967295")
	}
	return []byte("-2147483648")
}
