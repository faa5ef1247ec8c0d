package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// value is what a caller gave for a parameter.
type value struct {
	texts []string
	truth bool // of a truth value: it is true; of another: it is there
	rule  *rule
}

// filler puts values into the templates of a plan, and gathers what may not go into them.
type filler struct {
	plan     *plan
	values   map[string]value
	problems []twodoor.Problem
	told     map[string]bool
	ended    bool // the list at hand has passed a "--": nothing after it is an option
}

// bind reads the arguments of a call.
func (p *plan) bind(args json.RawMessage) *filler {
	f := &filler{plan: p, values: map[string]value{}, told: map[string]bool{}}
	for i := range p.Params {
		r := &p.Params[i]
		raw, given := rawjson.Get(args, r.Name)
		if fixed, ok := p.Fixed[r.Name]; ok {
			raw, given = fixed, true
		}
		if !given && len(r.Default) > 0 {
			raw, given = r.Default, true
		}
		if !given || rawjson.KindOf(raw) == rawjson.KindNull {
			continue
		}
		f.values[r.Name] = f.read(r, raw)
	}
	return f
}

func (f *filler) read(r *rule, raw json.RawMessage) value {
	v := value{truth: true, rule: r}
	switch kindOf := rawjson.KindOf(raw); {
	case r.Kind == kindTruth:
		v.truth = string(raw) == "true"
		v.texts = []string{string(raw)}
	case r.Kind == kindJSON:
		v.texts = []string{string(rawjson.Compact(nil, raw))}
	case kindOf == rawjson.KindArray:
		for item := range rawjson.Elements(raw) {
			v.texts = append(v.texts, textOf(item))
		}
	default:
		v.texts = []string{textOf(raw)}
	}
	if len(v.texts) > maxItems {
		f.refuse(r.Name, fmt.Sprintf("has %d items, more than %d", len(v.texts), maxItems))
	}
	for _, text := range v.texts {
		if problem := r.check(text); problem != "" {
			f.refuse(r.Name, problem)
		}
		if r.Kind == kindOptions {
			if problem := f.plan.option(r, text); problem != "" {
				f.refuse(r.Name, problem)
			}
		}
	}
	return v
}

func textOf(raw json.RawMessage) string {
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	return string(rawjson.Trim(raw))
}

// refuse notes what is wrong with a parameter, once for each.
func (f *filler) refuse(name, problem string) {
	if !f.told[name] {
		f.told[name] = true
		f.problems = append(f.problems, twodoor.Problem{Path: name, Problem: problem})
	}
}

// err tells everything that was refused.
func (f *filler) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	first := f.problems[0]
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s %s; nothing was run", first.Path, first.Problem),
		Hint: "give a value that can be taken for nothing else", Fields: f.problems,
	}
	if n := len(f.problems); n > 1 {
		fault.Message = fmt.Sprintf("%d values are refused; nothing was run", n)
	}
	return fault
}

// argv fills a list of arguments.
func (f *filler) argv(list []element) []string {
	f.ended = false
	args := []string{}
	for _, e := range list {
		more, _ := f.element(e)
		args = append(args, more...)
	}
	size := 0
	for _, arg := range args {
		size += len(arg)
	}
	if size > maxArgv {
		f.problems = append(f.problems, twodoor.Problem{Problem: fmt.Sprintf("the arguments have %d bytes together, more than %d", size, maxArgv)})
	}
	return args
}

// element fills one place of a list. ok is false where a value is missing: the place stays empty.
func (f *filler) element(e element) (args []string, ok bool) {
	switch {
	case e.If != "" && !f.values[e.If].truth, e.Unless != "" && f.values[e.Unless].truth:
		return nil, true
	case e.Args == nil:
		return f.argument(e.Text)
	}
	for _, inner := range e.Args {
		more, ok := f.element(inner)
		if !ok {
			return nil, false
		}
		args = append(args, more...)
	}
	return args, true
}

// argument fills one argument, or one for each item where a list is spread.
func (f *filler) argument(t template) ([]string, bool) {
	parts, _ := t.parts()
	count := 1
	for _, p := range parts {
		if v, given := f.values[p.param]; p.param != "" && !given {
			return nil, false
		} else if p.spread == items {
			count = len(v.texts)
		}
	}
	if len(parts) == 1 && parts[0].text == "--" {
		f.ended = true
	}
	args := make([]string, 0, count)
	for i := range count {
		args = append(args, f.one(parts, i))
	}
	return args, true
}

// one fills the i-th argument of a template. A value that stands at its front and looks like an option
// is refused.
func (f *filler) one(parts []part, i int) string {
	var b strings.Builder
	if len(parts) == 0 {
		return ""
	}
	for _, p := range parts {
		text := p.text
		if p.param != "" {
			v := f.values[p.param]
			text = f.text(p, v, i)
			if b.Len() == 0 && strings.HasPrefix(text, "-") && !f.ended && !v.mayBegin() {
				f.refuse(p.param, "begins with a dash and would be taken for an option")
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// mayBegin reports whether a value may stand at the front of an argument and begin with a dash.
func (v value) mayBegin() bool { return v.rule != nil && (v.rule.Safe || v.rule.Kind == kindOptions) }

// text is the value of one place.
func (f *filler) text(p part, v value, i int) string {
	switch {
	case p.spread == items:
		return v.texts[i]
	case p.spread == joined:
		for _, text := range v.texts {
			if strings.Contains(text, ",") {
				f.refuse(p.param, "has an item with a comma, which would be taken for two")
			}
		}
		return strings.Join(v.texts, ",")
	case len(v.texts) == 0:
		return ""
	}
	return v.texts[0]
}

// fill is a template that is one text: a folder, a variable, a program's input. Missing values are
// nothing. References go through resolve.
func (f *filler) fill(t template, resolve func(string) string) string {
	parts, _ := t.parts()
	var b strings.Builder
	for _, p := range parts {
		switch v := f.values[p.param]; {
		case p.secret:
			b.WriteString(resolve(p.text))
		case p.param == "":
			b.WriteString(p.text)
		case p.spread == items:
			b.WriteString(strings.Join(v.texts, "\n"))
		default:
			b.WriteString(f.text(p, v, 0))
		}
	}
	return b.String()
}

// uses reports whether a parameter that callers give stands in a template, and whether all of them
// may lead anywhere.
func (f *filler) uses(t template) (given, anywhere bool) {
	anywhere = true
	for _, name := range t.params() {
		given = true
		rule := f.plan.rule(name)
		anywhere = anywhere && rule != nil && rule.Anywhere
	}
	return given, anywhere
}
