package fields

import (
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// Requires reports whether a schema demands the field at the end of a path of
// keys, lists on the way not counted. define hands out what #/$defs/NAME means
// where the schema's own $defs lack it; it may be nil.
func Requires(root []byte, define func(name string) []byte, path []string) bool {
	w := wanderer{doc: refs.New(root, define)}
	places := w.open(root, 0)
	for i, key := range path {
		var next [][]byte
		for _, place := range places {
			if i == len(path)-1 && demands(place, key) {
				return true
			}
			if inner, ok := rawjson.GetPath(place, "properties", key); ok {
				next = append(next, w.open(inner, 0)...)
			}
		}
		places = next
	}
	return false
}

func demands(place []byte, key string) bool {
	required, _ := rawjson.Get(place, "required")
	for name := range rawjson.Elements(required) {
		if text, _ := rawjson.String(name); text == key {
			return true
		}
	}
	return false
}

// wanderer goes through the schemas that together say what an object has.
type wanderer struct{ doc *refs.Document }

// maxOpen bounds how deep references, branches and lists are followed at one place.
const maxOpen = 16

// open lists the schemas that stand at one place: through references, branches and lists.
func (w wanderer) open(place []byte, depth int) [][]byte {
	if depth > maxOpen {
		return nil
	}
	all := [][]byte{place}
	if ref, ok := rawjson.Get(place, "$ref"); ok {
		text, _ := rawjson.String(ref)
		if pointer, local := refs.Local(text); local {
			if target, found := w.doc.Find(pointer); found {
				all = append(all, w.open(target, depth+1)...)
			}
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := rawjson.Get(place, key)
		for branch := range rawjson.Elements(branches) {
			all = append(all, w.open(branch, depth+1)...)
		}
	}
	if items, ok := rawjson.Get(place, "items"); ok {
		all = append(all, w.open(items, depth+1)...)
	}
	return all
}
