package openapi

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/naming"
	"github.com/twodoor/twodoor/source/openapi/plan"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// compiler makes one operation of what the description says.
type compiler struct {
	*reader
	found  found
	said   twodoor.Annotation
	failed error // why it cannot be served
	group  string
	verb   string

	op   twodoor.Operation
	plan plan.Plan
	args inputSet

	emitter    schemas.Emitter
	rest       []byte           // schema of inputs that nothing names
	combos     [][]string       // sets of inputs of which one has to be given
	variants   string           // what is told of the branches of the body
	bodyParam  document.Place   // Swagger 2
	formParams []document.Place // Swagger 2
	answer     mediaContent
	linked     bool // the answer declares a Link header
	outUses    []*schemas.Definition
	check      *schema.Schema // of the inputs, made for the first example
}

// prepare reads the annotations of an operation: the document's, the path's, its own.
func (r *reader) prepare(f found) *compiler {
	c := &compiler{reader: r, found: f, failed: f.fault, emitter: schemas.Emitter{Set: r.Set, Way: schemas.Inward}}
	whole := document.Without(r.document.Root.Get("x-twodoor"), "title")
	c.annotate("x-twodoor", document.Without(whole, "description").JSON())
	for _, owner := range []document.Place{f.item, f.op} {
		if said := owner.Node.Get("x-twodoor"); said != nil && f.fault == nil {
			c.annotate("x-twodoor", said.JSON())
		}
	}
	return c
}

func (c *compiler) annotate(where string, raw []byte) {
	notes, err := c.said.Add(raw)
	for _, text := range notes {
		c.Note("%s: %s.%s", c.at(), where, text)
	}
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("%s.%w", where, err)
	}
}

// configure reads the annotations of the configuration.
func (c *compiler) configure(globs []string) {
	for _, glob := range globs {
		c.annotate(fmt.Sprintf("operations[%q]", glob), c.source.Operations[glob])
	}
}

func (c *compiler) at() string { return c.found.op.At() }

// route is what naming and effects look at.
func (c *compiler) route() naming.Route {
	n := c.found.op.Node
	r := naming.Route{
		Method: c.found.method, Path: c.found.path, ID: n.Get("operationId").Str(), Tags: n.Get("tags").Strings(),
		Summary: strings.TrimSpace(n.Get("summary").Str()), Name: c.said.Name,
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	r.Paged = c.takesPage()
	return r
}

// identify gives the operation its id and effect.
func (c *compiler) identify(name string, e naming.Effect) {
	c.group, c.verb, _ = strings.Cut(name, ".")
	c.op = twodoor.Operation{
		ID: c.source.Name + "." + name, Kind: Kind, Prefix: c.source.Prefix,
		Effect: e.Effect, Why: e.Reason, Idempotent: e.Idempotent,
		Origin: c.found.key(), At: c.at(),
	}
}

// compile fills in the operation; an error is why it cannot be served.
func (c *compiler) compile() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading it went wrong: %v (%s)", p, firstFrames(debug.Stack()))
		}
	}()
	c.plan.Method = c.found.method
	c.plan.Path, c.plan.Query = cutPath(c.found.path)
	c.plan.Server = c.server()
	c.plan.Need = c.security()
	if err := c.params(); err != nil {
		return err
	}
	if err := c.body(); err != nil {
		return err
	}
	c.answers()
	c.tell()
	if c.emitter.Err != nil {
		return c.emitter.Err
	}
	c.op.Input = c.args.schema(c.rest, c.combos)
	c.op.Positional = c.positional()
	c.op.Page = c.page()
	c.op.Plan, err = json.Marshal(c.plan)
	if err != nil {
		return fmt.Errorf("write its plan: %w", err)
	}
	return c.failed
}

func firstFrames(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.Contains(line, "panic.go") && i+2 < len(lines) {
			return strings.TrimSpace(lines[i+2])
		}
	}
	return ""
}

// cutPath parts a path key: what follows # only tells twins apart, what follows ? is sent as it is.
func cutPath(key string) (path, query string) {
	key, _, _ = strings.Cut(key, "#")
	path, query, _ = strings.Cut(key, "?")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path, query
}

// tell fills in what is said in words, and what annotations say of the operation as a whole.
func (c *compiler) tell() {
	n, op, said := c.found.op.Node, &c.op, &c.said
	op.Title, op.Description = words(n.Get("summary").Str(), n.Get("description").Str(), n.Get("operationId").Str())
	if c.variants != "" {
		op.Description = strings.TrimSpace(op.Description + "\n\n" + c.variants)
	}
	if n.Get("deprecated").Bool() {
		op.Deprecated = "its description marks it so"
	}
	said.Adorn(op)
}
