package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/twodoor/twodoor/bundle"
)

var update = flag.Bool("update", false, "write the golden anew")

// ask runs the plugin as protoc does, on one file with this text.
func ask(t *testing.T, text, parameter string) *pluginpb.CodeGeneratorResponse {
	t.Helper()
	compiler := protocompile.Compiler{
		SourceInfoMode: protocompile.SourceInfoStandard,
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{".", "../../proto", "../../source/protobuf/testdata/acme"}, Accessor: protocompile.SourceAccessorFromMap(map[string]string{
			"shop/v1/shop.proto": text, "twodoor/v1/annotations.proto": read(t, "../../proto/twodoor/v1/annotations.proto"),
			"shared/annotations/annotations.proto": read(t, "../../source/protobuf/testdata/acme/shared/annotations/annotations.proto"),
		})}),
	}
	files, err := compiler.Compile(t.Context(), "shop/v1/shop.proto")
	if err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{"shop/v1/shop.proto"}, Parameter: &parameter}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		file := protodesc.ToFileDescriptorProto(f)
		if with, ok := f.(interface {
			FileDescriptorProto() *descriptorpb.FileDescriptorProto
		}); ok {
			file = with.FileDescriptorProto()
		}
		request.ProtoFile = append(request.ProtoFile, file)
	}
	add(files[0])
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(context.Background(), bytes.NewReader(raw), &out); err != nil {
		t.Fatal(err)
	}
	answer := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out.Bytes(), answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const head = `syntax = "proto3";
package shop.v1;
import "twodoor/v1/annotations.proto";
import "shared/annotations/annotations.proto";
`

// TestGenerate writes a bundle that opens, and the reference.
func TestGenerate(t *testing.T) {
	answer := ask(t, read(t, "testdata/shop.proto"), "target=https://shop.test,guides=testdata/guides")
	if answer.Error != nil || len(answer.File) != 2 {
		t.Fatalf("%d files, error %s", len(answer.File), answer.GetError())
	}
	file := filepath.Join(t.TempDir(), answer.File[0].GetName())
	if err := os.WriteFile(file, []byte(answer.File[0].GetContent()), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if op, _, err := b.Catalog().Find("shop.order.cancel"); err != nil || op == nil {
		t.Errorf("the bundle %s has no shop.order.cancel: %v", filepath.Base(file), err)
	}
	text := answer.File[1].GetContent()
	if *update {
		if err := os.WriteFile("testdata/shop.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, "testdata/shop.md"); text != want {
		t.Errorf("the reference is\n%s", text)
	}
	again := ask(t, read(t, "testdata/shop.proto"), "target=https://shop.test,guides=testdata/guides")
	if !proto.Equal(answer, again) {
		t.Error("two runs differ")
	}
}

// TestMistakes fails on what annotations cannot mean, with file and line.
func TestMistakes(t *testing.T) {
	for name, each := range map[string]struct {
		body string
		says []string
	}{
		"a name twice": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation).name = "same";}
			rpc B(M) returns (M) {option (twodoor.v1.operation).name = "same";} }
			message M {}`, []string{"shop/v1/shop.proto:6:", `the name "s.same"`, "shop.v1.S/A", "shop.proto:5"}},
		"a tool twice": {`service S { rpc A(M) returns (M) {option (shared.annotations.tool).name = "t";}
			rpc B(M) returns (M) {option (shared.annotations.tool).name = "t";} }
			message M {}`, []string{"shop.proto:6:", `the tool name "t"`}},
		"a guide": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation).guide = "nowhere";} }
			message M {}`, []string{"shop.proto:5:", `no guide "nowhere"`}},
		"read-only and destructive": {`service S {
			rpc A(M) returns (M) {option (shared.annotations.tool) = {read_only_hint: true destructive_hint: true};} }
			message M {}`, []string{"shop.proto:6:", "read_only and destructive"}},
		"without side effects, and writes": {`service S {
			rpc A(M) returns (M) {option idempotency_level = NO_SIDE_EFFECTS; option (twodoor.v1.operation).effect = EFFECT_WRITES;} }
			message M {}`, []string{"shop.proto:6:", "NO_SIDE_EFFECTS"}},
		"a positional": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation).positional = "nope";} }
			message M {string id = 1;}`, []string{"shop.proto:5:", `positional names "nope"`, "shop.v1.M"}},
		"a hidden field": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation).hide = "a.b";} }
			message M {string id = 1;}`, []string{"shop.proto:5:", `hide names "a.b"`}},
		"a step": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation) = {next {call: "s.gone"}};} }
			message M {string id = 1;}`, []string{"shop.proto:5:", `leads to "s.gone"`}},
		"a default": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation) = {default {key: "n" value: "\"many\""}};} }
			message M {int32 n = 1;}`, []string{"shop.proto:5:", "default of n"}},
		"an example": {`service S { rpc A(M) returns (M) {option (twodoor.v1.operation) = {examples {title: "one" arguments: "{\"m\":1}"}};} }
			message M {int32 n = 1;}`, []string{"shop.proto:5:", `example "one"`}},
	} {
		answer := ask(t, head+each.body, "guides=testdata/guides")
		for _, part := range each.says {
			if !strings.Contains(answer.GetError(), part) {
				t.Errorf("%s: %q does not say %q", name, answer.GetError(), part)
			}
		}
	}
	if answer := ask(t, head, "colour=red"); !strings.Contains(answer.GetError(), `no parameter "colour"`) {
		t.Errorf("an unknown parameter: %q", answer.GetError())
	}
}
