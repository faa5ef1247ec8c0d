package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver/legacy"
)

// Bounds of what one message may weigh, in bytes.
const (
	MaxBody = 16 << 20 // of a POST
	MaxLine = 16 << 20 // of a line of a stream
)

// Door serves the operations of an engine over MCP. It is safe for concurrent use, and must not be
// copied once it serves.
type Door struct {
	Engine *twodoor.Engine // required

	Name         string // of the server, for clients; empty: "twodoor"
	Title        string // the same for people; may be empty
	Version      string // empty: "0"
	Instructions string // told to the model by its host, at most some 200 tokens; empty: a word on _want

	Profile string         // where a request names none; empty: the default one
	Expose  twodoor.Expose // how operations are listed where a request does not say; empty: as the profile says

	// Authenticate says on whose behalf an HTTP request comes. Its error becomes 401 with a
	// challenge, or 403. Nil: everybody who reaches the door is the operator.
	Authenticate func(*http.Request) (Caller, error)
	// Challenge is the WWW-Authenticate header of a 401; nil: a bare Bearer challenge.
	Challenge func(*http.Request, *twodoor.Error) string
	Principal twodoor.Principal // on whose behalf ServeStdio runs; nobody: the operator

	Origins []string // browser origins that may ask, beyond loopback ("https://app.example.com")
	Hosts   []string // names of this server in the Host header, beyond loopback ("mcp.example.com")

	MaxSessions int           // legacy sessions over HTTP at once; 0: 1,000. A new one closes the one idle longest
	SessionTTL  time.Duration // a legacy session that idles so long is closed; 0: 30 minutes

	// Definition is the tool definition of an operation in the words of the server that it comes from;
	// nil, or a nil answer: it is made here. Only the name is put in place of that server's.
	Definition func(*twodoor.Operation) json.RawMessage

	told      sync.Once
	info      []byte // serverInfo, an Implementation
	bells     bells
	shown     atomic.Pointer[shown]
	old       sync.Once
	legacyEra *legacy.Server
}

// Caller is who asks, as the credential of a request says.
type Caller struct {
	Principal twodoor.Principal
	Session   string // what its calls belong to; may be empty
	Bound     bool   // the credential is good for this session alone, and for its profile
	Profile   string // of who is bound; empty: the default one
}

// Stream is one connection that is already accepted: newline-delimited JSON-RPC both ways.
type Stream struct {
	In        io.Reader         // required
	Out       io.Writer         // required; nothing but protocol is written to it, whole lines at a time
	Principal twodoor.Principal // on whose behalf; nobody: nobody
	Session   string            // what its calls belong to; empty: a session of its own
	Profile   string            // empty: the door's
	Expose    twodoor.Expose    // empty: the door's
}

// ServeStdio serves one stream on behalf of the door's Principal. See [Door.Serve].
func (d *Door) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	principal := d.Principal
	if principal.IsNobody() {
		principal = twodoor.Operator
	}
	return d.Serve(ctx, Stream{In: in, Out: out, Principal: principal})
}

// Changed tells every client that listens, in either era, which lists are other ones; all of them,
// where none is named. Call it after the engine serves another catalog or the profiles were changed.
func (d *Door) Changed(lists ...twodoor.Lists) {
	what := twodoor.ListOfOperations | twodoor.ListOfResources | twodoor.ListOfPrompts
	if len(lists) > 0 {
		what = 0
	}
	for _, list := range lists {
		what |= list
	}
	d.shown.Store(nil)
	d.bells.ring(what)
	d.legacy().Changed(what)
}

// Close ends what clients hold open: it answers every listen and closes the legacy sessions. Calls
// under way are not cut off. A door that was closed still answers single requests.
func (d *Door) Close() {
	d.bells.close()
	d.legacy().Close()
}

func (d *Door) legacy() *legacy.Server {
	d.old.Do(func() {
		d.legacyEra = legacy.New(legacy.Options{
			Core: core{d}, Name: d.name(), Title: d.Title, Version: d.version(), Instructions: d.instructions(),
			MaxSessions: d.MaxSessions, SessionTTL: d.SessionTTL, MaxBody: MaxBody,
		})
	})
	return d.legacyEra
}

func (d *Door) name() string    { return orElse(d.Name, "twodoor") }
func (d *Door) version() string { return orElse(d.Version, "0") }

// instructions are what a host tells the model of the server, at most some 200 tokens.
func (d *Door) instructions() string {
	if d.Instructions != "" {
		return d.Instructions
	}
	text := "Operations of real systems, each a call. If you have a shell, use the CLI " + d.name() + ": it does the same with fewer tokens. "
	if find := d.own("find-operations"); find != "" {
		text += fmt.Sprintf("Where an operation is not listed, find it first: %s takes plain words; call what it finds with %s, %s or %s. ",
			find, d.own("read-operation"), d.own("write-operation"), d.own("destroy-operation"))
	}
	if list := d.own("list-guides"); list != "" {
		text += fmt.Sprintf("%s and %s tell how things are done here: read the one that fits before work of several steps. ", list, d.own("read-guides"))
	}
	return text + "Calls take an optional _want that says how much of the answer is wanted: " +
		`{"fields":["id","name"],"limit":20,"jq":"…","page":"2","all":true,"summary":true,"budget":2000,"format":"toon"}. Ask for the fields you need.`
}

// own is the tool name of one of twodoor's own operations; empty: it is not served.
func (d *Door) own(name string) string {
	op, _, err := d.Engine.Catalog().Find(twodoor.OwnSource + "." + name)
	if err != nil || op == nil {
		return ""
	}
	return op.Spelling().MCP
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
