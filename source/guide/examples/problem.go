package examples

import (
	"cmp"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/shelltext"
)

// fault tells what a line does not fit, each misfit as the kind that it is.
func (l *line) fault(err error) {
	fault := twodoor.AsError(err)
	if fault.Code == twodoor.CodeUnknown {
		l.add(l.call.Words[0], guide.UnknownCommand, fault.Error(), first(fault.Try))
		return
	}
	problems := fault.Fields
	if len(problems) == 0 {
		problems = []twodoor.Problem{{Problem: fault.Error()}}
	}
	for _, p := range problems {
		l.problem(p, fault)
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// problem tells one misfit.
func (l *line) problem(p twodoor.Problem, fault *twodoor.Error) {
	in, given, at := l.inputAt(p.Path)
	switch {
	case p.Path != "" && in != nil && !given && in.Required:
		l.add(at, guide.MissingRequired, p.Problem, l.form(in))
	case p.Path != "" && in != nil && len(in.Enum) > 0 && given:
		l.add(at, guide.BadEnum, p.Problem, first(rawjson.Nearest(in.Enum, l.valueText(in), 1)))
	case p.Path != "":
		l.add(at, guide.BadValue, p.Problem, "")
	case l.stray() != nil:
		w := l.stray()
		l.add(*w, guide.UnknownFlag, p.Problem, first(fault.Try))
		delete(l.flags, flagName(w.Text))
	case l.extra() != nil:
		l.add(*l.extra(), guide.ExtraOperand, p.Problem, l.command.Usage)
	case l.wrongOption() != nil:
		l.add(*l.wrongOption(), guide.BadValue, p.Problem, "")
	case l.flags["--data"].Text != "":
		l.add(l.flags["--data"], guide.BadBody, p.Problem, "")
	default:
		l.add(l.call.Words[0], guide.BadValue, p.Problem, first(fault.Try))
	}
}

// wrongOption is the flag of every command whose value alone is refused already.
func (l *line) wrongOption() *shelltext.Word {
	command := l.argv[:l.lead]
	for name, w := range l.flags {
		value, has := l.values[name]
		if _, isCommon := common(name); !isCommon || !has || value.Hole || name == "--data" || name == "--set" || name == "--field-file" {
			continue
		}
		argv := append(command[:len(command):len(command)], "--data", "@file", name+"="+value.Text)
		if l.Lines.Check(argv) != nil && l.Lines.Check(argv[:len(argv)-1]) == nil {
			return &w
		}
	}
	return nil
}

func flagName(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return name
}

// form is how a missing input is given.
func (l *line) form(in *guide.Input) string {
	switch {
	case in.Position != "":
		return in.Position
	case in.Flag != "":
		return in.Flag + " <" + in.Type + ">"
	}
	return "--set " + in.Path + "=…"
}

// inputAt is the input that a misfit is about, whether the line gives it, and where.
func (l *line) inputAt(path string) (in *guide.Input, given bool, at shelltext.Word) {
	at = l.call.Words[0]
	if path == "" || l.command == nil {
		return nil, false, at
	}
	for i := range l.command.Inputs {
		c := &l.command.Inputs[i]
		if c.Path == path || c.Name == path {
			in = c
			break
		}
	}
	if in == nil {
		return nil, false, at
	}
	for name, w := range l.flags {
		if l.command.Input(name) == in {
			return in, true, w
		}
	}
	if in.Position != "" {
		if words := l.operandWords(); len(words) > 0 {
			for n, w := range words {
				if l.command.Operand(n) == in {
					return in, true, w
				}
			}
		}
	}
	if set, ok := l.values["--set"]; ok && strings.HasPrefix(set.Text, cmp.Or(in.Path, in.Name)) {
		return in, true, set
	}
	if data, ok := l.flags["--data"]; ok {
		at = data
	}
	return in, false, at
}

func (l *line) valueText(in *guide.Input) string {
	for name, w := range l.values {
		if l.command.Input(name) == in {
			return w.Text
		}
	}
	return ""
}

// stray is a given flag that the command does not have.
func (l *line) stray() *shelltext.Word {
	for i := range l.call.Words {
		w := &l.call.Words[i]
		name := flagName(w.Text)
		if _, given := l.flags[name]; !given || !strings.HasPrefix(w.Text, "-") {
			continue
		}
		_, isCommon := common(name)
		if !isCommon && (l.command == nil || l.command.Input(name) == nil && l.command.Input("--"+strings.TrimPrefix(name, "--no-")) == nil) {
			return w
		}
	}
	return nil
}

// extra is the first operand that the command does not take.
func (l *line) extra() *shelltext.Word {
	if l.command == nil {
		return nil
	}
	for n, w := range l.operandWords() {
		if l.command.Operand(n) == nil {
			return &w
		}
	}
	return nil
}
