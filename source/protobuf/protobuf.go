package protobuf

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf/call"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// Kind is the kind of the operations that this package reads and invokes.
const Kind = "protobuf"

// Invoker carries out the operations that [Source] reads.
type Invoker = call.Invoker

// Doer sends an HTTP request with the key that access asks for put on it; see [call.Doer].
type Doer = call.Doer

// Source is the methods of some Protobuf services. Exactly one of Files, Descriptors and Reflection
// says where they are described.
type Source struct {
	Name string // required; first word of all ids

	Files       []string // .proto files and folders of them; absolute paths
	ImportPaths []string // where imports are looked for; absolute paths
	Descriptors string   // a descriptor set or buf image: absolute path or URL
	Reflection  bool     // ask the server at Target

	Raw []byte   // a descriptor set itself, in place of all of these
	Own []string // of Raw: the files that are described; others are there for their imports

	Services []string       // globs over services with their package; empty: all
	Target   string         // base URL of the server; empty: https:// and google.api.default_host, where there is one
	Wire     string         // connect, connect-binary, grpc, grpc-web or rest; empty: grpc with Reflection, else connect
	Export   twodoor.Export // of methods that no annotation exports; empty: all doors
	Prefix   string         // stands for the name in MCP spellings
	Kept     twodoor.Lock   // what was named earlier, and stays
	MaxBytes int64          // of all files together; 0: descriptors.DefaultMaxBytes

	Operations map[string]json.RawMessage // annotations by glob over ids and over "package.Service/Method"

	Fetch func(ctx context.Context, url string) ([]byte, error) // reads a URL; nil: URLs are refused
	Doer  Doer                                                  // asks the server; needed for Reflection alone
}

// Read reads the descriptors. Methods that cannot be served become exceptions; an error is a
// *[twodoor.Error] that names the place and the way out.
func (s *Source) Read(ctx context.Context) (*twodoor.Reading, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return r.read(ctx)
}

// open loads the descriptors for a reading.
func (s *Source) open(ctx context.Context) (*reader, error) {
	if s.Name == "" {
		return nil, fmt.Errorf("a protobuf source needs a name")
	}
	switch s.wire() {
	case plan.Connect, plan.ConnectBinary, plan.GRPC, plan.GRPCWeb, plan.REST:
	default:
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("there is no wire %q", s.Wire), Hint: "there are connect, connect-binary, grpc, grpc-web and rest"}
	}
	input := &descriptors.Input{Files: s.Files, ImportPaths: s.ImportPaths, Set: s.Descriptors, Raw: s.Raw, Own: s.Own, Fetch: s.Fetch, MaxBytes: s.MaxBytes}
	if s.Reflection {
		input.Reflect = &descriptors.Reflection{Target: s.Target, Do: s.asker()}
	}
	set, err := input.Load(ctx)
	if err != nil {
		return nil, err
	}
	return newReader(s, set)
}

func (s *Source) wire() string {
	switch {
	case s.Wire != "":
		return s.Wire
	case s.Reflection:
		return plan.GRPC
	}
	return plan.Connect
}

// asker sends a question about descriptors as HTTP/2, with the source's key.
func (s *Source) asker() func(req *http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		if s.Doer == nil {
			return nil, fmt.Errorf("no way out to %s", req.URL.Host)
		}
		req.Proto, req.ProtoMajor, req.ProtoMinor = "HTTP/2.0", 2, 0
		return s.Doer.Do(req, twodoor.Access{Source: s.Name})
	}
}
