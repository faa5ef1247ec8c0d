package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/plan"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// params reads the parameters of the path, query, header and cookie into inputs, in the order of
// the description: those of the path item first, each replaced by the operation's own.
func (c *compiler) params() error {
	declared, err := c.declared()
	if err != nil {
		return err
	}
	declared = c.matchPath(declared)
	for _, p := range declared {
		if err := c.param(p); err != nil {
			return err
		}
	}
	return nil
}

// declared lists the parameters of an operation, those of bodies (Swagger 2) apart.
func (c *compiler) declared() ([]document.Place, error) {
	var list []document.Place
	at := map[string]int{}
	for _, owner := range []document.Place{c.found.item, c.found.op} {
		params := owner.Get("parameters")
		for item := range params.Node.Elements() {
			p, err := c.Resolve(params.In(item))
			if err != nil {
				return nil, fmt.Errorf("a parameter: %w", err)
			}
			name, in := p.Node.Get("name").Str(), p.Node.Get("in").Str()
			if in == "body" && c.swagger {
				name = ""
			} else if name == "" {
				return nil, fmt.Errorf("the parameter at %s has no name", p.At())
			}
			key := in + " " + name
			if old, known := at[key]; known {
				list[old] = p
				continue
			}
			at[key] = len(list)
			list = append(list, p)
		}
	}
	return c.splitForm(list), nil
}

// splitForm puts the parameters of a Swagger 2 body apart.
func (c *compiler) splitForm(list []document.Place) (others []document.Place) {
	if !c.swagger {
		return list
	}
	for _, p := range list {
		switch p.Node.Get("in").Str() {
		case "body":
			c.bodyParam = p
		case "formData":
			c.formParams = append(c.formParams, p)
		default:
			others = append(others, p)
		}
	}
	return others
}

// matchPath makes the path parameters those of the path itself: a name that the path lacks is
// dropped, or taken for the only one that is not described; one that is not described is a string.
func (c *compiler) matchPath(declared []document.Place) []document.Place {
	var kept, strays []document.Place
	names := pathNames(c.plan.Path)
	missing := slices.Clone(names)
	for _, p := range declared {
		name := p.Node.Get("name").Str()
		switch at := slices.Index(missing, name); {
		case p.Node.Get("in").Str() != "path":
			kept = append(kept, p)
		case at >= 0:
			missing = slices.Delete(missing, at, at+1)
			kept = append(kept, p)
		default:
			strays = append(strays, p)
		}
	}
	if len(strays) == 1 && len(missing) == 1 {
		c.Note("%s: the path has {%s}, its parameter is called %q: taken for one", strays[0].At(), missing[0], strays[0].Node.Get("name").Str())
		renamed := document.Without(strays[0].Node, "name")
		renamed.Put("name", rawjson.StringNode(missing[0]))
		return append([]document.Place{strays[0].In(renamed)}, kept...)
	}
	for _, p := range strays {
		c.Note("%s: the path has no {%s}: that parameter is left out", p.At(), p.Node.Get("name").Str())
	}
	for _, name := range missing {
		c.Note("%s: the parameter {%s} of the path is not described: taken for a string", c.at(), name)
		kept = append(kept, c.found.op.Doc.Place(bareParam(name)))
	}
	return kept
}

// bareParam is the parameter of a path variable that nothing describes.
func bareParam(name string) *rawjson.Node {
	n := document.Object("name", rawjson.StringNode(name))
	n.Put("in", rawjson.StringNode("path"))
	n.Put("schema", document.Object("type", rawjson.StringNode("string")))
	n.Put("type", rawjson.StringNode("string"))
	return n
}

// pathNames lists the variables of a path template, each once.
func pathNames(path string) (names []string) {
	for {
		_, rest, found := strings.Cut(path, "{")
		if !found {
			return names
		}
		name, tail, closed := strings.Cut(rest, "}")
		if !closed {
			return names
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		path = tail
	}
}

// param reads one parameter into an input and a line of the plan.
func (c *compiler) param(p document.Place) error {
	n := p.Node
	wire, in := n.Get("name").Str(), n.Get("in").Str()
	switch in {
	case "path", "query", "header", "cookie":
	default:
		return fmt.Errorf("the parameter %q at %s stands in %q, which is none of path, query, header and cookie", wire, p.At(), in)
	}
	if c.sentAnyway(wire, in) {
		return nil
	}
	planned := plan.Param{Name: wire, In: in, Required: n.Get("required").Bool() || in == "path"}
	schema := c.ChildAt(p, "schema")
	switch {
	case c.swagger:
		schema = p
		if err := collection(n, &planned); err != nil {
			return err
		}
	case n.Get("content").Len() > 0:
		planned.Media, schema = n.Get("content").Keys[0], c.content(p).schema
	}
	if !c.swagger {
		styleParam(n, &planned)
	}
	arg := &input{wire: wire, in: in, place: schema, required: planned.Required, samples: c.samples(p, schema)}
	arg.note.read(n.Get("x-twodoor"))
	c.readSchemaNote(arg)
	arg.schema = c.inputSchema(arg, paramText(n), n.Get("deprecated").Bool())
	c.add(arg, in)
	planned.Arg = arg.name
	if planned.Name == planned.Arg {
		planned.Name = ""
	}
	c.plan.Params = append(c.plan.Params, planned)
	return nil
}

// sentAnyway reports whether a parameter is none of the caller's: the request carries it by itself
// (OpenAPI 3.1 "Parameter Object"), or a security scheme puts it on.
func (c *compiler) sentAnyway(name, in string) bool {
	if in == "header" {
		switch strings.ToLower(name) {
		case "accept", "content-type", "authorization":
			return true
		}
	}
	for _, together := range c.plan.Need {
		for _, scheme := range together {
			if scheme.In == in && (scheme.Param == name || in == "header" && strings.EqualFold(scheme.Param, name)) {
				return true
			}
		}
	}
	return false
}

// styleParam reads style, explode and allowReserved (OpenAPI 3.x).
func styleParam(n *rawjson.Node, planned *plan.Param) {
	style := n.Get("style").Str()
	isForm := style == "form" || style == "" && (planned.In == "query" || planned.In == "cookie")
	planned.Explode = isForm || style == "deepObject"
	if explode := n.Get("explode"); explode.Is(rawjson.KindBool) && style != "deepObject" {
		planned.Explode = explode.Bool()
	}
	if style != "form" && style != "simple" {
		planned.Style = style
	}
	planned.Reserved = n.Get("allowReserved").Bool() || planned.In == "path" && n.Get("x-multi-segment").Bool()
	planned.Empty = n.Get("allowEmptyValue").Bool()
}

// paramText is what a parameter says of itself; "" leaves it to its schema.
func paramText(n *rawjson.Node) string {
	return strings.TrimSpace(n.Get("description").Str())
}

// inputSchema writes the schema of an input with what is said of the input itself.
func (c *compiler) inputSchema(arg *input, text string, deprecated bool) []byte {
	schema := c.emitter.Text(arg.place)
	if text != "" {
		schema = rawjson.Set(schema, "description", rawjson.Quote(text))
		schema = retime(schema, text)
	}
	if deprecated {
		schema = rawjson.Set(schema, "deprecated", []byte("true"))
	}
	return schema
}

// retime finds in the description of an input what its schema could not say: that an integer
// counts from the Unix epoch.
func retime(schema []byte, text string) []byte {
	kind, _ := rawjson.Get(schema, "type")
	if string(kind) != `"integer"` {
		return schema
	}
	if format := schemas.EpochFormat(text); format != "" {
		return rawjson.Set(schema, "format", rawjson.Quote(format))
	}
	return schema
}

// samples are the values that a parameter shows by itself.
func (c *compiler) samples(p, schema document.Place) []sample {
	var found []sample
	for _, n := range []*rawjson.Node{p.Node.Get("example"), p.Node.Get("x-example"), schema.Node.Get("example")} {
		if n != nil {
			found = append(found, sample{value: n})
		}
	}
	found = append(found, c.named(p.Get("examples"))...)
	for item := range schema.Node.Get("examples").Elements() {
		found = append(found, sample{value: item})
	}
	return found
}

// named reads an "examples" object: values by name, each maybe a reference.
func (c *compiler) named(examples document.Place) (found []sample) {
	for name, item := range examples.Node.Members() {
		p, err := c.Resolve(examples.In(item))
		if value := p.Node.Get("value"); err == nil && value != nil {
			title := strings.TrimSpace(p.Node.Get("summary").Str())
			if title == "" {
				title = name
			}
			found = append(found, sample{title, value})
		}
	}
	return found
}
