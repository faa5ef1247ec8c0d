package refs

import (
	"sync"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Document is the whole schema that references lead into. It may be used by
// several goroutines.
type Document struct {
	raw         []byte
	definitions func() map[string][]byte // of $defs
	define      func(name string) []byte // what $defs lacks; may be nil
}

// New is the document of a schema. define hands out what #/$defs/NAME means where
// the schema's own $defs lack it; it may be nil.
func New(raw []byte, define func(name string) []byte) *Document {
	return &Document{raw: raw, define: define, definitions: sync.OnceValue(func() map[string][]byte {
		defs, _ := rawjson.Get(raw, "$defs")
		byName := make(map[string][]byte)
		for name, definition := range rawjson.Members(defs) {
			byName[name] = definition
		}
		return byName
	})}
}

// Leans reports whether the schema leans on definitions that are not its own.
func (d *Document) Leans() bool { return d.define != nil }

// Find follows a JSON pointer through the raw schema, or finds an anchor.
func (d *Document) Find(pointer string) ([]byte, bool) {
	if pointer != "" && pointer[0] != '/' {
		return anchored(d.closed(), pointer)
	}
	raw := d.raw
	if name, rest, ok := definitionAt("#" + pointer); ok {
		definition, found := d.definition(name)
		if !found {
			return nil, false
		}
		raw, pointer = definition, rest
	}
	for pointer != "" {
		var step string
		step, pointer = cutStep(pointer)
		next, found := rawjson.GetPath(raw, unescape(step))
		if plain, ok := unpercent(step); !found && ok {
			next, found = rawjson.GetPath(raw, unescape(plain))
		}
		if !found {
			return nil, false
		}
		raw = next
	}
	return raw, true
}

func (d *Document) definition(name string) ([]byte, bool) {
	if raw, found := d.definitions()[name]; found || d.define == nil {
		return raw, found
	}
	raw := d.define(name)
	return raw, raw != nil
}

// closed is the whole schema with everything in it that it leans on.
func (d *Document) closed() []byte {
	if d.define == nil {
		return d.raw
	}
	return Close(d.raw, d.define)
}

// anchored finds the schema of an anchor.
func anchored(raw []byte, name string) ([]byte, bool) {
	switch rawjson.KindOf(raw) {
	case rawjson.KindObject:
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			anchor, _ := rawjson.Get(raw, keyword)
			if text, ok := rawjson.String(anchor); ok && text == name {
				return raw, true
			}
		}
		for key, value := range rawjson.Members(raw) {
			switch key {
			case "enum", "const", "default", "example", "examples":
				continue
			}
			if found, ok := anchored(value, name); ok {
				return found, true
			}
		}
	case rawjson.KindArray:
		for value := range rawjson.Elements(raw) {
			if found, ok := anchored(value, name); ok {
				return found, true
			}
		}
	}
	return nil, false
}
