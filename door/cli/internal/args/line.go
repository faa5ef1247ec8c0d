package args

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Line is the command line of one operation, taken apart.
type Line struct {
	In       *Inputs                                 // required
	Reader   *Reader                                 // required
	Set      func(option *Option, text string) error // required; takes the options that are not about arguments
	Problems []twodoor.Problem                       // every misfit so far
	Try      []string                                // flags that may have been meant
	Unknown  []string                                // flags that there are not, without their hyphens

	operands []string
	given    []given
	data     *string
	sets     []string
	files    []string
}

// given is a field with the texts that the line has for it.
type given struct {
	field *Field
	as    string // the flag as typed, for messages
	texts []string
}

// Scan sorts the arguments into options, fields and operands.
func (l *Line) Scan(argv []string) {
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			l.operands = append(l.operands, argv[i+1:]...)
			return
		case !IsFlag(arg):
			l.operands = append(l.operands, arg)
		case strings.HasPrefix(arg, "--"):
			i += l.long(arg, argv[i+1:])
		default:
			i += l.short(arg, argv[i+1:])
		}
	}
}

// long takes a flag in, and returns how many of the arguments after it are its value.
func (l *Line) long(arg string, after []string) int {
	name, text, has := strings.Cut(arg[2:], "=")
	m, ok := l.In.Find(name)
	if !ok {
		l.unknownFlag("--" + name)
		return l.skipped(has, after)
	}
	return l.flag(m, "--"+name, text, has, after)
}

// short takes in -o, -h, or a field of one letter.
func (l *Line) short(arg string, after []string) int {
	letter, text := arg[1:2], arg[2:]
	m := Meaning{Option: ShortOption(letter)}
	if m.Option == nil {
		m.Field = l.In.byFlag[letter]
	}
	joined := len(text) > 0 && (m.Option != nil && m.Option.Takes != "" || text[0] == '=')
	if m == (Meaning{}) || len(text) > 0 && !joined {
		name, _, has := strings.Cut(arg, "=")
		l.unknownFlag(name)
		return l.skipped(has, after)
	}
	return l.flag(m, "-"+letter, strings.TrimPrefix(text, "="), joined, after)
}

// flag takes in a flag of known meaning.
func (l *Line) flag(m Meaning, as, text string, has bool, after []string) int {
	used := 0
	if !has {
		switch {
		case m.Option != nil && m.Option.Takes == "":
			text = "true"
		case m.Field != nil && m.Field.Type().IsSwitch():
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
	case m.Option != nil:
		if err := l.option(m.Option, text); err != nil {
			l.wrong(m, as, err.Error())
		}
	case m.Negate:
		if yes, ok := typed.Truth(text); ok {
			l.give(m.Field, as, fmt.Sprint(!yes))
		} else {
			l.wrong(m, as, "takes no value")
		}
	default:
		l.give(m.Field, as, text)
	}
	return used
}

// option keeps the options that are about arguments, and passes the others on.
func (l *Line) option(opt *Option, text string) error {
	switch opt.Name {
	case data:
		if l.data != nil && *l.data != text {
			return fmt.Errorf("is given twice: %s and %s", *l.data, text)
		}
		l.data = &text
	case set:
		l.sets = append(l.sets, text)
	case fieldFile:
		l.files = append(l.files, text)
	default:
		return l.Set(opt, text)
	}
	return nil
}

// isKnownFlag reports whether an argument where a value should be is a flag of the operation.
func (l *Line) isKnownFlag(arg string) bool {
	if !strings.HasPrefix(arg, "--") || arg == "--" {
		return false
	}
	name, _, _ := strings.Cut(arg[2:], "=")
	_, ok := l.In.Find(name)
	return ok
}

// skipped guesses whether the argument after an unknown flag was meant as its value, so that it is
// not told as a misfit of its own.
func (l *Line) skipped(has bool, after []string) int {
	if !has && len(after) > 0 && !IsFlag(after[0]) && len(after) > len(l.In.Op.Positional)-len(l.operands) {
		return 1
	}
	return 0
}

func (l *Line) give(f *Field, as, text string) {
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

// Arguments are what the line says, its parts laid over each other, with everything that is required.
func (l *Line) Arguments() json.RawMessage {
	args := l.overlay()
	if len(l.Problems) == 0 {
		l.missing(args)
	}
	return args
}

// overlay lays the parts of the line over each other: data, operands, --set, files, flags.
func (l *Line) overlay() json.RawMessage {
	args := json.RawMessage(`{}`)
	if l.data != nil {
		args = l.readObject(*l.data)
	}
	args = l.place(args)
	for _, assignment := range l.sets {
		args = l.assign(args, assignment)
	}
	for _, file := range l.files {
		args = l.readField(args, file)
	}
	for _, g := range l.given {
		value, err := l.Reader.value(g.field.Type(), g.as, g.texts)
		if err != nil {
			l.wrong(Meaning{Field: g.field}, g.as, err.Error())
			continue
		}
		args = rawjson.SetPath(args, value, g.field.Path...)
	}
	if opened := l.In.opened; opened != nil && opened.Required {
		if _, has := rawjson.Get(args, opened.Name); !has {
			args = rawjson.Set(args, opened.Name, []byte(`{}`))
		}
	}
	return args
}

// place gives the operands to the operation's positional inputs. A list takes all that the inputs
// after it do not need.
func (l *Line) place(args json.RawMessage) json.RawMessage {
	rest := l.operands
	names := l.In.Op.Positional
	for i, name := range names {
		f := l.In.Field(name)
		if f == nil || len(rest) == 0 {
			break
		}
		n := 1
		if f.Type().Is(typed.Array) {
			n = max(1, len(rest)-(len(names)-i-1))
		}
		value, err := l.Reader.value(f.Type(), "<"+f.Flag+">", rest[:n])
		if err != nil {
			l.wrong(Meaning{Field: f}, "<"+f.Flag+">", err.Error())
		} else {
			args = rawjson.SetPath(args, value, f.Path...)
		}
		rest = rest[n:]
	}
	for _, extra := range rest {
		l.extra(extra)
	}
	return args
}

func (l *Line) extra(arg string) {
	says := fmt.Sprintf("unexpected argument %q", arg)
	if n := len(l.In.Op.Positional); n == 0 {
		says += ": everything here is a flag"
	} else {
		says += fmt.Sprintf(": at most %d by position, the rest are flags", n)
	}
	l.Problems = append(l.Problems, twodoor.Problem{Problem: says})
}

// missing names every required field that has no value and no default.
func (l *Line) missing(args json.RawMessage) {
	if l.Reader.Unread {
		return
	}
	for _, f := range l.In.Fields {
		if !f.Required {
			continue
		}
		if _, has := rawjson.GetPath(args, f.Path...); !has && !f.Type().Has("default") {
			l.wrong(Meaning{Field: f}, f.Usage(), "is required: "+f.Type().Brief())
		}
	}
}

func (l *Line) unknownFlag(as string) {
	l.Unknown = append(l.Unknown, strings.TrimLeft(as, "-"))
	p := twodoor.Problem{Problem: "unknown flag " + as}
	path := l.In.nested(strings.TrimLeft(as, "-"))
	var near []string
	if path != "" {
		p.Problem += "; it lies deeper: --set " + path + "=VALUE"
	} else if near = rawjson.Nearest(l.In.Flags(), strings.TrimLeft(as, "-"), 2); len(near) > 0 {
		p.Problem += "; did you mean --" + strings.Join(near, " or --") + "?"
	}
	l.Problems = append(l.Problems, p)
	for _, flag := range near {
		l.Try = append(l.Try, "--"+flag)
	}
}

// nested is the path of a field inside an object, that a flag was meant for.
func (in *Inputs) nested(flag string) string {
	flag = Kebab(flag)
	for _, f := range in.Fields {
		t := f.Type()
		if !t.Is(typed.Object) {
			continue
		}
		for _, p := range typed.Properties(t.Layers) {
			if word := Kebab(p.Name); word == flag || f.Flag+"-"+word == flag {
				return PathText(append(f.Path[:len(f.Path):len(f.Path)], p.Name))
			}
		}
	}
	return ""
}

func (l *Line) wrong(m Meaning, as, says string) {
	p := twodoor.Problem{Problem: as + " " + says}
	if m.Field != nil {
		p.Path = strings.Join(m.Field.Path, ".")
	}
	l.Problems = append(l.Problems, p)
}
