package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/twodoor/twodoor"
)

// maxLists bounds the different views of one catalog that are kept.
const maxLists = 64

// list is a body that is sent as it is, and the tag by which a client knows it again (RFC 9110 §8.8.3).
type list struct {
	body []byte
	etag string
}

func newList(body []byte) *list {
	sum := sha256.Sum256(body)
	return &list{body, `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// serve sends the list, or 304 to who has it.
func (l *list) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", l.etag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if match := r.Header.Get("If-None-Match"); match != "" && (match == "*" || strings.Contains(match, l.etag)) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	answerRaw(w, http.StatusOK, l.body)
}

// lists are the lists that were made of one catalog. They go with it. The zero value has none.
type lists struct {
	mu      sync.Mutex
	catalog *twodoor.Catalog
	byKey   map[string]*list
}

func (l *lists) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byKey = nil
}

// get is the list of a key, made where it is not there.
func (l *lists) get(catalog *twodoor.Catalog, key string, make func() ([]byte, error)) (*list, error) {
	if kept := l.kept(catalog, key); kept != nil {
		return kept, nil
	}
	body, err := make()
	if err != nil {
		return nil, err
	}
	made := newList(body)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog != catalog || l.byKey == nil || len(l.byKey) >= maxLists {
		l.catalog, l.byKey = catalog, map[string]*list{}
	}
	l.byKey[key] = made
	return made, nil
}

func (l *lists) kept(catalog *twodoor.Catalog, key string) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog != catalog {
		return nil
	}
	return l.byKey[key]
}

// keyOf is what a list depends on besides the catalog.
func keyOf(who asker, parts ...any) string {
	return fmt.Sprintf("%q", append([]any{who.profile, who.principal.Permissions}, parts...))
}

// each walks the operations that an asker is shown, in order of their ids.
func (d *Door) each(who asker, prefix string, visit func(twodoor.Entry, *twodoor.Operation) error) error {
	profile, err := d.profile(who)
	if err != nil {
		return err
	}
	catalog := d.Engine.Catalog()
	for i, entry := range catalog.Below(prefix) {
		if !profile.Shows(entry, who.principal, twodoor.DoorREST) {
			continue
		}
		op, err := catalog.At(i)
		if err != nil { // one damaged operation must not take the list from all others; a call tells the fault
			continue
		}
		if err := visit(entry, op); err != nil {
			return err
		}
	}
	return nil
}

func (d *Door) profile(who asker) (*twodoor.Profile, error) {
	if p := d.Engine.Profile(who.profile); p != nil {
		return p, nil
	}
	return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no profile %q", who.profile), Hint: "leave ?profile= out for the default one"}
}
