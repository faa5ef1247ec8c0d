package shape

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Fit cuts a value to a budget of tokens, as [rawjson.Weigh] counts them. The
// first records stay whole, as many as fit, at least one. Where that is not
// enough, or there are no records, the lists inside are shortened and long texts
// end in "… (N characters in all)"; the Cut then counts the value as one. A
// value that fits is returned as it is, without a Cut.
func Fit(raw []byte, budget int, root string) (out []byte, cut *Cut) {
	return Open(raw, root).Fit(budget, nil)
}

// Lean leaves out of a value what nobody misses; at are the keys that lead to it.
// It must not make anything of what it has made already.
type Lean func(value []byte, at ...string) []byte

// Fit is [Fit] to the answer, with lean, which may be nil, applied to what is
// shown: of a heavy answer that is little.
func (a *Answer) Fit(budget int, lean Lean) (out []byte, cut *Cut) {
	if lean == nil {
		lean = func(value []byte, _ ...string) []byte { return value }
	}
	if len(a.raw) < heavy || len(a.raw)/16 < budget {
		if out = lean(a.raw); rawjson.Weigh(out) <= budget {
			return out, nil
		}
	}
	if short, told := a.fitRecords(budget, lean); told != nil {
		out, cut = lean(short), told
		cut.LeftOut = len(short) - len(out)
	} else if out == nil {
		out = lean(a.raw)
	}
	for _, size := range trims {
		if rawjson.Weigh(out) <= budget {
			return out, cut
		}
		out = size.trim(out, 0)
		if cut == nil {
			cut = &Cut{Shown: 1, Total: 1, What: "long texts and lists inside"}
		}
	}
	return out, cut
}

// heavy is how many bytes a value has that is not made lean as a whole before it is cut.
const heavy = 64 << 10

// fitRecords is the value with as many records as fit; without a Cut where that is all of them.
func (a *Answer) fitRecords(budget int, lean Lean) (out []byte, cut *Cut) {
	found := a.records()
	if found.list == nil || found.list.Len < 2 {
		return nil, nil
	}
	at := stepsOf(found.path)
	rest := budget - rawjson.Weigh(lean(a.put([]byte("[]"))))
	var short rawjson.Array
	shown, total := 0, found.list.Len
	for record := range rawjson.Elements(a.text(found.list)) {
		if rest -= rawjson.Weigh(lean(record, at...)) + 1; rest < 0 && shown > 0 {
			break
		}
		short.Add(record)
		shown++
	}
	if shown == total {
		return nil, nil
	}
	return a.put(short.Bytes()), &Cut{Shown: shown, Total: total, What: what(found.path)}
}

// trim bounds the lists and texts inside a value.
type trim struct{ elements, characters int }

var trims = []trim{{100, 2000}, {30, 1000}, {10, 400}, {3, 200}, {1, 60}, {0, 16}}

func (t trim) trim(value []byte, depth int) []byte {
	switch rawjson.KindOf(value) {
	case rawjson.KindString:
		return t.text(value)
	case rawjson.KindArray:
		return rawjson.Rewrite(value, func(_ []byte, i int, v []byte) []byte {
			if i >= t.elements {
				return nil
			}
			return t.trim(v, depth+1)
		})
	case rawjson.KindObject:
		return rawjson.Rewrite(value, func(key []byte, _ int, v []byte) []byte {
			if len(v) <= maxTelling && rawjson.KindOf(v) == rawjson.KindString && tells(key) {
				return v
			}
			return t.trim(v, depth+1)
		})
	}
	return value
}

// maxTelling bounds the texts that are never shortened, in bytes.
const maxTelling = 256

// tells whether a field says which record it is, in what state, or when: such a text is of no use
// in part.
func tells(quoted []byte) bool {
	key, _ := rawjson.String(quoted)
	if isID(key) || slices.Contains(recordKeys, key) {
		return true
	}
	key = strings.ToLower(key)
	for _, word := range []string{"status", "state", "severity", "time", "date", "url", "cursor", "token"} {
		if strings.HasSuffix(key, word) {
			return true
		}
	}
	return strings.HasSuffix(key, "_at") || strings.HasSuffix(key, "number")
}

func (t trim) text(value []byte) []byte {
	if len(value) <= t.characters+40 {
		return value
	}
	text, _ := rawjson.String(value)
	count := utf8.RuneCountInString(text)
	at := 0
	for range min(t.characters, count) {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	short := rawjson.Quote(text[:at] + "… (" + strconv.Itoa(count) + " characters in all)")
	if len(short) >= len(value) {
		return value
	}
	return short
}
