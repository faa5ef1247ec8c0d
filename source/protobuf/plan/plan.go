package plan

import "github.com/twodoor/twodoor/source/protobuf/pieces"

// The wires: how a call travels.
const (
	Connect       = "connect"        // Connect with JSON; GET where the method has no side effects
	ConnectBinary = "connect-binary" // Connect with Protobuf's own bytes
	GRPC          = "grpc"           // HTTP/2, encrypted or not
	GRPCWeb       = "grpc-web"
	REST          = "rest" // by the google.api.http rules
)

// Plan is what reading leaves in Operation.Plan, and all that invoking knows beside the descriptors
// that are kept with the shared schemas. Keys are short because a catalog holds thousands of plans.
type Plan struct {
	Service string `json:"s"`            // with its package
	Method  string `json:"m"`            //
	In      string `json:"i"`            // message, with its package
	Out     string `json:"o"`            //
	Server  string `json:"u,omitempty"`  // base URL, no slash at the end; empty: none is known
	Wire    string `json:"w"`            //
	Version string `json:"v"`            // tells the kept descriptors from those of another reading
	Stream  bool   `json:"st,omitempty"` // it answers any number of messages
	Safe    bool   `json:"sf,omitempty"` // NO_SIDE_EFFECTS
	HTTP    []HTTP `json:"h,omitempty"`  // wire rest: its rules, the first whose path can be filled is taken

	Lists   []string                `json:"l,omitempty"` // lists of the answer, which are told as empty where they are left out
	Tweaked bool                    `json:"t,omitempty"` // messages that it reaches have tweaks
	Shape   map[string]pieces.Tweak `json:"p,omitempty"` // of this operation's own input, by path of JSON names

	Max  int    `json:"x,omitempty"` // messages of a stream; 0: the Invoker's bound
	Time string `json:"d,omitempty"` // how long a stream is read; empty: the Invoker's bound
}

// HTTP is a google.api.http rule, its fields under their JSON names.
type HTTP struct {
	Verb string `json:"v"`
	Path []Part `json:"p"`
	Body string `json:"b,omitempty"` // field, "*" or none
	Resp string `json:"r,omitempty"` // field of the answer that the body is
}

// Part is literal text of a path, or a field in it.
type Part struct {
	Text  string   `json:"t,omitempty"`
	Field []string `json:"f,omitempty"` // path of JSON names
	Match string   `json:"m,omitempty"` // the pattern of its value: "projects/*/topics/*"; empty: one segment
}

// Path is the method's path, as Connect and gRPC have it.
func (p *Plan) Path() string { return "/" + p.Service + "/" + p.Method }
