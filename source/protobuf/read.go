package protobuf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/schemas"
)

// reader is one reading of a source.
type reader struct {
	source  *Source
	set     *descriptors.Set
	options *options.Reader
	writer  *schemas.Writer
	reading *twodoor.Reading
	found   []*found
	faults  []twodoor.Problem              // what annotations get wrong, by file:line
	tweaked map[protoreflect.FullName]bool // messages that have tweaks, or reach some
}

func newReader(s *Source, set *descriptors.Set) (*reader, error) {
	opts, err := options.NewReader(set.All())
	if err != nil {
		return nil, err
	}
	return &reader{
		source: s, set: set, options: opts, writer: schemas.NewWriter(set.All(), opts),
		reading: &twodoor.Reading{Source: s.Name, Groups: map[string]string{}, Files: set.Read, Notes: set.Notes},
	}, nil
}

// found is a method on its way to an operation.
type found struct {
	method  protoreflect.MethodDescriptor
	service protoreflect.ServiceDescriptor
	said    annotation
	group   string // the group's words
	id      string // group.verb
}

// key is how the far side calls a method.
func (f *found) key() string { return string(f.service.FullName()) + "/" + string(f.method.Name()) }

func (r *reader) read(ctx context.Context) (*twodoor.Reading, error) {
	methods, err := r.methods()
	if err != nil {
		return nil, err
	}
	r.found = methods
	r.nameAll(methods)
	for _, f := range methods {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.add(f); err != nil {
			r.except(f, err)
		}
	}
	if err := r.keep(methods); err != nil {
		return nil, err
	}
	r.describe(methods)
	return r.reading, nil
}

func (r *reader) note(format string, args ...any) {
	r.reading.Notes = append(r.reading.Notes, fmt.Sprintf(format, args...))
}

// fault notes what an annotation gets wrong. A reading passes over it; Strict does not.
func (r *reader) fault(d protoreflect.Descriptor, format string, args ...any) {
	place, problem := r.set.Place(d), fmt.Sprintf(format, args...)
	r.faults = append(r.faults, twodoor.Problem{Path: place, Problem: problem})
	r.note("%s: %s", place, problem)
}

// refusal is the reason why a method is not served.
type refusal struct{ reason string }

func (e *refusal) Error() string { return e.reason }

func (r *reader) except(f *found, err error) {
	reason := err.Error()
	if told, ok := errors.AsType[*refusal](err); ok {
		reason = told.reason
	}
	r.reading.Exceptions = append(r.reading.Exceptions, twodoor.Exception{Operation: f.key(), At: r.set.Place(f.method), Reason: reason})
}

// methods lists the methods of the wanted services in the order of their names, with what is said of
// them but for the configuration.
func (r *reader) methods() ([]*found, error) {
	var all []*found
	for _, file := range r.set.Files {
		whole := annotation{Annotation: twodoor.Annotation{Export: r.source.Export}}
		said, err := r.options.Annotation(file)
		if err == nil {
			err = r.take(&whole, file, said)
		}
		if err != nil {
			return nil, err
		}
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			if !r.wants(service) {
				continue
			}
			own, err := r.methodsOf(service, whole)
			if err != nil {
				return nil, err
			}
			all = append(all, own...)
		}
	}
	slices.SortFunc(all, func(a, b *found) int { return strings.Compare(a.key(), b.key()) })
	if len(all) == 0 {
		r.note("nothing here describes a service")
	}
	return all, nil
}

func (r *reader) wants(service protoreflect.ServiceDescriptor) bool {
	name := string(service.FullName())
	return len(r.source.Services) == 0 || slices.ContainsFunc(r.source.Services, func(glob string) bool { return twodoor.Match(glob, name) })
}

func (r *reader) methodsOf(service protoreflect.ServiceDescriptor, whole annotation) ([]*found, error) {
	said, err := r.options.Annotation(service)
	if err != nil {
		return nil, err
	}
	about := annotation{}
	if err := r.take(&about, service, said); err != nil {
		return nil, err
	}
	base := whole.under(about.Defaults)
	if about.Export != "" { // a service of another package is exported by an option of its own
		base.Export = about.Export
	}
	var all []*found
	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		f := &found{method: method, service: service, said: base, group: groupOf(string(service.Name()))}
		if about.Name != "" {
			f.group = slug(about.Name)
		}
		said, err := r.options.Annotation(method)
		if err != nil {
			return nil, err
		}
		if err := r.take(&f.said, method, said); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// take adds what options say. What is not understood becomes a note; a wrong effect or export is an error.
func (r *reader) take(into *annotation, d protoreflect.Descriptor, said options.Said) error {
	notes, err := into.add(said.JSON)
	if err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s: %v", r.set.Place(d), err), Cause: err}
	}
	into.hinted(said)
	for _, note := range slices.Concat(said.Notes, notes) {
		r.fault(d, "%s", note)
	}
	return nil
}

// describe tells of the groups and of the whole.
func (r *reader) describe(methods []*found) {
	packages := map[string]bool{}
	for _, f := range methods {
		packages[string(f.service.ParentFile().Package())] = true
		group, _, _ := strings.Cut(f.id, ".")
		if r.reading.Groups[group] == "" {
			r.reading.Groups[group] = r.about(f.service)
		}
	}
	for group, text := range r.reading.Groups {
		if text == "" {
			delete(r.reading.Groups, group)
		}
	}
	if names := slices.Sorted(maps.Keys(packages)); len(names) > 0 {
		r.reading.Title = strings.Join(names[:min(len(names), 3)], ", ")
	}
	r.reading.Description = r.fileComment(methods)
}

func (r *reader) about(service protoreflect.ServiceDescriptor) string {
	var about annotation
	if said, err := r.options.Annotation(service); err == nil {
		_, _ = about.add(said.JSON) // was looked at before
	}
	for _, text := range []string{about.Title, about.Description, schemas.Comment(service)} {
		if text != "" {
			return firstSentence(text, 200)
		}
	}
	return ""
}

// fileComment is what the only file with services says of itself at its package.
func (r *reader) fileComment(methods []*found) string {
	text := ""
	for _, f := range methods {
		path := protoreflect.SourcePath{2} // FileDescriptorProto.package
		comment := strings.TrimSpace(f.service.ParentFile().SourceLocations().ByPath(path).LeadingComments)
		if text != "" && comment != text {
			return ""
		}
		text = comment
	}
	return strings.Join(strings.Fields(text), " ")
}

// keep puts schemas and descriptors where calls find them.
func (r *reader) keep(methods []*found) error {
	r.reading.Definitions = r.writer.Definitions
	kept, err := pieces.Cut(r.set.All(), r.tweaksOf)
	if err != nil {
		return err
	}
	maps.Copy(r.reading.Definitions, kept)
	version := pieces.Digest(kept)
	for i := range r.reading.Operations {
		op := &r.reading.Operations[i]
		op.Plan = setVersion(op.Plan, version)
	}
	return nil
}

// tweaksOf is what annotations change of a message's fields; nil: nothing, or nobody uses it.
func (r *reader) tweaksOf(name protoreflect.FullName) map[string]pieces.Tweak {
	var tweaks map[string]pieces.Tweak
	for _, f := range r.writer.Known(name) {
		tweak := pieces.Tweak{}
		if f.Name != f.JSON {
			tweak.Name = f.Name
		}
		if f.Tweak != nil {
			tweak.Hide, tweak.Fix = f.Tweak.Hide, json.RawMessage(f.Tweak.Fix)
		}
		if tweak.Name == "" && !tweak.Hide && tweak.Fix == nil {
			continue
		}
		if tweaks == nil {
			tweaks = map[string]pieces.Tweak{}
		}
		tweaks[string(f.Desc.Name())] = tweak
	}
	return tweaks
}
