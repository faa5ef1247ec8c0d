package openapi

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Words are the title and the description of an operation.
type Words struct {
	Title       string // one line; empty: the twin has none
	Description string
}

// Translated reads the twins in Translations: by language, and by Operation.Origin ("GET /x"), the
// words of each operation. Of a twin only its words count: overlays, names and servers are those of the
// description itself. An operation without words of its own in the twin is left out. A twin that
// cannot be read is an error that names it.
func (s *Source) Translated(ctx context.Context) (map[string]map[string]Words, error) {
	all := map[string]map[string]Words{}
	for _, language := range slices.Sorted(maps.Keys(s.Translations)) {
		twin := &Source{Name: s.Name, File: s.Translations[language], MaxBytes: s.MaxBytes, Fetch: s.Fetch}
		r, err := twin.open(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the translation %s: %w", language, err)
		}
		all[language] = r.wordsByOrigin()
	}
	return all, ctx.Err()
}

// wordsByOrigin are the words of every operation that has some.
func (r *reader) wordsByOrigin() map[string]Words {
	told := map[string]Words{}
	for _, f := range r.operations() {
		if f.fault != nil {
			continue
		}
		title, text := words(f.op.Node.Get("summary").Str(), f.op.Node.Get("description").Str(), "")
		if title != "" || text != "" {
			told[f.key()] = Words{title, text}
		}
	}
	return told
}
