package openapi

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// reader holds one description while it is read.
type reader struct {
	*schemas.Set
	source   *Source
	document *document.File
	swagger  bool
	reading  *twodoor.Reading
}

// open loads the description and its overlays, and finds out what it is.
func (s *Source) open(ctx context.Context) (*reader, error) {
	bound := s.MaxBytes
	if bound <= 0 {
		bound = DefaultMaxBytes
	}
	l := document.New(ctx, s.Fetch, bound)
	d, err := l.Open(s.File)
	if err != nil {
		return nil, err
	}
	notes, err := l.Overlay(d, s.Overlays)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(d)
	if err != nil {
		return nil, err
	}
	r := &reader{Set: schemas.New(l, d, version), source: s, document: d, swagger: version == "2.0"}
	r.Notes = notes
	r.reading = &twodoor.Reading{Source: s.Name}
	return r, nil
}

// versionOf is "2.0", "3.0" or "3.1"; a later 3.x is read as 3.1.
func versionOf(d *document.File) (string, error) {
	root := d.Root
	swagger, version := text(root.Get("swagger")), text(root.Get("openapi"))
	switch {
	case strings.HasPrefix(swagger, "2"):
		return "2.0", nil
	case strings.HasPrefix(version, "3.0"):
		return "3.0", nil
	case strings.HasPrefix(version, "3"):
		return "3.1", nil
	}
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.Shown + " is not an OpenAPI description: " + foundInstead(root, swagger, version)}
	fault.Hint = `name a document that begins with "openapi: 3.x" or "swagger: 2.0"`
	return "", fault
}

// text is a string or number as it is written: a YAML author may leave out the quotes.
func text(n *rawjson.Node) string {
	if n.Is(rawjson.KindNumber) {
		return string(n.Text)
	}
	return n.Str()
}

func foundInstead(root *rawjson.Node, swagger, version string) string {
	switch {
	case swagger != "" || version != "":
		return fmt.Sprintf("its version is %q", swagger+version)
	case !root.Is(rawjson.KindObject):
		return "it holds a JSON or YAML " + root.Kind.String()
	case root.Get("overlay") != nil:
		return "it is an Overlay; list it under overlays"
	case root.Get("asyncapi") != nil:
		return "it is an AsyncAPI document"
	case root.Get("$schema") != nil:
		return "it is a JSON Schema"
	case root.Len() == 0:
		return "it holds an empty object"
	}
	return "it has neither openapi nor swagger, but the keys " + strings.Join(root.Keys[:min(len(root.Keys), 6)], ", ")
}

// read turns the description into a Reading.
func (r *reader) read(ctx context.Context) (*twodoor.Reading, error) {
	r.describe()
	all := r.operations()
	compilers := make([]*compiler, len(all))
	for i, f := range all {
		compilers[i] = r.prepare(f)
	}
	names, used := r.nameAll(compilers)
	r.infer(compilers, names, used)
	for _, c := range compilers {
		if c.failed == nil {
			c.failed = c.compile()
		}
	}
	r.Drain()
	r.settle(compilers)
	r.skip(compilers)
	r.close(compilers)
	return r.reading, ctx.Err()
}

// describe takes what the description says of itself.
func (r *reader) describe() {
	info := r.document.Root.Get("info")
	r.reading.Title = strings.TrimSpace(info.Get("title").Str())
	r.reading.Description = strings.TrimSpace(info.Get("description").Str())
	r.reading.Version = text(info.Get("version"))
	said := r.document.Root.Get("x-twodoor")
	if title := said.Get("title").Str(); title != "" {
		r.reading.Title = title
	}
	if text := said.Get("description").Str(); text != "" {
		r.reading.Description = text
	}
}

// settle parts the operations from the exceptions.
func (r *reader) settle(compilers []*compiler) {
	broken := r.Broken()
	r.reading.Definitions = r.Written()
	origins, schemes := map[string]bool{}, map[string]twodoor.Scheme{}
	for _, c := range compilers {
		if c.failed == nil && broken {
			c.failed = schemas.BrokenBy(append(c.emitter.Uses, c.outUses...), map[*schemas.Definition]bool{})
		}
		if c.failed != nil {
			r.reading.Exceptions = append(r.reading.Exceptions, twodoor.Exception{Operation: c.found.key(), At: c.at(), Reason: c.failed.Error()})
			continue
		}
		c.op.Examples = c.examples()
		r.reading.Operations = append(r.reading.Operations, c.op)
		if origin := originOf(c.plan.Server); origin != "" {
			origins[origin] = true
		}
		for _, alternative := range c.plan.Need {
			for _, scheme := range alternative {
				scheme.Scopes = nil
				schemes[scheme.Name] = scheme
			}
		}
	}
	r.reading.Origins = slices.Sorted(maps.Keys(origins))
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		r.reading.Schemes = append(r.reading.Schemes, schemes[name])
	}
}

// skip names the parts that are no operations: what the far side calls, not we.
func (r *reader) skip(compilers []*compiler) {
	webhooks := r.document.Place(r.document.Root.Get("webhooks"))
	for name, item := range webhooks.Node.Members() {
		r.reading.Skipped = append(r.reading.Skipped, twodoor.Exception{
			Operation: "webhook " + name, At: r.document.At(item), Reason: "a webhook: the far side calls it"})
	}
	for _, c := range compilers {
		f := c.found
		for name, item := range f.op.Node.Get("callbacks").Members() {
			r.reading.Skipped = append(r.reading.Skipped, twodoor.Exception{
				Operation: "callback " + name + " of " + f.key(), At: f.op.Doc.At(item), Reason: "a callback: the far side calls it"})
		}
	}
}

// close gathers what is told of the source as a whole.
func (r *reader) close(compilers []*compiler) {
	r.reading.Groups = r.groups(compilers)
	r.reading.Notes = r.Notes
	r.reading.Files = slices.Clone(r.Files)
	for _, language := range slices.Sorted(maps.Keys(r.source.Translations)) {
		file := r.source.Translations[language]
		if path, err := filepath.Abs(file); err == nil && !document.IsURL(file) {
			file = path
		}
		r.reading.Files = append(r.reading.Files, file)
	}
}
