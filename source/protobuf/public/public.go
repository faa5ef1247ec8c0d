package public

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jhump/protoreflect/v2/protoprint"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// Choice says what is public.
type Choice struct {
	Options *options.Reader                             // required
	Method  func(protoreflect.MethodDescriptor) bool    // required; whether a method is exported
	Hidden  func(protoreflect.Descriptor) (bool, error) // required; whether a field or enum value is left out
}

// Cut writes the public cut of files as .proto texts by path. Files of which nothing is left are left
// out, and so are those that everybody has. A field that is left out leaves its number reserved.
func Cut(files []protoreflect.FileDescriptor, choice Choice) (map[string]string, error) {
	c := &cutter{choice: choice, keep: map[protoreflect.FullName]bool{}}
	if err := c.reach(files); err != nil {
		return nil, err
	}
	bundled, err := descriptors.Bundled()
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	var own []string
	for _, f := range files {
		if _, err := bundled.FindFileByPath(f.Path()); err == nil || !c.anyKept(f) {
			continue
		}
		file, err := c.file(f)
		if err != nil {
			return nil, fmt.Errorf("cut %q: %w", f.Path(), err)
		}
		set.File = append(set.File, file)
		own = append(own, f.Path())
	}
	return print(set, own)
}

// print links the files that are left, and writes them as text.
func print(set *descriptorpb.FileDescriptorSet, own []string) (map[string]string, error) {
	linked, err := descriptors.Link(set)
	if err != nil {
		return nil, fmt.Errorf("link what is left: %w", err)
	}
	texts := map[string]string{}
	printer := &protoprint.Printer{Indent: "  "}
	for _, path := range own {
		f, err := linked.FindFileByPath(path)
		if err != nil {
			return nil, fmt.Errorf("find %q: %w", path, err)
		}
		if texts[path], err = printer.PrintProtoToString(f); err != nil {
			return nil, fmt.Errorf("write %q: %w", path, err)
		}
	}
	return texts, nil
}

// cutter is one cut.
type cutter struct {
	choice Choice
	keep   map[protoreflect.FullName]bool // messages and enums that are needed
	moves  map[string]int                 // of the file at hand: where an element was → where it is; -1: gone
	needs  map[string]bool                // of the file at hand: the files that it needs
}

// reach marks what exported methods need.
func (c *cutter) reach(files []protoreflect.FileDescriptor) error {
	for _, f := range files {
		for i := range f.Services().Len() {
			methods := f.Services().Get(i).Methods()
			for j := range methods.Len() {
				if m := methods.Get(j); c.choice.Method(m) {
					if err := c.reachMessages(m.Input(), m.Output()); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (c *cutter) reachMessages(queue ...protoreflect.MessageDescriptor) error {
	for len(queue) > 0 {
		md := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if c.keep[md.FullName()] || md.IsPlaceholder() {
			continue
		}
		c.keep[md.FullName()] = true
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			hidden, err := c.choice.Hidden(fd)
			if err != nil {
				return err
			}
			if hidden {
				continue
			}
			if fd.Enum() != nil {
				c.keep[fd.Enum().FullName()] = true
			}
			if fd.Message() != nil {
				queue = append(queue, fd.Message())
			}
		}
	}
	return nil
}

func (c *cutter) anyKept(f protoreflect.FileDescriptor) bool {
	for i := range f.Services().Len() {
		if c.served(f.Services().Get(i)) {
			return true
		}
	}
	for i := range f.Messages().Len() {
		if c.holds(f.Messages().Get(i)) {
			return true
		}
	}
	for i := range f.Enums().Len() {
		if c.keep[f.Enums().Get(i).FullName()] {
			return true
		}
	}
	return false
}

func (c *cutter) served(s protoreflect.ServiceDescriptor) bool {
	for i := range s.Methods().Len() {
		if c.choice.Method(s.Methods().Get(i)) {
			return true
		}
	}
	return false
}

// holds reports whether a message is needed, or something in it.
func (c *cutter) holds(md protoreflect.MessageDescriptor) bool {
	if c.keep[md.FullName()] {
		return true
	}
	for i := range md.Messages().Len() {
		if c.holds(md.Messages().Get(i)) {
			return true
		}
	}
	for i := range md.Enums().Len() {
		if c.keep[md.Enums().Get(i).FullName()] {
			return true
		}
	}
	return false
}

// Numbers of the parts of descriptors, as paths of comments have them (descriptor.proto).
const (
	fileMessages, fileEnums, fileServices, fileExtensions        = 4, 5, 6, 7
	messageFields, messageNested, messageEnums, messageExtension = 2, 3, 4, 6
	enumValues, serviceMethods                                   = 2, 2
)

// file is the cut of one file.
func (c *cutter) file(f protoreflect.FileDescriptor) (*descriptorpb.FileDescriptorProto, error) {
	c.moves, c.needs = map[string]int{}, map[string]bool{}
	whole := proto.Clone(protoOf(f)).(*descriptorpb.FileDescriptorProto)
	c.dropAll([]int32{fileExtensions}, len(whole.Extension))
	whole.Extension = nil
	var err error
	if whole.Options, err = stripped(c, whole.Options); err != nil {
		return nil, err
	}
	whole.MessageType, err = each(c, nil, fileMessages, whole.MessageType, func(i int, m *descriptorpb.DescriptorProto, path []int32) (bool, error) {
		md := f.Messages().Get(i)
		if !c.holds(md) {
			return false, nil
		}
		return true, c.message(md, m, path)
	})
	if err != nil {
		return nil, err
	}
	whole.EnumType, err = each(c, nil, fileEnums, whole.EnumType, func(i int, e *descriptorpb.EnumDescriptorProto, path []int32) (bool, error) {
		if !c.keep[f.Enums().Get(i).FullName()] {
			return false, nil
		}
		return true, c.enum(f.Enums().Get(i), e, path)
	})
	if err != nil {
		return nil, err
	}
	whole.Service, err = each(c, nil, fileServices, whole.Service, func(i int, s *descriptorpb.ServiceDescriptorProto, path []int32) (bool, error) {
		if !c.served(f.Services().Get(i)) {
			return false, nil
		}
		return true, c.service(f.Services().Get(i), s, path)
	})
	if err != nil {
		return nil, err
	}
	c.imports(whole)
	c.comments(whole)
	return whole, nil
}

func protoOf(f protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if compiled, ok := f.(interface {
		FileDescriptorProto() *descriptorpb.FileDescriptorProto
	}); ok {
		return compiled.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(f)
}

// each keeps what its function keeps, and remembers where it went.
func each[T any](c *cutter, above []int32, number int32, list []*T, visit func(i int, one *T, path []int32) (bool, error)) ([]*T, error) {
	var kept []*T
	for i, one := range list {
		path := append(slices.Clone(above), number, int32(i))
		keep, err := visit(i, one, path)
		if err != nil {
			return nil, err
		}
		if !keep {
			c.moves[fmt.Sprint(path)] = -1
			continue
		}
		c.moves[fmt.Sprint(path)] = len(kept)
		kept = append(kept, one)
	}
	return kept, nil
}

func (c *cutter) dropAll(above []int32, count int) {
	for i := range count {
		c.moves[fmt.Sprint(append(slices.Clone(above), int32(i)))] = -1
	}
}

func (c *cutter) message(md protoreflect.MessageDescriptor, m *descriptorpb.DescriptorProto, path []int32) (err error) {
	if m.Options, err = stripped(c, m.Options); err != nil {
		return err
	}
	for _, oneof := range m.OneofDecl {
		if oneof.Options, err = stripped(c, oneof.Options); err != nil {
			return err
		}
	}
	c.dropAll(append(slices.Clone(path), messageExtension), len(m.Extension))
	m.Extension = nil
	bare := !c.keep[md.FullName()] // only something in it is needed
	m.Field, err = each(c, path, messageFields, m.Field, func(i int, f *descriptorpb.FieldDescriptorProto, _ []int32) (bool, error) {
		hidden, err := c.choice.Hidden(md.Fields().Get(i))
		if err != nil || bare {
			return false, err
		}
		if hidden {
			reserve(m, f)
			return false, nil
		}
		c.need(md.Fields().Get(i))
		f.Options, err = stripped(c, f.Options)
		return true, err
	})
	if err != nil {
		return err
	}
	dropEmptyOneofs(m)
	m.NestedType, err = each(c, path, messageNested, m.NestedType, func(i int, n *descriptorpb.DescriptorProto, path []int32) (bool, error) {
		inner := md.Messages().Get(i)
		if inner.IsMapEntry() {
			return slices.ContainsFunc(m.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
				return strings.HasSuffix(f.GetTypeName(), "."+n.GetName())
			}), nil
		}
		if !c.holds(inner) {
			return false, nil
		}
		return true, c.message(inner, n, path)
	})
	if err != nil {
		return err
	}
	m.EnumType, err = each(c, path, messageEnums, m.EnumType, func(i int, e *descriptorpb.EnumDescriptorProto, path []int32) (bool, error) {
		if !c.keep[md.Enums().Get(i).FullName()] {
			return false, nil
		}
		return true, c.enum(md.Enums().Get(i), e, path)
	})
	return err
}

// reserve keeps the number of a field from being used again.
func reserve(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) {
	m.ReservedRange = append(m.ReservedRange, &descriptorpb.DescriptorProto_ReservedRange{Start: f.Number, End: proto.Int32(f.GetNumber() + 1)})
}

// dropEmptyOneofs takes out the oneofs of which no branch is left.
func dropEmptyOneofs(m *descriptorpb.DescriptorProto) {
	moved := map[int32]int32{}
	var kept []*descriptorpb.OneofDescriptorProto
	for i, oneof := range m.OneofDecl {
		if slices.ContainsFunc(m.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
			return f.OneofIndex != nil && f.GetOneofIndex() == int32(i)
		}) {
			moved[int32(i)] = int32(len(kept))
			kept = append(kept, oneof)
		}
	}
	for _, f := range m.Field {
		if f.OneofIndex != nil {
			f.OneofIndex = proto.Int32(moved[f.GetOneofIndex()])
		}
	}
	m.OneofDecl = kept
}

func (c *cutter) enum(ed protoreflect.EnumDescriptor, e *descriptorpb.EnumDescriptorProto, path []int32) (err error) {
	if e.Options, err = stripped(c, e.Options); err != nil {
		return err
	}
	e.Value, err = each(c, path, enumValues, e.Value, func(i int, v *descriptorpb.EnumValueDescriptorProto, _ []int32) (bool, error) {
		hidden, err := c.choice.Hidden(ed.Values().Get(i))
		if err != nil {
			return false, err
		}
		if hidden && i > 0 {
			e.ReservedRange = append(e.ReservedRange, &descriptorpb.EnumDescriptorProto_EnumReservedRange{Start: v.Number, End: v.Number})
			return false, nil
		}
		v.Options, err = stripped(c, v.Options)
		return true, err
	})
	return err
}

func (c *cutter) service(sd protoreflect.ServiceDescriptor, s *descriptorpb.ServiceDescriptorProto, path []int32) (err error) {
	if s.Options, err = stripped(c, s.Options); err != nil {
		return err
	}
	s.Method, err = each(c, path, serviceMethods, s.Method, func(i int, m *descriptorpb.MethodDescriptorProto, _ []int32) (bool, error) {
		md := sd.Methods().Get(i)
		if !c.choice.Method(md) {
			return false, nil
		}
		for _, used := range []protoreflect.MessageDescriptor{md.Input(), md.Output()} {
			c.needs[used.ParentFile().Path()] = true
		}
		m.Options, err = stripped(c, m.Options)
		return true, err
	})
	return err
}

// need marks the files of a field's type.
func (c *cutter) need(fd protoreflect.FieldDescriptor) {
	for _, used := range []protoreflect.FieldDescriptor{fd, fd.MapValue()} {
		switch {
		case used == nil:
		case used.Message() != nil && !used.Message().IsPlaceholder():
			c.needs[used.Message().ParentFile().Path()] = true
		case used.Enum() != nil && !used.Enum().IsPlaceholder():
			c.needs[used.Enum().ParentFile().Path()] = true
		}
	}
}

// imports keeps those that are still needed.
func (c *cutter) imports(whole *descriptorpb.FileDescriptorProto) {
	delete(c.needs, whole.GetName())
	whole.Dependency, whole.PublicDependency, whole.WeakDependency = nil, nil, nil
	for path := range c.needs {
		whole.Dependency = append(whole.Dependency, path)
	}
	slices.Sort(whole.Dependency)
}

// comments moves the comments along with what they stand at.
func (c *cutter) comments(whole *descriptorpb.FileDescriptorProto) {
	var kept []*descriptorpb.SourceCodeInfo_Location
	for _, location := range whole.GetSourceCodeInfo().GetLocation() {
		if path, ok := c.moved(location.Path); ok {
			location.Path = path
			kept = append(kept, location)
		}
	}
	if whole.SourceCodeInfo != nil {
		whole.SourceCodeInfo.Location = kept
	}
}

func (c *cutter) moved(path []int32) ([]int32, bool) {
	if len(path) > 0 && path[0] == 3 { // imports are written anew
		return nil, false
	}
	out := slices.Clone(path)
	for i := 2; i <= len(path); i += 2 {
		to, known := c.moves[fmt.Sprint(path[:i])]
		if to < 0 {
			return nil, false
		}
		if !known {
			break
		}
		out[i-1] = int32(to)
	}
	return out, true
}

// stripped are options without annotations: what the language itself has, the HTTP rules and the
// rules of validation stay.
func stripped[T proto.Message](c *cutter, given T) (T, error) {
	if !given.ProtoReflect().IsValid() {
		return given, nil
	}
	kept, files, err := c.choice.Options.Strip(given, public)
	if err != nil {
		return given, err
	}
	for _, path := range files {
		c.needs[path] = true
	}
	if proto.Size(kept) == 0 {
		var none T
		return none, nil
	}
	return kept.(T), nil
}

// public reports whether an option is for everybody.
func public(name protoreflect.FullName) bool {
	for _, prefix := range []string{"google.", "buf.validate.", "validate."} {
		if strings.HasPrefix(string(name), prefix) {
			return true
		}
	}
	return false
}
