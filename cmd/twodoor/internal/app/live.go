package app

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/session"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/secret"
)

// live is what a program that stays serves, and follows its configuration and descriptions: whoever
// edits them need not start it again. A bad edit changes nothing and is told once.
type live struct {
	run    *run // whose configuration is served; changed by look alone
	expose twodoor.Expose
	guard  *session.Guard // nil: everybody is the operator

	sessions restSessions // that the operator begins; they are good at every door

	fresh  *refresher // nil until it follows
	door   *mcpserver.Door
	rest   *rest.Door
	local  *rest.Door          // for this user's own processes, over the socket
	served atomic.Pointer[run] // the run, for whoever does not wait
	mu     sync.Mutex
	sick   string // what was told of the present state of the files that is not taken up
	read   time.Time
}

// begin opens the catalog and the MCP door on it.
func (l *live) begin(ctx context.Context) error {
	if err := l.run.serve(ctx); err != nil {
		return err
	}
	l.read, l.run.staying = time.Now(), true
	l.served.Store(l.run)
	l.sessions = restSessions{keeper: l.run.memory.sessions(), ended: l.run.far.pool.Leave}
	l.door, l.rest, l.local = l.newDoor(l.run), l.newREST(l.run), &rest.Door{Engine: l.run.engine}
	l.rest.Calls = l.run.memory.calls()
	l.local.Calls = l.rest.Calls
	return nil
}

func (l *live) newDoor(r *run) *mcpserver.Door {
	door := &mcpserver.Door{
		Engine: r.engine, Name: r.name(), Version: r.Version.Number, Principal: twodoor.Operator,
		Profile: orElse(r.early.Profile, r.getenv("TWODOOR_PROFILE")), Expose: l.expose, Origins: r.site.Server.Origins,
		Definition: definitionOf,
	}
	if public, err := url.Parse(r.site.Server.PublicURL); err == nil && public.Host != "" {
		door.Hosts = []string{public.Host}
	}
	if l.guard != nil {
		door.Authenticate = l.sessions.forMCP(l.guard)
	}
	return door
}

// pause between two looks at the files.
const pause = time.Second

// current is the run that is served at present. It waits for no edit that is being read.
func (l *live) current() *run { return l.served.Load() }

// follow looks at the files until the context ends, and asks far sides what they have.
func (l *live) follow(ctx context.Context) {
	l.startRefresher(ctx)
	defer l.fresh.work.Wait()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.look(ctx)
		}
	}
}

// look takes up what has changed: it reads everything anew, and swaps only when all of it is good.
func (l *live) look(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.run
	text, err := os.ReadFile(old.site.File)
	if err != nil {
		return
	}
	edited, due := !bytes.Equal(text, old.site.Text), l.due()
	if !edited && !due && !old.site.edited() && !old.opened.appeared() && old.opened.stamp.Fresh(old.key(old.site)) {
		l.sick = ""
		return
	}
	next, err := l.reread(ctx, due)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		l.refuse(err)
		return
	}
	l.sick = ""
	if due && !edited && sameTexts(&old.fetched, &next.fetched) {
		return
	}
	next.tellHeld()
	l.swap(old, next)
}

// due reports whether a description behind a URL has grown as old as its source allows.
func (l *live) due() bool {
	age := time.Since(l.read)
	for _, s := range l.run.site.Sources {
		if refresh, err := time.ParseDuration(s.Refresh); err == nil && config.IsURL(s.OpenAPI) && age >= refresh {
			return true
		}
	}
	return false
}

// sameTexts reports whether everything that was fetched is what it was before.
func sameTexts(old, next *sync.Map) bool {
	same := true
	next.Range(func(url, hash any) bool {
		before, _ := old.Load(url)
		same = before == hash
		return same
	})
	return same
}

// reread opens the configuration as it is now. Nobody is asked for trust in the middle of serving.
func (l *live) reread(ctx context.Context, anew bool) (*run, error) {
	l.read = time.Now()
	app := *l.run.App
	app.StdinTTY = false
	next := &run{App: &app, held: &[]string{}, early: l.run.early, folders: l.run.folders, engine: &twodoor.Engine{}, anew: anew, quiet: l.run.quiet, memory: l.run.memory, far: l.run.far, staying: true}
	next.early.Config, next.early.Words, next.early.Trust = l.run.site.File, nil, false
	s, err := next.find()
	if err != nil {
		return nil, err
	}
	s.where, s.demo = l.run.site.where, l.run.site.demo
	o, err := next.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, lost := range o.lost {
		if l.serves(lost.source) {
			return nil, fmt.Errorf("the source %s: %w", lost.source, lost.err)
		}
	}
	next.App = l.run.App
	next.ready()
	return next, nil
}

// serves reports whether a source is served at present: then it is not given up for a bad edit.
func (l *live) serves(source string) bool {
	for range l.run.opened.catalog.Below(source + ".") {
		return true
	}
	return false
}

// refuse tells what is not taken up, once: it is tried again until it is mended, be it here or in
// what it names.
func (l *live) refuse(err error) {
	says := fmt.Sprintf("twodoor: not taken up, the present state stays: %v", l.run.told(err))
	if twodoor.AsError(err).Code == twodoor.CodeDenied {
		says += "; read the file, and if it is good: twodoor sources --trust"
	}
	if says != l.sick {
		l.sick = says
		l.run.note(says)
	}
}

// swap serves what was read. The door stays, and with it the sessions of its clients; they are told
// that the list is another one.
func (l *live) swap(old, next *run) {
	next.far.serve(next, next.site)
	old.engine.Reconfigure(next.opened.catalog, next.engine.Invokers, next.engine.Profiles)
	next.engine = old.engine
	l.run = next
	l.served.Store(next)
	if l.fresh != nil {
		go l.fresh.changed(old, next)
	}
	l.door.Changed()
	l.rest.Changed()
	l.local.Changed()
	l.run.note(fmt.Sprintf("twodoor: taken up what was changed: %d operations", countOf(next.opened.catalog)))
	if !reflect.DeepEqual(old.site.Server, next.site.Server) || old.site.Auth != next.site.Auth || old.site.Store != next.site.Store || old.site.Journal != next.site.Journal {
		l.run.note("twodoor: server:, auth:, store: and journal: are read at the start only: start again for them")
	}
}

// guardOf is who may call over HTTP, and the operator's token where one is needed.
func (r *run) guardOf() (*session.Guard, secret.Text, error) {
	switch mode := r.site.Auth.Mode; mode {
	case "none":
		return &session.Guard{Mode: session.ModeNone}, secret.Text{}, nil
	case "", "token":
	default:
		return nil, secret.Text{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("auth.mode %s is not in this version", mode), Hint: "write token, or none for loopback addresses"}
	}
	token, err := r.token()
	r.memory.secrets.Add(token)
	return &session.Guard{Mode: session.ModeToken, Token: token}, token, err
}

// token is the operator's: the configuration's own, else the one of the state folder.
func (r *run) token() (secret.Text, error) {
	if text := r.site.Server.Token; text != "" {
		return r.resolver().Resolve(secret.NewRef(text))
	}
	if r.folders.State == "" {
		return secret.Text{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no place for the operator token: neither HOME nor XDG_STATE_HOME is set", Hint: "set one, or TWODOOR_TOKEN"}
	}
	token, _, err := session.Load(r.folders.State)
	if err != nil {
		return secret.Text{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error(), Hint: "mend that for this user, or set XDG_STATE_HOME or TWODOOR_TOKEN", Cause: err}
	}
	return token, nil
}

func (r *run) resolver() *secret.Resolver {
	return &secret.Resolver{LookupEnv: r.LookupEnv, Keyring: secret.SystemKeyring{}, Redactor: &r.memory.secrets}
}

// demoFile is the configuration of the demo.
func (r *run) demoFile() string {
	if r.folders.State == "" {
		return ""
	}
	return r.folders.State + "/demo/" + config.FileName
}
