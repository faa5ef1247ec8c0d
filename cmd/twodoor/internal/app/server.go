package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/docs"
	"github.com/twodoor/twodoor/internal/secret"
)

// server is a running up: the doors over HTTP and the socket.
type server struct {
	run       *run
	live      *live
	token     secret.Text // zero where nobody needs one
	listeners []net.Listener
	http      *http.Server
	socket    *socket // nil: mcp runs by itself
	draining  atomic.Bool
	quiet     bool // it ends by itself: nobody waits for a word about it
}

// drainTime is how long calls under way may take after the signal to end.
const drainTime = 30 * time.Second

// newServer opens the catalog and listens. Nothing is answered yet.
func (r *run) newServer(ctx context.Context, addresses []string) (*server, error) {
	guard, token, err := r.guardOf()
	if err != nil {
		return nil, err
	}
	if err := r.remember(ctx); err != nil {
		return nil, err
	}
	u := &server{run: r, token: token, live: &live{run: r, guard: guard}}
	if err := u.live.begin(ctx); err != nil {
		return nil, err
	}
	r.observe(failures{r.log()})
	if len(addresses) == 0 {
		addresses = r.site.Server.Listen
	}
	if len(addresses) == 0 {
		addresses = []string{defaultListen}
	}
	if err := u.listen(addresses); err != nil {
		return nil, err
	}
	u.http = &http.Server{
		Handler: u.routes(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if u.socket, err = r.listenSocket(u.live); err != nil {
		r.note(fmt.Sprintf("twodoor: no socket for twodoor mcp, it will run by itself: %v", err))
	}
	return u, nil
}

const defaultListen = "127.0.0.1:7777"

func (u *server) listen(addresses []string) error {
	for _, address := range addresses {
		if u.run.site.Auth.Mode == "none" && !isLoopback(address) {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("auth.mode none is for loopback addresses, and %s is none", address), Hint: "listen on 127.0.0.1, or take auth.mode token"}
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			u.close()
			return unbound(address, err)
		}
		u.listeners = append(u.listeners, l)
	}
	return nil
}

// unbound says why an address cannot be listened at.
func unbound(address string, err error) error {
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("cannot listen on %s: %v", address, plainCause(err)), Hint: "choose another address with --listen HOST:PORT", Cause: err}
	if errors.Is(err, syscall.EADDRINUSE) {
		fault.Code, fault.Message = twodoor.CodeConflict, "something else listens on "+address
		fault.Hint = "is a twodoor up running already? Choose another address with --listen 127.0.0.1:PORT"
	}
	return fault
}

func (u *server) close() {
	for _, l := range u.listeners {
		l.Close()
	}
}

// routes are the doors over HTTP.
func (u *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", u.health)
	mux.Handle("GET /metrics", u.live.metrics())
	mux.Handle("GET /docs/{topic...}", docs.Handler())
	mux.Handle("/mcp", u.live.door.Handler())
	mux.Handle("/mcp/{profile}", u.live.door.Handler())
	mux.Handle("/sse", u.live.door.EventsHandler())
	mux.Handle("/messages", u.live.door.EventsHandler())
	u.mountREST(mux)
	return mux
}

// health tells whoever balances load whether this process takes calls.
func (u *server) health(w http.ResponseWriter, _ *http.Request) {
	status, word := http.StatusOK, "ok"
	if u.draining.Load() {
		status, word = http.StatusServiceUnavailable, "draining"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": word, "version": u.run.Version.Number, "operations": countOf(u.live.door.Engine.Catalog())})
}

// url is the address of the MCP door, as clients on this machine reach it.
func (u *server) url() string {
	if public := u.run.site.Server.PublicURL; public != "" {
		return strings.TrimSuffix(public, "/") + "/mcp"
	}
	return "http://" + reachable(u.listeners[0].Addr().String()) + "/mcp"
}

// reachable puts loopback in the place of "every address".
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, bad := netip.ParseAddr(host); err == nil && bad == nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}

// serve answers until the context ends, then drains: what is under way is answered, nothing new is
// taken.
func (u *server) serve(ctx context.Context) error {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	failed := make(chan error, len(u.listeners))
	for _, l := range u.listeners {
		go func() { failed <- u.http.Serve(l) }()
	}
	if u.socket != nil {
		go u.socket.serve(lasting)
	}
	go u.live.follow(ctx)
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	return u.drain()
}

func (u *server) drain() error {
	u.draining.Store(true)
	if !u.quiet {
		u.run.note("twodoor: finishing what is under way; once more to end at once")
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		if u.socket != nil {
			u.socket.drain()
		}
	}()
	u.live.door.Close()
	u.live.rest.Close()
	u.live.local.Close()
	err := u.http.Shutdown(ctx)
	select {
	case <-drained:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		u.http.Close()
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: fmt.Sprintf("calls were still under way after %v and are cut off", drainTime), Cause: err}
	}
	return nil
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

func isLoopbackURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && isLoopback(u.Host)
}
