package mcpupstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Revisions that are spoken.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
)

// Era says which revisions a server speaks.
type Era string

// The eras; the empty one is both.
const (
	OnlyModern Era = "modern"
	OnlyLegacy Era = "legacy"
)

// Server is one process's server. The zero value speaks both eras.
type Server struct {
	Era   Era
	Crash func() // what the tool crash does; nil: the stream ends without an answer
}

// maxLine bounds a message, in bytes.
const maxLine = 64 << 20

// errCrashed ends a stream whose server was told to crash.
var errCrashed = errors.New("crashed on request")

// Serve answers one client until its stream ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &client{
		server: s, out: out, crash: cancel, status: "all quiet",
		waiting: map[string]chan json.RawMessage{}, running: map[string]context.CancelFunc{}, watched: map[string]bool{}, listens: map[string]json.RawMessage{},
	}
	lines := make(chan []byte)
	read := make(chan error, 1)
	go func() { read <- readLines(ctx, in, lines) }()
	for {
		select {
		case line := <-lines:
			c.take(ctx, line)
		case err := <-read:
			c.busy.Wait()
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	for scanner.Scan() {
		select {
		case lines <- append([]byte(nil), scanner.Bytes()...):
		case <-ctx.Done():
			return nil
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read the stream: %w", err)
	}
	return nil
}

// client is who is served.
type client struct {
	server *Server
	crash  context.CancelCauseFunc
	busy   sync.WaitGroup

	write sync.Mutex
	out   io.Writer

	mu           sync.Mutex
	capabilities json.RawMessage // of a legacy client, from its greeting
	logs         bool            // it has set a level
	asked        int             // requests of ours, so far
	waiting      map[string]chan json.RawMessage
	running      map[string]context.CancelFunc
	watched      map[string]bool            // addresses a legacy client subscribed to
	listens      map[string]json.RawMessage // what a modern client listens for, by id
	extra        bool                       // a tool was added
	status       string
}

// exchange is one request being answered.
type exchange struct {
	*client
	id, params json.RawMessage
	modern     bool
}

// take handles one message.
func (c *client) take(ctx context.Context, line []byte) {
	member := func(raw []byte, path ...string) json.RawMessage {
		value, _ := rawjson.GetPath(raw, path...)
		return json.RawMessage(value)
	}
	method, _ := rawjson.String(member(line, "method"))
	x := &exchange{client: c, id: member(line, "id"), params: member(line, "params")}
	x.modern = member(x.params, "_meta", "io.modelcontextprotocol/protocolVersion") != nil
	switch {
	case method == "":
		c.answered(string(x.id), line)
	case method == "notifications/cancelled":
		c.cancel(string(member(x.params, "requestId")))
	case x.id == nil:
	default:
		ctx, cancel := context.WithCancel(ctx)
		c.mu.Lock()
		c.running[string(x.id)] = cancel
		c.mu.Unlock()
		c.busy.Go(func() {
			defer c.cancel(string(x.id))
			x.answer(ctx, method)
		})
	}
}

func (c *client) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[id]; cancel != nil {
		cancel()
		delete(c.running, id)
	}
	delete(c.listens, id)
}

// fault is a JSON-RPC error.
type fault struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (f *fault) Error() string { return f.Message }

// answer carries a request out and writes its reply.
func (x *exchange) answer(ctx context.Context, method string) {
	result, err := x.result(ctx, method)
	if errors.Is(err, errCrashed) || ctx.Err() != nil {
		return
	}
	var reply rawjson.Object
	reply.PutString("jsonrpc", "2.0")
	reply.Put("id", x.id)
	if err != nil {
		told := &fault{Code: -32603, Message: err.Error()}
		_ = errors.As(err, &told)
		reply.Put("error", marshal(told))
	} else {
		reply.Put("result", x.dress(result))
	}
	x.say(reply.Bytes())
}

// dress adds what the era wants of every result.
func (x *exchange) dress(result json.RawMessage) []byte {
	if !x.modern {
		return result
	}
	if _, told := rawjson.Get(result, "resultType"); !told {
		result = rawjson.Set(result, "resultType", []byte(`"complete"`))
	}
	return rawjson.Set(result, "_meta", []byte(`{"io.modelcontextprotocol/serverInfo":`+info+`}`))
}

const info = `{"name":"harbor","title":"Harbor","version":"1.0.0"}`

func (c *client) say(message []byte) {
	c.write.Lock()
	defer c.write.Unlock()
	c.out.Write(append(rawjson.Compact(nil, message), '\n')) // the client left: its stream ends
}

// notify tells the client something by itself.
func (c *client) notify(method string, params json.RawMessage) {
	var note rawjson.Object
	note.PutString("jsonrpc", "2.0")
	note.PutString("method", method)
	note.Put("params", params)
	c.say(note.Bytes())
}

func (x *exchange) result(ctx context.Context, method string) (json.RawMessage, error) {
	if x.modern == (x.server.Era == OnlyLegacy) && x.server.Era != "" {
		return nil, x.stranger()
	}
	switch method {
	case "initialize":
		return x.initialize()
	case "server/discover":
		return json.RawMessage(`{"supportedVersions":["` + Modern + `"],"capabilities":` + offered + `,"ttlMs":0,"cacheScope":"private","instructions":"Harbor's own tools."}`), nil
	case "ping":
		return json.RawMessage(`{}`), nil
	case "logging/setLevel":
		x.mu.Lock()
		x.logs = true
		x.mu.Unlock()
		return json.RawMessage(`{}`), nil
	case "tools/list":
		return x.cacheable("tools", x.tools()), nil
	case "tools/call":
		return x.call(ctx)
	case "subscriptions/listen":
		return x.listen(ctx)
	}
	return x.thing(ctx, method)
}

// stranger is what a server of one era says to the other.
func (x *exchange) stranger() error {
	if x.server.Era == OnlyLegacy {
		return &fault{Code: -32601, Message: "method not found"}
	}
	return &fault{Code: -32022, Message: "unsupported protocol version", Data: json.RawMessage(`{"supported":["` + Modern + `"]}`)}
}

const offered = `{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}`

func (x *exchange) initialize() (json.RawMessage, error) {
	capabilities, _ := rawjson.Get(x.params, "capabilities")
	x.mu.Lock()
	x.capabilities = capabilities
	x.mu.Unlock()
	return json.RawMessage(`{"protocolVersion":"` + Legacy + `","capabilities":` + offered + `,"serverInfo":` + info + `}`), nil
}

// cacheable is the result of a method that lists.
func (x *exchange) cacheable(key, items string) json.RawMessage {
	hints := ""
	if x.modern {
		hints = `,"ttlMs":0,"cacheScope":"private"`
	}
	return json.RawMessage(`{"` + key + `":` + items + hints + `}`)
}

// listen acknowledges, and stays open until it is canceled.
func (x *exchange) listen(ctx context.Context) (json.RawMessage, error) {
	wanted, _ := rawjson.Get(x.params, "notifications")
	x.mu.Lock()
	x.listens[string(x.id)] = wanted
	x.mu.Unlock()
	x.notify("notifications/subscriptions/acknowledged", tagged(string(x.id), `"notifications":`+string(wanted)+`,`))
	<-ctx.Done()
	return nil, ctx.Err()
}

func tagged(id, params string) json.RawMessage {
	return json.RawMessage(`{` + params + `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}`)
}

// changed tells of a change: in the session, and to those who listen for it.
func (c *client) changed(method, key, params string) {
	c.mu.Lock()
	var ids []string
	for id, wanted := range c.listens {
		if value, ok := rawjson.Get(wanted, key); ok && string(value) != "false" {
			ids = append(ids, id)
		}
	}
	legacy := c.capabilities != nil
	c.mu.Unlock()
	for _, id := range ids {
		c.notify(method, tagged(id, params))
	}
	if legacy {
		c.notify(method, json.RawMessage(`{`+trimComma(params)+`}`))
	}
}

func trimComma(params string) string {
	if params == "" {
		return ""
	}
	return params[:len(params)-1]
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(strconv.Quote(err.Error()))
	}
	return raw
}
