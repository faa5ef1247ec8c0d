package protobuf

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf/public"
)

// Publish is the public cut of the description, as .proto texts by path: methods whose export is none
// are left out, with the messages that only they use; so are hidden fields, whose numbers stay
// reserved, and all annotations. Comments, HTTP rules and rules of validation stay.
func (s *Source) Publish(ctx context.Context) (map[string]string, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := r.read(ctx); err != nil {
		return nil, err
	}
	exported := map[protoreflect.FullName]bool{}
	for _, f := range r.found {
		exported[f.method.FullName()] = f.said.Export != twodoor.ExportNone
	}
	return public.Cut(r.set.All(), public.Choice{
		Options: r.options,
		Method:  func(m protoreflect.MethodDescriptor) bool { return exported[m.FullName()] },
		Hidden: func(d protoreflect.Descriptor) (bool, error) {
			set, err := r.options.Of(d)
			if err != nil {
				return false, err
			}
			tweak := set.Tweak()
			return tweak != nil && tweak.Hide, nil
		},
	})
}
