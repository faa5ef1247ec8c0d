package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// input is one argument of an operation.
type input struct {
	name     string // as callers write it
	wire     string // at the far side
	in       string // path, query, header, cookie, body; whole: it is the body
	schema   []byte
	place    place // of its schema
	required bool
	note     fieldNote
	samples  []sample
}

// sample is a value that the description shows for an input.
type sample struct {
	name  string
	value *rawjson.Node
}

// inputSet holds the arguments of one operation side by side, whatever part of the request they go to.
type inputSet struct {
	list  []*input
	taken map[string]bool
}

// claim gives an input its name: its own where that is legal and free, else with the part of the
// request that it belongs to before it.
func (in *inputSet) claim(wire, part, wanted string) string {
	if in.taken == nil {
		in.taken = map[string]bool{}
	}
	name := inputName(wire)
	if wanted != "" {
		name = inputName(wanted)
	}
	if in.taken[name] {
		name = inputName(part + "_" + name)
	}
	base := name
	for n := 2; in.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base[:min(len(base), maxKey-4)], n)
	}
	in.taken[name] = true
	return name
}

func (in *inputSet) find(name string) *input {
	for _, each := range in.list {
		if each.name == name || each.wire == name {
			return each
		}
	}
	return nil
}

// require makes inputs required.
func (in *inputSet) require(names []string) {
	for _, each := range in.list {
		each.required = each.required || slices.Contains(names, each.name)
	}
}

// schema is the JSON Schema of all inputs as one object; rest is the schema of inputs that nothing
// names, or nil where there may be none.
func (in *inputSet) schema(rest []byte, combos [][]string) json.RawMessage {
	var props, whole rawjson.Object
	var required []string
	for _, each := range in.list {
		props.Put(each.name, each.schema)
		if each.required {
			required = append(required, each.name)
		}
	}
	whole.PutString("type", "object")
	whole.Put("properties", props.Bytes())
	if len(required) > 0 {
		whole.PutStrings("required", required)
	}
	if rest == nil {
		rest = []byte("false")
	}
	whole.Put("additionalProperties", rest)
	if len(combos) > 1 {
		whole.Put("anyOf", combinations(combos))
	}
	return whole.Bytes()
}

// combinations says which inputs have to be given together: those of one of the sets.
func combinations(combos [][]string) []byte {
	var sets rawjson.Array
	for _, names := range combos {
		var set rawjson.Object
		set.PutStrings("required", names)
		sets.Add(set.Bytes())
	}
	return sets.Bytes()
}

// maxKey is the longest property key that hosts take.
const maxKey = 64

// legalKey reports whether every host takes a property key: ^[a-zA-Z0-9_.-]{1,64}$.
func legalKey(key string) bool {
	if key == "" || len(key) > maxKey {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool { return !keyRune(r) })
}

func keyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-'
}

// inputName is a key that hosts take, as near to the given one as can be read: StartTime< becomes
// StartTime_lt, include[] include, filter[x] filter_x.
func inputName(key string) string {
	if legalKey(key) {
		return key
	}
	text := strings.TrimSuffix(key, "[]")
	for _, sign := range signs {
		text = strings.ReplaceAll(text, sign.sign, "_"+sign.word+"_")
	}
	text = strings.Map(func(r rune) rune {
		if keyRune(r) {
			return r
		}
		return ' '
	}, foldLatin(text))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }), "_")
	text = strings.Trim(squeeze(text), "_")
	switch {
	case text == "" || !strings.ContainsFunc(text, func(r rune) bool { return r != '_' && r != '.' && r != '-' }):
		return hashWord(key)
	case len(text) > maxKey:
		return text[:maxKey-10] + "_" + hashWord(key)
	}
	return text
}

// signs are spelled out, the longer ones first.
var signs = []struct{ sign, word string }{
	{"<=", "lte"}, {">=", "gte"}, {"!=", "ne"}, {"<", "lt"}, {">", "gt"}, {"=", "eq"}, {"+", "plus"}, {"*", "any"},
}

func squeeze(text string) string {
	for strings.Contains(text, "__") {
		text = strings.ReplaceAll(text, "__", "_")
	}
	return text
}

// isID reports whether a name is that of an id, or of a list of ids.
func isID(name string) (one, many bool) {
	words := splitWords(name)
	if len(words) == 0 {
		return false, false
	}
	last := words[len(words)-1]
	return last == "id" || last == "uid", last == "ids" || slices.Equal(words[max(0, len(words)-2):], []string{"i", "ds"})
}
