package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
)

// minRedact is the shortest secret that is taken out of text. Masking shorter ones would eat into
// words that have nothing to do with them.
const minRedact = 6

// maxRedact bounds how many secrets are kept: the oldest make room.
const maxRedact = 256

// Redactor replaces live secrets in text. It is safe for concurrent use; a nil one knows none.
type Redactor struct {
	mu     sync.Mutex
	known  []Text
	finder atomic.Pointer[finder]
}

// Add makes a secret known from now on, in the spellings in which it travels: as it is, percent-encoded,
// escaped in JSON, in base64 by itself and within more. Secrets of less than six bytes are not replaced.
func (r *Redactor) Add(text Text) {
	if r == nil || len(text.Reveal()) < minRedact {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.known, text.Equal) {
		return
	}
	r.known = append(r.known, text)
	if len(r.known) > maxRedact {
		r.known = slices.Delete(r.known, 0, 1)
	}
	var all []string
	for _, one := range r.known {
		all = append(all, spellings(one.Reveal())...)
	}
	slices.Sort(all)
	r.finder.Store(newFinder(slices.Compact(all)))
}

// Redact is the text with a mask for every secret in it, made in one pass.
func (r *Redactor) Redact(text string) string {
	f := r.finds()
	if f == nil {
		return text
	}
	if _, end := next(f, text, 0); end == 0 {
		return text
	}
	return string(r.Clean([]byte(text)))
}

// Clean is the text with a mask for every secret in it, made in one pass; the text itself where there
// is none.
func (r *Redactor) Clean(text []byte) []byte {
	f := r.finds()
	if f == nil {
		return text
	}
	var out []byte
	kept := 0
	for {
		start, end := next(f, text, kept)
		if end == 0 {
			break
		}
		out = append(append(out, text[kept:start]...), Mask...)
		kept = end
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

func (r *Redactor) finds() *finder {
	if r == nil {
		return nil
	}
	return r.finder.Load()
}

// minCore is the shortest part of a base64 text that is taken for a secret's.
const minCore = 8

// spellings are the forms in which a secret travels.
func spellings(plain string) []string {
	all := []string{plain, url.QueryEscape(plain), url.PathEscape(plain)}
	if quoted, err := json.Marshal(plain); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		all = append(all, encoding.EncodeToString([]byte(plain)), encoding.WithPadding(base64.NoPadding).EncodeToString([]byte(plain)))
		for before := range 3 { // within more: what stands before it moves it against the groups of three bytes
			text := encoding.EncodeToString(append(make([]byte, before), plain...))
			core := text[(before*8+5)/6 : (before+len(plain))*8/6]
			if len(core) >= minCore {
				all = append(all, core)
			}
		}
	}
	return all
}
