package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/source/remote"
)

// refresher asks far sides what they have, beside the program that serves them: when it starts, when
// they say that it is another list, and again after a fault. Nobody waits for it, and none of them for
// another. What is new is taken up by a look.
type refresher struct {
	live *live
	ctx  context.Context

	mu      sync.Mutex
	asking  map[string]bool               // sources that are being asked
	again   map[string]bool               // and have changed meanwhile
	follows map[string]context.CancelFunc // sources whose changes are listened for, by what they are
	told    map[string]string             // what was said of a source last
	work    sync.WaitGroup
}

// Pauses of the refresher.
const (
	minRefresh   = time.Second
	maxRefresh   = 5 * time.Minute
	remotePause  = time.Minute // between two looks at a twodoor that does not tell its changes
	refreshBound = 2 * time.Minute
)

// startRefresher asks every source that is listed, until the context ends.
func (l *live) startRefresher(ctx context.Context) {
	l.fresh = &refresher{live: l, ctx: ctx, asking: map[string]bool{}, again: map[string]bool{}, follows: map[string]context.CancelFunc{}, told: map[string]string{}}
	changed := l.fresh.ask
	l.run.far.changed.Store(&changed)
	offers := func(lists twodoor.Lists) { l.door.Changed(lists) }
	l.run.far.offers.Store(&offers)
	l.fresh.all()
}

// all asks every source.
func (f *refresher) all() {
	r := f.live.current()
	for _, name := range r.site.listed() {
		f.ask(name)
	}
	f.followAll(r)
}

// changed asks the sources that are others than before an edit.
func (f *refresher) changed(old, next *run) {
	for _, name := range next.site.listed() {
		if next.site.entry(name) != old.site.entry(name) {
			f.ask(name)
		}
	}
	f.followAll(next)
}

// ask asks a source now: at once, or once more where it is being asked already.
func (f *refresher) ask(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return
	}
	if f.asking[name] {
		f.again[name] = true
		return
	}
	f.asking[name] = true
	f.work.Go(func() { f.run(name) })
}

// run asks a source until it has answered as it stands.
func (f *refresher) run(name string) {
	for wait := minRefresh; ; {
		pause := time.Duration(0)
		if err := f.once(name); err != nil {
			pause = max(wait, twodoor.AsError(err).RetryAfter)
			wait = min(2*wait, maxRefresh)
		} else if wait = minRefresh; f.finished(name) {
			return
		}
		select {
		case <-f.ctx.Done():
			f.finished(name)
			return
		case <-time.After(pause):
		}
	}
}

// finished reports whether a source need not be asked once more.
func (f *refresher) finished(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.again[name] && f.ctx.Err() == nil {
		delete(f.again, name)
		return false
	}
	delete(f.asking, name)
	return true
}

// once asks a source, and has what is new taken up. A source that is gone has answered.
func (f *refresher) once(name string) error {
	r := f.live.current()
	if _, ok := r.site.Sources[name]; !ok || r.site.servers[name].Disabled || r.site.servers[name].Problem != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(f.ctx, refreshBound)
	defer cancel()
	news, err := r.ask(ctx, r.site, name)
	if f.ctx.Err() != nil {
		return nil
	}
	f.tell(r, name, err)
	if news {
		f.live.look(f.ctx)
	}
	return err
}

// tell says once what is the matter with a source.
func (f *refresher) tell(r *run, name string, err error) {
	says := ""
	if err != nil {
		says = err.Error()
	}
	f.mu.Lock()
	before := f.told[name]
	f.told[name] = says
	f.mu.Unlock()
	switch {
	case says != "" && says != before:
		r.note(fmt.Sprintf("twodoor: the source %s: %s; it is tried again", name, says))
	case says == "" && before != "":
		r.note(fmt.Sprintf("twodoor: the source %s answers again", name))
	}
}

// followAll listens at every other twodoor of the configuration for changes of its operations.
func (f *refresher) followAll(r *run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted := map[string]bool{}
	for _, name := range config.Sorted(r.site.Sources) {
		if r.site.Sources[name].Kind() != remote.Kind {
			continue
		}
		key := name + " " + r.site.entry(name)
		wanted[key] = true
		if f.follows[key] == nil && f.ctx.Err() == nil {
			ctx, cancel := context.WithCancel(f.ctx)
			f.follows[key] = cancel
			f.work.Go(func() { f.follow(ctx, r.remoteOf(r.site, name)) })
		}
	}
	for key, cancel := range f.follows {
		if !wanted[key] {
			cancel()
			delete(f.follows, key)
		}
	}
}

// follow listens at another twodoor. Where that does not tell its changes it is looked at now and then.
func (f *refresher) follow(ctx context.Context, source *remote.Source) {
	known := true // the first word of the first stream tells nothing: the source is being asked
	for ctx.Err() == nil {
		began := time.Now()
		_ = source.Follow(ctx, func() {
			if !known {
				f.ask(source.Name)
			}
			known = false
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(remotePause-time.Since(began), minRefresh)):
			f.ask(source.Name)
		}
	}
}
