package mcpclient

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/secret"
)

// Doer sends an HTTP request with the key of the source put on it, and the headers that its entry
// configures. It follows no redirect to another origin. The caller closes the answer's body.
type Doer interface {
	Do(req *http.Request, access twodoor.Access) (*http.Response, error)
}

// Pool holds the connections to servers: one for each server, account and isolation key. A
// connection is made when it is first needed, once however many ask, and in the background: a
// caller who leaves does not end it for the others. Nobody but the pool tries again: a start that
// failed is remembered and not repeated before its time.
//
// It is safe for concurrent use after [Pool.Serve] and must not be copied.
type Pool struct {
	Doer    Doer     // required for servers behind addresses
	Environ []string // this process's environment: children see its everyday variables only, and those their entry passes

	// Expand resolves the references in a server's env, args, url and folder; nil: texts are taken
	// as they are.
	Expand func(ctx context.Context, text string) (string, error)
	// Changed is told that a server's list of tools is not what it was. It is called in a goroutine.
	Changed func(source string)
	// Lists is told that its resources or prompts are not what they were, likewise.
	Lists func(source string, lists twodoor.Lists)

	Version    string        // of this program, told to servers
	Start      time.Duration // bound of a start; 0: one minute
	Idle       time.Duration // how long an unused connection is kept; 0: 15 minutes
	Pulse      time.Duration // how long a program that let a call time out may take to answer the simplest request; 0: 5 s
	MaxPer     int           // connections of one server; 0: 64
	MaxMessage int           // bytes of one message; 0: 64 MiB

	once   sync.Once
	life   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup // starts and closings under way
	secret secret.Redactor

	mu      sync.Mutex
	closed  bool
	servers map[string]*Server // by source
	eras    map[string]era     // by source: what was found out last
	slots   map[key]*slot
	leaving map[*slot]bool // replaced, and still in use
}

// key tells connections apart (gateways: never by headers alone).
type key struct {
	source, account string
	kind            Isolation // whose owner it is: a session's name is no principal's
	owner           string
	asks            string // what the owner can be asked, where the connection is its own
}

// Bounds where a pool sets none.
const (
	defaultStart  = time.Minute
	defaultIdle   = 15 * time.Minute
	defaultPulse  = 5 * time.Second
	defaultMaxPer = 64
)

// Serve sets the servers by the name of their source. Connections of those that changed or are gone
// are closed as soon as nobody uses them; the others stay.
func (p *Pool) Serve(servers map[string]Server) {
	p.open()
	p.mu.Lock()
	var retired []*slot
	for k, s := range p.slots {
		if now, ok := servers[k.source]; !ok || !now.same(&s.server) {
			retired = append(retired, s)
			delete(p.slots, k)
			delete(p.eras, k.source)
			p.leave(s)
		}
	}
	p.servers = make(map[string]*Server, len(servers))
	for name, server := range servers {
		p.servers[name] = &server
	}
	p.mu.Unlock()
	for _, s := range retired {
		if s.retire() {
			p.left(s)
		}
	}
}

func (p *Pool) leave(s *slot) {
	if p.leaving == nil {
		p.leaving = map[*slot]bool{}
	}
	p.leaving[s] = true
}

func (p *Pool) left(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leaving, s)
}

// goes runs work that Close waits for, unless the pool is closed already.
func (p *Pool) goes(work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.work.Go(work)
	}
}

func (p *Pool) open() {
	p.once.Do(func() { p.life, p.end = context.WithCancel(context.Background()) })
}

// Warm begins to connect to every server that is shared, and waits for none.
func (p *Pool) Warm() {
	p.mu.Lock()
	var sources []string
	for name, server := range p.servers {
		if !server.Disabled && (server.Isolation == "" || server.Isolation == Shared) {
			sources = append(sources, name)
		}
	}
	p.mu.Unlock()
	for _, source := range sources {
		if s, err := p.slot(key{source: source}); err == nil {
			s.warm()
		}
	}
}

// Retry forgets what failed at a source: the next call starts it at once. It is for after a login or
// a repair.
func (p *Pool) Retry(source string) {
	p.mu.Lock()
	var of []*slot
	for k, s := range p.slots {
		if k.source == source {
			of = append(of, s)
		}
	}
	p.mu.Unlock()
	for _, s := range of {
		s.forgive()
	}
}

// Leave ends what a session has for itself: it is over. Calls under way are finished.
func (p *Pool) Leave(session string) {
	p.mu.Lock()
	var retired []*slot
	for k, s := range p.slots {
		if k.kind == PerSession && k.owner == session {
			retired = append(retired, s)
			delete(p.slots, k)
			p.leave(s)
		}
	}
	p.mu.Unlock()
	for _, s := range retired {
		if s.retire() {
			p.left(s)
		}
	}
}

// Close ends every connection, and every child with what it started. It returns when they are gone.
func (p *Pool) Close() {
	p.open()
	p.mu.Lock()
	p.closed = true
	var all []*slot
	for _, s := range p.slots {
		all = append(all, s)
	}
	for s := range p.leaving {
		all = append(all, s)
	}
	p.slots, p.leaving = nil, nil
	p.mu.Unlock()
	for _, s := range all {
		s.stop(closeGrace)
	}
	p.end()
	p.work.Wait()
}

// Graces of a child that is asked to end.
const (
	closeGrace = 500 * time.Millisecond
	idleGrace  = 2 * time.Second
)

// server is the entry of a source.
func (p *Pool) server(source string) (*Server, error) {
	p.mu.Lock()
	server := p.servers[source]
	p.mu.Unlock()
	switch {
	case server == nil:
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: source + " is not configured any more", Hint: "list the sources and their servers"}
	case server.Disabled:
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: source + " is switched off", Hint: `take "disabled" out of its entry`}
	case server.check() != "":
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: source + " cannot be started: " + server.check(), Hint: "correct its entry in the configuration"}
	}
	return server, nil
}

// keyOf is the connection that an invocation goes over.
func (p *Pool) keyOf(in *twodoor.Invocation) (key, error) {
	source := in.Operation.Source()
	server, err := p.server(source)
	if err != nil {
		return key{}, err
	}
	k := key{source: source, account: in.Account}
	switch server.Isolation {
	case PerSession:
		k.kind, k.owner = PerSession, in.Session
		if in.Session == "" { // the caller has none: then it is one of its own
			k.kind, k.owner = PerPrincipal, in.Principal.Subject
		}
	case PerPrincipal:
		k.kind, k.owner = PerPrincipal, in.Principal.Subject
	}
	if k.kind != "" {
		k.asks = string(askable(in.Declared))
	}
	return k, nil
}

// acquire hands out the connection of a key, made now where there is none. The slot is released
// by the caller.
func (p *Pool) acquire(ctx context.Context, k key) (*slot, *conn, error) {
	for {
		s, err := p.slot(k)
		if err != nil {
			return nil, nil, err
		}
		c, err := s.use(ctx)
		if err == errRetired { // between the two lines above
			continue
		}
		return s, c, err
	}
}

// slot is the place of a connection.
func (p *Pool) slot(k key) (*slot, error) {
	server, err := p.server(k.source)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "this twodoor is shutting down", Hint: "call again in a moment"}
	}
	if s := p.slots[k]; s != nil {
		return s, nil
	}
	if err := p.room(k.source); err != nil {
		return nil, err
	}
	s := &slot{pool: p, key: k, server: *server, state: Configured}
	if p.slots == nil {
		p.slots = map[key]*slot{}
	}
	p.slots[k] = s
	return s, nil
}

// room makes room for one more connection of a source: the one that was unused longest gives way.
func (p *Pool) room(source string) error {
	bound := p.MaxPer
	if bound <= 0 {
		bound = defaultMaxPer
	}
	var of []*slot
	for k, s := range p.slots {
		if k.source == source {
			of = append(of, s)
		}
	}
	if len(of) < bound {
		return nil
	}
	slices.SortFunc(of, func(a, b *slot) int { return a.lastUse().Compare(b.lastUse()) })
	for _, s := range of {
		if s.stopIfIdle() {
			delete(p.slots, s.key)
			return nil
		}
	}
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: source + " has as many connections as it may, and all are in use", Hint: "call again when others are done", RetryAfter: 5 * time.Second}
}

// drop forgets a slot that ended by itself.
func (p *Pool) drop(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slots[s.key] == s {
		delete(p.slots, s.key)
	}
}

func (p *Pool) era(source string) era {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.eras[source]
}

func (p *Pool) remember(source string, e era) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.eras == nil {
		p.eras = map[string]era{}
	}
	p.eras[source] = e
}

func (p *Pool) expand(ctx context.Context, text string) (string, error) {
	if p.Expand == nil {
		return text, nil
	}
	return p.Expand(ctx, text)
}

// hide takes a text for a secret from now on.
func (p *Pool) hide(text string) { p.secret.Add(secret.New(text)) }

// redact takes the secrets that were used out of what a server said.
func (p *Pool) redact(text string) string {
	if r, ok := p.Doer.(interface{ Redact(text string) string }); ok {
		text = r.Redact(text)
	}
	return p.secret.Redact(text)
}
