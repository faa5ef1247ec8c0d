package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/source/mcpclient"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/source/remote"
)

// isListed reports whether operations of a kind are what the far side says itself, and no description
// that can be read at any time.
func isListed(kind string) bool { return kind == mcpclient.Kind || kind == remote.Kind }

// isServed reports whether this version serves sources of a kind.
func isServed(kind string) bool {
	return kind == openapi.Kind || kind == protobuf.Kind || kind == command.Kind || isListed(kind)
}

// listed are the names of the sources whose far sides list their operations themselves.
func (s *site) listed() []string {
	return slices.DeleteFunc(config.Sorted(s.Sources), func(name string) bool { return !isListed(s.Sources[name].Kind()) })
}

// entry is what a source is listed by: where another one stands, another far side is meant.
func (s *site) entry(name string) string {
	raw, err := json.Marshal(struct {
		Source config.Source
		Server mcpclient.Server
		Key    config.Connection
	}{s.Sources[name], s.servers[name], s.Connections[s.Sources[name].Connection]})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

// Waits for a list.
const (
	listWait  = 5 * time.Second // by whoever wants to know all that there is
	listBound = time.Minute     // by whoever names the source, and in the background
	faultRest = time.Minute     // after a fault nobody who does not name the source tries again
)

// patience is how long this run waits for the list of a source that was never read.
func (r *run) patience(s *site, name string) time.Duration {
	if r.staying || r.completes() {
		return 0
	}
	wants := r.wants(s)
	switch {
	case wants == name:
		return listBound
	case wants != "":
		return 0
	}
	if fault := r.far.lists.Fault(name, s.entry(name)); fault != nil && (r.stays() || time.Since(fault.At) < faultRest) {
		return 0
	}
	return listWait
}

// stays reports whether the line starts a program that stays: it asks far sides beside its serving.
func (r *run) stays() bool {
	return len(r.early.Words) > 0 && (r.early.Words[0] == "up" || r.early.Words[0] == "mcp")
}

// wants is the one source that a command line can be about, or nothing.
func (r *run) wants(s *site) string {
	words := r.early.Words
	if len(words) == 0 {
		return ""
	}
	word := words[0]
	if (word == "call" || word == "schema" || word == "coverage" || word == "tokens") && len(words) > 1 {
		word, _, _ = strings.Cut(words[1], ".")
	}
	if _, ok := s.Sources[word]; ok {
		return word
	}
	return ""
}

// enlist asks the far sides that were never listed, all at once and as long as this run waits for
// each. What comes of it stands in the lists.
func (r *run) enlist(ctx context.Context, s *site) {
	if r.staying {
		return
	}
	r.far.serve(r, s)
	var wait sync.WaitGroup
	for _, name := range s.listed() {
		if listing := r.far.lists.Get(name); listing != nil && listing.Entry == s.entry(name) {
			continue
		}
		if patience := r.patience(s, name); patience > 0 {
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, patience)
				defer cancel()
				_, _ = r.ask(ctx, s, name) // the fault is kept
			})
		}
	}
	wait.Wait()
}

// askAll asks every far side anew, all at once.
func (r *run) askAll(ctx context.Context, s *site) {
	r.far.serve(r, s)
	ctx, cancel := context.WithTimeout(ctx, listBound)
	defer cancel()
	var wait sync.WaitGroup
	for _, name := range s.listed() {
		wait.Go(func() { _, _ = r.ask(ctx, s, name) }) // the fault is kept
	}
	wait.Wait()
}

// faulty are the sources that could not be listed last, beside those that are known to be lost: their
// former list stands in.
func (r *run) faulty(s *site, lost []lostSource) (more []lostSource) {
	for _, name := range s.listed() {
		fault := r.far.lists.Fault(name, s.entry(name))
		if fault != nil && !slices.ContainsFunc(lost, func(l lostSource) bool { return l.source == name }) {
			more = append(more, lostSource{name, fault.Error()})
		}
	}
	return more
}

// ask asks a far side what it has, and keeps what it says. It reports whether that is new.
func (r *run) ask(ctx context.Context, s *site, name string) (news bool, err error) {
	listing, err := r.listingOf(ctx, s, name)
	if err != nil {
		if ctx.Err() == nil || twodoor.AsError(err).Code != twodoor.CodeCanceled {
			r.far.lists.Fail(name, upstream.FaultOf(s.entry(name), err))
		}
		return false, err
	}
	if listing == nil {
		return false, nil
	}
	return r.far.take(name, listing)
}

// listingOf is what a far side lists now; nil: what it listed before.
func (r *run) listingOf(ctx context.Context, s *site, name string) (*upstream.Listing, error) {
	c := s.Sources[name]
	listing := &upstream.Listing{Entry: s.entry(name), Read: time.Now()}
	if c.Kind() == mcpclient.Kind {
		reading, err := (&mcpclient.Source{Name: name, Prefix: c.Prefix, Pool: &r.far.pool}).Read(ctx)
		listing.Reading = reading
		return listing, err
	}
	tag := ""
	if old := r.far.lists.Get(name); old != nil && old.Entry == listing.Entry {
		tag = old.Tag
	}
	seen, err := r.remoteOf(s, name).Look(ctx, tag)
	if err != nil || seen == nil {
		return nil, err
	}
	listing.Reading, listing.Tag = seen.Reading, seen.Tag
	return listing, nil
}

// remoteOf is another twodoor, as its room takes it.
func (r *run) remoteOf(s *site, name string) *remote.Source {
	c := s.Sources[name]
	return &remote.Source{Name: name, URL: c.Remote, Prefix: c.Prefix, Doer: &r.far.out}
}

// take keeps a listing. A server that listed tools before and now lists none has most often not
// finished starting, or lost its login: the tools stay, and that is told.
func (f *far) take(name string, listing *upstream.Listing) (news bool, err error) {
	old := f.lists.Get(name)
	if old != nil && old.Entry == listing.Entry && len(listing.Reading.Operations) == 0 && len(old.Reading.Operations) > 0 {
		err := &twodoor.Error{
			Code:    twodoor.CodeUpstream,
			Message: fmt.Sprintf("%s lists no tools any more: the %d that it listed before stay", name, len(old.Reading.Operations)),
			Hint:    "look whether it needs a login or a restart; to drop them, change its entry",
		}
		f.lists.Fail(name, upstream.FaultOf(listing.Entry, err))
		return false, err
	}
	return f.lists.Put(name, listing), nil
}

// readListed is what a far side listed last. A list of another entry stands in until there is one of
// this: what is wrong with a call the far side tells itself.
func (r *run) readListed(s *site, name string) (*twodoor.Reading, error) {
	if listing := r.far.lists.Get(name); listing != nil {
		reading := *listing.Reading // a listing in memory stays what was said
		reading.Operations = slices.Clone(reading.Operations)
		reading.Annotate(annotationsOf(s))
		return &reading, nil
	}
	return nil, r.unlisted(s, name)
}

// unlisted says why there is no list of a source.
func (r *run) unlisted(s *site, name string) error {
	if fault := r.far.lists.Fault(name, s.entry(name)); fault != nil {
		return fault.Error()
	}
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: name + " was not listed yet", Hint: "list it with: twodoor sources"}
}

// lostLists are the sources that have no list. They are known without a description.
func (r *run) lostLists(s *site) (lost []lostSource) {
	for _, name := range s.listed() {
		if r.far.lists.Mark(name) == "" {
			lost = append(lost, lostSource{name, r.unlisted(s, name)})
		}
	}
	return lost
}

// close ends what the run holds of far sides. What they listed while it called them is kept for the
// next one.
func (r *run) close() {
	if r.site != nil && !r.staying {
		for name := range r.site.servers {
			if reading := (&mcpclient.Source{Name: name, Prefix: r.site.Sources[name].Prefix, Pool: &r.far.pool}).Last(); reading != nil {
				_, _ = r.far.take(name, &upstream.Listing{Entry: r.site.entry(name), Read: time.Now(), Reading: reading})
			}
		}
	}
	r.far.pool.Close()
	if t := r.memory.telemetry; t != nil {
		t.Close()
	}
	if s := r.memory.store; s != nil {
		_ = s.close() // what could not be written was told when it could not
	}
}
