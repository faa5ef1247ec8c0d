package options

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/twodoor/twodoor/source/protobuf/descriptors"
)

// Reader reads options. It is safe for concurrent use.
type Reader struct {
	known  map[extensionKey]protoreflect.ExtensionType
	byName map[protoreflect.FullName]protoreflect.ExtensionType

	mu   sync.Mutex
	sets map[setKey]Set
}

type extensionKey struct {
	of     protoreflect.FullName
	number protoreflect.FieldNumber
}

// setKey tells options that are the same to the byte, like those of most fields that have any.
type setKey struct {
	of   protoreflect.FullName
	wire string
}

// NewReader makes a reader that knows the options which these files declare, and the bundled ones.
func NewReader(files []protoreflect.FileDescriptor) (*Reader, error) {
	r := &Reader{known: map[extensionKey]protoreflect.ExtensionType{}, byName: map[protoreflect.FullName]protoreflect.ExtensionType{}, sets: map[setKey]Set{}}
	registry, err := descriptors.Bundled()
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(files, descriptors.FilesOf(registry)) {
		r.learn(f)
	}
	return r, nil
}

// declarer is a file or a message: what extensions are declared in.
type declarer interface {
	Extensions() protoreflect.ExtensionDescriptors
	Messages() protoreflect.MessageDescriptors
}

func (r *Reader) learn(in declarer) {
	for i := range in.Extensions().Len() {
		x := in.Extensions().Get(i)
		if x.Message() != nil && x.Message().IsPlaceholder() || x.Enum() != nil && x.Enum().IsPlaceholder() {
			continue
		}
		key := extensionKey{x.ContainingMessage().FullName(), x.Number()}
		if r.known[key] == nil {
			r.known[key] = dynamicpb.NewExtensionType(x)
		}
		if r.byName[x.FullName()] == nil {
			r.byName[x.FullName()] = r.known[key]
		}
	}
	for i := range in.Messages().Len() {
		r.learn(in.Messages().Get(i))
	}
}

// FindExtensionByNumber is for the library that reads options.
func (r *Reader) FindExtensionByNumber(of protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if x := r.known[extensionKey{of, number}]; x != nil {
		return x, nil
	}
	return nil, protoregistry.NotFound
}

// FindExtensionByName is for the library that reads options.
func (r *Reader) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if x := r.byName[name]; x != nil {
		return x, nil
	}
	return nil, protoregistry.NotFound
}

// FindMessageByName is for the library that writes options as JSON.
func (r *Reader) FindMessageByName(protoreflect.FullName) (protoreflect.MessageType, error) {
	return nil, protoregistry.NotFound
}

// FindMessageByURL is for the library that writes options as JSON.
func (r *Reader) FindMessageByURL(string) (protoreflect.MessageType, error) {
	return nil, protoregistry.NotFound
}

// Set is what the custom options of one descriptor say, in the order of their names.
type Set struct {
	options []Option
	Unknown []protoreflect.FieldNumber // options that nothing describes
}

// Option is one custom option.
type Option struct {
	Desc  protoreflect.ExtensionDescriptor
	Value protoreflect.Value
}

// Of is what the options of a descriptor say.
func (r *Reader) Of(d protoreflect.Descriptor) (Set, error) {
	message := d.Options()
	if message == nil || !message.ProtoReflect().IsValid() {
		return Set{}, nil
	}
	wire, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(message)
	if err != nil {
		return Set{}, fmt.Errorf("read the options of %s: %w", d.FullName(), err)
	}
	if !hasCustom(wire) {
		return Set{}, nil
	}
	key := setKey{message.ProtoReflect().Descriptor().FullName(), string(wire)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if set, ok := r.sets[key]; ok {
		return set, nil
	}
	fresh := message.ProtoReflect().New()
	if err := (proto.UnmarshalOptions{Resolver: r, AllowPartial: true}).Unmarshal(wire, fresh.Interface()); err != nil {
		return Set{}, fmt.Errorf("read the options of %s: %w", d.FullName(), err)
	}
	set := setOf(fresh)
	r.sets[key] = set
	return set, nil
}

// hasCustom reports whether options hold an extension: those numbers begin at 1000.
func hasCustom(wire []byte) bool {
	for len(wire) > 0 {
		number, _, n := protowire.ConsumeField(wire)
		if n < 0 {
			return false
		}
		if number >= 1000 {
			return true
		}
		wire = wire[n:]
	}
	return false
}

func setOf(m protoreflect.Message) (set Set) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.IsExtension() {
			set.options = append(set.options, Option{field, value})
		}
		return true
	})
	slices.SortFunc(set.options, func(a, b Option) int { return cmp.Compare(a.Desc.FullName(), b.Desc.FullName()) })
	for unknown := m.GetUnknown(); len(unknown) > 0; {
		number, _, n := protowire.ConsumeField(unknown)
		if n < 0 {
			break
		}
		if !slices.Contains(set.Unknown, number) {
			set.Unknown = append(set.Unknown, number)
		}
		unknown = unknown[n:]
	}
	return set
}

// Get is the value of the option of that name.
func (s Set) Get(name protoreflect.FullName) (protoreflect.Value, bool) {
	for _, option := range s.options {
		if option.Desc.FullName() == name {
			return option.Value, true
		}
	}
	return protoreflect.Value{}, false
}

// Message is the value of the option of that name, where it is a message; else nil.
func (s Set) Message(name protoreflect.FullName) protoreflect.Message {
	value, ok := s.Get(name)
	if !ok {
		return nil
	}
	m, _ := value.Interface().(protoreflect.Message)
	return m
}

// All lists the options.
func (s Set) All() []Option { return s.options }

// IsDeprecated reports the option that every descriptor has.
func IsDeprecated(d protoreflect.Descriptor) bool {
	o, ok := d.Options().(interface{ GetDeprecated() bool })
	return ok && o.GetDeprecated()
}

// Idempotency is what idempotency_level says of a method.
func Idempotency(m protoreflect.MethodDescriptor) descriptorpb.MethodOptions_IdempotencyLevel {
	o, _ := m.Options().(*descriptorpb.MethodOptions)
	return o.GetIdempotencyLevel()
}
