package call

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// input is the request's message in the format of the wire.
func (c *calling) input() ([]byte, error) {
	text, err := c.inputJSON()
	if err != nil || c.method.Wire == plan.Connect {
		return text, err
	}
	types, err := c.method.types()
	if err != nil {
		return nil, fmt.Errorf("open the messages of %s: %w", c.in.Operation.ID, err)
	}
	return Encode(types, c.method.In, text)
}

// Encode is a JSON text as the bytes of a message.
func Encode(types *pieces.Types, name string, text []byte) ([]byte, error) {
	md, err := types.Message(name)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(md)
	if err := (protojson.UnmarshalOptions{Resolver: types.Lookup()}).Unmarshal(text, m); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the arguments do not fit %s: %s", name, plainFault(err)), Cause: err}
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the arguments do not fit %s: %s", name, plainFault(err)), Cause: err}
	}
	return data, nil
}

// plainFault is what the library says of a misfit, without its own name and place.
func plainFault(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ") // the library varies its blanks on purpose
	text = strings.TrimPrefix(text, "proto: ")
	if rest, found := strings.CutPrefix(text, "(line "); found {
		_, text, _ = strings.Cut(rest, "): ")
	}
	return text
}

// inputJSON is the arguments under the names of the far side, with what annotations fill in.
func (c *calling) inputJSON() ([]byte, error) {
	args := rawjson.Compact(nil, c.in.Arguments)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if !c.method.Tweaked && len(c.method.Shape) == 0 {
		return args, nil
	}
	types, err := c.method.types()
	if err != nil {
		return nil, fmt.Errorf("open the messages of %s: %w", c.in.Operation.ID, err)
	}
	md, err := types.Message(c.method.In)
	if err != nil {
		return nil, err
	}
	t := translator{types: types, shape: c.method.Shape, inward: true}
	out := t.object(md, args, "", 0)
	for _, path := range slices.Sorted(maps.Keys(c.method.Shape)) {
		if fix := c.method.Shape[path].Fix; fix != nil {
			out = rawjson.SetPath(out, fix, strings.Split(path, ".")...)
		}
	}
	return out, nil
}

// translator takes a value from the names of callers to those of the far side, or back.
type translator struct {
	types  *pieces.Types
	shape  map[string]pieces.Tweak
	inward bool
}

// maxDepth bounds messages within messages, as Protobuf does.
const maxDepth = 10_000

func (t *translator) object(md protoreflect.MessageDescriptor, raw []byte, path string, depth int) []byte {
	if rawjson.KindOf(raw) != rawjson.KindObject || isSpecial(md) || depth > maxDepth {
		return raw
	}
	tweaks := t.types.Tweaks(md.FullName())
	var out rawjson.Object
	for key, value := range rawjson.Members(raw) {
		fd := t.field(md, tweaks, key, path)
		if fd == nil {
			out.Put(key, value)
			continue
		}
		tweak := tweaks[string(fd.Name())]
		if tweak.Hide || t.inward && tweak.Fix != nil {
			continue
		}
		name := fd.JSONName()
		if !t.inward && tweak.Name != "" {
			name = tweak.Name
		}
		out.Put(name, t.value(fd, value, path+fd.JSONName(), depth))
	}
	if t.inward {
		for _, name := range slices.Sorted(maps.Keys(tweaks)) {
			if fix := tweaks[name].Fix; fix != nil {
				out.Put(md.Fields().ByName(protoreflect.Name(name)).JSONName(), fix)
			}
		}
	}
	return out.Bytes()
}

// field is the field that a key stands for; nil: none.
func (t *translator) field(md protoreflect.MessageDescriptor, tweaks map[string]pieces.Tweak, key, path string) protoreflect.FieldDescriptor {
	if t.inward {
		for name, tweak := range t.shape {
			if tweak.Name == key && strings.HasPrefix(name, path) && !strings.Contains(name[len(path):], ".") {
				return md.Fields().ByJSONName(name[len(path):])
			}
		}
		for name, tweak := range tweaks {
			if tweak.Name == key {
				return md.Fields().ByName(protoreflect.Name(name))
			}
		}
	}
	if fd := md.Fields().ByJSONName(key); fd != nil {
		return fd
	}
	return md.Fields().ByTextName(key)
}

func (t *translator) value(fd protoreflect.FieldDescriptor, value []byte, path string, depth int) []byte {
	switch {
	case fd.IsMap():
		if fd.MapValue().Message() == nil {
			return value
		}
		return rawjson.Rewrite(value, func(_ []byte, _ int, each []byte) []byte {
			return t.object(fd.MapValue().Message(), each, path+".", depth+1)
		})
	case fd.Message() == nil:
		return value
	case fd.IsList():
		return rawjson.Rewrite(value, func(_ []byte, _ int, each []byte) []byte {
			return t.object(fd.Message(), each, path+".", depth+1)
		})
	}
	return t.object(fd.Message(), value, path+".", depth+1)
}

// isSpecial reports messages whose JSON is not that of their fields.
func isSpecial(md protoreflect.MessageDescriptor) bool {
	return md.FullName().Parent() == "google.protobuf"
}
