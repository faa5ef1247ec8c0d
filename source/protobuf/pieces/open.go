package pieces

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Types are the messages that a call needs, linked. It is safe for concurrent use.
type Types struct {
	define func(name string) json.RawMessage
	pieces map[string]*piece // by full name
	files  map[string]protoreflect.FileDescriptor
	tweaks map[protoreflect.FullName]map[string]Tweak
}

// maxPieces bounds what one call may open.
const maxPieces = 20_000

// Open links the messages of these names and all that they refer to. Define hands out what [Cut] wrote.
func Open(define func(name string) json.RawMessage, names ...string) (types *Types, err error) {
	defer func() {
		if p := recover(); p != nil {
			types, err = nil, fmt.Errorf("the kept descriptors are damaged: %v", p)
		}
	}()
	t := &Types{
		define: define, pieces: map[string]*piece{}, files: map[string]protoreflect.FileDescriptor{},
		tweaks: map[protoreflect.FullName]map[string]Tweak{},
	}
	if err := t.collect(names); err != nil {
		return nil, err
	}
	return t, t.link()
}

// collect reads the pieces, from those that are wanted to those that they need.
func (t *Types) collect(names []string) error {
	queue := make([]string, 0, len(names))
	for _, name := range names {
		if strings.HasPrefix(name, "google.protobuf.") {
			continue
		}
		owner := t.owner(name)
		if owner == "" {
			return fmt.Errorf("nothing is kept of the message %s", name)
		}
		queue = append(queue, owner)
	}
	for len(queue) > 0 {
		name := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if t.pieces[name] != nil {
			continue
		}
		p := &piece{}
		if err := json.Unmarshal(t.define(piecePrefix+name), p); err != nil {
			return fmt.Errorf("read what is kept of %s: %w", name, err)
		}
		t.pieces[name] = p
		if len(t.pieces) > maxPieces {
			return fmt.Errorf("more than %d messages are needed", maxPieces)
		}
		for message, said := range p.Tweaks {
			t.tweaks[protoreflect.FullName(message)] = said
		}
		queue = append(queue, p.Need...)
	}
	return nil
}

// owner is the piece that a type lies in: the type itself, or what stands around it.
func (t *Types) owner(name string) string {
	for name != "" {
		if len(t.define(piecePrefix+name)) > 0 {
			return name
		}
		name = name[:max(strings.LastIndexByte(name, '.'), 0)]
	}
	return ""
}

// link makes one file of the pieces of each file, those that others need first.
func (t *Types) link() error {
	byFile := map[string][]string{}
	for name, p := range t.pieces {
		byFile[p.File] = append(byFile[p.File], name)
	}
	building := map[string]bool{}
	var build func(path string) error
	build = func(path string) error {
		if t.files[path] != nil || building[path] {
			return nil
		}
		building[path] = true
		names := byFile[path]
		slices.Sort(names)
		file, err := t.file(path, names, build)
		if err != nil {
			return fmt.Errorf("link what is kept of %q: %w", path, err)
		}
		t.files[path] = file
		return nil
	}
	for path := range byFile {
		if err := build(path); err != nil {
			return err
		}
	}
	return nil
}

func (t *Types) file(path string, names []string, build func(string) error) (protoreflect.FileDescriptor, error) {
	var head fileHead
	if err := json.Unmarshal(t.define(filePrefix+path), &head); err != nil {
		return nil, err
	}
	whole := &descriptorpb.FileDescriptorProto{Name: &path, Package: &head.Package}
	if head.Syntax != "" {
		whole.Syntax = &head.Syntax
	}
	if head.Edition != 0 {
		whole.Edition = descriptorpb.Edition(head.Edition).Enum()
	}
	if head.Options != "" {
		whole.Options = &descriptorpb.FileOptions{}
		if err := unwire(head.Options, whole.Options); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		p := t.pieces[name]
		if err := p.into(whole); err != nil {
			return nil, err
		}
		for _, need := range p.Need {
			other := t.pieces[need].File
			if err := build(other); err != nil {
				return nil, err
			}
			if other != path && !slices.Contains(whole.Dependency, other) {
				whole.Dependency = append(whole.Dependency, other)
			}
		}
	}
	whole.Dependency = append(whole.Dependency, wellKnownIn(whole)...)
	slices.Sort(whole.Dependency)
	return protodesc.NewFile(whole, t)
}

func (p *piece) into(whole *descriptorpb.FileDescriptorProto) error {
	if p.Enum {
		enum := &descriptorpb.EnumDescriptorProto{}
		whole.EnumType = append(whole.EnumType, enum)
		return unwire(p.Wire, enum)
	}
	message := &descriptorpb.DescriptorProto{}
	whole.MessageType = append(whole.MessageType, message)
	return unwire(p.Wire, message)
}

func unwire(text string, into proto.Message) error {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return proto.Unmarshal(raw, into)
}

// wellKnownIn lists the well-known files that a file refers to.
func wellKnownIn(whole *descriptorpb.FileDescriptorProto) (paths []string) {
	var visit func(m *descriptorpb.DescriptorProto)
	visit = func(m *descriptorpb.DescriptorProto) {
		for _, f := range m.GetField() {
			name := strings.TrimPrefix(f.GetTypeName(), ".")
			if !strings.HasPrefix(name, "google.protobuf.") {
				continue
			}
			if d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name)); err == nil && !slices.Contains(paths, d.ParentFile().Path()) {
				paths = append(paths, d.ParentFile().Path())
			}
		}
		for _, inner := range m.GetNestedType() {
			visit(inner)
		}
	}
	for _, m := range whole.GetMessageType() {
		visit(m)
	}
	return paths
}

// FindFileByPath is for the library that links.
func (t *Types) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if f := t.files[path]; f != nil {
		return f, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName is for the library that links.
func (t *Types) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, f := range t.files {
		if d := find(f, name); d != nil {
			return d, nil
		}
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// Message is a message by its full name.
func (t *Types) Message(name string) (protoreflect.MessageDescriptor, error) {
	d, err := t.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("find the message %s: %w", name, err)
	}
	md, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is no message", name)
	}
	return md, nil
}

// Tweaks are what annotations change of a message's fields, by the field's name.
func (t *Types) Tweaks(name protoreflect.FullName) map[string]Tweak { return t.tweaks[name] }

// Lookup finds what the Anys of one call hold, among all that is kept. It is for one goroutine.
type Lookup struct {
	*Types
	Alien []string // messages that an Any named and nobody describes: they are read as empty
	lent  map[protoreflect.FullName]protoreflect.MessageType
}

// Lookup begins a call.
func (t *Types) Lookup() *Lookup {
	return &Lookup{Types: t, lent: map[protoreflect.FullName]protoreflect.MessageType{}}
}

// FindMessageByURL is for the library that reads and writes JSON.
func (l *Lookup) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return l.FindMessageByName(protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:]))
}

// FindMessageByName is FindMessageByURL for the name alone.
func (l *Lookup) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	if !name.IsValid() {
		return nil, protoregistry.NotFound
	}
	if known := l.lent[name]; known != nil {
		return known, nil
	}
	md, err := l.Message(string(name))
	if err != nil {
		if md, err = l.borrow(name); err != nil {
			return nil, err
		}
	}
	l.lent[name] = dynamicpb.NewMessageType(md)
	return l.lent[name], nil
}

func (l *Lookup) borrow(name protoreflect.FullName) (protoreflect.MessageDescriptor, error) {
	if l.owner(string(name)) != "" {
		others, err := Open(l.define, string(name))
		if err != nil {
			return nil, err
		}
		return others.Message(string(name))
	}
	l.Alien = append(l.Alien, string(name))
	empty := &descriptorpb.FileDescriptorProto{
		Name: proto.String("alien/" + string(name)), Package: proto.String(string(name.Parent())), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String(string(name.Name()))}},
	}
	file, err := protodesc.NewFile(empty, l.Types)
	if err != nil {
		return nil, err
	}
	return file.Messages().Get(0), nil
}

// FindExtensionByName finds none: extensions have no place in JSON here.
func (l *Lookup) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, protoregistry.NotFound
}

// FindExtensionByNumber finds none.
func (l *Lookup) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, protoregistry.NotFound
}
