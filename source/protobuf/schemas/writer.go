package schemas

import (
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// Writer writes the schemas of one source. It is for one goroutine.
type Writer struct {
	Definitions map[string]json.RawMessage // the shared schemas that were asked for so far

	options *options.Reader
	fields  map[protoreflect.FullName][]*Field
	names   map[protoreflect.FullName]string
	pending []pending
}

type pending struct {
	name string
	desc protoreflect.Descriptor
	way  Way
}

// NewWriter makes a writer for the messages of these files. Shared schemas have the name of their
// message or enum without its package, where only one has that name.
func NewWriter(files []protoreflect.FileDescriptor, reader *options.Reader) *Writer {
	w := &Writer{
		Definitions: map[string]json.RawMessage{}, options: reader,
		fields: map[protoreflect.FullName][]*Field{}, names: map[protoreflect.FullName]string{},
	}
	owners := map[string][]protoreflect.FullName{}
	for _, f := range files {
		prefix := string(f.Package())
		walk(f, func(d protoreflect.Descriptor) {
			short := strings.TrimPrefix(string(d.FullName()), prefix+".")
			owners[short] = append(owners[short], d.FullName())
		})
	}
	for short, full := range owners {
		for _, name := range full {
			if w.names[name] = short; len(full) > 1 {
				w.names[name] = string(name)
			}
		}
	}
	return w
}

// scope is a file or a message: what messages and enums are declared in.
type scope interface {
	Messages() protoreflect.MessageDescriptors
	Enums() protoreflect.EnumDescriptors
}

func walk(in scope, visit func(protoreflect.Descriptor)) {
	for i := range in.Enums().Len() {
		visit(in.Enums().Get(i))
	}
	for i := range in.Messages().Len() {
		visit(in.Messages().Get(i))
		walk(in.Messages().Get(i), visit)
	}
}

// Shape is what is said of fields for one operation alone, by path in JSON names: "filter.shardId".
type Shape map[string]*options.Tweak

// reaches reports whether something is said of the fields below a path.
func (s Shape) reaches(path string) bool {
	for each := range s {
		if strings.HasPrefix(each, path+".") {
			return true
		}
	}
	return false
}

// Object is the schema of a message's object.
func (w *Writer) Object(md protoreflect.MessageDescriptor, way Way, shape Shape) (json.RawMessage, error) {
	out, err := w.object(md, way, shape, "")
	if err != nil {
		return nil, err
	}
	return out, w.flush()
}

// Answer is the schema of a message as an answer, whatever it is in JSON.
func (w *Writer) Answer(md protoreflect.MessageDescriptor) (json.RawMessage, error) {
	if known := wellKnown(md); known != nil {
		return known, nil
	}
	return w.Object(md, Outward, nil)
}

// flush writes the shared schemas that are asked for and not written.
func (w *Writer) flush() error {
	for len(w.pending) > 0 {
		next := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		var out json.RawMessage
		var err error
		switch d := next.desc.(type) {
		case protoreflect.MessageDescriptor:
			out, err = w.object(d, next.way, nil, "")
		case protoreflect.EnumDescriptor:
			out, err = w.enum(d)
		}
		if err != nil {
			return err
		}
		w.Definitions[next.name] = out
	}
	return nil
}

// ref points at the shared schema of a message or enum.
func (w *Writer) ref(d protoreflect.Descriptor, way Way) []byte {
	name := w.names[d.FullName()]
	if name == "" {
		name = string(d.FullName())
	}
	if _, isMessage := d.(protoreflect.MessageDescriptor); isMessage && way == Outward {
		name += "-answer"
	}
	if _, ok := w.Definitions[name]; !ok {
		w.Definitions[name] = json.RawMessage("{}")
		w.pending = append(w.pending, pending{name, d, way})
	}
	return rawjson.Quote("#/$defs/" + name)
}

func (w *Writer) object(md protoreflect.MessageDescriptor, way Way, shape Shape, path string) (json.RawMessage, error) {
	fields, err := w.Fields(md)
	if err != nil {
		return nil, err
	}
	var out, props rawjson.Object
	var required []string
	for _, f := range fields {
		tweak := f.Tweak
		if said := shape[path+f.JSON]; said != nil {
			tweak = merged(f.Tweak, said)
		}
		if !f.shown(way, tweak) {
			continue
		}
		name := f.Name
		if tweak != nil && tweak.Rename != "" {
			name = Key(tweak.Rename)
		}
		schema, err := w.member(f, way, tweak, shape, path)
		if err != nil {
			return nil, err
		}
		props.Put(name, schema)
		if f.Required && (tweak == nil || tweak.Default == nil) {
			required = append(required, name)
		}
	}
	doc, err := w.describe(md)
	if err != nil {
		return nil, err
	}
	if out.PutString("type", "object"); doc != "" && path == "" {
		out.PutString("description", doc)
	}
	if out.Put("properties", props.Bytes()); way == Outward {
		return out.Bytes(), nil
	}
	if len(required) > 0 {
		out.PutStrings("required", required)
	}
	w.oneMember(&out, md, path == "" && shape != nil)
	out.Put("additionalProperties", []byte("false"))
	return out.Bytes(), nil
}

// oneMember says of a message that is a oneof and nothing else that its object has exactly one
// member. The arguments as a whole may be empty where the oneof need not be given.
func (w *Writer) oneMember(out *rawjson.Object, md protoreflect.MessageDescriptor, isRoot bool) {
	oneof := soleOneof(md)
	if oneof == nil {
		return
	}
	set, err := w.options.Of(oneof)
	if !isRoot || err == nil && set.RequiredOneof() {
		out.PutInt("minProperties", 1)
	}
	out.PutInt("maxProperties", 1)
}

// describe is the comment of a message, with the rules that no keyword says.
func (w *Writer) describe(md protoreflect.MessageDescriptor) (string, error) {
	set, err := w.options.Of(md)
	if err != nil {
		return "", err
	}
	doc := Comment(md)
	if tweak := set.Tweak(); tweak != nil && tweak.Describe != "" {
		doc = tweak.Describe
	}
	return sentences(append([]string{doc}, set.MessageRules()...)...), nil
}

func sentences(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, " ")
}

// merged lays what is said of a field in one operation over what its message says of it.
func merged(base, over *options.Tweak) *options.Tweak {
	if base == nil {
		return over
	}
	out := *base
	out.Hide = out.Hide || over.Hide
	for _, each := range []struct{ to, from *string }{
		{&out.Rename, &over.Rename}, {&out.Describe, &over.Describe}, {&out.Time, &over.Time}, {&out.IDName, &over.IDName},
	} {
		if *each.from != "" {
			*each.to = *each.from
		}
	}
	if over.Fix != nil {
		out.Fix = over.Fix
	}
	if over.Default != nil {
		out.Default = over.Default
	}
	return &out
}

// enum is the schema of an enum: its values by name, each with its comment.
func (w *Writer) enum(ed protoreflect.EnumDescriptor) (json.RawMessage, error) {
	var names []string
	lines := []string{Comment(ed)}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		set, err := w.options.Of(v)
		if err != nil {
			return nil, err
		}
		text, tweak := Comment(v), set.Tweak()
		if tweak != nil && tweak.Hide {
			continue
		}
		if tweak != nil && tweak.Describe != "" {
			text = tweak.Describe
		}
		if options.IsDeprecated(v) {
			text = sentences("Deprecated.", text)
		}
		if names = append(names, string(v.Name())); text != "" {
			lines = append(lines, string(v.Name())+": "+strings.ReplaceAll(text, "\n", " "))
		}
	}
	if lines[0] == "" {
		lines = lines[1:]
	}
	var out rawjson.Object
	if out.PutString("type", "string"); len(lines) > 0 {
		out.PutString("description", strings.Join(lines, "\n"))
	}
	out.PutStrings("enum", names)
	return out.Bytes(), nil
}
