package protobuf_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf"
)

// doer is a way out with a key, over HTTP/1.1 or unencrypted HTTP/2 as the request asks.
type doer struct {
	key  string
	sent []*http.Request
	one  http.Transport
	two  http.Transport
}

func newDoer(key string) *doer {
	d := &doer{key: key}
	d.two.Protocols = new(http.Protocols)
	d.two.Protocols.SetUnencryptedHTTP2(true)
	return d
}

func (d *doer) Do(req *http.Request, access twodoor.Access) (*http.Response, error) {
	if access.Source != "fleet" {
		return nil, fmt.Errorf("a request of %q", access.Source)
	}
	out := req.Clone(req.Context())
	if d.key != "" {
		out.Header.Set("Authorization", d.key)
	}
	d.sent = append(d.sent, out)
	if req.ProtoMajor == 2 {
		return d.two.RoundTrip(out)
	}
	return d.one.RoundTrip(out)
}

func (d *doer) Mask(req *http.Request, _ twodoor.Access) (*http.Request, error) {
	out := req.Clone(req.Context())
	out.Header.Set("Authorization", "***")
	return out, nil
}

func (d *doer) Redact(text string) string { return strings.ReplaceAll(text, d.key, "***") }

// farSide is a real server, and the wires by which it is called.
type farSide struct {
	name, url string
	wires     []string
}

func farSides(t *testing.T) []farSide {
	s := newFleetService(t)
	return []farSide{
		{"connect-go", s.serveConnect(t), []string{"connect", "connect-binary", "grpc", "grpc-web"}},
		{"grpc-go", s.serveGRPC(t), []string{"grpc"}},
	}
}

// eachWire runs a test over every wire of every server.
func eachWire(t *testing.T, test func(t *testing.T, c *client)) {
	for _, far := range farSides(t) {
		for _, wire := range far.wires {
			t.Run(far.name+"/"+wire, func(t *testing.T) { test(t, newClient(t, far.url, wire)) })
		}
	}
}

// client calls operations of the fleet.
type client struct {
	t       *testing.T
	wire    string
	catalog *twodoor.Catalog
	invoker *protobuf.Invoker
	doer    *doer
}

func newClient(t *testing.T, url, wire string) *client {
	t.Helper()
	source := fleet(t)
	source.Target, source.Wire = url, wire
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	d := newDoer("Bearer secret-of-the-fleet")
	return &client{t, wire, catalog, &protobuf.Invoker{Doer: d}, d}
}

func (c *client) invocation(id, args string) *twodoor.Invocation {
	op, _, err := c.catalog.Find(id)
	if err != nil || op == nil {
		c.t.Fatalf("there is no operation %s: %v", id, err)
	}
	return &twodoor.Invocation{Operation: op, Arguments: json.RawMessage(args)}
}

func (c *client) call(ctx context.Context, id, args string) (*twodoor.Value, error) {
	return c.invoker.Invoke(ctx, c.invocation(id, args))
}

func (c *client) must(id, args string) *twodoor.Value {
	c.t.Helper()
	value, err := c.call(c.t.Context(), id, args)
	if err != nil {
		c.t.Fatalf("%s %s: %v", id, args, err)
	}
	return value
}

func wantJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	if !rawjson.Equal(got, []byte(want)) && normal(got) != normal([]byte(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCall makes a call over each wire: big integers keep their digits, an explicit false differs
// from nothing, renamed and hidden fields are so in the answer, lists that are empty are told.
func TestCall(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		wantJSON(t, c.must("fleet.ship.get", `{"name":"ships/1"}`).JSON, `{"name":"ships/1","kind":"KIND_CARGO","displacement":"1152921504606846977","insured":false,
			"atSea":{"latitude":54.5,"at":"1700000000000","course":{"bearing":90}},"built":"2020-01-02T03:04:05Z","endurance":"90.500s","motto":"on","ownerId":"ships/2",
			"extra":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"},"escorts":[],"serials":[]}`)
		wantJSON(t, c.must("fleet.ship.list", `{}`).JSON, `{"ships":[]}`)
		if c.wire == "connect" && c.doer.sent[0].Method != http.MethodGet {
			t.Errorf("a method without side effects is called by %s", c.doer.sent[0].Method)
		}
	})
}

// TestTweaks sends what annotations say: fixed and default values, fields under their own names,
// nothing of what is hidden.
func TestTweaks(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		value := c.must("fleet.ship.update", `{"ship":{"name":"ships/1","ownerId":"ships/9","escorts":[{"ownerId":"ships/8","tenant":"south"}]},"fields":"motto","reason":"by hand"}`)
		got, _ := rawjson.GetPath(value.JSON, "papers", "got")
		wantJSON(t, got, `{"ship":{"name":"ships/1","ownerRef":"ships/9","tenant":"north","escorts":[{"ownerRef":"ships/8"}]},"updateMask":"motto","reason":"by hand"}`)
		if _, shown := rawjson.Get(value.JSON, "tenant"); shown {
			t.Errorf("a hidden field is answered: %s", value.JSON)
		}
	})
}

// TestKey proves that a connection's key goes along, and into no message.
func TestKey(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		wantJSON(t, c.must("fleet.ship.get", `{"name":"ships/key"}`).JSON, `{"name":"ships/key","port":"Bearer secret-of-the-fleet","escorts":[],"serials":[]}`)
		shown, err := c.invoker.Preview(t.Context(), c.invocation("fleet.ship.update", `{"ship":{"ownerId":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(shown.Text, "secret") || !strings.Contains(shown.Text, "***") || !strings.Contains(shown.Text, `"ownerRef":"x"`) {
			t.Errorf("a dry run shows %s", shown.Text)
		}
	})
}

// TestRefusals maps every code, with its details.
func TestRefusals(t *testing.T) {
	codes := map[string]twodoor.Code{
		"INVALID_ARGUMENT": twodoor.CodeInvalid, "OUT_OF_RANGE": twodoor.CodeInvalid, "DEADLINE_EXCEEDED": twodoor.CodeTimeout, "NOT_FOUND": twodoor.CodeNotFound,
		"ALREADY_EXISTS": twodoor.CodeConflict, "FAILED_PRECONDITION": twodoor.CodeConflict, "ABORTED": twodoor.CodeConflict, "PERMISSION_DENIED": twodoor.CodeForbidden,
		"RESOURCE_EXHAUSTED": twodoor.CodeLimited, "UNAVAILABLE": twodoor.CodeUnavailable, "UNAUTHENTICATED": twodoor.CodeUpstreamAuth,
		"CANCELLED": twodoor.CodeUpstream, "UNKNOWN": twodoor.CodeUpstream, "UNIMPLEMENTED": twodoor.CodeUpstream, "INTERNAL": twodoor.CodeUpstream, "DATA_LOSS": twodoor.CodeUpstream,
	}
	eachWire(t, func(t *testing.T, c *client) {
		for name, want := range codes {
			_, err := c.call(t.Context(), "fleet.ship.get", `{"name":"ships/refuse-`+name+`"}`)
			var fault *twodoor.Error
			if !errors.As(err, &fault) {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if fault.Code != want || !strings.Contains(fault.Message, "the ship refuses") || !strings.Contains(fault.Message, "SHIP_REFUSES") ||
				fault.RetryAfter != 1500*time.Millisecond || !strings.Contains(fault.Hint, "harbour master") {
				t.Errorf("%s: %v: %s, hint %q, again after %s", name, fault.Code, fault.Message, fault.Hint, fault.RetryAfter)
			}
			if want == twodoor.CodeInvalid && (len(fault.Fields) != 1 || fault.Fields[0].Path != "ship.builtAfter") {
				t.Errorf("%s: fields %+v", name, fault.Fields)
			}
			if _, ok := rawjson.Get(fault.Upstream.Body, "details"); !ok {
				t.Errorf("%s: the far side's own words are gone: %s", name, fault.Upstream.Body)
			}
		}
	})
}

// TestDeadline sends the deadline along, and ends a call that passes it.
func TestDeadline(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, err := c.call(ctx, "fleet.ship.get", `{"name":"ships/deadline"}`); err != nil {
			t.Error(err)
		}
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := c.call(short, "fleet.ship.get", `{"name":"ships/slow"}`); twodoor.AsError(err).Code != twodoor.CodeTimeout {
			t.Errorf("a call past its deadline ends as %v", err)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := c.call(left, "fleet.ship.get", `{"name":"ships/slow"}`); twodoor.AsError(err).Code != twodoor.CodeCanceled {
			t.Errorf("a call whose caller left ends as %v", err)
		}
	})
}

// TestLarge takes a large, packed answer whole, and refuses one over the bound.
func TestLarge(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		port, _ := rawjson.Get(c.must("fleet.ship.get", `{"name":"ships/big"}`).JSON, "port")
		if len(port) != 1<<20+2 {
			t.Errorf("got %d bytes", len(port))
		}
		c.invoker = &protobuf.Invoker{Doer: c.doer, MaxAnswer: 1 << 19}
		if _, err := c.call(t.Context(), "fleet.ship.get", `{"name":"ships/big"}`); twodoor.AsError(err).Code != twodoor.CodeTooLarge {
			t.Errorf("an answer over the bound ends as %v", err)
		}
	})
}

// TestStream reads a stream into a list: to its end, to a bound of its length, to a bound of time.
func TestStream(t *testing.T) {
	eachWire(t, func(t *testing.T, c *client) {
		value := c.must("fleet.ship.watch", `{"name":"ships/1","count":3}`)
		wantJSON(t, value.JSON, `[{"latitude":1,"at":"17"},{"latitude":2,"at":"17"},{"latitude":3,"at":"17"}]`)
		if value.Cut != nil {
			t.Errorf("a whole stream is cut: %+v", value.Cut)
		}
		c.invoker = &protobuf.Invoker{Doer: c.doer, MaxRecords: 5}
		if value := c.must("fleet.ship.watch", `{"name":"ships/1"}`); value.Cut == nil || rawjson.Len(value.JSON) != 5 {
			t.Errorf("a stream without end gives %s, cut %+v", value.JSON, value.Cut)
		}
		c.invoker = &protobuf.Invoker{Doer: c.doer, MaxStream: 200 * time.Millisecond}
		if value := c.must("fleet.ship.watch", `{"name":"ships/hangs","count":2}`); value.Cut == nil || rawjson.Len(value.JSON) != 2 {
			t.Errorf("a stream that hangs gives %s, cut %+v", value.JSON, value.Cut)
		}
	})
}

// TestMisfits names what does not fit, before anything is sent.
func TestMisfits(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1", "grpc")
	for args, want := range map[string]string{
		`{"ship":{"port":"Kiel","atSea":{"latitude":1}}}`: "berth",
		`{"ship":{"displacement":"much"}}`:                "displacement",
	} {
		_, err := c.call(t.Context(), "fleet.ship.update", args)
		if fault := twodoor.AsError(err); fault.Code != twodoor.CodeInvalid || !strings.Contains(fault.Message, want) {
			t.Errorf("%s: %v: %s", args, fault.Code, fault.Message)
		}
	}
	if len(c.doer.sent) > 0 {
		t.Error("it was sent all the same")
	}
	if _, err := c.call(t.Context(), "fleet.ship.get", `{"name":"ships/1"}`); twodoor.AsError(err).Code != twodoor.CodeUnavailable {
		t.Errorf("a far side that is not there: %v", err)
	}
}

// TestAlien answers what an Any holds, whichever method its message belongs to, and by its name alone
// where nobody describes it.
func TestAlien(t *testing.T) {
	far := newFleetService(t).serveGRPC(t)
	c := newClient(t, far, "grpc")
	known := c.must("fleet.ship.get", `{"name":"ships/alien-fleet.v1.ListShipsRequest"}`)
	wantJSON(t, known.JSON, `{"extra":{"@type":"type.googleapis.com/fleet.v1.ListShipsRequest","pageSize":1},"escorts":[],"serials":[]}`)
	value := c.must("fleet.ship.get", `{"name":"ships/alien-nowhere.Unheard"}`)
	wantJSON(t, value.JSON, `{"extra":{"@type":"type.googleapis.com/nowhere.Unheard"},"escorts":[],"serials":[]}`)
	if len(value.Notes) != 1 || !strings.Contains(value.Notes[0], "nowhere.Unheard") {
		t.Errorf("notes: %q", value.Notes)
	}
}

// TestReflection reads a server that tells what it serves, and calls it.
func TestReflection(t *testing.T) {
	far := newFleetService(t).serveGRPC(t)
	d := newDoer("")
	source := &protobuf.Source{Name: "fleet", Reflection: true, Target: far, Doer: d}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(reading.Operations) != 5 || len(reading.Exceptions) != 2 {
		t.Errorf("%d operations and %d exceptions, of 5 and 2", len(reading.Operations), len(reading.Exceptions))
	}
	op := find(t, reading, "fleet.ship.scrap")
	if op.Permission != "ships.scrap" {
		t.Errorf("annotations are lost on the way: %+v", op)
	}
	invoker := &protobuf.Invoker{Doer: d}
	value, err := invoker.Invoke(t.Context(), &twodoor.Invocation{Operation: find(t, reading, "fleet.ship.list")})
	if err != nil {
		t.Fatal(err)
	}
	wantJSON(t, value.JSON, `{"ships":[]}`)
}

// answering is a Doer that answers without a network.
type answering func(req *http.Request) (status int, body string)

func (a answering) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	status, body := a(req)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"7"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// TestREST sends the requests that google.api.http rules ask for.
func TestREST(t *testing.T) {
	var got string
	far := answering(func(req *http.Request) (int, string) {
		body := []byte{}
		if req.Body != nil {
			body, _ = io.ReadAll(req.Body)
		}
		got = req.Method + " " + req.URL.RequestURI() + " " + string(body)
		if strings.HasSuffix(req.URL.Path, "gone") {
			return 404, `{"error":{"code":404,"message":"no such ship","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE"}]}}`
		}
		return 200, `{"name":"ships/1","ownerRef":"ships/3","unheard":12345678901234567890}`
	})
	c := newClient(t, "https://fleet.test/api", "rest")
	c.invoker = &protobuf.Invoker{Doer: far}
	for _, each := range []struct{ id, args, want string }{
		{"fleet.ship.get", `{"name":"ships/a b"}`, "GET /api/v1/ships/a%20b "},
		{"fleet.ship.list", `{"pageSize":5,"kind":"KIND_FERRY","builtAfter":"2026-01-01T00:00:00Z"}`, "GET /api/v1/ships?builtAfter=2026-01-01T00%3A00%3A00Z&kind=KIND_FERRY&pageSize=5 "},
		{"fleet.ship.update", `{"ship":{"name":"ships/1","ownerId":"o"},"fields":"motto"}`, `PATCH /api/v1/ships/1?updateMask=motto {"ownerRef":"o","tenant":"north"}`},
	} {
		value := c.must(each.id, each.args)
		if got != each.want {
			t.Errorf("%s\nsends %s\nwant  %s", each.id, got, each.want)
		}
		if owner, _ := rawjson.Get(value.JSON, "ownerId"); string(owner) != `"ships/3"` && each.id != "fleet.ship.list" {
			t.Errorf("%s answers %s", each.id, value.JSON)
		}
		if each.id != "fleet.ship.list" && !strings.Contains(string(value.JSON), `"unheard":12345678901234567890`) {
			t.Errorf("an unknown field is lost: %s", value.JSON)
		}
	}
	_, err := c.call(t.Context(), "fleet.ship.get", `{"name":"ships/gone"}`)
	fault := twodoor.AsError(err)
	if fault.Code != twodoor.CodeNotFound || !strings.Contains(fault.Message, "no such ship (GONE)") || fault.RetryAfter != 7*time.Second {
		t.Errorf("%v: %s, after %s", fault.Code, fault.Message, fault.RetryAfter)
	}
	for _, name := range []string{"ships/../admin", "boats/1", "ships/1/2"} {
		if _, err := c.call(t.Context(), "fleet.ship.get", `{"name":"`+name+`"}`); twodoor.AsError(err).Code != twodoor.CodeInvalid {
			t.Errorf("the path takes %s: %v", name, err)
		}
	}
}

// TestStreamTime leaves some of the deadline, so that what was read is not lost to it.
func TestStreamTime(t *testing.T) {
	c := newClient(t, "http://fleet.test", "connect")
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		defer writer.Close()
		c.invoker = &protobuf.Invoker{Doer: hanging{reader}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		go func() { _, _ = writer.Write([]byte("\x00\x00\x00\x00\x0e{\"latitude\":1}")) }()
		begun := time.Now()
		value, err := c.call(ctx, "fleet.ship.watch", `{"name":"ships/1"}`)
		if err != nil || value.Cut == nil || time.Since(begun) != 9*time.Second {
			t.Errorf("after %s: %+v, %v", time.Since(begun), value, err)
		}
	})
}

// hanging is a Doer whose answer does not end before the request does.
type hanging struct{ body *io.PipeReader }

func (h hanging) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	context.AfterFunc(req.Context(), func() { h.body.CloseWithError(req.Context().Err()) })
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/connect+json"}}, Body: h.body, Request: req, ProtoMajor: 1, ProtoMinor: 1}, nil
}
