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
	"github.com/twodoor/twodoor/source/openapi/naming"
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

// found is one operation as the description has it.
type found struct {
	method, path string // path as the description keys it
	item, op     document.Place
	fault        error // why nothing more is known of it
}

func (f found) key() string { return strings.TrimSpace(f.method + " " + f.path) }

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

// methods are those of a path item (OpenAPI 3.2 "Path Item Object"; query is new there).
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations lists what the description has under paths, in its order.
func (r *reader) operations() (all []found) {
	paths := r.document.Place(r.document.Root.Get("paths"))
	if resolved, err := r.Resolve(paths); err == nil {
		paths = resolved
	}
	for path, item := range paths.Node.Members() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		all = append(all, r.pathItem(path, paths.In(item))...)
	}
	if len(all) == 0 {
		r.Note("%s has no operations under paths: the source is empty", r.document.Shown)
	}
	return all
}

// pathItem lists the operations of one path. What a path item says beside its reference counts
// before what it refers to.
func (r *reader) pathItem(path string, item document.Place) (all []found) {
	target, err := r.Resolve(item)
	if err != nil || !target.Node.Is(rawjson.KindObject) {
		if err == nil {
			err = fmt.Errorf("the path is no object")
		}
		return []found{{path: path, item: item, op: item, fault: err}}
	}
	owners := []document.Place{target}
	if item.Node != target.Node {
		owners = []document.Place{item, target}
	}
	seen := map[string]bool{}
	for _, owner := range owners {
		for method, op := range owner.Node.Members() {
			if !slices.Contains(methods, method) || seen[method] {
				continue
			}
			seen[method] = true
			f := found{method: strings.ToUpper(method), path: path, item: owner, op: owner.In(op)}
			if !op.Is(rawjson.KindObject) {
				f.fault = fmt.Errorf("the operation is no object")
			} else if f.op, err = r.Resolve(f.op); err != nil {
				f.op, f.fault = owner.In(op), err
			}
			all = append(all, f)
		}
	}
	return all
}

// nameAll names the operations, those that will turn out as exceptions too, so that no name moves
// when they are mended. Annotations of the configuration find their operations by the names that
// these have without them.
func (r *reader) nameAll(compilers []*compiler) ([]string, naming.Choice) {
	s := r.source
	routes := make([]naming.Route, len(compilers))
	for i, c := range compilers {
		routes[i] = c.route()
	}
	rule, kept := s.Naming, (*naming.Choice)(nil)
	if rule == "" {
		rule = naming.Auto
	}
	if s.Kept.Rule != "" {
		kept = &naming.Choice{Rule: s.Kept.Rule, Dropped: s.Kept.Dropped, Split: s.Kept.Split}
	}
	names, used, notes := naming.Names(routes, s.Name, rule, kept, s.Kept.Names)
	if len(s.Operations) > 0 {
		plain, _, _ := naming.Names(routes, s.Name, rule, kept, nil)
		renamed := false
		for i, c := range compilers {
			c.configure(s.configured(s.Name+"."+names[i], s.Name+"."+plain[i], c.found.key()))
			renamed = renamed || c.said.Name != routes[i].Name
			routes[i].Name = c.said.Name
		}
		if renamed {
			names, used, notes = naming.Names(routes, s.Name, rule, kept, s.Kept.Names)
		}
	}
	if used.Report != "" && len(routes) > 0 {
		r.Note("named by %s", used.Report)
	}
	for _, text := range notes {
		r.Note("%s", text)
	}
	r.lock(routes, names, used)
	return names, used
}

// lock keeps the names. Those of operations that are gone stay reserved.
func (r *reader) lock(routes []naming.Route, names []string, used naming.Choice) {
	all := maps.Clone(r.source.Kept.Names)
	if all == nil {
		all = map[string]string{}
	}
	for i, each := range routes {
		all[each.Key()] = names[i]
	}
	r.reading.Lock = twodoor.Lock{Rule: used.Rule, Dropped: used.Dropped, Split: used.Split, Names: all}
}

// infer gives each operation its name and its effect.
func (r *reader) infer(compilers []*compiler, names []string, used naming.Choice) {
	routes := make([]naming.Route, len(compilers))
	for i, c := range compilers {
		routes[i] = c.route()
	}
	effects := naming.Effects(routes, used)
	for i, c := range compilers {
		c.identify(names[i], effects[i])
	}
}

// settle parts the operations from the exceptions.
func (r *reader) settle(compilers []*compiler) {
	broken := r.Broken()
	r.reading.Definitions = r.Written()
	origins := map[string]bool{}
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
	}
	r.reading.Origins = slices.Sorted(maps.Keys(origins))
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

// groups says of each group what the description says of the tag that is called so, or that nine of
// ten of its operations have and nothing else has.
func (r *reader) groups(compilers []*compiler) map[string]string {
	about := map[string]string{}
	for tag := range r.document.Root.Get("tags").Elements() {
		about[tag.Get("name").Str()] = firstLine(tag.Get("description").Str(), 200)
	}
	sizes, total, tags := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for _, c := range compilers {
		sizes[c.group]++
		if tags[c.group] == nil {
			tags[c.group] = map[string]int{}
		}
		for _, tag := range c.found.op.Node.Get("tags").Strings() {
			tags[c.group][tag]++
			total[tag]++
		}
	}
	groups := map[string]string{}
	for group, counts := range tags {
		for _, tag := range slices.Sorted(maps.Keys(counts)) {
			alone := naming.NineOfTen(counts[tag], sizes[group]) && counts[tag] == total[tag]
			if about[tag] != "" && (naming.Slug(tag) == group || alone && groups[group] == "") {
				groups[group] = about[tag]
			}
		}
	}
	return groups
}

// firstLine is the first line of a text, at most so many bytes of it.
func firstLine(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.TrimSpace(text)
}
