package twodoorv1_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

var update = flag.Bool("update", false, "write the generated Go anew")

// TestGenerated holds annotations.pb.go to annotations.proto: it runs protoc-gen-go as protoc does.
func TestGenerated(t *testing.T) {
	const name = "twodoor/v1/annotations.proto"
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{"../.."}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name}, Parameter: proto.String("paths=source_relative"),
		ProtoFile: []*descriptorpb.FileDescriptorProto{
			protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto), protodesc.ToFileDescriptorProto(files[0]),
		},
	}
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	plugin := exec.Command("go", "run", "google.golang.org/protobuf/cmd/protoc-gen-go")
	plugin.Stdin, plugin.Stdout, plugin.Stderr = bytes.NewReader(raw), &out, os.Stderr
	if err := plugin.Run(); err != nil {
		t.Fatalf("run protoc-gen-go: %v", err)
	}
	var answer pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out.Bytes(), &answer); err != nil || len(answer.File) != 1 {
		t.Fatalf("protoc-gen-go answers %d files, %v %s", len(answer.File), err, answer.GetError())
	}
	want := answer.File[0].GetContent()
	if *update {
		if err := os.WriteFile("annotations.pb.go", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("annotations.pb.go")
	if err != nil || string(got) != want {
		t.Errorf("annotations.pb.go is not what annotations.proto gives (%v): go test ./proto/twodoor/v1 -update", err)
	}
}
