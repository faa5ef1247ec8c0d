package openapi

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// fieldNote is what x-twodoor on a parameter or on a field's schema says of that input.
type fieldNote struct {
	name, description, time string
	hide, positional, timed bool
	fix, fill               []byte
}

func (f *fieldNote) read(n *rawjson.Node) {
	for key, value := range n.Members() {
		switch key {
		case "name", "rename":
			f.name = value.Str()
		case "description", "describe":
			f.description = value.Str()
		case "hide":
			f.hide = value.Bool()
		case "positional":
			f.positional = value.Bool()
		case "fix":
			f.fix = value.JSON()
		case "default":
			f.fill = value.JSON()
		case "time":
			f.timed, f.time = value.Bool() || value.Str() != "", value.Str()
		}
	}
}

// readSchemaNote reads the annotation on an input's schema.
func (c *compiler) readSchemaNote(arg *input) {
	arg.note.read(arg.place.Node.Get("x-twodoor"))
	if target, err := c.Resolve(arg.place); err == nil && target.Node != arg.place.Node {
		arg.note.read(target.Node.Get("x-twodoor"))
	}
}

// add puts an input among the arguments, with what annotations say of it. An input that is hidden
// or fixed stays in the plan and is not listed.
func (c *compiler) add(arg *input, part string) {
	wanted := arg.note.name
	if name := lookUp(c.said.Rename, arg.wire); name != "" {
		wanted = name
	}
	arg.name = c.args.claim(arg.wire, part, wanted)
	if value := lookUpRaw(c.said.Fix, arg); value != nil {
		arg.note.fix = value
	}
	if arg.note.fix != nil {
		if c.plan.Fix == nil {
			c.plan.Fix = map[string]json.RawMessage{}
		}
		c.plan.Fix[arg.name] = arg.note.fix
		return
	}
	if arg.note.hide || slices.Contains(c.said.Hide, arg.wire) || slices.Contains(c.said.Hide, arg.name) {
		return
	}
	c.adorn(arg)
	c.args.list = append(c.args.list, arg)
}

// adorn writes into an input's schema what annotations say of it.
func (c *compiler) adorn(arg *input) {
	text := arg.note.description
	if said := lookUp(c.said.Describe, arg.wire, arg.name); said != "" {
		text = said
	}
	if text != "" {
		arg.schema = rawjson.Set(arg.schema, "description", rawjson.Quote(text))
	}
	fill := arg.note.fill
	if value := lookUpRaw(c.said.Default, arg); value != nil {
		fill = value
	}
	if fill != nil {
		arg.schema = rawjson.Set(rawjson.Set(arg.schema, "default", fill), "x-fill", []byte("true"))
		arg.required = false
	}
	word, timed := arg.note.time, arg.note.timed
	for _, name := range []string{arg.wire, arg.name} {
		if said, ok := c.said.Time[name]; ok {
			word, timed = said, true
		}
	}
	if timed {
		kind, _ := rawjson.Get(arg.schema, "type")
		format := schemas.TimeWord(word)
		if format == "" {
			format = schemas.TimeFormat(document.Bool(true), schemas.Types{Names: []string{strings.Trim(string(kind), `"`)}})
		}
		arg.schema = rawjson.Set(arg.schema, "format", rawjson.Quote(format))
	}
}

func lookUp(said map[string]string, names ...string) string {
	for _, name := range names {
		if text := said[name]; text != "" {
			return text
		}
	}
	return ""
}

func lookUpRaw(said map[string]json.RawMessage, arg *input) []byte {
	if value, ok := said[arg.wire]; ok {
		return value
	}
	return said[arg.name]
}
