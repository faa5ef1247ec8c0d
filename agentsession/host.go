package agentsession

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Host is a loopback listener that sessions share. The zero value is ready; it must not be copied. It
// listens while there are sessions, on a port of the system's choice. A request is told which session
// it is for by its token alone: there is no list of sessions, and of their tools.
type Host struct {
	mu       sync.Mutex
	sessions map[[sha256.Size]byte]*Session // by the digest of their token
	server   *http.Server
	address  string
}

// enter adds a session, and listens for the first one.
func (h *Host) enter(s *Session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) == 0 {
		if err := h.listen(); err != nil {
			return err
		}
	}
	h.sessions[s.digest] = s
	return nil
}

func (h *Host) listen() error {
	address := h.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil && h.address != "" { // the port of before was taken in between
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("listen for sessions on loopback: %w", err)
	}
	h.sessions, h.address = map[[sha256.Size]byte]*Session{}, l.Addr().String()
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	server := h.server
	go func() { _ = server.Serve(l) }() // ends when the last session closes the server
	return nil
}

// leave frees a session, and the listener with the last one.
func (h *Host) leave(s *Session) {
	h.mu.Lock()
	delete(h.sessions, s.digest)
	server := h.server
	if len(h.sessions) > 0 {
		server = nil
	} else {
		h.server = nil
	}
	h.mu.Unlock()
	if server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
}

// ServeHTTP hands a request to the session of its token. Who has none learns nothing.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	digest := sha256.Sum256([]byte(tokenOf(r)))
	h.mu.Lock()
	s := h.sessions[digest]
	h.mu.Unlock()
	if s == nil {
		refuse(w, "the token is not known here")
		return
	}
	s.ServeHTTP(w, r)
}

// refuse answers 401 in the envelope of the routes.
func refuse(w http.ResponseWriter, message string) {
	h := w.Header()
	h.Set("WWW-Authenticate", `Bearer realm="twodoor"`)
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(w, `{"success":false,"error":%q,"code":"unauthenticated"}`, message) // the caller left: nobody to tell
}

func (h *Host) url() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return "http://" + h.address + "/api"
}
