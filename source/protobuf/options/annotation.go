package options

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// ownPackage is the package of the annotations that twodoor publishes.
const ownPackage = "twodoor.v1"

// Said is an annotation in the vocabulary of contracts §5, as JSON, with what foreign options say
// beyond it.
type Said struct {
	JSON []byte // an object; empty where nothing is said

	Tool                  string // the MCP spelling that a foreign option gives, verbatim
	ReadOnly, Destructive Answer // hints of a foreign option
	Notes                 []string
}

// Answer is a hint: given or not.
type Answer uint8

// The answers of a hint.
const (
	Unsaid Answer = iota
	Yes
	No
)

// hints are the fields by which an option of another package is known as an annotation.
var hints = []protoreflect.Name{"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}

// Annotation is what the options of a service or method say: those of other packages with the same
// field names first, then twodoor's own, which win.
func (r *Reader) Annotation(d protoreflect.Descriptor) (Said, error) {
	set, err := r.Of(d)
	if err != nil {
		return Said{}, err
	}
	said := &Said{}
	var whole rawjson.Object
	for _, option := range set.options {
		if option.Desc.ParentFile().Package() != ownPackage {
			r.foreign(said, &whole, option)
		}
	}
	out := whole.Bytes()
	for _, option := range set.options {
		if m, ok := option.Value.Interface().(protoreflect.Message); ok && option.Desc.ParentFile().Package() == ownPackage {
			for key, value := range rawjson.Members(r.own(m)) {
				out = rawjson.Set(out, key, value)
			}
		}
	}
	if rawjson.Len(out) > 0 {
		said.JSON = out
	}
	for _, number := range set.Unknown {
		said.Notes = append(said.Notes, fmt.Sprintf("option %d is not described: give the file that declares it", number))
	}
	return *said, nil
}

// foreign reads an option of another package. Options that only happen to have a field of such a
// name are known by their package.
func (r *Reader) foreign(said *Said, whole *rawjson.Object, option Option) {
	of := option.Desc
	for _, prefix := range []string{"google.", "buf.", "validate.", "gnostic.", "grpc."} {
		if strings.HasPrefix(string(of.FullName()), prefix) {
			return
		}
	}
	m, isMessage := option.Value.Interface().(protoreflect.Message)
	if !isMessage {
		r.foreignField(said, whole, of, of.Name(), option.Value)
		return
	}
	fields := m.Descriptor().Fields()
	isTool := of.Name() == "tool" || slices.ContainsFunc(hints, func(name protoreflect.Name) bool { return fields.ByName(name) != nil })
	for i := range fields.Len() {
		field := fields.Get(i)
		known := isTool || field.Name() == "export_level" || field.Name() == "minimum_permission"
		if known && (m.Has(field) || !field.HasPresence() && field.Kind() == protoreflect.BoolKind) {
			r.foreignField(said, whole, field, field.Name(), m.Get(field))
		}
	}
}

// foreignField reads one field of the names that annotations have elsewhere. A bool that cannot be
// left unset says no.
func (r *Reader) foreignField(said *Said, whole *rawjson.Object, of protoreflect.FieldDescriptor, name protoreflect.Name, value protoreflect.Value) {
	if of.IsList() || of.IsMap() {
		return
	}
	switch {
	case of.Kind() == protoreflect.BoolKind:
		r.foreignHint(said, whole, name, value.Bool())
	case name == "minimum_permission":
		if name := scalar(of, value); name != nil && !isUnspecified(of, value) {
			whole.Put("permission", name)
		}
	case name == "export_level":
		if level := exportOf(said, of, value); level != "" {
			whole.PutString("export", level)
		}
	case of.Kind() != protoreflect.StringKind || value.String() == "":
	case name == "name":
		said.Tool = value.String()
	case name == "title", name == "description":
		whole.PutString(string(name), value.String())
	}
}

func (r *Reader) foreignHint(said *Said, whole *rawjson.Object, name protoreflect.Name, yes bool) {
	answer := No
	if yes {
		answer = Yes
	}
	switch name {
	case "read_only_hint":
		said.ReadOnly = answer
	case "destructive_hint":
		said.Destructive = answer
	case "idempotent_hint":
		whole.PutBool("idempotent", yes)
	case "open_world_hint":
		whole.PutBool("open_world", yes)
	}
}

func isUnspecified(of protoreflect.FieldDescriptor, value protoreflect.Value) bool {
	return of.Kind() == protoreflect.EnumKind && value.Enum() == 0
}

// exportOf tells what a level of another package means. One that is not understood hides the
// method: nothing may be published by mistake.
func exportOf(said *Said, of protoreflect.FieldDescriptor, value protoreflect.Value) string {
	level, _ := rawjson.String(scalar(of, value))
	words := strings.Split(strings.ToUpper(level), "_")
	has := func(any ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(any, word) })
	}
	switch {
	case isUnspecified(of, value) && has("UNSPECIFIED", "UNKNOWN", "DEFAULT", "UNSET"), level == "":
		return ""
	case has("NONE", "NOT", "NEVER", "INTERNAL", "PRIVATE", "HIDDEN", "UNEXPORTED"):
		return "none"
	case has("CLI"):
		return "cli"
	case has("MCP"):
		return "mcp"
	case has("EXPORTED", "EXPORT", "PUBLIC", "ALL"):
		return "all"
	}
	said.Notes = append(said.Notes, fmt.Sprintf("%s is %s, which is no level that is known: it is not exported", of.FullName(), level))
	return "none"
}

// own is an option of twodoor as the vocabulary: enums without their prefix, values as the JSON that
// their text holds.
func (r *Reader) own(m protoreflect.Message) []byte {
	out := r.plain(m)
	for _, key := range []string{"fix", "default"} {
		if values, ok := rawjson.Get(out, key); ok && rawjson.KindOf(values) == rawjson.KindObject {
			out = rawjson.Set(out, key, rawjson.Rewrite(values, func(_ []byte, _ int, v []byte) []byte { return opened(v) }))
		} else if ok {
			out = rawjson.Set(out, key, opened(values))
		}
	}
	if view, ok := rawjson.Get(out, "view"); ok {
		out = rawjson.Set(out, "view", opened(view))
	}
	if examples, ok := rawjson.Get(out, "examples"); ok {
		out = rawjson.Set(out, "examples", rawjson.Rewrite(examples, func(_ []byte, _ int, one []byte) []byte {
			return rawjson.Rewrite(one, func(key []byte, _ int, v []byte) []byte {
				if rawjson.KeyIs(key, "title") {
					return v
				}
				return opened(v)
			})
		}))
	}
	return out
}

// plain is a message as JSON, its enums in lower case without their type's name.
func (r *Reader) plain(m protoreflect.Message) []byte {
	out := r.toJSON(m)
	m.Range(func(of protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case of.Kind() == protoreflect.EnumKind && !of.IsList() && !of.IsMap():
			name, _ := rawjson.String(scalar(of, value))
			out = rawjson.Set(out, string(of.Name()), rawjson.Quote(plainEnum(of.Enum(), name)))
		case of.Kind() == protoreflect.MessageKind && !of.IsList() && !of.IsMap():
			out = rawjson.Set(out, string(of.Name()), r.plain(value.Message()))
		}
		return true
	})
	return out
}

// opened is the JSON that a text holds; a text that holds none stays a text.
func opened(quoted []byte) []byte {
	text, ok := rawjson.String(quoted)
	if ok && rawjson.Check([]byte(text)) == nil {
		return rawjson.Compact(nil, []byte(text))
	}
	return quoted
}

// Tweak is what twodoor's options say of a field.
type Tweak struct {
	Hide     bool   // neither taken nor shown
	Fix      []byte // always sent
	Default  []byte // sent where the caller says nothing
	Rename   string // what callers call it
	Describe string
	Time     string
	IDName   string // the operation that looks up the name behind this id
}

// IsZero reports whether nothing is said.
func (t *Tweak) IsZero() bool {
	return t == nil || !t.Hide && t.Fix == nil && t.Default == nil && t.Rename == "" && t.Describe == "" && t.Time == "" && t.IDName == ""
}

// Tweak reads twodoor's option of a field, message or enum value; nil: there is none.
func (s Set) Tweak() *Tweak {
	for _, name := range []protoreflect.FullName{"twodoor.v1.field", "twodoor.v1.message", "twodoor.v1.value"} {
		if m := s.Message(name); m != nil {
			t := &Tweak{
				Hide: isTrue(m, "hide"), Rename: text(m, "rename"), Describe: text(m, "describe"), Time: text(m, "time"), IDName: text(m, "id_name"),
			}
			if fix := text(m, "fix"); fix != "" {
				t.Fix = opened(rawjson.Quote(fix))
			}
			if fill := text(m, "default"); fill != "" {
				t.Default = opened(rawjson.Quote(fill))
			}
			return t
		}
	}
	return nil
}
