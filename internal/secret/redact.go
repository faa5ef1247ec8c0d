package secret

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
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
	passes atomic.Pointer[strings.Replacer]
}

// Add makes a secret known from now on, in the spellings in which it travels: as it is, percent-encoded,
// in base64. Secrets of less than six bytes are not replaced.
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
	r.passes.Store(replacer(r.known))
}

// Redact is the text with a mask for every secret in it, made in one pass.
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	passes := r.passes.Load()
	if passes == nil {
		return text
	}
	return passes.Replace(text)
}

// replacer tries the longest spelling first, so that a secret inside another one hides no part of it.
func replacer(known []Text) *strings.Replacer {
	var spellings []string
	for _, text := range known {
		plain := text.Reveal()
		spellings = append(spellings, plain, url.QueryEscape(plain), url.PathEscape(plain),
			base64.StdEncoding.EncodeToString([]byte(plain)), base64.RawStdEncoding.EncodeToString([]byte(plain)))
	}
	slices.SortFunc(spellings, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(spellings))
	for _, spelling := range slices.Compact(spellings) {
		pairs = append(pairs, spelling, Mask)
	}
	return strings.NewReplacer(pairs...)
}
