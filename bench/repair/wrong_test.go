package repair

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// wrongCall is a call that its operation refuses.
type wrongCall struct {
	id    string
	args  []byte
	right []string // members that nothing was done to
	fault *twodoor.Error
}

// weight is what an agent reads of the error, in tokens.
func (w wrongCall) weight() int {
	raw, _ := w.fault.MarshalJSON()
	return rawjson.Weigh(raw)
}

// way is a way in which a call goes wrong. break_ returns the value with something broken in it, and
// the member of the top that it is in; nil where there is nothing to break.
type way struct {
	name   string
	break_ func(r *rand.Rand, op *twodoor.Operation, args []byte) (broken []byte, member string)
}

var ways = []way{
	{"missing", func(r *rand.Rand, op *twodoor.Operation, args []byte) ([]byte, string) {
		name := pick(r, required(op))
		return rawjson.Delete(args, name), name
	}},
	{"misspelt", func(r *rand.Rand, _ *twodoor.Operation, args []byte) ([]byte, string) {
		name := pick(r, names(args))
		value, _ := rawjson.Get(args, name)
		return rawjson.Set(rawjson.Delete(args, name), misspell(r, name), value), name
	}},
	{"mistyped", func(r *rand.Rand, _ *twodoor.Operation, args []byte) ([]byte, string) {
		name := pick(r, names(args))
		value, _ := rawjson.Get(args, name)
		return rawjson.Set(args, name, mistype(r, value)), name
	}},
	{"enum", func(r *rand.Rand, op *twodoor.Operation, args []byte) ([]byte, string) {
		name := pick(r, slices.DeleteFunc(names(args), func(name string) bool { return !isEnum(op, name) }))
		value, _ := rawjson.Get(args, name)
		text, _ := rawjson.String(value)
		return rawjson.Set(args, name, rawjson.Quote(misspell(r, text))), name
	}},
	{"extra", func(r *rand.Rand, _ *twodoor.Operation, args []byte) ([]byte, string) {
		return rawjson.Set(args, pick(r, []string{"verbose", "dry_run", "format", "userContext", "x"}), []byte(`true`)), ""
	}},
	{"nested", func(r *rand.Rand, _ *twodoor.Operation, args []byte) ([]byte, string) {
		name := pick(r, slices.DeleteFunc(names(args), func(name string) bool { return !isDeep(args, name) }))
		value, _ := rawjson.Get(args, name)
		return rawjson.Set(args, name, breakBelow(r, value)), name
	}},
}

// wrong makes a call of this kind that an operation of the house refuses.
func (h *house) wrong(t *testing.T, r *rand.Rand, way way) wrongCall {
	t.Helper()
	for range 5000 {
		op, _, err := h.Catalog().Find(pick(r, h.ids))
		if err != nil || op == nil {
			t.Fatalf("an operation is not found: %v", err)
		}
		args := valid(r, op)
		if args == nil {
			continue
		}
		broken, member := way.break_(r, op, args)
		if rawjson.Check(broken) != nil || rawjson.Equal(broken, args) {
			continue
		}
		if fault := h.call(op.ID, broken); fault != nil {
			right := slices.DeleteFunc(names(args), func(name string) bool { return name == member })
			return wrongCall{op.ID, broken, right, fault}
		}
	}
	t.Fatalf("%s: no operation refuses a call that is %s", h.name, way.name)
	return wrongCall{}
}

// valid is a call that fits, of the required parts or of all.
func valid(r *rand.Rand, op *twodoor.Operation) []byte {
	closed := op.InputSchema()
	make := schema.ExampleAll
	if r.IntN(3) == 0 {
		make = schema.Example
	}
	args := make(closed)
	compiled, err := schema.Compile(closed)
	if err != nil || !compiled.Accepts(args) || rawjson.Len(args) == 0 || len(args) > 8000 {
		return nil
	}
	return args
}

func pick(r *rand.Rand, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[r.IntN(len(list))]
}

func names(object []byte) (list []string) {
	for name := range rawjson.Members(object) {
		list = append(list, name)
	}
	return list
}

func required(op *twodoor.Operation) (list []string) {
	raw, _ := rawjson.Get(op.Input, "required")
	for v := range rawjson.Elements(raw) {
		name, _ := rawjson.String(v)
		list = append(list, name)
	}
	return list
}

func isEnum(op *twodoor.Operation, name string) bool {
	_, is := rawjson.GetPath(op.Input, "properties", name, "enum")
	return is
}

func isDeep(args []byte, name string) bool {
	value, _ := rawjson.Get(args, name)
	kind := rawjson.KindOf(value)
	return (kind == rawjson.KindObject || kind == rawjson.KindArray) && rawjson.Len(value) > 0
}

// misspell writes a word as somebody in a hurry does.
func misspell(r *rand.Rand, word string) string {
	if len(word) < 4 {
		return word + "s"
	}
	at := 1 + r.IntN(len(word)-2)
	switch r.IntN(4) {
	case 0:
		return word[:at] + word[at+1:] // a letter is missing
	case 1:
		return word[:at] + word[at:at+1] + word[at:] // twice
	case 2:
		return strings.ReplaceAll(word, "_", "-") + "s"
	}
	return word[:at] + string(word[at+1]) + string(word[at]) + word[at+2:] // swapped
}

// mistype gives a value of another type.
func mistype(r *rand.Rand, value []byte) []byte {
	others := []string{`"not this"`, `12.5`, `{"value":1}`, `["a","b"]`, `null`, string(rawjson.Quote(string(value)))}
	return []byte(pick(r, others))
}

// breakBelow breaks something inside an object or a list.
func breakBelow(r *rand.Rand, value []byte) []byte {
	if rawjson.KindOf(value) == rawjson.KindArray {
		at := r.IntN(rawjson.Len(value))
		return rawjson.Rewrite(value, func(_ []byte, i int, v []byte) []byte {
			if i != at {
				return v
			}
			return breakBelow(r, v)
		})
	}
	inside := names(value)
	if rawjson.KindOf(value) != rawjson.KindObject || len(inside) == 0 {
		return mistype(r, value)
	}
	name := pick(r, inside)
	member, _ := rawjson.Get(value, name)
	switch r.IntN(4) {
	case 0:
		return rawjson.Delete(value, name)
	case 1:
		return rawjson.Set(rawjson.Delete(value, name), misspell(r, name), member)
	case 2:
		return rawjson.Set(value, name, mistype(r, member))
	}
	return rawjson.Set(value, name, breakBelow(r, member))
}
