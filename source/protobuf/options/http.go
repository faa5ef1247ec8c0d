package options

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Rule is one google.api.http rule of a method (google/api/http.proto).
type Rule struct {
	Verb string // GET, …
	Path string // the template
	Body string // the field that is the body, "*" for all that the path does not take, empty for none
	Resp string // the field of the answer that is the body of the response; empty: all of it
}

// HTTP lists the rules of a method, the main one first.
func (r *Reader) HTTP(method protoreflect.MethodDescriptor) ([]Rule, error) {
	set, err := r.Of(method)
	if err != nil {
		return nil, err
	}
	main := set.Message("google.api.http")
	if main == nil {
		return nil, nil
	}
	var rules []Rule
	for _, m := range append([]protoreflect.Message{main}, messages(main, "additional_bindings")...) {
		if rule := ruleOf(m); rule.Path != "" {
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

func ruleOf(m protoreflect.Message) Rule {
	rule := Rule{Body: text(m, "body"), Resp: text(m, "response_body")}
	for _, verb := range []protoreflect.Name{"get", "put", "post", "delete", "patch"} {
		if path := text(m, verb); path != "" {
			rule.Verb, rule.Path = strings.ToUpper(string(verb)), path
		}
	}
	if custom := message(m, "custom"); custom != nil {
		rule.Verb, rule.Path = strings.ToUpper(text(custom, "kind")), text(custom, "path")
	}
	return rule
}

// Behavior is what google.api.field_behavior says of a field.
type Behavior struct {
	Required, OutputOnly, InputOnly, Immutable, Identifier bool
}

// Behavior reads google.api.field_behavior.
func (s Set) Behavior() (b Behavior) {
	value, ok := s.Get("google.api.field_behavior")
	if !ok {
		return b
	}
	list, ok := value.Interface().(protoreflect.List)
	if !ok {
		return b
	}
	for i := range list.Len() {
		number, ok := list.Get(i).Interface().(protoreflect.EnumNumber)
		if !ok {
			return b
		}
		switch number {
		case 2:
			b.Required = true
		case 3:
			b.OutputOnly = true
		case 4:
			b.InputOnly = true
		case 5:
			b.Immutable = true
		case 8:
			b.Identifier = true
		}
	}
	return b
}
