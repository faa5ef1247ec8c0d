package protobuf_test

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

type idempotency = descriptorpb.MethodOptions_IdempotencyLevel

// resolver is what a reflecting server knows.
type resolver struct{ files []protoreflect.FileDescriptor }

func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	for _, f := range r.files {
		if f.Path() == path {
			return f, nil
		}
	}
	return nil, protoregistry.NotFound
}

func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	for _, f := range r.files {
		if s := f.Services().ByName(name.Name()); s != nil && s.FullName() == name {
			return s, nil
		}
	}
	return nil, protoregistry.NotFound
}
