package schemas

import (
	"fmt"
	"hash/fnv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/source/protobuf/options"
)

// Field is a field of a message with all that is said of it.
type Field struct {
	Desc     protoreflect.FieldDescriptor
	Name     string // what callers call it
	JSON     string // its name in JSON
	Doc      string
	Required bool
	Tweak    *options.Tweak // nil: none
	Rules    *options.Rules // nil: none

	behavior options.Behavior
	oneof    string // what the first branch of a oneof says of the others
}

// Way is the direction in which a value travels.
type Way uint8

// The ways.
const (
	Inward  Way = iota // what callers send
	Outward            // what they are answered
)

// shown reports whether callers see the field.
func (f *Field) shown(way Way, tweak *options.Tweak) bool {
	switch {
	case tweak != nil && tweak.Hide:
		return false
	case way == Outward:
		return !f.behavior.InputOnly
	case tweak != nil && tweak.Fix != nil:
		return false
	}
	return !f.behavior.OutputOnly
}

// Fields are the fields of a message in the order of its file. They are kept, and shared.
func (w *Writer) Fields(md protoreflect.MessageDescriptor) ([]*Field, error) {
	if fields, ok := w.fields[md.FullName()]; ok {
		return fields, nil
	}
	var fields []*Field
	taken := map[string]bool{}
	for i := range md.Fields().Len() {
		f, err := w.field(md.Fields().Get(i))
		if err != nil {
			return nil, err
		}
		for n := 2; taken[f.Name]; n++ {
			f.Name = fmt.Sprintf("%s_%d", f.Name[:min(len(f.Name), MaxKey-3)], n)
		}
		taken[f.Name] = true
		fields = append(fields, f)
	}
	if err := w.tellOneofs(md, fields); err != nil {
		return nil, err
	}
	w.fields[md.FullName()] = fields
	return fields, nil
}

func (w *Writer) field(fd protoreflect.FieldDescriptor) (*Field, error) {
	set, err := w.options.Of(fd)
	if err != nil {
		return nil, err
	}
	f := &Field{Desc: fd, JSON: fd.JSONName(), Doc: Comment(fd), Tweak: set.Tweak(), Rules: set.Rules(), behavior: set.Behavior()}
	if f.Name = Key(f.JSON); f.Tweak != nil && f.Tweak.Rename != "" {
		f.Name = Key(f.Tweak.Rename)
	}
	if f.Tweak != nil && f.Tweak.Describe != "" {
		f.Doc = f.Tweak.Describe
	}
	f.Required = fd.Cardinality() == protoreflect.Required || f.behavior.Required || f.Rules != nil && (f.Rules.Required || f.needsLength())
	return f, nil
}

// needsLength reports a field whose absence is its empty value, and whose rules refuse that.
func (f *Field) needsLength() bool {
	if f.Desc.HasPresence() {
		return false
	}
	for _, k := range f.Rules.Keywords {
		switch k.Name {
		case "minLength", "minItems", "minProperties":
			if string(k.Value) != "0" {
				return true
			}
		}
	}
	return false
}

// tellOneofs writes on the first branch of each oneof which others it excludes.
func (w *Writer) tellOneofs(md protoreflect.MessageDescriptor, fields []*Field) error {
	for i := range md.Oneofs().Len() {
		oneof := md.Oneofs().Get(i)
		if oneof.IsSynthetic() || oneof.Fields().Len() < 2 || soleOneof(md) != nil {
			continue
		}
		set, err := w.options.Of(oneof)
		if err != nil {
			return err
		}
		var first *Field
		var names []string
		for _, f := range fields {
			if f.Desc.ContainingOneof() == oneof {
				if first == nil {
					first = f
				}
				names = append(names, f.Name)
			}
		}
		word := "At most"
		if set.RequiredOneof() {
			word = "Exactly"
		}
		first.oneof = word + " one of " + strings.Join(names, ", ") + "."
	}
	return nil
}

// soleOneof is the oneof that a message wholly consists of, or nil.
func soleOneof(md protoreflect.MessageDescriptor) protoreflect.OneofDescriptor {
	if md.Oneofs().Len() != 1 || md.Oneofs().Get(0).IsSynthetic() || md.Oneofs().Get(0).Fields().Len() != md.Fields().Len() {
		return nil
	}
	return md.Oneofs().Get(0)
}

// MaxKey is the longest name of an input that hosts take.
const MaxKey = 64

// Key is a name as hosts take it: ^[a-zA-Z0-9_.-]{1,64}$.
func Key(name string) string {
	legal := strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r)) {
			return r
		}
		return '_'
	}, name)
	if legal == "" {
		return "_"
	}
	if len(legal) > MaxKey {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(name)) // a hash takes everything
		legal = fmt.Sprintf("%s_%08x", legal[:MaxKey-9], sum.Sum32())
	}
	return legal
}

// Shown reports whether callers may send the field, with what is said of it for one operation.
func (f *Field) Shown(said *options.Tweak) bool {
	tweak := f.Tweak
	if said != nil {
		tweak = merged(f.Tweak, said)
	}
	return f.shown(Inward, tweak)
}

// Known are the fields of a message that was written already; nil where it was not.
func (w *Writer) Known(name protoreflect.FullName) []*Field { return w.fields[name] }

// IsInteger reports whether a kind is one of the integers.
func IsInteger(kind protoreflect.Kind) bool {
	switch kind {
	case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.StringKind, protoreflect.BytesKind, protoreflect.FloatKind,
		protoreflect.DoubleKind, protoreflect.MessageKind, protoreflect.GroupKind:
		return false
	}
	return true
}
