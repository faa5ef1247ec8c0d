package options

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Strip is a copy of options without the custom ones that keep refuses by their name, and without
// those that nothing describes; files are those that declare what is left.
func (r *Reader) Strip(given proto.Message, keep func(protoreflect.FullName) bool) (kept proto.Message, files []string, err error) {
	wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(given)
	if err != nil {
		return nil, nil, fmt.Errorf("read options: %w", err)
	}
	fresh := given.ProtoReflect().New()
	if err := (proto.UnmarshalOptions{Resolver: r, AllowPartial: true}).Unmarshal(wire, fresh.Interface()); err != nil {
		return nil, nil, fmt.Errorf("read options: %w", err)
	}
	fresh.Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		switch {
		case !field.IsExtension():
		case !keep(field.FullName()):
			fresh.Clear(field)
		case !slices.Contains(files, field.ParentFile().Path()):
			files = append(files, field.ParentFile().Path())
		}
		return true
	})
	fresh.SetUnknown(nil)
	return fresh.Interface(), files, nil
}
