package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/source/protobuf"
)

// generate makes the files of one request.
func generate(ctx context.Context, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	source, guides, err := sourceOf(request)
	if err != nil {
		return nil, err
	}
	reading, err := source.Strict(ctx, guides)
	if err != nil {
		return nil, err
	}
	compiled, err := compile(reading)
	if err != nil {
		return nil, err
	}
	text, err := reference(ctx, reading)
	if err != nil {
		return nil, err
	}
	return &pluginpb.CodeGeneratorResponse{File: []*pluginpb.CodeGeneratorResponse_File{
		{Name: proto.String(source.Name + ".bundle"), Content: proto.String(string(compiled))},
		{Name: proto.String(source.Name + ".md"), Content: proto.String(text)},
	}}, nil
}

// sourceOf is the source that a request describes, and the guides that there are; nil: not known.
func sourceOf(request *pluginpb.CodeGeneratorRequest) (source *protobuf.Source, guides []string, err error) {
	raw, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: request.GetProtoFile()})
	if err != nil {
		return nil, nil, fmt.Errorf("read the files of the request: %w", err)
	}
	source = &protobuf.Source{Name: nameOf(request), Raw: raw, Own: request.GetFileToGenerate()}
	for pair := range strings.SplitSeq(request.GetParameter(), ",") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "":
		case "source":
			source.Name = value
		case "target":
			source.Target = value
		case "wire":
			source.Wire = value
		case "export":
			source.Export = twodoor.Export(value)
		case "guides":
			if guides, err = guidesIn(value); err != nil {
				return nil, nil, err
			}
		default:
			return nil, nil, fmt.Errorf("there is no parameter %q; there are source, target, wire, export and guides", key)
		}
	}
	return source, guides, nil
}

// nameOf is the first word of the package of the first file.
func nameOf(request *pluginpb.CodeGeneratorRequest) string {
	for _, file := range request.GetProtoFile() {
		if len(request.GetFileToGenerate()) > 0 && file.GetName() == request.GetFileToGenerate()[0] {
			name, _, _ := strings.Cut(file.GetPackage(), ".")
			if name != "" {
				return strings.ReplaceAll(strings.ToLower(name), "_", "-")
			}
		}
	}
	return "api"
}

// guidesIn lists the guides of a folder by name.
func guidesIn(folder string) ([]string, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("read the guides: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("read the guides: %w", err)
	}
	names := []string{}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
	return names, nil
}

// compile is the bundle of a reading, alike for alike protos.
func compile(reading *twodoor.Reading) ([]byte, error) {
	dir, err := os.MkdirTemp("", "protoc-gen-twodoor-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the bundle: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "out.bundle")
	if err := bundle.Write(file, bundle.Stamp{Key: "protoc-gen-twodoor"}, []*twodoor.Reading{reading}); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
