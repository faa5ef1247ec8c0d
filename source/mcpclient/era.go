package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// era is which side of 2026-07-28 a server speaks from: after it every request stands for itself,
// before it there is a handshake.
type era uint8

const (
	unknownEra era = iota
	modernEra
	legacyEra
)

// Revisions that are offered to servers.
const (
	newest       = "2026-07-28"
	newestLegacy = "2025-11-25"
)

// Bounds of the first question to a server. A program that is slow to start is not taken for an old
// one: it is greeted in the old way as well, and whichever answer comes counts.
const (
	probeStdio = 5 * time.Second
	probeHTTP  = 10 * time.Second
)

// connect makes a connection, greets the server, and lists its tools: it is ready only after that.
func (s *slot) connect(ctx context.Context) (c *conn, latency time.Duration, err error) {
	if s.server.local() {
		c, err = s.connectProgram(ctx)
	} else {
		c, err = s.connectAddress(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	if err := c.list(ctx); err != nil {
		err = c.obituary(err)
		c.close(0)
		return nil, 0, err
	}
	s.pool.remember(s.key.source, eraOf(c.version()))
	return c, time.Since(began), nil
}

func eraOf(version string) era {
	if version >= wire.FirstModern {
		return modernEra
	}
	return legacyEra
}

// connectProgram starts a program and finds out which era it speaks. One that dies of the modern
// question is started again and greeted in the old way.
func (s *slot) connectProgram(ctx context.Context) (*conn, error) {
	known := s.pool.era(s.key.source)
	for {
		c, err := s.spawn(ctx)
		if err != nil {
			return nil, err
		}
		err = c.greet(ctx, known)
		if err == nil {
			return c, nil
		}
		err = c.obituary(err)
		c.close(0)
		_, died := errors.AsType[*wire.EndedError](err)
		if !died || known == legacyEra || ctx.Err() != nil {
			return nil, err
		}
		known = legacyEra
	}
}

// obituary is the fault of the program's end, where that is why a request failed; a request that
// failed otherwise keeps its fault, with the program's last words.
func (c *conn) obituary(err error) error {
	program, ok := c.link.(*wire.Stdio)
	if !ok {
		return err
	}
	if ended, ok := errors.AsType[*wire.EndedError](program.Err()); ok {
		return ended
	}
	return &lastWords{err, program.Stderr()}
}

// lastWords is a fault of a program that still runs, with what it said.
type lastWords struct {
	error
	stderr []string
}

func (w *lastWords) Unwrap() error { return w.error }

// greet finds out the era of a program and opens in its way (MCP 2026-07-28, "Era detection").
func (c *conn) greet(ctx context.Context, known era) error {
	if known == legacyEra {
		err := c.initialize(ctx)
		if _, refused := errors.AsType[*wire.Fault](err); !refused {
			return err
		}
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan error, 1)
	go func() { asked <- c.discover(asking) }()
	select {
	case err := <-asked:
		if errors.Is(err, errLegacy) {
			return c.initialize(ctx)
		}
		return err
	case <-time.After(probeStdio):
	}
	greeted := make(chan error, 1)
	old := &conn{slot: c.slot, link: c.link, via: c.via}
	go func() { greeted <- old.initialize(asking) }()
	return c.either(ctx, asked, greeted, old)
}

// either takes the first answer of the two that settles the era.
func (c *conn) either(ctx context.Context, asked, greeted <-chan error, old *conn) error {
	for {
		select {
		case err := <-asked:
			if err == nil {
				return nil
			}
			asked = nil
			if greeted == nil || !errors.Is(err, errLegacy) {
				return err
			}
		case err := <-greeted:
			if err == nil {
				c.greeted.Store(old.greeted.Load())
				return nil
			}
			greeted = nil
			if asked == nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errLegacy says that a server did not answer the modern question as a modern one does.
var errLegacy = errors.New("the server does not speak " + newest)

// discover asks the modern question. errLegacy: greet it in the old way.
func (c *conn) discover(ctx context.Context) error {
	if c.web != nil {
		c.web.Speak(newest)
	}
	reply, err := c.link.Call(ctx, wire.Request{Method: "server/discover", Params: c.slot.pool.dress(nil, newest)})
	if err != nil {
		return err
	}
	if err := judge(reply); err != nil {
		return err
	}
	c.greeted.Store(&greeting{newest, reply.Result})
	return nil
}

// judge reads the answer to the modern question. That a server answers is not enough: the version
// must be among those it supports. A fault that only modern servers know is no sign of an old one.
func judge(reply *wire.Reply) error {
	if reply.Fault == nil {
		if versions, _ := rawjson.Get(reply.Result, "supportedVersions"); contains(versions, newest) {
			return nil
		}
		return errLegacy
	}
	switch reply.Fault.Code {
	case wire.CodeUnsupportedVersion:
		versions, ok := rawjson.Get(reply.Fault.Data, "supported")
		if ok && !speaksLegacy(versions) {
			return fmt.Errorf("the server speaks %s only: %w", versions, reply.Fault)
		}
	case wire.CodeHeaderMismatch, wire.CodeMissingCapability:
		return reply.Fault
	}
	return errLegacy
}

func contains(list []byte, word string) bool {
	for item := range rawjson.Elements(list) {
		if text, ok := rawjson.String(item); ok && text == word {
			return true
		}
	}
	return false
}

func speaksLegacy(versions []byte) bool {
	for item := range rawjson.Elements(versions) {
		if text, ok := rawjson.String(item); ok && text < wire.FirstModern {
			return true
		}
	}
	return false
}

// initialize opens in the way of the revisions up to 2025-11-25. The server chooses among them.
func (c *conn) initialize(ctx context.Context) error {
	var params rawjson.Object
	params.PutString("protocolVersion", newestLegacy)
	params.Put("capabilities", c.slot.key.declares())
	params.Put("clientInfo", c.slot.pool.clientInfo())
	reply, err := c.link.Call(ctx, wire.Request{Method: "initialize", Params: params.Bytes()})
	if err != nil {
		return err
	}
	if reply.Fault != nil {
		return reply.Fault
	}
	raw, _ := rawjson.Get(reply.Result, "protocolVersion")
	version, ok := rawjson.String(raw)
	if !ok || version == "" || version >= wire.FirstModern {
		return fmt.Errorf("the server chose the version %s, which nobody offered: %w", orNothing(raw), wire.ErrNonsense)
	}
	if c.web != nil {
		c.web.Speak(version)
	}
	c.greeted.Store(&greeting{version, reply.Result})
	return c.link.Notify(ctx, "notifications/initialized", nil)
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "none"
	}
	return string(raw)
}

// connectAddress finds out how an address is spoken to.
func (s *slot) connectAddress(ctx context.Context) (*conn, error) {
	address, err := s.pool.expand(ctx, s.server.URL)
	if err != nil {
		return nil, err
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: s.key.source + " has no usable url", Hint: "write one that begins with http:// or https://", Cause: err}
	}
	ways := []func(context.Context, string) (*conn, error){s.postTo, s.streamFrom}
	switch {
	case s.server.Protocol == HTTP:
		ways = ways[:1]
	case s.server.Protocol == SSE, s.server.Protocol == "" && strings.HasSuffix(strings.TrimSuffix(parsed.Path, "/"), "/sse"):
		ways[0], ways[1] = ways[1], ways[0]
	}
	c, err := ways[0](ctx, address)
	if err == nil || len(ways) == 1 || !otherTransport(err) {
		return c, err
	}
	if c, other := ways[1](ctx, address); other == nil {
		return c, nil
	}
	return nil, err
}

// otherTransport reports whether an answer may mean that the address wants to be spoken to in
// another way.
func otherTransport(err error) bool {
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		return status.Status >= 400 && status.Status < 500 && !wantsLogin(status.Status) && status.Status != http.StatusTooManyRequests
	}
	_, refused := errors.AsType[*wire.Fault](err)
	return refused || errors.Is(err, wire.ErrNoStream) || errors.Is(err, wire.ErrNonsense) || errors.Is(err, wire.ErrNoAnswer)
}

func wantsLogin(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// postTo speaks Streamable HTTP: the modern way, else with a handshake.
func (s *slot) postTo(ctx context.Context, address string) (*conn, error) {
	web := &wire.Web{URL: address, Send: s.sender(), Max: s.pool.longest(), In: s.inbound()}
	c := &conn{slot: s, link: web, web: web, via: "http"}
	if s.pool.era(s.key.source) != legacyEra {
		asking, stop := context.WithTimeout(ctx, probeHTTP)
		err := c.discover(asking)
		stop()
		if err == nil || final(ctx, err) {
			return c, err
		}
	}
	web.Speak("")
	err := c.initialize(ctx)
	if fault, ok := errors.AsType[*wire.Fault](err); ok && s.pool.era(s.key.source) == legacyEra {
		s.pool.remember(s.key.source, unknownEra) // it may have become a modern one: the next start asks
		return nil, fault
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// final reports whether the answer to the modern question leaves nothing to be tried.
func final(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		return wantsLogin(status.Status) || status.Status == http.StatusTooManyRequests
	}
	_, fault := errors.AsType[*wire.Fault](err)
	return fault || !errors.Is(err, errLegacy) && !otherTransport(err) && !errors.Is(err, context.DeadlineExceeded)
}

// streamFrom speaks HTTP+SSE.
func (s *slot) streamFrom(ctx context.Context, address string) (*conn, error) {
	link, err := wire.OpenEvents(ctx, address, s.sender(), s.pool.longest(), s.inbound())
	if err != nil {
		return nil, err
	}
	c := &conn{slot: s, link: link, via: "sse"}
	if err := c.initialize(ctx); err != nil {
		c.close(0)
		return nil, err
	}
	return c, nil
}
