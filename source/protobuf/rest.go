package protobuf

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// httpOf makes the HTTP rules of a method ready to be filled in.
func httpOf(method protoreflect.MethodDescriptor, rules []options.Rule) ([]plan.HTTP, error) {
	if len(rules) == 0 {
		return nil, missingRule()
	}
	var all []plan.HTTP
	for _, rule := range rules {
		parts, err := pathOf(method.Input(), rule.Path)
		if err != nil {
			return nil, err
		}
		h := plan.HTTP{Verb: rule.Verb, Path: parts, Body: rule.Body}
		if rule.Body != "" && rule.Body != "*" {
			fd := method.Input().Fields().ByName(protoreflect.Name(rule.Body))
			if fd == nil {
				return nil, badPath(rule.Path, "has the body "+rule.Body+", which is no field")
			}
			h.Body = fd.JSONName()
		}
		if rule.Resp != "" {
			fd := method.Output().Fields().ByName(protoreflect.Name(rule.Resp))
			if fd == nil {
				return nil, badPath(rule.Path, "has the response body "+rule.Resp+", which is no field")
			}
			h.Resp = fd.JSONName()
		}
		all = append(all, h)
	}
	return all, nil
}

// pathOf takes a path template apart (google/api/http.proto, "Path template syntax").
func pathOf(md protoreflect.MessageDescriptor, path string) (parts []plan.Part, err error) {
	for rest := path; rest != ""; {
		literal, tail, braced := strings.Cut(rest, "{")
		if literal != "" {
			parts = append(parts, plan.Part{Text: literal})
		}
		if !braced {
			break
		}
		inside, after, closed := strings.Cut(tail, "}")
		if !closed {
			return nil, badPath(path, "has a brace that is not closed")
		}
		name, pattern, _ := strings.Cut(inside, "=")
		at, ok := jsonPath(md, name)
		if !ok {
			return nil, badPath(path, "has {"+name+"}, which is no field")
		}
		if pattern == "*" {
			pattern = ""
		}
		parts = append(parts, plan.Part{Field: strings.Split(at, "."), Match: pattern})
		rest = after
	}
	return parts, nil
}
