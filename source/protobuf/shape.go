package protobuf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/schemas"
)

// shape gathers what is said of the input's fields for this operation alone, by path in JSON names.
// A field that is not there is noted: the file and its annotation are written by the same hands.
func (r *reader) shape(f *found) (schemas.Shape, error) {
	shape := schemas.Shape{}
	at := func(path, key string) *options.Tweak {
		name, ok := jsonPath(f.method.Input(), path)
		if !ok {
			r.fault(f.method, "%s names %q, which is no field of %s", key, path, f.method.Input().FullName())
			return &options.Tweak{}
		}
		if shape[name] == nil {
			shape[name] = &options.Tweak{}
		}
		return shape[name]
	}
	for _, path := range f.said.Hide {
		at(path, "hide").Hide = true
	}
	for path, value := range f.said.Fix {
		at(path, "fix").Fix = value
	}
	for path, value := range f.said.Default {
		at(path, "default").Default = value
	}
	for path, name := range f.said.Rename {
		at(path, "rename").Rename = name
	}
	for path, text := range f.said.Describe {
		at(path, "describe").Describe = text
	}
	for path, word := range f.said.Time {
		at(path, "time").Time = cmp.Or(word, "time")
	}
	if err := r.only(f, shape); err != nil {
		return nil, err
	}
	return shape, nil
}

// only hides the other branches of the oneofs of which some are named.
func (r *reader) only(f *found, shape schemas.Shape) error {
	allowed := map[protoreflect.OneofDescriptor][]string{}
	prefix := map[protoreflect.OneofDescriptor]string{}
	for _, path := range f.said.Only {
		name, ok := jsonPath(f.method.Input(), path)
		fd := fieldAt(f.method.Input(), path)
		if !ok || fd == nil || fd.ContainingOneof() == nil {
			r.fault(f.method, "only names %q, which is no branch of a oneof", path)
			continue
		}
		of := fd.ContainingOneof()
		allowed[of] = append(allowed[of], name)
		prefix[of] = name[:strings.LastIndexByte(name, '.')+1]
	}
	for of, names := range allowed {
		for i := range of.Fields().Len() {
			name := prefix[of] + of.Fields().Get(i).JSONName()
			if slices.Contains(names, name) {
				continue
			}
			if shape[name] == nil {
				shape[name] = &options.Tweak{}
			}
			shape[name].Hide = true
		}
	}
	return nil
}

// shapeOf is what a call needs to know of a shape.
func shapeOf(shape schemas.Shape) map[string]pieces.Tweak {
	var out map[string]pieces.Tweak
	for path, tweak := range shape {
		if tweak.Rename == "" && tweak.Fix == nil {
			continue
		}
		if out == nil {
			out = map[string]pieces.Tweak{}
		}
		kept := pieces.Tweak{Fix: tweak.Fix}
		if tweak.Rename != "" {
			kept.Name = schemas.Key(tweak.Rename)
		}
		out[path] = kept
	}
	return out
}

// fieldOf is a field by any of its names.
func fieldOf(md protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if fd := md.Fields().ByName(protoreflect.Name(name)); fd != nil {
		return fd
	}
	return md.Fields().ByJSONName(name)
}

// fieldAt is the field at a path of names.
func fieldAt(md protoreflect.MessageDescriptor, path string) protoreflect.FieldDescriptor {
	first, rest, deeper := strings.Cut(path, ".")
	fd := fieldOf(md, first)
	switch {
	case fd == nil || !deeper:
		return fd
	case fd.Message() == nil || fd.IsMap() || fd.IsList():
		return nil
	}
	return fieldAt(fd.Message(), rest)
}

// jsonPath is a path of names as JSON has them.
func jsonPath(md protoreflect.MessageDescriptor, path string) (string, bool) {
	var names []string
	for _, name := range strings.Split(path, ".") {
		if md == nil {
			return "", false
		}
		fd := fieldOf(md, name)
		if fd == nil {
			return "", false
		}
		names = append(names, fd.JSONName())
		if md = fd.Message(); fd.IsList() || fd.IsMap() {
			md = nil
		}
	}
	return strings.Join(names, "."), true
}

func lookUp(said map[string]string, fd protoreflect.FieldDescriptor) string {
	if name := said[string(fd.Name())]; name != "" {
		return name
	}
	return said[fd.JSONName()]
}

// missingRule is why a method is not served over REST.
func missingRule() error {
	return &refusal{"it has no google.api.http rule, and the source's wire is rest"}
}

func badPath(path string, why string) error {
	return &refusal{fmt.Sprintf("its HTTP path %s %s", path, why)}
}
