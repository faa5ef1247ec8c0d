package refs

import (
	"bytes"
	"iter"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxClosed bounds the definitions that Close gathers, in bytes.
const maxClosed = 64 << 20

// Close makes a schema self-contained: what #/$defs/NAME references reach, from
// root and from each other, is taken from def and put into $defs, in the order
// in which it is first reached. A definition that root has itself wins; one that
// def does not know becomes {}, which takes anything. What would exceed 64 MiB
// in all becomes {} too. Without such references root itself is returned.
func Close(root []byte, def func(name string) []byte) []byte {
	own, _ := rawjson.Get(root, "$defs")
	seen := make(map[string]bool)
	for name := range rawjson.Members(own) {
		seen[name] = true
	}
	var names []string
	reach := func(raw []byte) {
		for name := range references(raw) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	reach(root)
	if len(names) == 0 {
		return root
	}
	var defs rawjson.Object
	for name, raw := range rawjson.Members(own) {
		defs.Put(name, raw)
	}
	for i := 0; i < len(names); i++ {
		raw := def(names[i])
		if len(raw) == 0 || defs.Len()+len(raw) > maxClosed {
			raw = []byte("{}")
		}
		reach(raw)
		defs.Put(names[i], raw)
	}
	return rawjson.Set(root, "$defs", defs.Bytes())
}

// references yields the names in #/$defs/NAME references of a schema, and of
// whatever looks like one: in an example it does no harm.
func references(raw []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := raw; ; {
			at := bytes.Index(rest, []byte(`"$ref"`))
			if at < 0 {
				return
			}
			rest = rest[at+len(`"$ref"`):]
			value, ok := bytes.CutPrefix(rawjson.Trim(rest), []byte{':'})
			if !ok {
				continue
			}
			value = rawjson.Trim(value)
			end := bytes.IndexByte(value[min(1, len(value)):], '"')
			if end < 0 || value[0] != '"' {
				continue
			}
			ref, _ := rawjson.String(value[:end+2])
			if name, _, ok := definitionAt(ref); ok && !yield(name) {
				return
			}
		}
	}
}
