package descriptors

import (
	"context"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

var update = flag.Bool("update", false, "bundle the annotations anew")

// TestBundledAnnotations holds the bundled descriptors to twodoor's own annotations.
func TestBundledAnnotations(t *testing.T) {
	const name = "twodoor/v1/annotations.proto"
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{"../../../proto"}})}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	want := protodesc.ToFileDescriptorProto(files[0])
	if *update {
		rewrite(t, want)
		return
	}
	all, err := bundled()
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(all[name], want) {
		t.Error("the bundled annotations are not those of proto/twodoor/v1: go test ./source/protobuf/descriptors -update")
	}
}

func rewrite(t *testing.T, file *descriptorpb.FileDescriptorProto) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(bundledSet, set); err != nil {
		t.Fatal(err)
	}
	set.File = slices.DeleteFunc(set.File, func(f *descriptorpb.FileDescriptorProto) bool { return f.GetName() == file.GetName() })
	set.File = append(set.File, file)
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bundled/bundled.binpb", raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBundledLinks proves that the bundled files need nothing else.
func TestBundledLinks(t *testing.T) {
	registry, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"google/api/annotations.proto", "buf/validate/validate.proto", "validate/validate.proto", "google/rpc/error_details.proto", "google/longrunning/operations.proto"} {
		f, err := registry.FindFileByPath(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range f.Imports().Len() {
			if f.Imports().Get(i).IsPlaceholder() {
				t.Errorf("%s imports %s, which is not bundled", name, f.Imports().Get(i).Path())
			}
		}
	}
}
