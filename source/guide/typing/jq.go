package typing

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Misread is what a jq program gets wrong about a shape.
type Misread struct {
	Message string
	Fix     string
}

// ReadJQ follows a program through the shape of its input: what it reads that is not there, and what
// comes out. What cannot be known is taken to be right.
func ReadJQ(program string, input Shape) (output Shape, wrong []Misread) {
	query, err := gojq.Parse(program)
	if err != nil {
		return unknown, []Misread{{fmt.Sprintf("the jq program %q does not parse: %v", program, err), ""}}
	}
	if _, err := gojq.Compile(query, gojq.WithVariables(freeVariables(program))); err != nil {
		return unknown, []Misread{{fmt.Sprintf("the jq program %q: %v", program, err), ""}}
	}
	r := &reader{program: program, told: map[string]bool{}}
	output = r.query(query, input)
	return output, r.wrong
}

// freeVariables are names of variables that jq itself is given with --arg.
func freeVariables(program string) []string {
	var names []string
	seen := map[string]bool{}
	for i := 0; i < len(program); i++ {
		if program[i] != '$' {
			continue
		}
		end := i + 1
		for end < len(program) && (program[end] == '_' || program[end] >= 'a' && program[end] <= 'z' || program[end] >= 'A' && program[end] <= 'Z' || program[end] >= '0' && program[end] <= '9') {
			end++
		}
		if name := program[i:end]; len(name) > 1 && !seen[name] && name != "$__loc__" && name != "$ENV" {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// reader walks a program.
type reader struct {
	program string
	wrong   []Misread
	told    map[string]bool
	depth   int
}

func (r *reader) say(fix, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !r.told[text] {
		r.told[text] = true
		r.wrong = append(r.wrong, Misread{text, fix})
	}
}

func (r *reader) query(q *gojq.Query, in Shape) Shape {
	if q == nil {
		return in
	}
	if r.depth > 200 {
		return unknown
	}
	r.depth++
	defer func() { r.depth-- }()
	if len(q.FuncDefs) > 0 {
		return unknown
	}
	if q.Term != nil {
		return r.term(q.Term, in)
	}
	switch q.Op {
	case gojq.OpPipe:
		left := r.query(q.Left, in)
		if len(q.Patterns) > 0 { // LEFT as $x | RIGHT reads the same input
			return r.query(q.Right, in)
		}
		return r.query(q.Right, left)
	case gojq.OpComma:
		return union(r.query(q.Left, in), r.query(q.Right, in))
	case gojq.OpAlt:
		return union(r.query(q.Left, in), r.query(q.Right, in))
	case gojq.OpAnd, gojq.OpOr, gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		r.query(q.Left, in)
		r.query(q.Right, in)
		return scalar(isBool)
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		r.query(q.Right, unknown)
		return unknown
	}
	left, right := r.query(q.Left, in), r.query(q.Right, in)
	if q.Op == gojq.OpAdd && left.kinds == isList && right.kinds == isList {
		return union(left, right)
	}
	return unknown
}

func (r *reader) term(t *gojq.Term, in Shape) Shape {
	out := r.head(t, in)
	for _, s := range t.SuffixList {
		switch {
		case s.Index != nil:
			out = r.index(s.Index, in, out)
		case s.Iter:
			out = r.iterate(out)
		}
	}
	return out
}

func (r *reader) head(t *gojq.Term, in Shape) Shape {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return in
	case gojq.TermTypeIndex:
		return r.index(t.Index, in, in)
	case gojq.TermTypeFunc:
		return r.call(t.Func, in)
	case gojq.TermTypeObject:
		return r.object(t.Object, in)
	case gojq.TermTypeArray:
		if t.Array.Query == nil {
			return listOf(Shape{})
		}
		return listOf(r.query(t.Array.Query, in))
	case gojq.TermTypeString, gojq.TermTypeFormat:
		if t.Str != nil {
			r.text(t.Str, in)
		}
		return scalar(isString)
	case gojq.TermTypeNumber:
		return scalar(isNumber)
	case gojq.TermTypeTrue, gojq.TermTypeFalse:
		return scalar(isBool)
	case gojq.TermTypeNull:
		return scalar(isNull)
	case gojq.TermTypeIf:
		return r.branch(t.If, in)
	case gojq.TermTypeTry:
		return r.query(t.Try.Body, in)
	case gojq.TermTypeQuery:
		return r.query(t.Query, in)
	case gojq.TermTypeUnary:
		r.term(t.Unary.Term, in)
		return scalar(isNumber)
	case gojq.TermTypeReduce:
		r.query(t.Reduce.Query, in)
	case gojq.TermTypeForeach:
		r.query(t.Foreach.Query, in)
	}
	return unknown
}

func (r *reader) branch(f *gojq.If, in Shape) Shape {
	r.query(f.Cond, in)
	out := r.query(f.Then, in)
	for _, elif := range f.Elif {
		r.query(elif.Cond, in)
		out = union(out, r.query(elif.Then, in))
	}
	return union(out, r.query(f.Else, in))
}

func (r *reader) text(s *gojq.String, in Shape) {
	for _, q := range s.Queries {
		r.query(q, in)
	}
}

func (r *reader) object(o *gojq.Object, in Shape) Shape {
	out := Shape{kinds: isObject, only: true, fields: map[string]Shape{}}
	for _, kv := range o.KeyVals {
		name := strings.Trim(kv.Key, `"`)
		switch {
		case kv.KeyString != nil && len(kv.KeyString.Queries) == 0:
			name = kv.KeyString.Str
		case kv.KeyString != nil || kv.KeyQuery != nil:
			out.any = true
			r.query(kv.KeyQuery, in)
		}
		switch {
		case kv.Val != nil:
			out.fields[name] = r.query(kv.Val, in)
		case strings.HasPrefix(name, "$"):
			out.fields[name[1:]] = unknown
		case name != "":
			out.fields[name] = r.member(in, name)
		}
	}
	return out
}

// index is .name, ."name", [1], [1:2] or [QUERY] on a value.
func (r *reader) index(i *gojq.Index, in, on Shape) Shape {
	name := i.Name
	if i.Str != nil && len(i.Str.Queries) == 0 {
		name = i.Str.Str
	}
	switch {
	case name != "":
		return r.member(on, name)
	case i.Str != nil:
		r.text(i.Str, in)
		return unknown
	case i.IsSlice:
		return on
	}
	key := r.query(i.Start, in)
	if text, ok := literal(i.Start); ok {
		return r.member(on, text)
	}
	if key.kinds == isNumber && !key.any {
		return r.element(on)
	}
	return unknown
}

// literal is the text of a query that is nothing but a string.
func literal(q *gojq.Query) (string, bool) {
	if q != nil && q.Term != nil && q.Term.Type == gojq.TermTypeString && len(q.Term.SuffixList) == 0 && len(q.Term.Str.Queries) == 0 {
		return q.Term.Str.Str, true
	}
	return "", false
}

// member is a field read from a value.
func (r *reader) member(on Shape, name string) Shape {
	if on.any || on.kinds == 0 {
		return unknown
	}
	if on.kinds&isObject == 0 {
		if on.kinds&^isNull == isList {
			r.say(".[]."+name, "jq: .%s is read from a list", name)
		} else if on.kinds&^isNull != 0 {
			r.say("", "jq: .%s is read from a %s", name, on.kinds.words())
		}
		return unknown
	}
	f, ok := on.Field(name)
	if ok {
		return f
	}
	fix := ""
	names := on.Names()
	if near := rawjson.Nearest(names, name, 1); len(near) > 0 {
		fix = "." + near[0]
	} else if len(names) > 0 {
		fix = "." + strings.Join(names[:min(len(names), 6)], ", .")
	}
	r.say(fix, "jq: there is no field %s", name)
	return unknown
}

// iterate is .[] on a value.
func (r *reader) iterate(on Shape) Shape {
	if on.any || on.kinds == 0 || on.kinds&(isList|isObject) != 0 {
		if on.kinds&isList == 0 && !on.any {
			if lists := on.lists(); len(lists) > 0 && !on.only {
				r.say("."+lists[0]+"[]", "jq: .[] goes over the members of an object, not over its records")
			}
		}
		return on.values()
	}
	r.say("", "jq: [] on a %s", on.kinds.words())
	return unknown
}

// element is [0] on a value.
func (r *reader) element(on Shape) Shape {
	if on.any || on.kinds == 0 {
		return unknown
	}
	if on.kinds&isList == 0 {
		fix := ""
		if lists := on.lists(); len(lists) > 0 {
			fix = "." + lists[0] + "[0]"
		}
		r.say(fix, "jq: a number as index on a %s", on.kinds.words())
		return unknown
	}
	return on.elements()
}

// lists are the members that are lists of objects.
func (t Shape) lists() []string {
	var names []string
	for _, name := range t.Names() {
		f, _ := t.Field(name)
		if f.kinds&isList != 0 && (f.elements().any || f.elements().kinds&isObject != 0) {
			names = append(names, name)
		}
	}
	return names
}

// call is a function of jq on a value.
func (r *reader) call(f *gojq.Func, in Shape) Shape {
	if strings.HasPrefix(f.Name, "$") {
		return unknown
	}
	each := in
	switch f.Name {
	case "map", "sort_by", "group_by", "unique_by", "min_by", "max_by":
		each = r.iterate(in)
	case "any", "all":
		if len(f.Args) == 1 {
			each = r.iterate(in)
		}
	case "with_entries", "map_values", "walk", "recurse", "until", "while", "repeat", "limit", "skip", "nth", "range", "index", "inside", "input", "getpath", "paths", "path", "del", "setpath", "sub", "gsub", "splits", "reduce", "first", "last", "isempty", "ascii", "env", "IN", "INDEX", "GROUP_BY", "error", "ltrimstr", "rtrimstr":
		each = unknown
		if f.Name == "first" || f.Name == "last" || f.Name == "isempty" || f.Name == "del" || f.Name == "path" || f.Name == "limit" {
			each = in
		}
	}
	var got []Shape
	for _, arg := range f.Args {
		got = append(got, r.query(arg, each))
	}
	return r.result(f, in, each, got)
}

// result is what a function gives, where that can be told.
func (r *reader) result(f *gojq.Func, in, each Shape, got []Shape) Shape {
	last := func() Shape {
		if len(got) == 0 {
			return unknown
		}
		return got[len(got)-1]
	}
	switch f.Name {
	case "select", "sort", "sort_by", "unique", "unique_by", "reverse", "debug", "flatten", "del":
		return in
	case "map":
		return listOf(last())
	case "group_by":
		return listOf(in)
	case "min_by", "max_by":
		return each
	case "min", "max", "first", "last":
		if len(f.Args) == 0 {
			return r.element(in)
		}
		return last()
	case "limit":
		return last()
	case "length", "tonumber", "now", "floor", "sqrt":
		return scalar(isNumber)
	case "keys", "keys_unsorted":
		return listOf(scalar(isString | isNumber))
	case "tostring", "tojson", "ascii_downcase", "ascii_upcase", "join", "type", "todate", "strftime":
		return scalar(isString)
	case "has", "any", "all", "not", "test", "startswith", "endswith", "contains", "inside", "isempty":
		return scalar(isBool)
	case "empty":
		return Shape{}
	}
	return unknown
}

// words names the kinds for a reader.
func (k kinds) words() string {
	var names []string
	for i, name := range [...]string{"null", "boolean", "number", "text", "list", "object"} {
		if k&(1<<i) != 0 && name != "null" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
