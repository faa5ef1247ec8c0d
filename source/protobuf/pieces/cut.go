package pieces

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Names of pieces among the shared schemas. No schema has such a name.
const (
	piecePrefix = "proto:"
	filePrefix  = "protofile:"
)

// piece is a message or enum at the top of a file.
type piece struct {
	File string   `json:"f"`
	Wire string   `json:"b"`           // base64 of its DescriptorProto or EnumDescriptorProto
	Enum bool     `json:"e,omitempty"` // which of the two
	Need []string `json:"n,omitempty"` // the pieces that it refers to, by full name

	Tweaks map[string]map[string]Tweak `json:"t,omitempty"` // by message, then by field
}

// Tweak is what annotations change of a field, in both directions.
type Tweak struct {
	Name string          `json:"r,omitempty"` // what callers call it
	Hide bool            `json:"h,omitempty"`
	Fix  json.RawMessage `json:"x,omitempty"`
}

// fileHead is what the pieces of a file share.
type fileHead struct {
	Package string `json:"p,omitempty"`
	Syntax  string `json:"s,omitempty"`
	Edition int32  `json:"e,omitempty"`
	Options string `json:"o,omitempty"` // base64 of its FileOptions, features alone
}

// Cut writes the pieces of files, by the name under which they are kept. Tweaks are those of a
// message's fields; nil: it has none. The well-known types are left out: everybody has them.
func Cut(files []protoreflect.FileDescriptor, tweaks func(message protoreflect.FullName) map[string]Tweak) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, f := range files {
		if isWellKnown(f.Path()) {
			continue
		}
		if err := cutFile(out, f, tweaks); err != nil {
			return nil, fmt.Errorf("keep the descriptors of %q: %w", f.Path(), err)
		}
	}
	return out, nil
}

func isWellKnown(path string) bool { return strings.HasPrefix(path, "google/protobuf/") }

// Digest tells pieces apart from those of another version of the same description.
func Digest(all map[string]json.RawMessage) string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write(all[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func cutFile(out map[string]json.RawMessage, f protoreflect.FileDescriptor, tweaks func(protoreflect.FullName) map[string]Tweak) error {
	whole := protoOf(f)
	head := fileHead{Package: whole.GetPackage(), Syntax: whole.GetSyntax(), Edition: int32(whole.GetEdition())}
	if features := whole.GetOptions().GetFeatures(); features != nil {
		raw, err := proto.Marshal(&descriptorpb.FileOptions{Features: features})
		if err != nil {
			return err
		}
		head.Options = base64.StdEncoding.EncodeToString(raw)
	}
	if err := put(out, filePrefix+f.Path(), head); err != nil {
		return err
	}
	for i, message := range whole.GetMessageType() {
		c := cutter{file: f}
		bare := c.message(message)
		p := piece{File: f.Path(), Need: c.needs(string(f.Messages().Get(i).FullName()))}
		eachMessage(f.Messages().Get(i), func(md protoreflect.MessageDescriptor) {
			if said := tweaks(md.FullName()); said != nil {
				if p.Tweaks == nil {
					p.Tweaks = map[string]map[string]Tweak{}
				}
				p.Tweaks[string(md.FullName())] = said
			}
		})
		if err := p.put(out, f.Messages().Get(i).FullName(), bare); err != nil {
			return err
		}
	}
	for i, enum := range whole.GetEnumType() {
		p := piece{File: f.Path(), Enum: true}
		if err := p.put(out, f.Enums().Get(i).FullName(), bareEnum(enum)); err != nil {
			return err
		}
	}
	return nil
}

// protoOf is a file as it is written; a file that was just compiled still has it.
func protoOf(f protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if compiled, ok := f.(interface {
		FileDescriptorProto() *descriptorpb.FileDescriptorProto
	}); ok {
		return compiled.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(f)
}

func eachMessage(md protoreflect.MessageDescriptor, visit func(protoreflect.MessageDescriptor)) {
	visit(md)
	for i := range md.Messages().Len() {
		eachMessage(md.Messages().Get(i), visit)
	}
}

func (p *piece) put(out map[string]json.RawMessage, name protoreflect.FullName, bare proto.Message) error {
	wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(bare)
	if err != nil {
		return err
	}
	p.Wire = base64.StdEncoding.EncodeToString(wire)
	return put(out, piecePrefix+string(name), p)
}

func put(out map[string]json.RawMessage, name string, value any) error {
	raw, err := json.Marshal(value)
	out[name] = raw
	return err
}

// cutter copies a message without what no call needs.
type cutter struct {
	file protoreflect.FileDescriptor
	refs []string // type names as the file writes them, whole
}

func (c *cutter) message(m *descriptorpb.DescriptorProto) *descriptorpb.DescriptorProto {
	bare := &descriptorpb.DescriptorProto{Name: m.Name}
	for _, oneof := range m.GetOneofDecl() {
		bare.OneofDecl = append(bare.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: oneof.Name})
	}
	for _, field := range m.GetField() {
		bare.Field = append(bare.Field, c.field(field))
	}
	for _, inner := range m.GetNestedType() {
		bare.NestedType = append(bare.NestedType, c.message(inner))
	}
	for _, enum := range m.GetEnumType() {
		bare.EnumType = append(bare.EnumType, bareEnum(enum))
	}
	if o := m.GetOptions(); o.GetMapEntry() || o.GetMessageSetWireFormat() || o.GetFeatures() != nil {
		bare.Options = &descriptorpb.MessageOptions{MapEntry: o.MapEntry, MessageSetWireFormat: o.MessageSetWireFormat, Features: o.GetFeatures()}
	}
	return bare
}

func (c *cutter) field(f *descriptorpb.FieldDescriptorProto) *descriptorpb.FieldDescriptorProto {
	bare := &descriptorpb.FieldDescriptorProto{
		Name: f.Name, Number: f.Number, Label: f.Label, Type: f.Type, TypeName: f.TypeName,
		DefaultValue: f.DefaultValue, OneofIndex: f.OneofIndex, Proto3Optional: f.Proto3Optional,
	}
	if f.JsonName != nil && f.GetJsonName() != jsonName(f.GetName()) {
		bare.JsonName = f.JsonName
	}
	if o := f.GetOptions(); o != nil && (o.Packed != nil || o.GetFeatures() != nil) {
		bare.Options = &descriptorpb.FieldOptions{Packed: o.Packed, Features: o.GetFeatures()}
	}
	if f.TypeName != nil {
		c.refs = append(c.refs, strings.TrimPrefix(f.GetTypeName(), "."))
	}
	return bare
}

// jsonName is the name in JSON where a file gives none (protobuf descriptor.cc, ToJsonName).
func jsonName(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range []byte(name) {
		switch {
		case r == '_':
			upper = true
			continue
		case upper && r >= 'a' && r <= 'z':
			r -= 'a' - 'A'
		}
		b.WriteByte(r)
		upper = false
	}
	return b.String()
}

func bareEnum(e *descriptorpb.EnumDescriptorProto) *descriptorpb.EnumDescriptorProto {
	bare := &descriptorpb.EnumDescriptorProto{Name: e.Name}
	for _, v := range e.GetValue() {
		bare.Value = append(bare.Value, &descriptorpb.EnumValueDescriptorProto{Name: v.Name, Number: v.Number})
	}
	if o := e.GetOptions(); o.GetAllowAlias() || o.GetFeatures() != nil {
		bare.Options = &descriptorpb.EnumOptions{AllowAlias: o.AllowAlias, Features: o.GetFeatures()}
	}
	return bare
}

// needs are the pieces that hold what a message refers to, but for itself.
func (c *cutter) needs(self string) []string {
	var all []string
	for _, ref := range c.refs {
		owner := c.owner(protoreflect.FullName(ref))
		if owner != "" && owner != self && !strings.HasPrefix(owner, "google.protobuf.") && !slices.Contains(all, owner) {
			all = append(all, owner)
		}
	}
	slices.Sort(all)
	return all
}

// owner is the message or enum at the top of a file that a type lies in, seen from the file that
// refers to it.
func (c *cutter) owner(name protoreflect.FullName) string {
	if d := find(c.file, name); d != nil {
		return string(top(d).FullName())
	}
	seen := map[string]bool{}
	return ownerIn(c.file.Imports(), name, seen, true)
}

func ownerIn(imports protoreflect.FileImports, name protoreflect.FullName, seen map[string]bool, all bool) string {
	for i := range imports.Len() {
		f := imports.Get(i)
		if !all && !f.IsPublic || seen[f.Path()] || f.IsPlaceholder() {
			continue
		}
		seen[f.Path()] = true
		if d := find(f, name); d != nil {
			return string(top(d).FullName())
		}
		if owner := ownerIn(f.Imports(), name, seen, false); owner != "" {
			return owner
		}
	}
	return ""
}

// find is the message or enum of a name in one file.
func find(f protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.Descriptor {
	rest, ok := strings.CutPrefix(string(name), string(f.Package())+".")
	if f.Package() == "" {
		rest, ok = string(name), true
	}
	if !ok {
		return nil
	}
	first, tail, nested := strings.Cut(rest, ".")
	if e := f.Enums().ByName(protoreflect.Name(first)); e != nil && !nested {
		return e
	}
	md := f.Messages().ByName(protoreflect.Name(first))
	if md == nil {
		return nil
	}
	return inside(md, tail)
}

func inside(md protoreflect.MessageDescriptor, rest string) protoreflect.Descriptor {
	if rest == "" {
		return md
	}
	first, tail, nested := strings.Cut(rest, ".")
	if e := md.Enums().ByName(protoreflect.Name(first)); e != nil && !nested {
		return e
	}
	if inner := md.Messages().ByName(protoreflect.Name(first)); inner != nil {
		return inside(inner, tail)
	}
	return nil
}

func top(d protoreflect.Descriptor) protoreflect.Descriptor {
	for {
		if _, ok := d.Parent().(protoreflect.FileDescriptor); ok || d.Parent() == nil {
			return d
		}
		d = d.Parent()
	}
}
