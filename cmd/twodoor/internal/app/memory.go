package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/session"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/journal"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/telemetry"
)

// memory is what a program keeps from call to call, whatever becomes of its configuration meanwhile:
// in the store once that is open, else as long as the process lives.
type memory struct {
	secrets secret.Redactor // every secret that was used
	keeper  twodoor.Keeper
	shelf   find.Shelf
	seal    []byte // key of the confirm tokens
	store   *store // nil: not open
	stays   bool   // it is a program's that serves
	metrics *journal.Metrics

	telemetry *telemetry.Telemetry // nil: nobody wants it
}

func newMemory() *memory {
	kept := &find.Memory{}
	return &memory{keeper: kept, shelf: kept, seal: newKey()}
}

// newKey is a key that nobody else has.
func newKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	return key
}

// use keeps in a store from now on.
func (m *memory) use(s *store) {
	m.store, m.keeper, m.shelf, m.seal = s, s.shelf, s.shelf, s.sealKey
}

// calls reads the journal; nil where there is none.
func (m *memory) calls() rest.Calls {
	if m.store == nil {
		return nil
	}
	return calls{m.store.journal}
}

// sessions are those that the operator begins.
func (m *memory) sessions() sessionKeeper {
	if m.store == nil {
		return &session.Sessions{}
	}
	return m.store.sessions
}

// lateShelf reads the answers of a store that is opened when one is asked for.
type lateShelf struct{ run *run }

// Take is the answer under a handle.
func (l lateShelf) Take(ctx context.Context, principal twodoor.Principal, handle string) (operation string, value json.RawMessage, err error) {
	s, err := l.run.openStore(ctx)
	if err != nil {
		return "", nil, err
	}
	return s.shelf.Take(ctx, principal, handle)
}

// learn makes every secret known that a configuration names, before any is used: what a caller writes
// may hold it first. Keyrings, which may ask a person, are left until a key is needed.
func (m *memory) learn(r *run, s *site) {
	resolver := r.resolver()
	resolver.Keyring = nil
	texts := []string{string(s.Text), s.Store, s.Server.Token}
	for _, server := range s.servers {
		texts = append(texts, string(server.Raw))
	}
	for _, text := range texts {
		for _, ref := range config.References(text) {
			_, _ = resolver.Resolve(refOf(ref.String())) // one that is missing is told when it is needed
		}
	}
	for _, c := range s.Connections {
		for _, text := range append(slices.Collect(maps.Values(c.Headers)), c.Token, c.Password, c.Key, c.ClientSecret, c.PrivateKey) {
			if len(config.References(text)) == 0 {
				m.secrets.Add(secret.New(text))
			}
		}
	}
}
