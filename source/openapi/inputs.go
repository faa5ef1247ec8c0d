package openapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// input is one argument of an operation.
type input struct {
	name     string // as callers write it
	wire     string // at the far side
	in       string // path, query, header, cookie, body; whole: it is the body
	schema   []byte
	place    document.Place // of its schema
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
	name := schemas.Key(wire)
	if wanted != "" {
		name = schemas.Key(wanted)
	}
	if in.taken[name] {
		name = schemas.Key(part + "_" + name)
	}
	base := name
	for n := 2; in.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base[:min(len(base), schemas.MaxKey-4)], n)
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
