package rest

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/bell"
	"github.com/twodoor/twodoor/internal/webguard"
)

// MaxBody bounds the body of a request, in bytes.
const MaxBody = 16 << 20

// Door serves the operations of an engine over HTTP. It is safe for concurrent use, and must not be
// copied once it serves.
type Door struct {
	Engine *twodoor.Engine // required

	// Authenticate says who asks. Its error becomes 401 or 403. Nil: everybody who reaches the door
	// is the operator.
	Authenticate func(*http.Request) (Caller, error)

	Sessions Sessions // nil: there are no sessions but those that the operator names
	Servers  Servers  // the upstream MCP servers; nil: there is no configuration to read
	Calls    Calls    // the journal; nil: there is none

	// Definition is the MCP tool definition of an operation in the words of the server that it comes
	// from; nil, or a nil answer: it is made here.
	Definition func(*twodoor.Operation) json.RawMessage

	// Connections are the exact ids of servers, by source; a source that is missing goes by its own
	// name. Nil: all do.
	Connections func() map[string]string

	Profile   string   // where a request names none; empty: the default one
	Version   string   // of the program, told in the OpenAPI document; empty: "0"
	PublicURL string   // how clients reach the door ("https://tools.example.com"); empty: as they reached it
	Origins   []string // browser origins that may ask, beyond loopback
	Hosts     []string // names of this server in the Host header, beyond loopback

	ready sync.Once
	mux   *http.ServeMux
	lists lists
	bell  bell.Bell // rings when the catalog is another one
}

// Caller is who asks, as the credential of a request says.
type Caller struct {
	Principal twodoor.Principal
	Session   string // the session that the credential is bound to; empty: it is bound to none
	Profile   string // with a Session: the only profile that it may use; empty: the default one
}

// ServeHTTP answers one request, at the root or under /api.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.ready.Do(d.build)
	r = below(r)
	if why := (webguard.Guard{Hosts: d.Hosts, Origins: d.Origins}).Barred(r); why != "" {
		refuse(w, r, &twodoor.Error{Code: twodoor.CodeForbidden, Message: why, Hint: "name it in server.origins or server.public_url if it is yours"})
		return
	}
	if d.crossOrigin(w, r) {
		return
	}
	d.mux.ServeHTTP(w, r)
}

// Changed tells who listens that the catalog is another one. Call it after the engine serves another
// catalog or the profiles were changed.
func (d *Door) Changed() {
	d.lists.drop()
	d.bell.Ring()
}

// Close ends what clients hold open. Calls under way are not cut off.
func (d *Door) Close() { d.bell.Close() }
