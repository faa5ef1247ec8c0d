package protobuf_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // so that it answers packed
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/twodoor/twodoor/source/protobuf/descriptors"
)

// fleetService is the service that the tests call, served by real servers of two makers.
type fleetService struct {
	service protoreflect.ServiceDescriptor
	files   []protoreflect.FileDescriptor
}

func newFleetService(t testing.TB) *fleetService {
	t.Helper()
	input := &descriptors.Input{Files: []string{folder(t, "fleet")}, ImportPaths: []string{folder(t, "fleet")}}
	set, err := input.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &fleetService{service: set.Files[0].Services().Get(0), files: set.All()}
}

// refusal is an error with details, told by each server in its own way.
type refusal struct {
	code    codes.Code
	message string
	details []proto.Message
}

func (r *refusal) Error() string { return r.message }

// answer is what a method answers. The name of the ship asks for what the test wants to see.
func (s *fleetService) answer(ctx context.Context, method string, in *dynamicpb.Message, header func(string) string) (*dynamicpb.Message, error) {
	md := s.service.Methods().ByName(protoreflect.Name(method))
	out := dynamicpb.NewMessage(md.Output())
	text, err := protojson.Marshal(in)
	if err != nil {
		return nil, err
	}
	name := in.Get(in.Descriptor().Fields().Get(0)).String()
	switch kind, rest, _ := strings.Cut(strings.TrimPrefix(name, "ships/"), "-"); {
	case method == "UpdateShip":
		return out, protojson.Unmarshal([]byte(fmt.Sprintf(`{"name":"ships/1","papers":{"got":%s},"tenant":"north","ownerRef":"ships/7"}`, text)), out)
	case method == "ListShips":
		return out, nil
	case kind == "key":
		return out, protojson.Unmarshal([]byte(fmt.Sprintf(`{"name":%q,"port":%q}`, name, header("Authorization"))), out)
	case kind == "refuse":
		return nil, s.refusal(rest)
	case kind == "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case kind == "deadline":
		deadline, ok := ctx.Deadline()
		if !ok || time.Until(deadline) > time.Minute {
			return nil, &refusal{codes.Internal, "no deadline came along", nil}
		}
		return out, nil
	case kind == "big":
		return out, protojson.Unmarshal([]byte(fmt.Sprintf(`{"name":%q,"port":%q}`, name, strings.Repeat("0123456789abcdef", 1<<16))), out)
	case kind == "alien":
		packed := &anypb.Any{TypeUrl: "type.googleapis.com/" + rest, Value: []byte{8, 1}}
		raw, err := proto.Marshal(packed)
		if err != nil {
			return nil, err
		}
		extra := out.Descriptor().Fields().ByName("extra")
		return out, proto.Unmarshal(raw, out.Mutable(extra).Message().Interface())
	}
	return out, protojson.Unmarshal([]byte(`{"name":`+fmt.Sprintf("%q", name)+`,"kind":"KIND_CARGO","displacement":"1152921504606846977","insured":false,
		"atSea":{"latitude":54.5,"atMs":"1700000000000","course":{"bearing":90}},"built":"2020-01-02T03:04:05Z","endurance":"90.500s","motto":"on","ownerRef":"ships/2","tenant":"north",
		"extra":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}}`), out)
}

// position is the nth answer of a stream.
func (s *fleetService) position(n int) (*dynamicpb.Message, error) {
	out := dynamicpb.NewMessage(s.service.Methods().ByName("WatchShip").Output())
	return out, protojson.Unmarshal([]byte(fmt.Sprintf(`{"latitude":%d,"atMs":"17"}`, n)), out)
}

// refusal has the details that services send.
func (s *fleetService) refusal(code string) error {
	var c codes.Code
	if err := c.UnmarshalJSON([]byte(`"` + code + `"`)); err != nil {
		return err
	}
	registry, err := descriptors.Bundled()
	if err != nil {
		return err
	}
	detail := func(name protoreflect.FullName, text string) proto.Message {
		d, err := registry.FindDescriptorByName(name)
		if err != nil {
			panic(err)
		}
		m := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
		if err := protojson.Unmarshal([]byte(text), m); err != nil {
			panic(err)
		}
		return m
	}
	return &refusal{c, "the ship refuses", []proto.Message{
		detail("google.rpc.BadRequest", `{"fieldViolations":[{"field":"ship.built_after","description":"lies in the future"}]}`),
		detail("google.rpc.ErrorInfo", `{"reason":"SHIP_REFUSES","domain":"fleet"}`),
		detail("google.rpc.RetryInfo", `{"retryDelay":"1.5s"}`),
		detail("google.rpc.Help", `{"links":[{"description":"ask the harbour master","url":"https://fleet.test/help"}]}`),
	}}
}

// serveConnect serves by connect-go, which speaks Connect, gRPC and gRPC-Web on one port, over
// HTTP/1.1 and unencrypted HTTP/2.
func (s *fleetService) serveConnect(t testing.TB) string {
	t.Helper()
	mux := http.NewServeMux()
	for i := range s.service.Methods().Len() {
		md := s.service.Methods().Get(i)
		path := "/" + string(s.service.FullName()) + "/" + string(md.Name())
		options := []connect.HandlerOption{
			connect.WithSchema(md), connect.WithRequestInitializer(func(_ connect.Spec, m any) error {
				*m.(*dynamicpb.Message) = *dynamicpb.NewMessage(md.Input())
				return nil
			}),
		}
		if md.Options().(interface{ GetIdempotencyLevel() idempotency }).GetIdempotencyLevel() == 1 {
			options = append(options, connect.WithIdempotency(connect.IdempotencyNoSideEffects))
		}
		switch {
		case md.IsStreamingClient():
		case md.IsStreamingServer():
			mux.Handle(path, connect.NewServerStreamHandler(path, func(ctx context.Context, req *connect.Request[dynamicpb.Message], stream *connect.ServerStream[dynamicpb.Message]) error {
				return s.watch(ctx, req.Msg, stream.Send)
			}, options...))
		default:
			mux.Handle(path, connect.NewUnaryHandler(path, func(ctx context.Context, req *connect.Request[dynamicpb.Message]) (*connect.Response[dynamicpb.Message], error) {
				out, err := s.answer(ctx, string(md.Name()), req.Msg, req.Header().Get)
				if err != nil {
					return nil, connectError(err)
				}
				return connect.NewResponse(out), nil
			}, options...))
		}
	}
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// watch sends as many positions as are wanted; without a number it goes on until nobody listens.
func (s *fleetService) watch(ctx context.Context, in *dynamicpb.Message, send func(*dynamicpb.Message) error) error {
	count := int(in.Get(in.Descriptor().Fields().ByName("count")).Int())
	for n := 1; count == 0 || n <= count; n++ {
		out, err := s.position(n)
		if err != nil {
			return err
		}
		if err := send(out); err != nil {
			return err
		}
	}
	if strings.HasSuffix(in.Get(in.Descriptor().Fields().ByName("name")).String(), "hangs") {
		<-ctx.Done()
	}
	return nil
}

func connectError(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	out := connect.NewError(connect.Code(r.code), errors.New(r.message))
	for _, m := range r.details {
		detail, err := connect.NewErrorDetail(m)
		if err != nil {
			return err
		}
		out.AddDetail(detail)
	}
	return out
}

// serveGRPC serves by grpc-go, with reflection.
func (s *fleetService) serveGRPC(t testing.TB) string {
	t.Helper()
	server := grpc.NewServer()
	desc := &grpc.ServiceDesc{ServiceName: string(s.service.FullName()), HandlerType: (*any)(nil), Metadata: s.service.ParentFile().Path()}
	for i := range s.service.Methods().Len() {
		md := s.service.Methods().Get(i)
		if md.IsStreamingClient() {
			continue
		}
		if md.IsStreamingServer() {
			desc.Streams = append(desc.Streams, grpc.StreamDesc{StreamName: string(md.Name()), ServerStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
				in := dynamicpb.NewMessage(md.Input())
				if err := stream.RecvMsg(in); err != nil {
					return err
				}
				return s.watch(stream.Context(), in, func(m *dynamicpb.Message) error { return stream.SendMsg(m) })
			}})
			continue
		}
		desc.Methods = append(desc.Methods, grpc.MethodDesc{MethodName: string(md.Name()), Handler: func(_ any, ctx context.Context, read func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := dynamicpb.NewMessage(md.Input())
			if err := read(in); err != nil {
				return nil, err
			}
			sent, _ := metadata.FromIncomingContext(ctx)
			out, err := s.answer(ctx, string(md.Name()), in, func(name string) string { return strings.Join(sent.Get(name), "") })
			return out, grpcError(err)
		}})
	}
	server.RegisterService(desc, struct{}{})
	opts := reflection.ServerOptions{Services: server, DescriptorResolver: resolver{s.files}}
	reflectionv1.RegisterServerReflectionServer(server, reflection.NewServerV1(opts))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	return "http://" + listener.Addr().String()
}

func grpcError(err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	st := status.New(r.code, r.message).Proto()
	for _, m := range r.details {
		packed, err := anypb.New(m)
		if err != nil {
			return err
		}
		st.Details = append(st.Details, packed)
	}
	return status.ErrorProto(st)
}
