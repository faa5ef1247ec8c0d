package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor"
)

// field is one input of an operation, as the command line takes it.
type field struct {
	name     string // as the schema has it
	flag     string // without its dashes; unique in the operation
	path     []string
	raw      json.RawMessage
	required bool
	hidden   bool // an option of the same name fills it: help tells the option
	scope    scope
	read     *valueType
}

func (f *field) typ() *valueType {
	if f.read == nil {
		f.read = f.scope.typeOf(f.raw)
	}
	return f.read
}

// inputs are the fields of an operation, and what its flags mean.
type inputs struct {
	op       *twodoor.Operation
	scope    scope
	fields   []*field // in the order of the schema
	byFlag   map[string]*field
	opened   *field // the object whose fields are flags
	required []string
}

// inputsOf reads the fields of an operation. No two get the same flag, and none that means
// something on every command.
func inputsOf(op *twodoor.Operation) *inputs {
	in := &inputs{op: op, scope: scope{op.Input, op}, byFlag: map[string]*field{}}
	top := in.scope.layers(op.Input)
	in.gather(top, nil)
	if op.Opened != "" {
		if i := slices.IndexFunc(in.fields, func(f *field) bool { return f.name == op.Opened }); i >= 0 {
			in.opened = in.fields[i]
			in.fields = slices.Delete(in.fields, i, i+1)
			in.gather(in.opened.typ().layers, in.opened)
		}
	}
	in.spell()
	return in
}

// gather adds the properties of an object.
func (in *inputs) gather(layers []layer, within *field) {
	for _, p := range propertiesOf(layers) {
		f := &field{name: p.name, path: []string{p.name}, raw: p.raw, required: p.required, scope: in.scope}
		if within != nil {
			f.path = []string{within.name, p.name}
			f.required = p.required && within.required
		}
		in.fields = append(in.fields, f)
	}
}

// spell gives every field its flag. Where two become alike, the one whose name needs less change has
// it; after that the order of names decides, so that the order of the schema does not matter.
func (in *inputs) spell() {
	order := slices.Clone(in.fields)
	slices.SortStableFunc(order, func(a, b *field) int {
		if d := a.change() - b.change(); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	for _, f := range order {
		f.flag = in.free(in.flagOf(f))
		in.byFlag[f.flag] = f
	}
}

// change is how far a field's flag is from its name.
func (f *field) change() int {
	flag := kebab(f.name)
	opt := optionOf(flag)
	switch {
	case opt != nil && opt.rank == keeps:
		return 0
	case flag == f.name:
		return len(f.path)
	case strings.ToLower(f.name) == f.name:
		return 10 + len(f.path)
	}
	return 20 + len(f.path)
}

// flagOf is the flag that a field would have if it were alone.
func (in *inputs) flagOf(f *field) string {
	flag := kebab(f.name)
	page := in.op.Page
	switch opt := optionOf(flag); {
	case opt == nil:
		return flag
	case page != nil && len(f.path) == 1 && (flag == "limit" && f.name == page.Size || flag == "page" && f.name == page.Param):
		f.hidden = true
	case opt.rank == yields && opt.name == flag:
		return flag
	}
	return "field-" + flag
}

func (in *inputs) free(flag string) string {
	name := flag
	for n := 2; in.byFlag[name] != nil; n++ {
		name = fmt.Sprintf("%s-%d", flag, n)
	}
	return name
}

// meaning is what a flag's name means for the operation: a field, an option, or the no to a
// boolean field.
type meaning struct {
	field  *field
	option *option
	negate bool
}

// find takes a flag in any spelling: as help tells it, as the schema spells the field, in snake or
// camel case, or by its twin where it is a time.
func (in *inputs) find(name string) (meaning, bool) {
	if f := in.byFlag[name]; f != nil {
		return meaning{field: f}, true
	}
	if opt := optionOf(name); opt != nil {
		return meaning{option: opt}, true
	}
	for _, f := range in.fields {
		if f.name == name && !f.hidden {
			return meaning{field: f}, true
		}
	}
	flag := kebab(name)
	if f := in.byFlag[flag]; f != nil {
		return meaning{field: f}, true
	}
	if opt := optionOf(flag); opt != nil {
		return meaning{option: opt}, true
	}
	if f := in.twin(flag); f != nil {
		return meaning{field: f}, true
	}
	if rest, ok := strings.CutPrefix(flag, "no-"); ok {
		if f := in.byFlag[rest]; f != nil && f.typ().is(isBool) {
			return meaning{field: f, negate: true}, true
		}
	}
	return meaning{}, false
}

// twins are the spellings of the two ends of a span of time.
var twins = [][]string{
	{"since", "start-time", "start", "from"},
	{"until", "end-time", "end", "to"},
}

// twin is the one time field that the other spelling of a flag means.
func (in *inputs) twin(flag string) *field {
	for _, names := range twins {
		if !slices.Contains(names, flag) {
			continue
		}
		var found *field
		for _, name := range names {
			if f := in.byFlag[name]; f != nil && f.typ().isTime() {
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

// field is the input of a property name at the top, or below what is opened.
func (in *inputs) field(name string) *field {
	for _, f := range in.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// flags lists all flags of the operation.
func (in *inputs) flags() []string {
	var names []string
	for _, f := range in.fields {
		if !f.hidden {
			names = append(names, f.flag)
		}
	}
	for i := range table {
		name := table[i].name
		if in.byFlag[name] != nil {
			name = wantPrefix + name
		}
		names = append(names, name)
	}
	return names
}

// kebab writes a name as a flag: words in lower case with hyphens between.
func kebab(name string) string {
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
