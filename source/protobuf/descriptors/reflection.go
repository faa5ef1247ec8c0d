package descriptors

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor"
)

// Reflection asks a server what it serves, by gRPC server reflection v1, else v1alpha.
type Reflection struct {
	Target string                                          // required; base URL
	Do     func(req *http.Request) (*http.Response, error) // required; sends over HTTP/2
}

// Bounds of what is asked.
const (
	maxReflected      = 4000 // files
	maxReflectedBytes = 64 << 20
)

var reflectionServices = []string{"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"}

func (r *Reflection) load(ctx context.Context) (*Set, error) {
	if r.Target == "" {
		return nil, invalid("reflection needs a server", "write its base URL at target:")
	}
	var last error
	for _, service := range reflectionServices {
		set, err := r.ask(ctx, service)
		if err == nil {
			return set, nil
		}
		if last = err; connect.CodeOf(err) != connect.CodeUnimplemented {
			break
		}
	}
	if fault, ok := errors.AsType[*twodoor.Error](last); ok {
		return nil, fault
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &twodoor.Error{
		Code: twodoor.CodeUnavailable, Message: fmt.Sprintf("%s does not tell what it serves: %v", r.Target, last), Cause: last,
		Hint: "turn server reflection on there, or give its descriptors: protobuf: {descriptors: ./api.binpb}",
	}
}

// asking is one conversation with a server.
type asking struct {
	stream *connect.BidiStreamForClient[frame, frame]
	files  map[string]*descriptorpb.FileDescriptorProto
	size   int
}

// frame is a message of the conversation as bytes.
type frame struct{ data []byte }

type httpDoer func(req *http.Request) (*http.Response, error)

func (d httpDoer) Do(req *http.Request) (*http.Response, error) { return d(req) }

func (r *Reflection) ask(ctx context.Context, service string) (*Set, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address := strings.TrimRight(r.Target, "/") + "/" + service + "/ServerReflectionInfo"
	client := connect.NewClient[frame, frame](httpDoer(r.Do), address, connect.WithGRPC(), connect.WithCodec(frames{}), connect.WithReadMaxBytes(maxReflectedBytes))
	a := &asking{stream: client.CallBidiStream(ctx), files: map[string]*descriptorpb.FileDescriptorProto{}}
	defer a.stream.CloseResponse()
	defer a.stream.CloseRequest()
	names, err := a.services()
	if err != nil {
		return nil, err
	}
	own, err := a.describe(names)
	if err != nil {
		return nil, err
	}
	return a.link(own)
}

// Numbers of the fields of ServerReflectionRequest and ServerReflectionResponse (grpc/reflection/v1).
const (
	askFile, askSymbol, askServices    protowire.Number = 3, 4, 7
	tellFiles, tellServices, tellError protowire.Number = 4, 6, 7
	inner                              protowire.Number = 1 // the repeated field of each answer
	errorMessage                       protowire.Number = 2
)

// question asks for one thing, and is the field of the answer that is wanted.
func (a *asking) question(what protowire.Number, value string, wanted protowire.Number) ([]byte, error) {
	data := protowire.AppendTag(nil, what, protowire.BytesType)
	data = protowire.AppendString(data, value)
	if err := a.stream.Send(&frame{data}); err != nil {
		if _, told := a.stream.Receive(); told != nil { // why the stream ended
			return nil, told
		}
		return nil, err
	}
	answer, err := a.stream.Receive()
	if err != nil {
		return nil, err
	}
	if a.size += len(answer.data); a.size > maxReflectedBytes {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the server tells more than %d MiB of descriptors", maxReflectedBytes>>20)}
	}
	if fault, ok := fieldBytes(answer.data, tellError); ok {
		text, _ := fieldBytes(fault, errorMessage)
		return nil, fmt.Errorf("the server says of %q: %s", value, text)
	}
	found, ok := fieldBytes(answer.data, wanted)
	if !ok {
		return nil, fmt.Errorf("the server answers nothing of %q", value)
	}
	return found, nil
}

// services lists the services, but for reflection itself.
func (a *asking) services() (names []string, err error) {
	list, err := a.question(askServices, "", tellServices)
	if err != nil {
		return nil, err
	}
	for _, one := range repeated(list, inner) {
		name, _ := fieldBytes(one, inner)
		if !slices.Contains(reflectionServices, string(name)) {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// describe fetches the files of services, and what these import.
func (a *asking) describe(services []string) (own []string, err error) {
	for _, name := range services {
		found, err := a.question(askSymbol, name, tellFiles)
		if err != nil {
			return nil, err
		}
		if _, err := a.take(found); err != nil {
			return nil, err
		}
		if path := a.fileOf(name); path != "" && !slices.Contains(own, path) {
			own = append(own, path)
		}
	}
	bundle, err := bundled()
	if err != nil {
		return nil, err
	}
	queue := make([]string, 0, len(a.files))
	for path := range a.files {
		queue = append(queue, path)
	}
	for len(queue) > 0 {
		file := a.files[queue[len(queue)-1]]
		queue = queue[:len(queue)-1]
		for _, path := range file.GetDependency() {
			if a.files[path] != nil || bundle[path] != nil {
				continue
			}
			found, err := a.question(askFile, path, tellFiles)
			if err != nil {
				continue // a gap that only those notice who need it
			}
			paths, err := a.take(found)
			if err != nil {
				return nil, err
			}
			queue = append(queue, paths...)
		}
	}
	return own, nil
}

// fileOf is the file that declares a service; empty: none was told.
func (a *asking) fileOf(service string) string {
	for path, file := range a.files {
		for _, s := range file.GetService() {
			if strings.TrimPrefix(file.GetPackage()+"."+s.GetName(), ".") == service {
				return path
			}
		}
	}
	return ""
}

// take keeps the files of an answer, and lists them.
func (a *asking) take(answer []byte) (paths []string, err error) {
	for _, raw := range repeated(answer, inner) {
		file := &descriptorpb.FileDescriptorProto{}
		if err := (proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}).Unmarshal(raw, file); err != nil {
			return nil, fmt.Errorf("read a file that the server tells: %w", err)
		}
		if paths = append(paths, file.GetName()); a.files[file.GetName()] == nil {
			a.files[file.GetName()] = file
		}
		if len(a.files) > maxReflected {
			return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the server tells more than %d files", maxReflected)}
		}
	}
	return paths, nil
}

func (a *asking) link(own []string) (*Set, error) {
	whole := &descriptorpb.FileDescriptorSet{}
	for _, file := range a.files {
		whole.File = append(whole.File, file)
	}
	registry, err := link(whole)
	if err != nil {
		return nil, invalid(fmt.Sprintf("what the server tells cannot be linked: %v", err), "give its descriptors instead: protobuf: {descriptors: ./api.binpb}")
	}
	set := &Set{}
	for _, path := range own {
		file, err := registry.FindFileByPath(path)
		if err != nil {
			return nil, fmt.Errorf("find the file %q: %w", path, err)
		}
		set.Files = append(set.Files, file)
	}
	return set, nil
}

// repeated are the length-delimited fields of a number.
func repeated(data []byte, wanted protowire.Number) (all [][]byte) {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return all
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return all
		}
		if number == wanted && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(data[n:])
			all = append(all, value)
		}
		data = data[n+size:]
	}
	return all
}

// frames is a codec that hands bytes through; the library's own messages are real.
type frames struct{}

// Name is the format that gRPC names.
func (frames) Name() string { return "proto" }

// Marshal takes the bytes of a frame.
func (frames) Marshal(m any) ([]byte, error) {
	if f, ok := m.(*frame); ok {
		return f.data, nil
	}
	return proto.Marshal(m.(proto.Message))
}

// Unmarshal keeps the bytes of a frame.
func (frames) Unmarshal(data []byte, into any) error {
	if f, ok := into.(*frame); ok {
		f.data = slices.Clone(data)
		return nil
	}
	return proto.Unmarshal(data, into.(proto.Message))
}
