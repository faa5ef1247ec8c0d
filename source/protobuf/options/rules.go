package options

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Rules are what protovalidate (buf.validate) or protoc-gen-validate (validate) demand of a field,
// as keywords of JSON Schema.
type Rules struct {
	Required bool
	Keywords []Keyword
	Items    *Rules   // of a list's elements
	Keys     *Rules   // of a map's keys
	Values   *Rules   // of a map's values
	Says     []string // what no keyword can say
}

// Keyword is one keyword of a schema.
type Keyword struct {
	Name  string
	Value []byte
}

// Rules reads the validation rules of a field; nil: there are none.
func (s Set) Rules() *Rules {
	for _, name := range []protoreflect.FullName{"buf.validate.field", "validate.rules"} {
		if m := s.Message(name); m != nil {
			return rulesOf(m, 0)
		}
	}
	return nil
}

// RequiredOneof reports whether one branch of a oneof has to be given.
func (s Set) RequiredOneof() bool {
	if m := s.Message("buf.validate.oneof"); m != nil {
		return isTrue(m, "required")
	}
	value, ok := s.Get("validate.required")
	if !ok {
		return false
	}
	required, _ := value.Interface().(bool)
	return required
}

// MessageRules are the rules of a message as a whole, in words.
func (s Set) MessageRules() (says []string) {
	m := s.Message("buf.validate.message")
	for _, each := range messages(m, "oneof") {
		var names []string
		if value, of, ok := field(each, "fields"); ok && of.IsList() && of.Kind() == protoreflect.StringKind {
			for i := range value.List().Len() {
				names = append(names, value.List().Get(i).String())
			}
		}
		word := "At most"
		if isTrue(each, "required") {
			word = "Exactly"
		}
		says = append(says, word+" one of "+strings.Join(names, ", ")+".")
	}
	return append(says, celOf(m)...)
}

// celOf is what rules written in CEL say of themselves.
func celOf(m protoreflect.Message) (says []string) {
	for _, each := range messages(m, "cel") {
		if said := text(each, "message"); said != "" {
			says = append(says, strings.TrimSuffix(said, ".")+".")
		} else if expression := text(each, "expression"); expression != "" {
			says = append(says, "Rule: "+expression+".")
		}
	}
	return says
}

// maxRuleDepth bounds rules within rules: lists of lists of rules are no Protobuf.
const maxRuleDepth = 4

func rulesOf(m protoreflect.Message, depth int) *Rules {
	if depth > maxRuleDepth {
		return nil
	}
	rules := &Rules{Required: isTrue(m, "required") || isTrue(message(m, "message"), "required"), Says: celOf(m)}
	m.Range(func(of protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if of.Message() != nil && !of.IsList() && !of.IsMap() && of.Name() != "message" {
			rules.kind(string(of.Name()), value.Message(), depth)
		}
		return true
	})
	return rules
}

// kind reads the rules of one kind of field: string, repeated, uint32, …
func (r *Rules) kind(kind string, m protoreflect.Message, depth int) {
	if isTrue(m, "required") {
		r.Required = true
	}
	switch kind {
	case "string":
		r.strings(m)
	case "bytes", "any", "field_mask":
	case "repeated":
		r.count(m, "min_items", "minItems")
		r.count(m, "max_items", "maxItems")
		if isTrue(m, "unique") {
			r.put("uniqueItems", []byte("true"))
		}
		if items := message(m, "items"); items != nil {
			r.Items = rulesOf(items, depth+1)
		}
	case "map":
		r.count(m, "min_pairs", "minProperties")
		r.count(m, "max_pairs", "maxProperties")
		if keys := message(m, "keys"); keys != nil {
			r.Keys = rulesOf(keys, depth+1)
		}
		if values := message(m, "values"); values != nil {
			r.Values = rulesOf(values, depth+1)
		}
	case "timestamp", "duration":
		r.spans(m)
	case "enum", "bool":
	default:
		r.numbers(m)
	}
}

func (r *Rules) put(name string, value []byte) {
	if value != nil {
		r.Keywords = append(r.Keywords, Keyword{name, value})
	}
}

func (r *Rules) count(m protoreflect.Message, name protoreflect.Name, keyword string) {
	if value, of, ok := field(m, name); ok && !of.IsList() {
		r.put(keyword, scalar(of, value))
	}
}

func (r *Rules) numbers(m protoreflect.Message) {
	r.count(m, "gte", "minimum")
	r.count(m, "gt", "exclusiveMinimum")
	r.count(m, "lte", "maximum")
	r.count(m, "lt", "exclusiveMaximum")
	r.count(m, "const", "const")
	r.list(m)
}

// list reads "in".
func (r *Rules) list(m protoreflect.Message) {
	value, of, ok := field(m, "in")
	if !ok || !of.IsList() {
		return
	}
	var all rawjson.Array
	for i := range value.List().Len() {
		if one := scalar(of, value.List().Get(i)); one != nil {
			all.Add(one)
		}
	}
	r.put("enum", all.Bytes())
}

// formats are the rules of strings that JSON Schema has a format for.
var formats = []struct {
	rule   protoreflect.Name
	format string
}{{"email", "email"}, {"hostname", "hostname"}, {"ipv4", "ipv4"}, {"ipv6", "ipv6"}, {"uri", "uri"}, {"uri_ref", "uri-reference"}, {"uuid", "uuid"}}

func (r *Rules) strings(m protoreflect.Message) {
	r.count(m, "min_len", "minLength")
	r.count(m, "max_len", "maxLength")
	r.count(m, "len", "minLength")
	r.count(m, "len", "maxLength")
	r.count(m, "const", "const")
	r.list(m)
	if pattern := text(m, "pattern"); pattern != "" {
		r.put("pattern", rawjson.Quote(pattern))
	}
	for _, each := range formats {
		if isTrue(m, each.rule) {
			r.put("format", rawjson.Quote(each.format))
		}
	}
	for _, each := range []struct {
		rule protoreflect.Name
		says string
	}{{"prefix", "Begins with %q."}, {"suffix", "Ends in %q."}, {"contains", "Holds %q."}} {
		if said := text(m, each.rule); said != "" {
			r.Says = append(r.Says, fmt.Sprintf(each.says, said))
		}
	}
}

// spans tells bounds of times and durations in words: their JSON is text.
func (r *Rules) spans(m protoreflect.Message) {
	for _, each := range []struct {
		rule protoreflect.Name
		word string
	}{{"gte", "At least"}, {"gt", "More than"}, {"lte", "At most"}, {"lt", "Less than"}, {"within", "Now, give or take"}} {
		bound := message(m, each.rule)
		if bound == nil || bound.Descriptor().FullName() != "google.protobuf.Duration" {
			continue
		}
		seconds, _, _ := field(bound, "seconds")
		nanos, _, _ := field(bound, "nanos")
		var span float64
		if seconds.IsValid() {
			span = float64(seconds.Int())
		}
		if nanos.IsValid() {
			span += float64(nanos.Int()) / 1e9
		}
		r.Says = append(r.Says, each.word+" "+strconv.FormatFloat(span, 'f', -1, 64)+"s.")
	}
	for _, each := range []struct {
		rule protoreflect.Name
		says string
	}{{"lt_now", "In the past."}, {"gt_now", "In the future."}} {
		if isTrue(m, each.rule) {
			r.Says = append(r.Says, each.says)
		}
	}
}
