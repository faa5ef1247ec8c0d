package telemetry

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

//go:embed telemetry.binpb
var descriptors []byte

// Descriptors is the descriptor set of the service, with comments and annotations.
func Descriptors() []byte { return descriptors }

// Package is the Protobuf package of all services.
const Package = "harbor.telemetry.v1"

// Services lists the services with their package.
func Services() (names []string) {
	for _, m := range methods {
		if name := Package + "." + m.service; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Server is one service with its own data. It is safe for concurrent use.
type Server struct {
	now       func() time.Time
	hydration time.Duration
	began     time.Time // what all seeded times are relative to

	mu        sync.Mutex
	warm      map[string]time.Time // cold log → when it is ready
	workflows []workflow
}

// New makes a server; a cold log takes as long as hydration to become readable.
func New(now func() time.Time, hydration time.Duration) *Server {
	return &Server{now: now, hydration: hydration, began: now().UTC().Truncate(time.Second), warm: map[string]time.Time{}}
}

// Handler serves every method, at paths that begin with [Package].
func (s *Server) Handler() (http.Handler, error) {
	files, err := link()
	if err != nil {
		return nil, fmt.Errorf("link the descriptors of telemetry: %w", err)
	}
	mux := http.NewServeMux()
	for _, m := range methods {
		d, err := files.FindDescriptorByName(protoreflect.FullName(Package + "." + m.service + "." + m.name))
		if err != nil {
			return nil, fmt.Errorf("find the method %s: %w", m.name, err)
		}
		path := "/" + Package + "." + m.service + "/" + m.name
		mux.Handle(path, s.serve(path, d.(protoreflect.MethodDescriptor), m))
	}
	return mux, nil
}

func link() (*protoregistry.Files, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := (proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}).Unmarshal(descriptors, set); err != nil {
		return nil, err
	}
	return protodesc.NewFiles(set)
}

// serve is the handler of one method.
func (s *Server) serve(path string, md protoreflect.MethodDescriptor, m method) http.Handler {
	options := []connect.HandlerOption{connect.WithSchema(md), connect.WithRequestInitializer(func(_ connect.Spec, into any) error {
		*into.(*dynamicpb.Message) = *dynamicpb.NewMessage(md.Input()) // an empty message of its type
		return nil
	})}
	if md.Options().(*descriptorpb.MethodOptions).GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS {
		options = append(options, connect.WithIdempotency(connect.IdempotencyNoSideEffects))
	}
	if m.stream != nil {
		return connect.NewServerStreamHandler(path, func(ctx context.Context, req *connect.Request[dynamicpb.Message], stream *connect.ServerStream[dynamicpb.Message]) error {
			in, err := read(req.Msg)
			if err != nil {
				return err
			}
			return m.stream(s, ctx, in, func(answer any) error {
				out, err := write(md, answer)
				if err != nil {
					return err
				}
				return stream.Send(out)
			})
		}, options...)
	}
	return connect.NewUnaryHandler(path, func(_ context.Context, req *connect.Request[dynamicpb.Message]) (*connect.Response[dynamicpb.Message], error) {
		in, err := read(req.Msg)
		if err != nil {
			return nil, err
		}
		answer, err := s.handle(m, in)
		if err != nil {
			return nil, err
		}
		out, err := write(md, answer)
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(out), nil
	}, options...)
}

// handle runs one handler at a time: it owns the data while it runs.
func (s *Server) handle(m method, in json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.handle(s, in)
}

func read(m *dynamicpb.Message) (json.RawMessage, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return text, nil
}

func write(md protoreflect.MethodDescriptor, answer any) (*dynamicpb.Message, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	out := dynamicpb.NewMessage(md.Output())
	if err := protojson.Unmarshal(text, out); err != nil {
		return nil, fmt.Errorf("write the answer of %s: %w", md.Name(), err)
	}
	return out, nil
}

// decode reads a request into the struct that a handler wants.
func decode[T any](in json.RawMessage) (T, error) {
	var out T
	if err := json.Unmarshal(in, &out); err != nil {
		return out, invalid("the request cannot be read: %v", err)
	}
	return out, nil
}

func invalid(format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf(format, args...))
}

func notFound(what, id, hint string) error {
	return connect.NewError(connect.CodeNotFound, fmt.Errorf("there is no %s %q; %s", what, id, hint))
}

// stamp is a time as JSON has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// span is a duration as JSON has it.
func span(d time.Duration) string {
	text := fmt.Sprintf("%.3f", d.Seconds())
	return strings.TrimSuffix(text, ".000") + "s"
}
