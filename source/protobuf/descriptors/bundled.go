package descriptors

import (
	_ "embed"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "google.golang.org/protobuf/types/gofeaturespb" // each of these brings its file along
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/sourcecontextpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

//go:embed bundled/bundled.binpb
var bundledSet []byte

// bundled are the files that every set may lean on, by path: the well-known types, and the
// annotations in general use. The files are shared: nobody changes them.
var bundled = sync.OnceValues(func() (map[string]*descriptorpb.FileDescriptorProto, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}).Unmarshal(bundledSet, set); err != nil {
		return nil, fmt.Errorf("read the bundled descriptors: %w", err)
	}
	files := map[string]*descriptorpb.FileDescriptorProto{}
	for _, file := range set.File {
		files[file.GetName()] = file
	}
	for _, name := range wellKnown {
		file, err := protoregistry.GlobalFiles.FindFileByPath(name)
		if err != nil {
			return nil, fmt.Errorf("find the well-known file %s: %w", name, err)
		}
		files[name] = protodesc.ToFileDescriptorProto(file)
	}
	return files, nil
})

// wellKnown are the files that come with the language itself.
var wellKnown = []string{
	"google/protobuf/any.proto", "google/protobuf/api.proto", "google/protobuf/descriptor.proto", "google/protobuf/duration.proto",
	"google/protobuf/empty.proto", "google/protobuf/field_mask.proto", "google/protobuf/source_context.proto", "google/protobuf/struct.proto",
	"google/protobuf/timestamp.proto", "google/protobuf/type.proto", "google/protobuf/wrappers.proto", "google/protobuf/go_features.proto",
}

// Bundled links the bundled files: for reading options and error details whose own descriptors a
// source does not carry.
var Bundled = sync.OnceValues(func() (*protoregistry.Files, error) {
	files, err := bundled()
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range files {
		set.File = append(set.File, file)
	}
	return newFiles(set)
})

// FilesOf lists the files of a registry.
func FilesOf(registry *protoregistry.Files) (all []protoreflect.FileDescriptor) {
	registry.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		all = append(all, f)
		return true
	})
	return all
}
