package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/internal/secret"
)

// Invoke runs the programs of one verb, one after the other, and reads what the last one printed.
func (v *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	p, f, err := v.checked(in)
	if err != nil {
		return nil, err
	}
	leave, err := v.enter(ctx, p.sessionKey(in, f))
	if err != nil {
		return nil, err
	}
	defer leave()
	c := &chain{invoker: v, in: in, plan: &p, filler: f, watch: p.Output.watch(in.Progress)}
	return c.run(ctx)
}

// checked is the plan of a call with its values, all of them good.
func (v *Invoker) checked(in *twodoor.Invocation) (plan, *filler, error) {
	p, err := planOf(in.Operation)
	if err != nil {
		return p, nil, err
	}
	f := p.bind(in.Arguments)
	for i := range p.Steps {
		s := &p.Steps[i]
		f.argv(s.Argv)
		if s.As != "" {
			f.values[s.As] = value{texts: []string{"<" + s.As + ">"}, truth: true}
		}
	}
	return p, f, f.err()
}

// sessionKey names the state that a call works on; empty: none.
func (p *plan) sessionKey(in *twodoor.Invocation, f *filler) string {
	source := in.Operation.Source()
	if p.Serial {
		return source
	}
	if s, ok := f.values[p.Session]; ok && p.Session != "" {
		return source + "\x00" + strings.Join(s.texts, "\x00")
	}
	return ""
}

// chain is the programs of one call.
type chain struct {
	invoker *Invoker
	in      *twodoor.Invocation
	plan    *plan
	filler  *filler
	watch   func(line []byte) // sees the lines of the last program as they come; may be nil
}

// run runs the steps; the first that fails ends the chain.
func (c *chain) run(ctx context.Context) (*twodoor.Value, error) {
	var last *ran
	for i := range c.plan.Steps {
		s := &c.plan.Steps[i]
		p, err := c.process(ctx, s, last)
		if err != nil {
			return nil, err
		}
		if i == len(c.plan.Steps)-1 {
			p.watch = c.watch
		}
		if last, err = c.invoker.start(ctx, p); err != nil {
			return nil, err
		}
		if err := last.fault(); err != nil && !s.MayFail {
			return nil, c.at(i, err)
		}
		if s.As != "" {
			c.filler.values[s.As] = value{texts: []string{strings.TrimSpace(string(last.stdout))}, truth: true}
		}
	}
	return c.plan.Output.read(last)
}

// at says which of several steps failed.
func (c *chain) at(i int, err error) error {
	if fault, ok := errors.AsType[*twodoor.Error](err); ok && len(c.plan.Steps) > 1 {
		fault.Message = fmt.Sprintf("step %d of %d: %s", i+1, len(c.plan.Steps), fault.Message)
	}
	return err
}

// process is a step with its values in place.
func (c *chain) process(ctx context.Context, s *step, before *ran) (*process, error) {
	v, f := c.invoker, c.filler
	p := &process{step: s, limit: cmp.Or(c.plan.Bytes, defaultBytes)}
	p.Args = f.argv(s.Argv)
	if err := f.err(); err != nil { // of a value that an earlier step made
		return nil, err
	}
	base := v.folder(c.in.Operation.Source())
	p.Path = place(base, s.Program)
	var err error
	if p.Dir, err = f.dir(base, s.Dir); err != nil {
		return nil, err
	}
	p.Grace = cmp.Or(v.Grace, defaultGrace)
	p.Env = append(proc.Environment(v.Environ, c.plan.Pass...), quiet...)
	resolve := func(text string) string {
		full, fault := v.expand(ctx, text)
		err = errors.Join(err, fault)
		return full
	}
	for _, variable := range s.Env {
		p.Env = append(p.Env, variable.Name+"="+f.fill(variable.Value, resolve))
	}
	switch {
	case s.Pipe && before != nil:
		p.stdin = before.stdout
	case s.Stdin != "":
		p.stdin = []byte(f.fill(s.Stdin, resolve))
	}
	return p, err
}

// quiet keeps programs from asking, paging and colouring: nobody is there to answer or to see it.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive"}

func (v *Invoker) expand(ctx context.Context, text string) (string, error) {
	if v.Expand == nil {
		return text, nil
	}
	full, err := v.Expand(ctx, text)
	if full != text {
		v.secret.Add(secret.New(full))
	}
	return full, err
}

func (v *Invoker) folder(source string) string {
	if v.Folder == nil {
		return ""
	}
	return v.Folder(source)
}

// place is a program as it is started: a name is looked up on PATH, a path is meant from the folder.
func place(base, program string) string {
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return filepath.Join(cmp.Or(base, "."), filepath.FromSlash(program))
	}
	return program
}

// dir is the folder to run in. One that a caller names lies inside that of the file, links followed,
// unless the file says that it may lie anywhere.
func (f *filler) dir(base string, t template) (string, error) {
	text := f.fill(t, func(reference string) string { return reference })
	given, anywhere := f.uses(t)
	if text == "" {
		return base, nil
	}
	full := text
	if !filepath.IsAbs(text) {
		full = filepath.Join(cmp.Or(base, "."), text)
	}
	var info os.FileInfo
	var err error
	if given && !anywhere {
		info, err = inside(cmp.Or(base, "."), text)
	} else {
		info, err = os.Stat(full)
	}
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && !info.IsDir():
		return "", &twodoor.Error{Code: twodoor.CodeNotFound, Message: fmt.Sprintf("there is no folder %q; nothing was run", short(text)), Cause: err}
	case err != nil:
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the folder %q is not inside the one that may be used; nothing was run", short(text)), Hint: "write it relative, without ..", Cause: err}
	}
	return full, nil
}

// inside is what lies at a path below a folder; the kernel's walk of it never leaves the folder.
func inside(base, path string) (os.FileInfo, error) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(path)
}
