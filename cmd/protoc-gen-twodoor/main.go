// Command protoc-gen-twodoor is a plugin of protoc and buf generate: of annotated services it writes
// the catalog that twodoor serves (NAME.bundle) and a reference for people (NAME.md), and it fails on
// annotations that cannot be meant, with file and line. Parameters, separated by commas:
//
//	source=NAME      the first word of all operation ids; default the first word of the package
//	target=URL       base URL of the server
//	wire=connect     connect, connect-binary, grpc, grpc-web or rest
//	export=none      of methods that no annotation exports: none, cli, mcp or all
//	guides=FOLDER    where the guides lie that annotations name; without it they are not looked at
//
// It wants all files at once: with buf, strategy: all.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "protoc-gen-twodoor:", err)
		os.Exit(1)
	}
}

// run answers one request. What is wrong with the protos is part of the answer.
func run(ctx context.Context, in io.Reader, out io.Writer) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	request := &pluginpb.CodeGeneratorRequest{}
	if err := proto.Unmarshal(raw, request); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	answer, err := generate(ctx, request)
	if err != nil {
		answer = &pluginpb.CodeGeneratorResponse{Error: proto.String(err.Error())}
	}
	features := uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL | pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
	answer.SupportedFeatures = &features
	answer.MinimumEdition, answer.MaximumEdition = proto.Int32(900), proto.Int32(1000) // proto2 to edition 2023
	if raw, err = proto.Marshal(answer); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	_, err = out.Write(raw)
	return err
}
