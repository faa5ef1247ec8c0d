package harbor

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/twodoor/twodoor/internal/harbor/fault"
	"github.com/twodoor/twodoor/internal/harbor/telemetry"
)

// Options says how a Server behaves. The zero value is an open server on the real clock.
type Options struct {
	Now       func() time.Time // the clock all seeded times are relative to; default time.Now
	Token     string           // wanted as bearer token or Harbor-Key; empty lets everybody in
	OtherHost string           // base URL the fault redirect-other-host points at; default the same port under another name
	Slow      time.Duration    // how long the fault slow waits; default 2 s
	Hydration time.Duration    // how long a cold log takes to become readable; default 1.5 s
}

// Server is one Harbor with its own data. It is safe for concurrent use.
type Server struct {
	options Options
	mux     *http.ServeMux
	faults  fault.Queue

	services func() (http.Handler, error) // those of package telemetry

	mu     sync.Mutex
	state  *state        // guarded by mu
	change chan struct{} // guarded by mu; closed and replaced when an incident changes
}

// New makes a server with freshly seeded data.
func New(options Options) *Server {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Slow == 0 {
		options.Slow = 2 * time.Second
	}
	if options.Hydration == 0 {
		options.Hydration = 1500 * time.Millisecond
	}
	s := &Server{options: options, mux: http.NewServeMux(), change: make(chan struct{})}
	s.faults.Slow, s.faults.OtherHost, s.faults.BodyLimit, s.faults.Refuse = options.Slow, options.OtherHost, bodyLimit, refuse
	s.services = sync.OnceValues(telemetry.New(options.Now, options.Hydration).Handler)
	for _, route := range s.routes() {
		s.mux.HandleFunc(route.method+" "+route.path, s.carry(route))
	}
	for _, service := range telemetry.Services() {
		s.mux.Handle("/"+service+"/", s.telemetry())
	}
	s.mux.HandleFunc("/", s.noRoute)
	s.Reset()
	return s
}

// telemetry serves the Protobuf services. Their descriptors are linked when one is first called.
func (s *Server) telemetry() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, err := s.services()
		if err != nil {
			writeProblem(w, asProblem(err))
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// Reset forgets every change and every waiting fault and seeds the data anew at the present time of the clock.
func (s *Server) Reset() {
	s.faults.Clear()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = seed(s.options.Now().UTC().Truncate(time.Second))
	s.wake()
}

// Handler serves the API of openapi.yaml.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.admits(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="harbor"`)
			writeProblem(w, &problem{Status: http.StatusUnauthorized, Code: "unauthenticated",
				Detail: "This Harbor wants a token and got none, or a wrong one.",
				Hint:   "Send Authorization: Bearer TOKEN, or Harbor-Key: TOKEN."})
			return
		}
		if r.URL.Path != faultsPath && s.faults.Fail(w, r, r.Header.Get("Harbor-Fault")) {
			return
		}
		s.mux.ServeHTTP(w, r)
	})
}

// bodyLimit bounds a request body; the largest legitimate one is an attachment of attachmentLimit and its form.
const bodyLimit = attachmentLimit + 64<<10

// carry turns a handler into an http.HandlerFunc: read the body, hold the data while the handler works, then write.
func (s *Server) carry(route route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
		if err != nil {
			writeProblem(w, unreadable(err))
			return
		}
		answer, err := s.handle(route, &request{Request: r, body: body, query: r.URL.Query()})
		if err != nil {
			writeProblem(w, asProblem(err))
			return
		}
		answer.write(w)
	}
}

func (s *Server) handle(route route, in *request) (reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in.exact = s.options.Now().UTC()
	in.now = in.exact.Truncate(time.Second)
	return route.handle(s.state, in)
}

func unreadable(err error) *problem {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &problem{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Detail: "The request body is larger than Harbor takes.", Hint: "An attachment may weigh at most 5 MiB."}
	}
	return invalid("body", "cannot be read to its end")
}

// noRoute answers for paths nobody serves, and for methods a known path does not have.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	if allowed := s.methodsOf(r); allowed != "" {
		w.Header().Set("Allow", allowed)
		writeProblem(w, &problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Detail: r.URL.Path + " does not take " + r.Method + ".", Hint: "It takes " + allowed + "."})
		return
	}
	writeProblem(w, &problem{Status: http.StatusNotFound, Code: "not_found",
		Detail: "Harbor has no path " + r.URL.Path + ".", Hint: "The document lists every path."})
}
