package protobuf

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// Strict reads as Read does, and holds the annotations to what they can mean: names that are given
// twice, fields, steps and guides that do not exist, hints that contradict each other, values and
// examples that do not fit. The error is a *[twodoor.Error] that lists all of them by file:line.
// Guides are the names of those that exist; nil: they are not known, and not looked at.
func (s *Source) Strict(ctx context.Context, guides []string) (*twodoor.Reading, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	reading, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	r.contradictions()
	r.twice()
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		r.faults = append(r.faults, twodoor.Problem{Problem: err.Error()})
	} else if err := r.unfit(catalog, guides); err != nil {
		return nil, err
	}
	if len(r.faults) == 0 {
		return reading, nil
	}
	var lines []string
	for _, f := range r.faults {
		lines = append(lines, strings.TrimPrefix(f.Path+": "+f.Problem, ": "))
	}
	return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: strings.Join(lines, "\n"), Fields: r.faults}
}

// contradictions finds effects that cannot both be meant.
func (r *reader) contradictions() {
	for _, f := range r.found {
		said := f.said
		switch {
		case said.readOnly == options.Yes && said.destructive == options.Yes:
			r.fault(f.method, "it is read_only and destructive: say one of them")
		case said.readOnly == options.Yes && said.Effect != "" && said.Effect != twodoor.Reads,
			said.destructive == options.Yes && said.Effect != "" && said.Effect != twodoor.Destroys:
			r.fault(f.method, "its effect is %s, and a hint of another option says otherwise", said.Effect)
		case options.Idempotency(f.method) == 1 && said.Effect != "" && said.Effect != twodoor.Reads:
			r.fault(f.method, "its idempotency_level is NO_SIDE_EFFECTS, and its effect is %s", said.Effect)
		}
	}
}

// twice finds names that two methods are given.
func (r *reader) twice() {
	names, tools := map[string]*found{}, map[string]*found{}
	for _, f := range r.found {
		if name := f.said.Name; name != "" {
			whole := name
			if !strings.Contains(name, ".") {
				whole = f.group + "." + name
			}
			r.once(f, names, "name", whole)
		}
		if f.said.tool != "" {
			r.once(f, tools, "tool name", f.said.tool)
		}
	}
}

func (r *reader) once(f *found, given map[string]*found, what, name string) {
	if other := given[name]; other != nil {
		r.fault(f.method, "the %s %q is given to %s as well, at %s", what, name, other.key(), r.set.Place(other.method))
	}
	given[name] = f
}

// unfit finds what an operation refers to and is not there, and values that do not fit.
func (r *reader) unfit(catalog *twodoor.Catalog, guides []string) error {
	for _, f := range r.found {
		op, _, err := catalog.Find(r.source.Name + "." + f.id)
		if err != nil {
			return err
		}
		if op == nil {
			continue // it is an exception
		}
		for _, name := range op.Guides {
			if guides != nil && !slices.Contains(guides, name) {
				r.fault(f.method, "there is no guide %q", name)
			}
		}
		for _, step := range slices.Concat(op.Before, op.Next) {
			id := r.whole(step.Call)
			if other, _, _ := catalog.Find(id); other == nil && strings.HasPrefix(id, r.source.Name+".") {
				r.fault(f.method, "it leads to %q, which is no operation", step.Call)
			}
		}
		if _, err := time.ParseDuration(op.Timeout); op.Timeout != "" && err != nil {
			r.fault(f.method, "the timeout %q is no duration like 30s", op.Timeout)
		}
		if err := r.unfitValues(f, op); err != nil {
			return err
		}
	}
	return nil
}

// whole is the id that a step means: group.verb is of the same source.
func (r *reader) whole(call string) string {
	if strings.Count(call, ".") == 1 {
		return r.source.Name + "." + call
	}
	return call
}

// unfitValues finds examples and defaults that the operation's own schema refuses.
func (r *reader) unfitValues(f *found, op *twodoor.Operation) error {
	check, err := schema.CompileWith(op.Input, func(name string) []byte { return op.Definition(name) })
	if err != nil {
		return fmt.Errorf("compile the input schema of %s: %w", op.ID, err)
	}
	for _, example := range op.Examples {
		if len(example.Arguments) == 0 {
			continue
		}
		for _, misfit := range check.Check(check.Default(check.Fit(example.Arguments))) {
			r.fault(f.method, "the example %q does not fit: %s %s", example.Title, misfit.Path, misfit.Message)
		}
	}
	for name, value := range f.said.Default {
		fd := fieldOf(f.method.Input(), name)
		if fd == nil {
			continue
		}
		name := r.inputName(f, fd)
		for _, misfit := range check.Check(fmt.Appendf(nil, "{%q:%s}", name, value)) {
			if misfit.Path == name {
				r.fault(f.method, "the default of %s does not fit: it %s", name, misfit.Message)
			}
		}
	}
	return nil
}
