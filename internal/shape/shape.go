package shape

import (
	"context"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Want is how much of an answer a caller wants. It is applied in this order:
// Offset and Limit, Fields, Summary, JQ. The zero value wants all.
type Want struct {
	// Fields lead into each record, or into the value where there are no records,
	// as [Fields] reads them: "id", "owner.login", "id,owner{login}".
	Fields []string
	// JQ is a jq program; several outputs become an array.
	JQ string
	// Limit is how many records at most, 0 for all; Offset is how many to pass over.
	Limit, Offset int
	// Summary puts figures in the place of series.
	Summary bool
	// Root is the dotted path to the records, "data.items"; "" finds them: see [Records].
	Root string
}

// IsZero tells whether nothing is asked.
func (w Want) IsZero() bool {
	return len(w.Fields) == 0 && w.JQ == "" && w.Limit <= 0 && w.Offset <= 0 && !w.Summary
}

// Cut tells what was left out of a list.
type Cut struct {
	Shown, Total int
	What         string // the path of the list, "records" for the whole value
	LeftOut      int    // bytes that a [Lean] left out of what is shown
}

// Error is a wish that cannot be carried out, for the caller to mend.
type Error struct {
	Message string
	Hint    string // the next step
}

func (e *Error) Error() string { return e.Message }

// Apply shapes a value. The value must be valid JSON, and the result is. A wish
// that cannot be carried out is an *[Error]; an ended ctx is its error.
func Apply(ctx context.Context, raw []byte, want Want) (out []byte, cut *Cut, err error) {
	return Open(raw, want.Root).Apply(ctx, want)
}

// Apply is [Apply] to the answer.
func (a *Answer) Apply(ctx context.Context, want Want) (out []byte, cut *Cut, err error) {
	out = a.raw
	if want.Limit > 0 || want.Offset > 0 {
		out, cut = a.limit(want)
	}
	if len(want.Fields) > 0 {
		if out, err = pick(out, want); err != nil {
			return nil, nil, err
		}
	}
	if want.Summary {
		out = summarize(out)
	}
	if want.JQ != "" {
		if out, err = runJQ(ctx, out, want.JQ); err != nil {
			return nil, nil, err
		}
	}
	return out, cut, nil
}

// limit keeps a window of the records.
func (a *Answer) limit(want Want) ([]byte, *Cut) {
	found := a.records()
	if found.list == nil {
		return a.raw, nil
	}
	from, total := max(want.Offset, 0), found.list.Len
	var window rawjson.Array
	at, shown := 0, 0
	for record := range rawjson.Elements(a.text(found.list)) {
		if at++; at <= from {
			continue
		}
		if want.Limit > 0 && shown == want.Limit {
			break
		}
		window.Add(record)
		shown++
	}
	if shown == total {
		return a.raw, nil
	}
	return a.put(window.Bytes()), &Cut{Shown: shown, Total: total, What: what(found.path)}
}

// put replaces the list at a path of Records.
func put(raw []byte, path string, list []byte) []byte {
	if path == "" {
		return list
	}
	return rawjson.SetPath(raw, list, strings.Split(path, ".")...)
}

func what(path string) string {
	if path == "" {
		return "records"
	}
	return path
}
