package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// far is what a program holds of far sides that are asked for their operations: the connections to
// MCP servers, and what was listed last. One lives as long as the program does, whatever becomes of
// the configuration meanwhile.
type far struct {
	pool  mcpclient.Pool
	out   outlet
	verbs verbs
	lists upstream.Lists
	begun sync.Once
	// changed is told that a source has another list; nil: nobody waits for it.
	changed atomic.Pointer[func(source string)]
	// offers is told that it has other resources or prompts; nil: nobody waits for it.
	offers atomic.Pointer[func(lists twodoor.Lists)]
}

// outlet is the way out as the configuration stands: connections outlive an edit of it.
type outlet struct {
	client atomic.Pointer[outbound.Client]
}

// Do sends a request with the keys of the configuration.
func (o *outlet) Do(req *http.Request, access twodoor.Access) (*http.Response, error) {
	return o.client.Load().Do(req, access)
}

// Redact takes the secrets that were used out of a text.
func (o *outlet) Redact(text string) string {
	if client := o.client.Load(); client != nil {
		return client.Redact(text)
	}
	return text
}

// keepIn finds the place of the lists of a configuration. Without one they are kept in memory.
func (f *far) keepIn(r *run, s *site) {
	if f.lists.Dir == "" && r.folders.Cache != "" && s.File != "" {
		sum := sha256.Sum256([]byte(s.File))
		f.lists.Dir = filepath.Join(r.folders.Cache, "lists", hex.EncodeToString(sum[:12]))
	}
}

// serve makes the pool serve the servers of a configuration from now on.
func (f *far) serve(r *run, s *site) {
	f.out.client.Store(r.outbound(s))
	f.verbs.serve(r, s)
	f.begun.Do(func() {
		f.pool.Doer, f.pool.Environ, f.pool.Version = &f.out, r.Environ, r.Version.Number
		f.pool.Expand = r.expand
		f.pool.Changed = func(source string) {
			if tell := f.changed.Load(); tell != nil {
				(*tell)(source)
			}
		}
		f.pool.Lists = func(_ string, lists twodoor.Lists) {
			if tell := f.offers.Load(); tell != nil {
				(*tell)(lists)
			}
		}
	})
	f.pool.Serve(s.servers)
	for name := range s.servers {
		f.pool.Retry(name) // what failed may be mended
	}
}

// expand resolves the references in a text of a server's entry.
func (r *run) expand(_ context.Context, text string) (string, error) {
	full, err := r.resolver().Resolve(secret.NewRef(text))
	if err != nil {
		return "", &twodoor.Error{Code: twodoor.CodeUpstreamAuth, Message: err.Error(), Hint: "set it, or change the reference in the server's entry", Cause: err}
	}
	return full.Reveal(), nil
}
