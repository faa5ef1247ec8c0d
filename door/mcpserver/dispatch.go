package mcpserver

import (
	"context"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Version is the revision of the protocol that is answered without a handshake.
const Version = "2026-07-28"

// listTTL is for how long a client may keep a list or a discovery, in milliseconds. Who listens is
// told sooner.
const listTTL = 60_000

// request is one modern request, whatever carries it.
type request struct {
	message
	caller
	send   func(notification []byte) // to the client, before the reply; nil: the transport cannot
	ending <-chan struct{}           // closed when the transport takes its leave: listens are answered then
	web    bool                      // over HTTP: who is nobody can be asked to sign in
}

// caller is on whose behalf a request is made, and what it is shown.
type caller struct {
	principal twodoor.Principal
	session   string
	profile   string
	expose    twodoor.Expose // how it wants operations listed; empty: as the door or the profile says
	trace     twodoor.Trace  // what the transport says of its place; a request may name another
	shared    bool           // everybody who reaches this transport is the same principal
}

// answer is the reply to a request, as one message.
func (d *Door) answer(ctx context.Context, r *request) ([]byte, *fault) {
	if f := r.params.check(); f != nil {
		return nil, f
	}
	switch r.method {
	case "tools/call":
		return d.call(ctx, r)
	case "tools/list":
		return d.list(r)
	case "server/discover":
		return d.discover(r), nil
	case "subscriptions/listen":
		return d.listen(ctx, r)
	case "resources/list", "resources/templates/list", "prompts/list":
		return d.listOffers(ctx, r)
	case "resources/read":
		return d.readResource(ctx, r)
	case "prompts/get":
		return d.getPrompt(ctx, r)
	case "completion/complete":
		return d.complete(ctx, r)
	}
	return nil, &fault{code: codeMethodNotFound, message: "there is no method " + string(rawjson.Quote(r.method)) + " in " + Version + " at this server"}
}

// discover tells what the server is and can do.
func (d *Door) discover(r *request) []byte {
	out := openReply(r.id, 1024)
	out = append(out, `{"resultType":"complete","supportedVersions":["`+Version+`"],`+
		`"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},`+
		`"prompts":{"listChanged":true},"completions":{},"logging":{}},"instructions":`...)
	out = rawjson.AppendString(out, d.instructions())
	out = appendCaching(out, listTTL, r.shared)
	out = append(out, `,"_meta":{"`+metaServer+`":`...)
	out = append(out, d.serverInfo()...)
	return append(out, `}}}`...)
}

// appendCaching adds the hints of a cacheable result. What may be shared is the same for every
// principal.
func appendCaching(out []byte, ttl int64, public bool) []byte {
	out = strconv.AppendInt(append(out, `,"ttlMs":`...), ttl, 10)
	if public {
		return append(out, `,"cacheScope":"public"`...)
	}
	return append(out, `,"cacheScope":"private"`...)
}

// openReply begins a reply with a result; the result and one closing brace follow.
func openReply(id []byte, size int) []byte {
	out := make([]byte, 0, size+len(id)+32)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	return append(out, `,"result":`...)
}

// serverInfo is the server's Implementation object.
func (d *Door) serverInfo() []byte {
	d.told.Do(func() {
		var o rawjson.Object
		o.PutString("name", d.name())
		if d.Title != "" {
			o.PutString("title", d.Title)
		}
		o.PutString("version", d.version())
		d.info = o.Bytes()
	})
	return d.info
}
