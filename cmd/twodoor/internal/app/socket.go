package app

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
)

// socketPath is where the up of a configuration listens for the mcp of the same one; empty: nowhere.
func (r *run) socketPath(file string) string {
	if r.folders.Runtime == "" || file == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(r.folders.Runtime, hex.EncodeToString(sum[:8])+".sock")
}

// attach connects to the up of a configuration.
func (r *run) attach(file string) (*net.UnixConn, error) {
	conn, err := net.DialTimeout("unix", r.socketPath(file), time.Second)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// alive reports whether an up of a configuration is running.
func (r *run) alive(file string) bool {
	conn, err := r.attach(file)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// greeting is the first line over the socket; everything after it is MCP.
type greeting struct {
	Profile string         `json:"profile,omitempty"`
	Expose  twodoor.Expose `json:"expose,omitempty"`
	Ask     string         `json:"ask,omitempty"` // askSources, …: what comes in place of MCP
}

// What may be asked for in place of MCP.
const (
	askSources = "sources" // how the sources are
	askRecord  = "record"  // records of calls come in
	askCall    = "call"    // a call of an MCP server's tool, over the connections of the up
	askHTTP    = "http"    // a request to the REST door comes
)

func greet(conn net.Conn, hello greeting) error {
	line, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	_, err = conn.Write(append(line, '\n'))
	return err
}

// greetingBound is how long the first line may be, and how long it may take.
const (
	greetingSize = 4 << 10
	greetingTime = 5 * time.Second
)

// socket serves MCP streams to processes of the same user.
type socket struct {
	listener *net.UnixListener
	live     *live
	memory   *memory

	mu      sync.Mutex
	streams map[*net.UnixConn]bool
	closed  bool
	busy    sync.WaitGroup
}

// listenSocket opens the socket of a configuration. It is readable by this user alone. An error means
// only that mcp runs by itself.
func (r *run) listenSocket(l *live) (*socket, error) {
	path := r.socketPath(r.site.File)
	if path == "" {
		return nil, errors.New("there is no folder for it: neither XDG_RUNTIME_DIR nor HOME is set")
	}
	if r.alive(r.site.File) {
		return nil, errors.New("another up of this configuration has it")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	_ = os.Remove(path) // of one that died
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, err
	}
	return &socket{listener: listener, live: l, memory: r.memory, streams: map[*net.UnixConn]bool{}}, nil
}

// serve accepts streams until the socket is closed.
func (s *socket) serve(ctx context.Context) {
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			return
		}
		if !s.enter(conn) {
			conn.Close()
			return
		}
		go func() {
			defer s.leave(conn)
			s.stream(ctx, conn)
		}()
	}
}

func (s *socket) enter(conn *net.UnixConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.streams[conn] = true
		s.busy.Add(1)
	}
	return !s.closed
}

func (s *socket) leave(conn *net.UnixConn) {
	conn.Close()
	s.mu.Lock()
	delete(s.streams, conn)
	s.mu.Unlock()
	s.busy.Done()
}

// stream serves one client: its greeting, then MCP.
func (s *socket) stream(ctx context.Context, conn *net.UnixConn) {
	in := bufio.NewReaderSize(conn, greetingSize)
	_ = conn.SetReadDeadline(time.Now().Add(greetingTime))
	line, err := in.ReadSlice('\n')
	var hello greeting
	if err != nil || json.Unmarshal(bytes.TrimSpace(line), &hello) != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	switch hello.Ask { // an error is a client that left: nobody to tell
	case "":
		_ = s.live.door.Serve(ctx, mcpserver.Stream{In: in, Out: conn, Principal: twodoor.Operator, Profile: hello.Profile, Expose: hello.Expose})
	case askRecord:
		if store := s.memory.store; store != nil {
			_ = store.journal.Serve(ctx, through{in, conn})
		}
	case askCall:
		s.carry(ctx, conn, in)
	case askHTTP:
		s.http(ctx, through{in, conn})
	case askSources:
		s.answer(conn)
	}
}

// through is a connection of which the beginning was read already.
type through struct {
	in *bufio.Reader
	*net.UnixConn
}

func (t through) Read(p []byte) (int, error) { return t.in.Read(p) }

// http answers one request to the REST door, on behalf of the operator: the socket is this user's.
func (s *socket) http(ctx context.Context, conn through) {
	req, err := http.ReadRequest(conn.in)
	if err != nil {
		return
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() { // the end of its input is the end of its interest
		_, _ = io.Copy(io.Discard, conn.in)
		end()
	}()
	s.live.local.ServeHTTP(&answer{conn: conn, header: http.Header{}}, req.WithContext(ctx))
}

// answer writes an answer whose end is the end of the connection.
type answer struct {
	conn   io.Writer
	header http.Header
	begun  bool
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.begun {
		return
	}
	a.begun = true
	fmt.Fprintf(a.conn, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	a.header.Set("Connection", "close")
	_ = a.header.Write(a.conn) // the client left: the body will tell
	_, _ = io.WriteString(a.conn, "\r\n")
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.conn.Write(p)
}

// Flush does nothing: nothing is held back.
func (a *answer) Flush() {}

// drain takes no more, lets what is under way finish, and returns when all streams have ended.
func (s *socket) drain() {
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for conn := range s.streams {
		_ = conn.CloseRead() // its end of input
	}
	s.mu.Unlock()
	s.busy.Wait()
}

// relay carries a stream over a socket to the up that answers it, to the end of both sides. The end
// of the context is an end of input: what is under way is still answered.
func relay(ctx context.Context, conn *net.UnixConn, hello greeting, in io.Reader, out io.Writer) error {
	defer conn.Close()
	if err := greet(conn, hello); err != nil {
		return ended(err)
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(conn, untilDone(ctx, in))
		close(over)
		_ = conn.CloseWrite()
	}()
	_, err := io.Copy(out, conn)
	select {
	case <-over:
		return err
	default:
		return ended(err)
	}
}

func ended(cause error) error {
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the running twodoor up has ended", Hint: "start it again, or connect again: without one, mcp runs by itself", Cause: cause}
}

// untilDone is a reader that ends with the context too.
func untilDone(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.Close() })
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	return r
}
