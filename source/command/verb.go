package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// verb is one verb of the file.
type verb struct {
	common
	name   string // group.verb
	line   int32
	params []param // all that it uses
	steps  []step
	output output
	serial bool
	said   twodoor.Annotation
}

// verb reads one verb.
func (r *fileReader) verb(name string, n *rawjson.Node) {
	path := "verbs." + name
	v := verb{name: name, line: n.Line, output: output{Format: formatText}}
	if !verbName.MatchString(name) {
		r.fault(n, path, "%q is no group.verb in lower-case words: write it like commit.list", name)
		return
	}
	if !n.Is(rawjson.KindObject) {
		r.fault(n, path, "%s is no mapping of keys to values", path)
		return
	}
	first := step{}
	known := r.common(&v.common, path)
	var own []param
	known["params"] = func(n *rawjson.Node) { own = r.params(n, join(path, "params")) }
	known["argv"] = func(n *rawjson.Node) { first.Argv = r.argv(n, join(path, "argv")) }
	known["stdin"] = func(n *rawjson.Node) { first.Stdin = r.template(n, join(path, "stdin")) }
	known["steps"] = func(n *rawjson.Node) { v.steps = r.steps(n, join(path, "steps")) }
	known["output"] = func(n *rawjson.Node) { v.output = r.output(n, join(path, "output")) }
	known["serial"] = r.truthInto(&v.serial, join(path, "serial"))
	for _, key := range words {
		known[key] = func(n *rawjson.Node) { r.annotate(&v.said, key, n, join(path, key)) }
	}
	r.keys(n, path, known)
	switch chained := n.Get("steps") != nil; {
	case chained && (n.Get("argv") != nil || n.Get("stdin") != nil):
		r.fault(n, path, "%s has steps, and argv or stdin beside them: put those into a step", path)
	case !chained:
		v.steps = []step{first}
	}
	said := v.session
	v.common = v.common.over(r.file.common)
	r.complete(&v, own, n, path)
	if v.session == "" {
		v.session = r.file.common.session
	}
	if find(v.params, v.session) == nil {
		if v.session = ""; said != "" {
			r.fault(n, path, "%s: session names {%s}, which the verb does not use", path, said)
		}
	}
	r.file.verbs = append(r.file.verbs, v)
}

// steps reads a chain of programs.
func (r *fileReader) steps(n *rawjson.Node, path string) (steps []step) {
	if !n.Is(rawjson.KindArray) || n.Len() == 0 {
		r.fault(n, path, "%s is no list of steps", path)
		return nil
	}
	at := 0
	for item := range n.Elements() {
		s, where := step{}, fmt.Sprintf("%s[%d]", path, at)
		r.keys(item, where, map[string]func(*rawjson.Node){
			"program":  r.textInto(&s.Program, join(where, "program")),
			"argv":     func(n *rawjson.Node) { s.Argv = r.argv(n, join(where, "argv")) },
			"dir":      func(n *rawjson.Node) { s.Dir = r.template(n, join(where, "dir")) },
			"env":      func(n *rawjson.Node) { s.Env = r.env(n, join(where, "env")) },
			"stdin":    func(n *rawjson.Node) { s.Stdin = r.template(n, join(where, "stdin")) },
			"pipe":     r.truthInto(&s.Pipe, join(where, "pipe")),
			"as":       r.textInto(&s.As, join(where, "as")),
			"may_fail": r.truthInto(&s.MayFail, join(where, "may_fail")),
			"success":  func(n *rawjson.Node) { s.Success = r.statuses(n, join(where, "success")) },
			"faults":   func(n *rawjson.Node) { s.Faults = r.codes(n, join(where, "faults")) },
		})
		switch {
		case s.Pipe && at == 0:
			r.fault(item, where, "%s: there is no step before the first one, whose output it could take", where)
		case s.Pipe && s.Stdin != "":
			r.fault(item, where, "%s has both pipe and stdin", where)
		case s.As != "" && !paramName.MatchString(s.As):
			r.fault(item, where, "%s: %q is no name of a value", where, s.As)
		}
		steps = append(steps, s)
		at++
	}
	return steps
}

// argv reads a list of arguments.
func (r *fileReader) argv(n *rawjson.Node, path string) (list []element) {
	if !n.Is(rawjson.KindArray) {
		r.fault(n, path, "%s is no list: write each argument by itself, a command line is never taken apart", path)
		return nil
	}
	for item := range n.Elements() {
		list = append(list, r.element(item, path))
	}
	return list
}

func (r *fileReader) element(n *rawjson.Node, path string) (e element) {
	switch {
	case n.Is(rawjson.KindArray):
		return element{Args: r.argv(n, path)}
	case !n.Is(rawjson.KindObject):
		e.Text = r.template(n, path)
		if e.Text.hasSecret() {
			r.fault(n, path, "%s: a secret has no place among arguments, which every program of the machine can read: pass it in env", path)
		}
		return e
	}
	r.keys(n, path, map[string]func(*rawjson.Node){
		"if":     r.textInto(&e.If, join(path, "if")),
		"unless": r.textInto(&e.Unless, join(path, "unless")),
		"args":   func(n *rawjson.Node) { e.Args = r.argv(n, join(path, "args")) },
	})
	if (e.If == "") == (e.Unless == "") || len(e.Args) == 0 {
		r.fault(n, path, "%s: a mapping among the arguments is {if: PARAMETER, args: […]} or {unless: PARAMETER, args: […]}", path)
	}
	return e
}

// complete puts into a verb what the file says for all, and checks that its parts fit together.
func (r *fileReader) complete(v *verb, own []param, n *rawjson.Node, path string) {
	for i := range v.steps {
		s := &v.steps[i]
		s.Env = slices.Concat(v.env, s.Env)
		if s.Program == "" {
			s.Program = v.program
		}
		if s.Dir == "" {
			s.Dir = template(v.dir)
		}
		if s.Success == nil {
			s.Success = v.success
		}
		if s.Faults == nil {
			s.Faults = v.faults
		}
		if s.Program == "" {
			r.fault(n, path, "%s has no program: name one there, or for the whole file", path)
		}
		if strings.ContainsAny(s.Program, "{}$") {
			r.fault(n, path, "%s: a program is named by the file alone, never by a parameter", path)
		}
		if _, err := s.Dir.parts(); err != nil {
			r.fault(n, path, "%s: dir: %v", path, err)
		}
	}
	r.use(v, own, n, path)
}

// use finds the parameters that a verb uses: its own, and the file's.
func (r *fileReader) use(v *verb, own []param, n *rawjson.Node, path string) {
	u := usageOf(v)
	for _, name := range u.order {
		if u.made[name] {
			continue
		}
		p := find(own, name)
		if p == nil {
			p = find(r.file.params, name)
		}
		if p == nil {
			r.fault(n, path, "%s uses {%s}, and there is no such parameter: declare it under params", path, name)
			continue
		}
		used := *p
		used.Input = !u.seen[name]
		r.fits(&used, u, n, path)
		v.params = append(v.params, used)
	}
	for _, p := range own {
		if !slices.Contains(u.order, p.Name) {
			r.fault(&rawjson.Node{Line: p.line}, join(path, "params."+p.Name), "%s: the parameter %s is used nowhere", path, p.Name)
		}
	}
	// A verb lists its parameters in the order in which the file declares them.
	slices.SortStableFunc(v.params, func(a, b param) int { return rank(own, a.Name) - rank(own, b.Name) })
}

func find(params []param, name string) *param {
	for i := range params {
		if params[i].Name == name {
			return &params[i]
		}
	}
	return nil
}

func rank(params []param, name string) int {
	if at := slices.IndexFunc(params, func(p param) bool { return p.Name == name }); at >= 0 {
		return at
	}
	return len(params)
}

// fits checks that a parameter stands only where its type can.
func (r *fileReader) fits(p *param, u *usage, n *rawjson.Node, path string) {
	switch how := u.how[p.Name]; {
	case p.Kind == kindOptions && !u.spreadOnly[p.Name]:
		r.fault(n, path, "%s: {%s} is a list of options: it stands by itself, as {%s...}", path, p.Name, p.Name)
	case how == items && !p.list, how == joined && !p.list:
		r.fault(n, path, "%s: {%s} is no list", path, p.Name)
	case p.list && how == single && u.placed[p.Name]:
		r.fault(n, path, "%s: {%s} is a list: write {%s...} for an argument each, or {%s,} for one with commas", path, p.Name, p.Name, p.Name)
	}
}
