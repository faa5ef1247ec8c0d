package fields

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/refs"
)

// Fields tells which fields an answer may have, by its schema.
type Fields struct {
	wanderer wanderer
	starts   [][]byte
}

// Of looks at the schema of an answer. Its fields are those of the value
// and, where the value only wraps records, those of the records: of the list at
// the dotted path root, else of every list that is found through objects that no
// field tells from a wrapping. define is as in [Requires].
func Of(raw []byte, define func(name string) []byte, root string, tells func(field string) bool) Fields {
	f := Fields{wanderer: wanderer{doc: refs.New(raw, define)}}
	f.starts = f.wanderer.open(raw, 0)
	if root = strings.TrimSuffix(strings.TrimPrefix(root, "."), "[]"); root != "" {
		places := f.starts
		for key := range strings.SplitSeq(root, ".") {
			places = f.wanderer.into(places, key)
		}
		if len(places) > 0 {
			f.starts = append(f.starts, places...)
			return f
		}
	}
	f.unwrap(f.starts, tells, 0)
	return f
}

// unwrap adds what wrapping objects hold.
func (f *Fields) unwrap(places [][]byte, tells func(string) bool, depth int) {
	const most = 3
	names := namesAt(places)
	if depth == most || slices.ContainsFunc(names, tells) || len(f.starts) > 1000 {
		return
	}
	for _, name := range names {
		inner := f.wanderer.into(places, name)
		f.starts = append(f.starts, inner...)
		f.unwrap(inner, tells, depth+1)
	}
}

// Have tells whether a dotted path may lead to something: yes too where the
// schema leaves open what there is.
func (f Fields) Have(path string) bool { return f.wanderer.leads(f.starts, path, 0) }

// Names lists the fields, and those one step below them as dotted paths.
func (f Fields) Names() (names []string) {
	const most = 400
	for _, name := range namesAt(f.starts) {
		names = append(names, name)
		for _, inner := range namesAt(f.wanderer.into(f.starts, name)) {
			names = append(names, name+"."+inner)
		}
		if len(names) > most {
			break
		}
	}
	return names
}

// into goes from places to those of a member, through references, branches and lists.
func (w wanderer) into(places [][]byte, key string) (next [][]byte) {
	for _, place := range places {
		if inner, ok := rawjson.GetPath(place, "properties", key); ok {
			next = append(next, w.open(inner, 0)...)
		}
	}
	return next
}

func (w wanderer) leads(places [][]byte, path string, depth int) bool {
	if path == "" || slices.ContainsFunc(places, w.isOpen) || depth > maxOpen {
		return true
	}
	for at := range len(path) + 1 {
		if at < len(path) && path[at] != '.' {
			continue
		}
		if inner := w.into(places, path[:at]); len(inner) > 0 && w.leads(inner, strings.TrimPrefix(path[at:], "."), depth+1) {
			return true
		}
	}
	return false
}

// isOpen tells whether a place may hold an object of which nothing is said, or
// more members than are named.
func (w wanderer) isOpen(place []byte) bool {
	if rawjson.KindOf(place) != rawjson.KindObject {
		return string(place) == "true"
	}
	if more, ok := rawjson.Get(place, "additionalProperties"); ok && string(more) != "false" {
		return true
	}
	said := false
	for key, value := range rawjson.Members(place) {
		switch key {
		case "patternProperties", "unevaluatedProperties", "not", "if", "dependentSchemas", "$dynamicRef":
			return true
		case "properties", "$ref", "allOf", "anyOf", "oneOf", "items", "enum", "const":
			said = said || key != "properties" || rawjson.Len(value) > 0
		}
	}
	if said {
		return false
	}
	kind, typed := rawjson.Get(place, "type")
	return !typed || strings.Contains(string(kind), `"object"`) || strings.Contains(string(kind), `"array"`)
}

// namesAt lists the properties of places, each once.
func namesAt(places [][]byte) (names []string) {
	seen := map[string]bool{}
	for _, place := range places {
		properties, _ := rawjson.Get(place, "properties")
		for name := range rawjson.Members(properties) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
