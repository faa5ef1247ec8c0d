package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/twodoor/twodoor/door/mcpserver/legacy"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxRunning bounds the requests of one stream that are open at once, listens among them.
const maxRunning = 10_000

// Serve answers one stream until its end, in the order in which answers are ready. Both eras share
// it: a request that names its version is answered at once, an initialize begins a legacy session
// for everything that does not. At the end of input it finishes what is under way and returns nil.
// When the context ends it cancels what is under way and returns the context's error; the read that
// is waiting then ends with In.
func (d *Door) Serve(ctx context.Context, s Stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &conn{
		door: d, out: s.Out, running: map[string]*running{}, ended: make(chan struct{}),
		caller: caller{principal: s.Principal, session: orElse(s.Session, "mcp:"+rand.Text()), profile: orElse(s.Profile, d.Profile), expose: s.Expose, shared: true},
	}
	read := make(chan error, 1)
	go func() { read <- c.read(ctx, newFrames(s.In, MaxLine)) }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.finish()
	return errors.Join(err, c.failed())
}

// conn is a stream being served.
type conn struct {
	caller
	door  *Door
	ended chan struct{} // closed at the end of input
	busy  sync.WaitGroup

	mu      sync.Mutex
	running map[string]*running // by id
	old     *legacy.Stream      // nil until an initialize
	closed  bool                // no request is begun any more

	write   sync.Mutex
	out     io.Writer
	fault   error // the first of out
	stopped bool  // nothing is written any more
}

// running is a request that was not answered yet.
type running struct {
	cancel   context.CancelFunc
	canceled bool // guarded by conn.write: nothing more is said about it
}

func (c *conn) read(ctx context.Context, in *frames) error {
	for {
		line, err := in.next()
		switch {
		case errors.Is(err, errLongLine):
			c.say((&fault{code: codeInvalidRequest, message: fmt.Sprintf("a line is longer than %d bytes", MaxLine)}).reply(nil))
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the stream: %w", err)
		}
		c.take(ctx, line)
	}
}

// take handles one line. It returns before the answer is there.
func (c *conn) take(ctx context.Context, line []byte) {
	if line[0] == '[' {
		c.takeBatch(ctx, line)
		return
	}
	m, f := readMessage(line)
	switch {
	case f != nil:
		c.say(f.reply(m.id))
	case m.method == "notifications/cancelled" && c.cancel(m.params.requestID):
	case !m.modern() && c.takeLegacy(ctx, &m, line):
	case m.id != nil && m.method != "":
		c.begin(ctx, m)
	}
}

// takeBatch hands a batch to the legacy session: only 2025-03-26 knows them.
func (c *conn) takeBatch(ctx context.Context, line []byte) {
	if err := rawjson.Check(line); err != nil {
		c.say((&fault{code: codeParse, message: "not JSON: " + err.Error()}).reply(nil))
		return
	}
	for part := range rawjson.Elements(line) {
		if _, f := readMessage(part); f != nil {
			c.say(f.reply(nil))
			return
		}
	}
	if old := c.legacy(); old == nil || !old.TakeBatch(line) {
		c.say(invalid("batches are of the revision 2025-03-26: send one message a line").reply(nil))
	}
}

// takeLegacy hands a message without a version to the legacy session, and begins one where the
// message does.
func (c *conn) takeLegacy(ctx context.Context, m *message, line []byte) bool {
	old := c.legacy()
	if old == nil && (m.method == "initialize" || m.method == "ping") && m.id != nil {
		old = c.beginLegacy(ctx)
	}
	return old != nil && old.Take(line)
}

func (c *conn) legacy() *legacy.Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.old
}

func (c *conn) beginLegacy(ctx context.Context) *legacy.Stream {
	old, err := c.door.legacy().Stream(ctx, legacy.Caller{Principal: c.principal, Session: c.session, Profile: c.profile, Expose: c.expose}, c.say)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.old = old
	return old
}

// begin carries out a modern request beside the others.
func (c *conn) begin(ctx context.Context, m message) {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{cancel: cancel}
	if f := c.open(string(m.id), r); f != nil {
		cancel()
		c.say(f.reply(m.id))
		return
	}
	go func() {
		defer c.busy.Done()
		defer cancel()
		c.run(ctx, m, r)
	}()
}

// open enters a request among those that are running.
func (c *conn) open(id string, r *running) *fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.running[id] != nil:
		return invalid("a request with this id is still running")
	case len(c.running) >= maxRunning:
		return &fault{code: codeInternal, message: fmt.Sprintf("%d requests are open on this stream: wait for some to end", maxRunning)}
	case c.closed:
		return &fault{code: codeInternal, message: "this stream is ending"}
	}
	c.running[id] = r
	c.busy.Add(1)
	return nil
}

// run answers a request. Its id is free again before the answer is out.
func (c *conn) run(ctx context.Context, m message, r *running) {
	request := &request{message: m, caller: c.caller, ending: c.ended, send: func(note []byte) { c.sayOf(r, note) }}
	reply, f := c.door.answer(ctx, request)
	c.mu.Lock()
	delete(c.running, string(m.id))
	c.mu.Unlock()
	switch {
	case f == nil:
		c.sayOf(r, reply)
	case !f.silent:
		c.sayOf(r, f.reply(m.id))
	}
}

// cancel ends a running request, after which nothing more is said about it. It reports whether the
// id is that of one.
func (c *conn) cancel(id []byte) bool {
	c.mu.Lock()
	r := c.running[string(id)]
	c.mu.Unlock()
	if r == nil {
		return false
	}
	c.write.Lock()
	r.canceled = true
	c.write.Unlock()
	r.cancel()
	return true
}

// finish waits for what is under way, and closes the stream.
func (c *conn) finish() {
	c.mu.Lock()
	c.closed = true
	old := c.old
	c.mu.Unlock()
	close(c.ended)
	if old != nil {
		old.Finish()
	}
	c.busy.Wait()
	c.write.Lock()
	c.stopped = true
	c.write.Unlock()
}

func (c *conn) failed() error {
	c.write.Lock()
	defer c.write.Unlock()
	return c.fault
}

// say writes one message.
func (c *conn) say(message []byte) { c.sayOf(nil, message) }

// sayOf writes one message of a request, unless that was canceled.
func (c *conn) sayOf(r *running, message []byte) {
	message = append(message, '\n')
	c.write.Lock()
	defer c.write.Unlock()
	if c.stopped || c.fault != nil || r != nil && r.canceled {
		return
	}
	if _, err := c.out.Write(message); err != nil {
		c.fault = fmt.Errorf("write to the stream: %w", err)
	}
}
