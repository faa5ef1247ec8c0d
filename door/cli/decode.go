package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// decode turns the line of an operation into a call. Every misfit is told at once.
func (r *run) decode(op *twodoor.Operation, argv []string) (twodoor.Call, error) {
	l := &line{run: r, in: inputsOf(op)}
	l.scan(argv)
	if r.opts.help || r.opts.version {
		return twodoor.Call{Operation: op.ID}, nil
	}
	args := l.overlay()
	if len(l.problems) == 0 {
		l.missing(args)
	}
	call := twodoor.Call{
		Operation: op.ID, Arguments: args, Projection: r.opts.want,
		Principal: r.door.Principal, Profile: r.profile(), Session: r.door.Session,
		Door: twodoor.DoorCLI, Client: strings.TrimSpace(r.door.name() + " " + r.door.Version),
		Account: r.opts.account, Timeout: r.opts.timeout,
	}
	if r.opts.yes {
		call.Confirm = twodoor.ConfirmYes
	}
	if r.opts.dryRun {
		call.Mode = twodoor.DryRun
	}
	return call, l.fault()
}

// line is the command line of one operation, taken apart.
type line struct {
	run      *run
	in       *inputs
	operands []string
	given    []given
	problems []twodoor.Problem
	try      []string
}

// given is a field with the texts that the line has for it.
type given struct {
	field *field
	as    string // the flag as typed, for messages
	texts []string
}

// scan sorts the arguments into options, fields and operands.
func (l *line) scan(argv []string) {
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			l.operands = append(l.operands, argv[i+1:]...)
			return
		case !isFlag(arg):
			l.operands = append(l.operands, arg)
		case strings.HasPrefix(arg, "--"):
			i += l.long(arg, argv[i+1:])
		default:
			i += l.short(arg, argv[i+1:])
		}
	}
}

// long takes a flag in, and returns how many of the arguments after it are its value.
func (l *line) long(arg string, after []string) int {
	name, text, has := strings.Cut(arg[2:], "=")
	m, ok := l.in.find(name)
	if !ok {
		l.unknownFlag("--" + name)
		return l.skipped(has, after)
	}
	return l.flag(m, "--"+name, text, has, after)
}

// short takes in -o, -h, or a field of one letter.
func (l *line) short(arg string, after []string) int {
	letter, text := arg[1:2], arg[2:]
	m := meaning{option: shortOption(letter)}
	if m.option == nil {
		m.field = l.in.byFlag[letter]
	}
	joined := len(text) > 0 && (m.option != nil && m.option.takes != "" || text[0] == '=')
	if m == (meaning{}) || len(text) > 0 && !joined {
		name, _, has := strings.Cut(arg, "=")
		l.unknownFlag(name)
		return l.skipped(has, after)
	}
	return l.flag(m, "-"+letter, strings.TrimPrefix(text, "="), joined, after)
}

// flag takes in a flag of known meaning.
func (l *line) flag(m meaning, as, text string, has bool, after []string) int {
	used := 0
	if !has {
		switch {
		case m.option != nil && m.option.takes == "":
			text = "true"
		case m.field != nil && m.field.typ().isSwitch():
			text = "true"
			if len(after) > 0 && (after[0] == "true" || after[0] == "false") {
				text, used = after[0], 1
			}
		case len(after) == 0 || l.isKnownFlag(after[0]):
			l.wrong(m, as, "needs a value: "+as+"=VALUE")
			return 0
		default:
			text, used = after[0], 1
		}
	}
	switch {
	case m.option != nil:
		if err := m.option.set(&l.run.opts, text); err != nil {
			l.wrong(m, as, err.Error())
		}
	case m.negate:
		if yes, ok := truth(text); ok {
			l.give(m.field, as, fmt.Sprint(!yes))
		} else {
			l.wrong(m, as, "takes no value")
		}
	default:
		l.give(m.field, as, text)
	}
	return used
}

// isKnownFlag reports whether an argument where a value should be is a flag of the operation.
func (l *line) isKnownFlag(arg string) bool {
	if !strings.HasPrefix(arg, "--") || arg == "--" {
		return false
	}
	name, _, _ := strings.Cut(arg[2:], "=")
	_, ok := l.in.find(name)
	return ok
}

// skipped guesses whether the argument after an unknown flag was meant as its value, so that it is
// not told as a misfit of its own.
func (l *line) skipped(has bool, after []string) int {
	if !has && len(after) > 0 && !isFlag(after[0]) && len(after) > len(l.in.op.Positional)-len(l.operands) {
		return 1
	}
	return 0
}

func (l *line) give(f *field, as, text string) {
	for i := range l.given {
		if l.given[i].field == f {
			if l.given[i].as != as {
				l.given[i].as += " and " + as
			}
			l.given[i].texts = append(l.given[i].texts, text)
			return
		}
	}
	l.given = append(l.given, given{f, as, []string{text}})
}

// overlay lays the parts of the line over each other: data, operands, --set, files, flags.
func (l *line) overlay() json.RawMessage {
	args := json.RawMessage(`{}`)
	opts := &l.run.opts
	if opts.data != nil {
		args = l.data(*opts.data)
	}
	args = l.place(args)
	for _, set := range opts.sets {
		args = l.set(args, set)
	}
	for _, file := range opts.files {
		args = l.file(args, file)
	}
	for _, g := range l.given {
		value, err := l.run.value(g.field.typ(), g.as, g.texts)
		if err != nil {
			l.wrong(meaning{field: g.field}, g.as, err.Error())
			continue
		}
		args = rawjson.SetPath(args, value, g.field.path...)
	}
	if opened := l.in.opened; opened != nil && opened.required {
		if _, has := rawjson.Get(args, opened.name); !has {
			args = rawjson.Set(args, opened.name, []byte(`{}`))
		}
	}
	return args
}

// place gives the operands to the operation's positional inputs. A list takes all that the inputs
// after it do not need.
func (l *line) place(args json.RawMessage) json.RawMessage {
	rest := l.operands
	names := l.in.op.Positional
	for i, name := range names {
		f := l.in.field(name)
		if f == nil || len(rest) == 0 {
			break
		}
		n := 1
		if f.typ().is(isArray) {
			n = max(1, len(rest)-(len(names)-i-1))
		}
		value, err := l.run.value(f.typ(), "<"+f.flag+">", rest[:n])
		if err != nil {
			l.wrong(meaning{field: f}, "<"+f.flag+">", err.Error())
		} else {
			args = rawjson.SetPath(args, value, f.path...)
		}
		rest = rest[n:]
	}
	for _, extra := range rest {
		l.extra(extra)
	}
	return args
}

func (l *line) extra(arg string) {
	says := fmt.Sprintf("unexpected argument %q", arg)
	if n := len(l.in.op.Positional); n == 0 {
		says += ": everything here is a flag"
	} else {
		says += fmt.Sprintf(": at most %d by position, the rest are flags", n)
	}
	l.problems = append(l.problems, twodoor.Problem{Problem: says})
}

// missing names every required field that has no value and no default.
func (l *line) missing(args json.RawMessage) {
	if l.run.unread {
		return
	}
	for _, f := range l.in.fields {
		if !f.required {
			continue
		}
		if _, has := rawjson.GetPath(args, f.path...); !has && !f.typ().has("default") {
			l.wrong(meaning{field: f}, f.usage(), "is required: "+f.typ().brief())
		}
	}
}

// usage is how a field that is not flat is written, and the flag of one that is.
func (f *field) usage() string {
	if f.typ().flat() {
		return "--" + f.flag
	}
	return "--set " + strings.Join(f.path, ".")
}

func (l *line) unknownFlag(as string) {
	p := twodoor.Problem{Problem: "unknown flag " + as}
	path := l.in.nested(strings.TrimLeft(as, "-"))
	var near []string
	if path != "" {
		p.Problem += "; it lies deeper: --set " + path + "=VALUE"
	} else if near = rawjson.Nearest(l.in.flags(), strings.TrimLeft(as, "-"), 2); len(near) > 0 {
		p.Problem += "; did you mean --" + strings.Join(near, " or --") + "?"
	}
	l.problems = append(l.problems, p)
	for _, flag := range near {
		l.try = appendNew(l.try, "--"+flag)
	}
}

// nested is the path of a field inside an object, that a flag was meant for.
func (in *inputs) nested(flag string) string {
	flag = kebab(flag)
	for _, f := range in.fields {
		t := f.typ()
		if !t.is(isObject) {
			continue
		}
		for _, p := range propertiesOf(t.layers) {
			if word := kebab(p.name); word == flag || f.flag+"-"+word == flag {
				return pathText(append(f.path[:len(f.path):len(f.path)], p.name))
			}
		}
	}
	return ""
}

func (l *line) wrong(m meaning, as, says string) {
	p := twodoor.Problem{Problem: as + " " + says}
	if m.field != nil {
		p.Path = strings.Join(m.field.path, ".")
	}
	l.problems = append(l.problems, p)
}

// fault is one error of all misfits.
func (l *line) fault() error {
	if len(l.problems) == 0 {
		return nil
	}
	command := l.run.door.command(l.in.op.ID)
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: "the line does not fit " + command, Fields: l.problems, Try: l.try,
		Hint: "this fits: " + l.run.door.exampleOf(l.in),
	}
	if len(l.problems) == 1 {
		fault.Message = l.problems[0].Problem
	}
	return fault
}
