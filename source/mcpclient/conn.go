package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// conn is a connection whose server has been greeted.
type conn struct {
	slot    *slot
	link    wire.Link
	web     *wire.Web // the link, where it is Streamable HTTP
	via     string    // stdio, http or sse
	greeted atomic.Pointer[greeting]
	tools   atomic.Pointer[[]tool]
	shelf   shelf
	logs    sync.Once
	closing sync.Once
	renewal sync.Mutex // of the session

	users  int  // guarded by the slot's mu
	doomed bool // likewise: it is closed with its last user
}

// greeting is what came of greeting a server. It is replaced when a session is begun anew.
type greeting struct {
	version string
	hello   json.RawMessage // what the server said of itself
}

func (c *conn) version() string {
	if g := c.greeted.Load(); g != nil {
		return g.version
	}
	return ""
}

func (c *conn) modern() bool { return c.version() >= wire.FirstModern }

// call sends a request in the dress of the revision. A session that the server has forgotten is
// begun anew, once, by one caller for all (2025-11-25, "Session Management").
func (c *conn) call(ctx context.Context, r wire.Request) (*wire.Reply, error) {
	r.Params = c.dress(r.Params)
	reply, err := c.link.Call(ctx, r)
	lost, ok := errors.AsType[*wire.StatusError](err)
	if !ok || !lost.Lost {
		return reply, err
	}
	if err := c.renew(ctx, lost.Session); err != nil {
		return nil, err
	}
	return c.link.Call(ctx, r)
}

func (c *conn) renew(ctx context.Context, lost string) error {
	c.renewal.Lock()
	defer c.renewal.Unlock()
	if c.web.Session() != lost {
		return nil // another caller did it
	}
	return c.initialize(ctx)
}

// Keys of _meta (MCP 2026-07-28, "Base protocol").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
)

// dress adds what a modern request says of its sender. What we declare is what the caller of this very
// request can be asked: nothing, where it says nothing.
func (c *conn) dress(params json.RawMessage) json.RawMessage {
	if !c.modern() {
		return params
	}
	return c.slot.pool.dress(params, c.version())
}

func (p *Pool) dress(params json.RawMessage, version string) json.RawMessage {
	meta, _ := rawjson.Get(params, "_meta")
	meta = rawjson.Set(meta, metaVersion, rawjson.Quote(version))
	if _, own := rawjson.Get(meta, metaCapabilities); !own {
		meta = rawjson.Set(meta, metaCapabilities, []byte("{}"))
	}
	meta = rawjson.Set(meta, metaClient, p.clientInfo())
	return rawjson.Set(params, "_meta", meta)
}

// offered are what we declare in a handshake for a connection that is shared: there it holds for every
// caller, and who cannot be asked is found out when a server asks.
var offered = []byte(`{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`)

// declares is what a handshake says that can be asked: exactly what the owner can be, where there is one.
func (k key) declares() []byte {
	switch {
	case k.kind == "":
		return offered
	case k.asks == "":
		return []byte("{}")
	}
	return []byte(k.asks)
}

func (p *Pool) clientInfo() []byte {
	var info rawjson.Object
	info.PutString("name", "twodoor")
	info.PutString("title", "twodoor")
	version := p.Version
	if version == "" {
		version = "0"
	}
	info.PutString("version", version)
	return info.Bytes()
}

// ping is the simplest round trip of the revision.
func (c *conn) ping(ctx context.Context) error {
	method := "ping"
	if c.modern() {
		method = "server/discover"
	}
	_, err := c.call(ctx, wire.Request{Method: method})
	return err
}

func (c *conn) close(grace time.Duration) {
	c.closing.Do(func() { c.link.Close(grace) })
}

// inbound takes what the server says by itself. What it asks belongs to a call, and is answered there.
func (s *slot) inbound() wire.Inbound {
	return wire.Inbound{Notify: func(method string, params json.RawMessage) {
		switch method {
		case "notifications/tools/list_changed":
			s.changed()
		case "notifications/resources/list_changed":
			s.stale(twodoor.ListOfResources)
		case "notifications/prompts/list_changed":
			s.stale(twodoor.ListOfPrompts)
		case "notifications/resources/updated":
			s.updated(field(params, "uri"))
		}
	}}
}

// follow listens for changes of the list of tools where the server tells them on a stream of its own.
func (c *conn) follow() {
	if c.slot.pool.Changed == nil || len(c.tells()) == 0 || c.web == nil && !c.modern() {
		return
	}
	ctx, cancel := context.WithCancel(c.slot.pool.life)
	c.slot.pool.work.Go(func() {
		defer cancel()
		go func() {
			select {
			case <-c.link.Done():
				cancel()
			case <-ctx.Done():
			}
		}()
		c.listen(ctx)
	})
}

// tells lists the lists whose changes the server tells.
func (c *conn) tells() (lists []string) {
	for _, list := range []string{"tools", "resources", "prompts"} {
		if told, _ := c.offers(list, "listChanged"); string(told) == "true" {
			lists = append(lists, list)
		}
	}
	return lists
}

// offers is a capability of the server.
func (c *conn) offers(path ...string) (settings json.RawMessage, ok bool) {
	g := c.greeted.Load()
	if g == nil {
		return nil, false
	}
	return rawjson.GetPath(g.hello, append([]string{"capabilities"}, path...)...)
}

// listen keeps a stream open: with a floor between two tries, and not at all where there is none.
func (c *conn) listen(ctx context.Context) {
	for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
		began := time.Now()
		if !c.listenOnce(ctx) {
			return
		}
		if time.Since(began) > maxBackoff {
			wait = minBackoff
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			c.slot.changed() // nobody knows what was missed
		}
	}
}

// listenOnce reports whether it is worth another try.
func (c *conn) listenOnce(ctx context.Context) bool {
	if !c.modern() {
		return !errors.Is(c.web.Listen(ctx), wire.ErrNoStream) && ctx.Err() == nil
	}
	var wanted, params rawjson.Object
	for _, list := range c.tells() {
		wanted.PutBool(list+"ListChanged", true)
	}
	params.Put("notifications", wanted.Bytes())
	reply, _ := c.call(ctx, wire.Request{Method: "subscriptions/listen", Params: params.Bytes()})
	return ctx.Err() == nil && (reply == nil || reply.Fault == nil)
}

// spawn starts the program of a server.
func (s *slot) spawn(ctx context.Context) (*conn, error) {
	c, err := s.command(ctx)
	if err != nil {
		return nil, err
	}
	link, err := wire.StartStdio(s.pool.life, c, s.pool.longest(), s.inbound())
	if err != nil {
		return nil, err
	}
	return &conn{slot: s, link: link, via: "stdio"}, nil
}

// command is the program with its references resolved. Its environment is the everyday variables,
// those the entry passes, and those it sets.
func (s *slot) command(ctx context.Context) (proc.Command, error) {
	c := proc.Command{Env: proc.Environment(s.pool.Environ, s.server.Pass...)}
	var err error
	expand := func(text string) string {
		full, fault := s.pool.expand(ctx, text)
		err = errors.Join(err, fault)
		if full != text {
			s.pool.hide(full)
		}
		return full
	}
	c.Path, c.Dir = expand(s.server.Command), expand(s.server.Dir)
	for _, arg := range s.server.Args {
		c.Args = append(c.Args, expand(arg))
	}
	for name, value := range s.server.Env {
		value = expand(value)
		s.pool.hide(value)
		c.Env = append(c.Env, name+"="+value)
	}
	return c, err
}

func (p *Pool) longest() int {
	if p.MaxMessage > 0 {
		return p.MaxMessage
	}
	return wire.DefaultMax
}

// sender sends requests with the key of the source, on behalf of whoever calls.
func (s *slot) sender() wire.Send {
	return func(req *http.Request) (*http.Response, error) {
		return s.pool.Doer.Do(req, twodoor.Access{Source: s.key.source, Account: s.key.account, Principal: twodoor.PrincipalOf(req.Context())})
	}
}
