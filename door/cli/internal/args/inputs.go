package args

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
)

// Field is one input of an operation, as the command line takes it.
type Field struct {
	Name     string   // as the schema has it
	Flag     string   // without its dashes; unique in the operation
	Path     []string // where its value stands in the arguments
	Raw      json.RawMessage
	Required bool
	Driven   bool // the option of the same name fills it; the flag is --field-NAME

	scope typed.Scope
	read  *typed.Type
}

// Type is what the schema says of the field's values. It is read when first asked for.
func (f *Field) Type() *typed.Type {
	if f.read == nil {
		f.read = f.scope.TypeOf(f.Raw)
	}
	return f.read
}

// Usage is how a field that is not flat is written, and the flag of one that is.
func (f *Field) Usage() string {
	if f.Type().Flat() {
		return "--" + f.Flag
	}
	return "--set " + strings.Join(f.Path, ".")
}

// Operand is a field as usage tells it by position.
func (f *Field) Operand() string {
	text := "<" + f.Flag + ">"
	if f.Type().Is(typed.Array) {
		text += "..."
	}
	if !f.Required {
		text = "[" + text + "]"
	}
	return text
}

// Inputs are the fields of an operation, and what its flags mean.
type Inputs struct {
	Op     *twodoor.Operation
	Scope  typed.Scope
	Fields []*Field // in the order of the schema

	byFlag map[string]*Field
	opened *Field // the object whose fields are flags
}

// Of reads the fields of an operation. No two get the same flag, and none that means
// something on every command.
func Of(op *twodoor.Operation) *Inputs {
	in := &Inputs{Op: op, Scope: typed.Scope{Root: op.Input, Op: op}, byFlag: map[string]*Field{}}
	top := in.Scope.Layers(op.Input)
	in.gather(top, nil)
	if op.Opened != "" {
		if i := slices.IndexFunc(in.Fields, func(f *Field) bool { return f.Name == op.Opened }); i >= 0 {
			in.opened = in.Fields[i]
			in.Fields = slices.Delete(in.Fields, i, i+1)
			in.gather(in.opened.Type().Layers, in.opened)
		}
	}
	in.spell()
	return in
}

// gather adds the properties of an object.
func (in *Inputs) gather(layers []typed.Layer, within *Field) {
	for _, p := range typed.Properties(layers) {
		f := &Field{Name: p.Name, Path: []string{p.Name}, Raw: p.Raw, Required: p.Required, scope: in.Scope}
		if within != nil {
			f.Path = []string{within.Name, p.Name}
			f.Required = p.Required && within.Required
		}
		in.Fields = append(in.Fields, f)
	}
}

// spell gives every field its flag. Where two become alike, the one whose name needs less change has
// it; after that the order of names decides, so that the order of the schema does not matter.
func (in *Inputs) spell() {
	order := slices.Clone(in.Fields)
	slices.SortStableFunc(order, func(a, b *Field) int {
		if d := a.change() - b.change(); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, f := range order {
		f.Flag = in.free(in.flagOf(f))
		in.byFlag[f.Flag] = f
	}
}

// change is how far a field's flag is from its name.
func (f *Field) change() int {
	flag := Kebab(f.Name)
	opt := OptionNamed(flag)
	switch {
	case opt != nil && !opt.Yields:
		return 0
	case flag == f.Name:
		return len(f.Path)
	case strings.ToLower(f.Name) == f.Name:
		return 10 + len(f.Path)
	}
	return 20 + len(f.Path)
}

// flagOf is the flag that a field would have if it were alone.
func (in *Inputs) flagOf(f *Field) string {
	flag := Kebab(f.Name)
	page := in.Op.Page
	switch opt := OptionNamed(flag); {
	case opt == nil:
		return flag
	case page != nil && len(f.Path) == 1 && (flag == "limit" && f.Name == page.Size || flag == "page" && f.Name == page.Param):
		f.Driven = true
	case opt.Yields && opt.Name == flag:
		return flag
	}
	return "field-" + flag
}

func (in *Inputs) free(flag string) string {
	name := flag
	for n := 2; in.byFlag[name] != nil; n++ {
		name = fmt.Sprintf("%s-%d", flag, n)
	}
	return name
}

// Meaning is what a flag's name means for the operation: a field, an option, or the no to a
// boolean field.
type Meaning struct {
	Field  *Field
	Option *Option
	Negate bool
}

// Find takes a flag in any spelling: as help tells it, as the schema spells the field, in snake or
// camel case, or by its twin where it is a time.
func (in *Inputs) Find(name string) (Meaning, bool) {
	if f := in.byFlag[name]; f != nil {
		return Meaning{Field: f}, true
	}
	if opt := OptionNamed(name); opt != nil {
		return Meaning{Option: opt}, true
	}
	for _, f := range in.Fields {
		if f.Name == name && !f.Driven {
			return Meaning{Field: f}, true
		}
	}
	flag := Kebab(name)
	if f := in.byFlag[flag]; f != nil {
		return Meaning{Field: f}, true
	}
	if opt := OptionNamed(flag); opt != nil {
		return Meaning{Option: opt}, true
	}
	if f := in.twin(flag); f != nil {
		return Meaning{Field: f}, true
	}
	if rest, ok := strings.CutPrefix(flag, "no-"); ok {
		if f := in.byFlag[rest]; f != nil && f.Type().Is(typed.Bool) {
			return Meaning{Field: f, Negate: true}, true
		}
	}
	return Meaning{}, false
}

// twins are the spellings of the two ends of a span of time.
var twins = [][]string{
	{"since", "start-time", "start", "from"},
	{"until", "end-time", "end", "to"},
}

// twin is the one time field that the other spelling of a flag means.
func (in *Inputs) twin(flag string) *Field {
	for _, names := range twins {
		if !slices.Contains(names, flag) {
			continue
		}
		var found *Field
		for _, name := range names {
			if f := in.byFlag[name]; f != nil && f.Type().IsTime() {
				if found != nil {
					return nil
				}
				found = f
			}
		}
		return found
	}
	return nil
}

// Field is the input of a property name at the top, or below what is opened.
func (in *Inputs) Field(name string) *Field {
	for _, f := range in.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// OptionFlag is the flag of an option where this operation's fields may have taken its name.
func (in *Inputs) OptionFlag(name string) string {
	if in.byFlag[name] != nil {
		return WantPrefix + name
	}
	return name
}

// Flags lists all flags of the operation.
func (in *Inputs) Flags() []string {
	var names []string
	for _, f := range in.Fields {
		if !f.Driven {
			names = append(names, f.Flag)
		}
	}
	for i := range table {
		names = append(names, in.OptionFlag(table[i].Name))
	}
	return names
}

// Kebab writes a name as a flag: words in lower case with hyphens between.
func Kebab(name string) string {
	runes := []rune(name)
	var out strings.Builder
	hyphen := false
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			hyphen = out.Len() > 0
			continue
		}
		if hyphen || out.Len() > 0 && humped(runes, i) {
			out.WriteByte('-')
		}
		hyphen = false
		out.WriteRune(unicode.ToLower(r))
	}
	if out.Len() == 0 {
		return "field"
	}
	return out.String()
}

// humped reports whether a word begins at a capital: after a small letter or digit, or as the last
// capital of a run with a small letter after it (HTTPServer, but not the s of IDs).
func humped(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) || i == 0 {
		return false
	}
	if unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) {
		return true
	}
	if !unicode.IsUpper(runes[i-1]) || i+1 == len(runes) || !unicode.IsLower(runes[i+1]) {
		return false
	}
	plural := runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
	return !plural
}
