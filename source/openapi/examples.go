package openapi

import (
	"encoding/base64"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// Bounds of the examples of an operation.
const (
	maxExamples    = 3
	maxExampleSize = 4 << 10
)

// examples are calls made of what the description itself shows: the request's examples with those
// of its parameters. One that does not fit the inputs is left out.
func (c *compiler) examples() []twodoor.Example {
	if c.said.Examples != nil {
		return c.said.Examples
	}
	base, complete := c.exampleParams()
	var list []twodoor.Example
	add := func(title string, args []byte) {
		if len(list) < maxExamples && len(args) <= maxExampleSize && c.holds(args) {
			list = append(list, twodoor.Example{Title: title, Arguments: args})
		}
	}
	if !complete {
		return nil
	}
	bodies := c.bodySamples()
	for _, each := range bodies {
		if args, ok := c.exampleBody(base, each.value); ok {
			add(each.name, args)
		}
	}
	if len(bodies) == 0 && rawjson.Len(base) > 0 {
		add("", base)
	}
	return list
}

// exampleParams are the shown values of all parameters; complete is false where a required one
// shows none.
func (c *compiler) exampleParams() (args []byte, complete bool) {
	var object rawjson.Object
	for _, arg := range c.args.list {
		switch arg.in {
		case "path", "query", "header", "cookie":
		default:
			continue
		}
		if len(arg.samples) > 0 && arg.required {
			object.Put(arg.name, arg.samples[0].value.JSON())
		} else if arg.required {
			return nil, false
		}
	}
	return object.Bytes(), true
}

// bodySamples are the requests that the description shows.
func (c *compiler) bodySamples() (found []sample) {
	content, _, _, err := c.bodyContent()
	if err != nil || c.plan.Body == nil {
		return nil
	}
	for _, each := range content {
		if each.media != c.plan.Body.Media[0] {
			continue
		}
		found = append(found, c.named(each.owner.Get("examples"))...)
		if example := each.owner.Node.Get("example"); example != nil {
			found = append(found, sample{value: example})
		}
		if p, err := c.Resolve(each.schema); err == nil && len(found) == 0 {
			if example := p.Node.Get("example"); example != nil {
				found = append(found, sample{value: example})
			}
			for item := range p.Node.Get("examples").Elements() {
				found = append(found, sample{value: item})
			}
		}
	}
	return found
}

// exampleBody puts a shown body among the shown parameters, field by field.
func (c *compiler) exampleBody(base []byte, value *rawjson.Node) ([]byte, bool) {
	b := c.plan.Body
	if b.Arg != "" {
		return rawjson.Set(base, b.Arg, shown(value, mediatype.Of(b.Media[0]) == mediatype.Binary)), true
	}
	if !value.Is(rawjson.KindObject) {
		return nil, false
	}
	args := base
	for name, item := range value.Members() {
		arg, bytes := name, false
		for _, f := range b.Fields {
			if f.Name == name || f.Name == "" && f.Arg == name {
				arg, bytes = f.Arg, f.Binary && mediatype.Of(b.Media[0]) == mediatype.Multipart
			}
		}
		args = rawjson.Set(args, arg, shown(item, bytes))
	}
	return args, true
}

// shown is a value of an example as a caller writes it: bytes, which descriptions show as the text
// that they are, in base64.
func shown(value *rawjson.Node, bytes bool) []byte {
	if bytes && value.Is(rawjson.KindString) && !strings.HasPrefix(value.Str(), "data:") {
		return rawjson.Quote(base64.StdEncoding.EncodeToString([]byte(value.Str())))
	}
	return value.JSON()
}

// holds reports whether arguments fit the inputs.
func (c *compiler) holds(args []byte) bool {
	if c.check == nil {
		whole := schema.Close(c.op.Input, func(name string) []byte { return c.reading.Definitions[name] })
		check, err := schema.Compile(whole)
		if err != nil {
			return false
		}
		c.check = check
	}
	return c.check.Accepts(c.check.Fit(args))
}
