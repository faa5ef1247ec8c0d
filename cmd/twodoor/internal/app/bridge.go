package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/smoke"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// bridge relays a stream to an MCP server behind a URL: a line becomes a POST, what is answered
// becomes lines. The operator's token of this user is sent along to loopback addresses only.
func (r *run) bridge(ctx context.Context, url string, in io.Reader, out io.Writer) error {
	b := &bridge{url: url, client: smoke.Client(), out: out, running: map[string]context.CancelFunc{}}
	if isLoopbackURL(url) {
		if _, err := r.find(); err != nil {
			return err
		}
		token, err := r.token()
		if err != nil {
			return err
		}
		b.token = token.Reveal()
	}
	lasting := context.WithoutCancel(ctx)
	lines := bufio.NewReaderSize(untilDone(ctx, in), 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > mcpserver.MaxLine {
			return fmt.Errorf("a line of %d bytes is over the bound of %d", len(line), mcpserver.MaxLine)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			b.take(lasting, line)
		}
		if err != nil {
			b.busy.Wait()
			return nil
		}
	}
}

type bridge struct {
	url    string
	token  string
	client smoke.Doer
	busy   sync.WaitGroup

	mu      sync.Mutex
	session string                        // legacy: what the server named it
	version string                        // legacy: what was agreed
	running map[string]context.CancelFunc // modern requests, by id

	write sync.Mutex
	out   io.Writer
}

// take sends a line. An initialize is waited for: what follows needs its session. Everything else
// runs beside what is under way.
func (b *bridge) take(ctx context.Context, line []byte) {
	method, _ := rawjson.Get(line, "method")
	id, isRequest := rawjson.Get(line, "id")
	if string(method) == `"initialize"` {
		b.post(ctx, line, id)
		return
	}
	if string(method) == `"notifications/cancelled"` && b.cancel(line) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	if isRequest {
		b.mu.Lock()
		b.running[string(id)] = cancel
		b.mu.Unlock()
	}
	b.busy.Go(func() {
		defer cancel()
		b.post(ctx, line, id)
		b.mu.Lock()
		delete(b.running, string(id))
		b.mu.Unlock()
	})
}

// cancel ends a modern request by leaving it (MCP 2026-07-28, "Cancellation"); legacy servers are
// told instead.
func (b *bridge) cancel(line []byte) bool {
	id, _ := rawjson.GetPath(line, "params", "requestId")
	b.mu.Lock()
	defer b.mu.Unlock()
	cancel, known := b.running[string(id)]
	if known && b.session == "" {
		cancel()
		return true
	}
	return false
}

func (b *bridge) post(ctx context.Context, line, id []byte) {
	answer, err := b.send(ctx, line)
	if err == nil {
		defer answer.Body.Close()
		err = b.receive(answer, line)
	}
	if err != nil && ctx.Err() == nil && id != nil {
		message, _ := json.Marshal("cannot reach " + b.url + ": " + plainCause(err).Error())
		b.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, id, message))
	}
}

func (b *bridge) send(ctx context.Context, line []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if b.token != "" {
		h.Set("Authorization", "Bearer "+b.token)
	}
	b.mark(h, line)
	return b.client.Do(req)
}

// mark mirrors the body in the headers that the eras want (MCP 2026-07-28, "Transports").
func (b *bridge) mark(h http.Header, line []byte) {
	if version := text(line, "params", "_meta", "io.modelcontextprotocol/protocolVersion"); version != "" {
		h.Set("MCP-Protocol-Version", version)
		h.Set("Mcp-Method", text(line, "method"))
		for _, key := range []string{"name", "uri", "taskId"} {
			if name := text(line, "params", key); name != "" {
				h.Set("Mcp-Name", name)
				return
			}
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" {
		h.Set("Mcp-Session-Id", b.session)
	}
	if b.version != "" {
		h.Set("MCP-Protocol-Version", b.version)
	}
}

func text(raw []byte, path ...string) string {
	value, _ := rawjson.GetPath(raw, path...)
	text, _ := rawjson.String(value)
	return text
}

// receive writes what was answered, a line for each message.
func (b *bridge) receive(answer *http.Response, asked []byte) error {
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
		b.mu.Lock()
		b.session = id
		b.mu.Unlock()
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "text/event-stream" {
		return b.events(answer.Body)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mcpserver.MaxLine))
	if err != nil {
		return err
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 && answer.StatusCode < 300 {
		return nil
	}
	if rawjson.KindOf(body) != rawjson.KindObject || rawjson.Check(body) != nil {
		return fmt.Errorf("HTTP %d", answer.StatusCode)
	}
	if _, isMessage := rawjson.Get(body, "jsonrpc"); !isMessage {
		return fmt.Errorf("HTTP %d %s", answer.StatusCode, text(body, "detail"))
	}
	if text(asked, "method") == "initialize" {
		b.mu.Lock()
		b.version = text(body, "result", "protocolVersion")
		b.mu.Unlock()
	}
	b.say(body)
	return nil
}

func (b *bridge) events(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mcpserver.MaxLine)
	var data []string
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimPrefix(text, " "))
			continue
		}
		if message := strings.Join(data, "\n"); line == "" && rawjson.Check([]byte(message)) == nil {
			if version := text([]byte(message), "result", "protocolVersion"); version != "" {
				b.mu.Lock()
				b.version = version
				b.mu.Unlock()
			}
			b.say([]byte(message))
		}
		if line == "" {
			data = nil
		}
	}
	return lines.Err()
}

func (b *bridge) say(message []byte) {
	b.write.Lock()
	defer b.write.Unlock()
	_, _ = b.out.Write(append(rawjson.Compact(nil, message), '\n'))
}
