package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/remote"
)

// farName is what the far side is called here: it has the one key, and its tools from a list have ids
// that begin with it.
const farName = "bridge"

// mostTools is how many operations are listed one by one; of more, those that find the others are.
const mostTools = 40

// Bounds of asking the far side what it has.
const (
	firstLook = 5 * time.Second // before the host is answered
	laterLook = time.Minute
	minPause  = time.Second
	maxPause  = 30 * time.Second
	poll      = time.Minute // of a far side that does not say when it changes
)

// bridge is the two halves and what lies between.
type bridge struct {
	*settings
	source *remote.Source
	engine *twodoor.Engine
	door   *mcpserver.Door
	out    *output
	log    *callLog

	looking sync.Mutex
	tag     string // of what is served
}

// run serves stdio until its end, and returns the exit status.
func run(ctx context.Context, getenv func(string) string, in io.Reader, out, errs io.Writer) int {
	s, err := readSettings(getenv)
	if err != nil {
		fmt.Fprintln(errs, "mcpbridge:", err)
		return twodoor.CodeInvalid.Exit()
	}
	log, err := openLog(s.log, errs)
	if err != nil {
		fmt.Fprintln(errs, "mcpbridge:", err)
		return twodoor.CodeInvalid.Exit()
	}
	defer log.close()
	b := newBridge(s, out, log)
	// Calls under way outlive the signal that ends the input.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if err := b.begin(lasting); err != nil {
		log.note(err)
		return twodoor.AsError(err).Code.Exit()
	}
	if err := b.door.ServeStdio(lasting, untilDone(ctx, in), b.out); err != nil {
		log.note(err)
		return 1
	}
	return 0
}

func newBridge(s *settings, out io.Writer, log *callLog) *bridge {
	client := outboundTo(s)
	b := &bridge{settings: s, log: log, out: &output{to: out, ready: s.ready, errorText: s.errorText, log: log}}
	b.source = &remote.Source{Name: farName, URL: s.url, Doer: client, Session: s.session, Relay: true, Most: mostTools}
	invoker := &remote.Invoker{Doer: client, Session: s.session, Scope: s.scope}
	if s.bounded {
		invoker.Timeout = s.timeout
	}
	b.engine = &twodoor.Engine{
		Invokers: map[string]twodoor.Invoker{remote.Kind: &spiller{next: invoker, dir: s.output}},
		Observer: log, Timeout: s.timeout,
	}
	b.door = &mcpserver.Door{Engine: b.engine, Name: "mcpbridge", Version: version, Principal: twodoor.Operator, Definition: remote.Definition}
	return b
}

// outboundTo is the way to the far side, with the token and to nowhere else. A call may think as long
// as its own bound allows.
func outboundTo(s *settings) *outbound.Client {
	transport := outbound.NewTransport()
	transport.ResponseHeaderTimeout = 0
	client := &outbound.Client{Transport: transport, Secrets: &secret.Resolver{}}
	if s.token.IsZero() {
		return client
	}
	at, err := url.Parse(s.url)
	if err != nil { // settings have read it already
		return client
	}
	client.Connections = map[string]outbound.Connection{farName: {Type: outbound.Bearer, Token: s.token}}
	client.Sources = map[string]outbound.Rule{farName: {Origins: []string{at.Scheme + "://" + at.Host}, Connection: farName}}
	return client
}

// begin makes the first list of tools: of those handed over, else of those of the far side. A far side
// that does not answer yet is asked again beside the serving.
func (b *bridge) begin(ctx context.Context) error {
	if b.tools != nil {
		b.door.Instructions = "The tools of this session."
		reading, err := b.source.Tools(b.tools)
		if err != nil {
			return err
		}
		return b.serve(&remote.Far{Reading: reading, Expose: twodoor.ExposeFull})
	}
	first, cancel := context.WithTimeout(ctx, firstLook)
	defer cancel()
	if err := b.look(first); err != nil {
		b.log.note(err)
	}
	go b.follow(ctx)
	return nil
}

// look takes up what the far side has now.
func (b *bridge) look(ctx context.Context) error {
	b.looking.Lock()
	defer b.looking.Unlock()
	far, err := b.source.Look(ctx, b.tag)
	if err != nil || far == nil {
		return err
	}
	if err := b.serve(far); err != nil {
		return err
	}
	b.tag = far.Tag
	b.door.Changed()
	return nil
}

// serve makes what was read the tools of this bridge, listed as the far side lists them.
func (b *bridge) serve(far *remote.Far) error {
	for _, left := range far.Reading.Exceptions {
		b.log.note(fmt.Errorf("the tool %q is left out: %s", left.Operation, left.Reason))
	}
	catalog, err := twodoor.NewCatalog(far.Reading)
	if err != nil {
		return err
	}
	profile := &twodoor.Profile{Expose: far.Expose, Pins: far.Pins, AnswerBudget: -1, OutputSchemas: far.OutputSchemas}
	switch {
	case far.Short:
		profile.Expose = twodoor.ExposeSearch
	case far.Foreign:
		profile.Expose = twodoor.ExposeFull
	}
	b.engine.Reconfigure(catalog, b.engine.Invokers, map[string]*twodoor.Profile{twodoor.DefaultProfile: profile})
	b.out.complete()
	return nil
}

// follow hears of changes as long as the context lasts. It is the only place that tries again.
func (b *bridge) follow(ctx context.Context) {
	pause := minPause
	for ctx.Err() == nil {
		err := b.source.Follow(ctx, func() {
			pause = minPause
			b.relook(ctx)
		})
		wait := pause
		if fault := twodoor.AsError(err); fault != nil && fault.Code == twodoor.CodeUnknown {
			wait = poll
			b.relook(ctx)
		}
		pause = min(2*pause, maxPause)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

func (b *bridge) relook(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, laterLook)
	defer cancel()
	if err := b.look(ctx); err != nil && ctx.Err() == nil {
		b.log.note(err)
	}
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
