package command

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Preview shows what would be run. References are masked, and nothing is started.
func (v *Invoker) Preview(_ context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	p, f, err := v.checked(in)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	var steps rawjson.Array
	for i := range p.Steps {
		s := f.shown(&p.Steps[i])
		if i > 0 && p.Steps[i].Pipe {
			text.WriteString(" | ")
		} else if i > 0 {
			text.WriteString(" && ")
		}
		text.WriteString(s.line())
		steps.Add(s.detail())
	}
	var detail rawjson.Object
	detail.Put("steps", steps.Bytes())
	return &twodoor.Preview{Text: text.String() + "\n", Detail: json.RawMessage(detail.Bytes())}, nil
}

// shownStep is a step with its values in place, for readers.
type shownStep struct {
	program, dir, stdin string
	args                []string
	env                 [][2]string
}

func (f *filler) shown(s *step) shownStep {
	mask := func(string) string { return "***" }
	shown := shownStep{program: s.Program, dir: f.fill(s.Dir, mask), stdin: f.fill(s.Stdin, mask), args: f.argv(s.Argv)}
	for _, variable := range s.Env {
		shown.env = append(shown.env, [2]string{variable.Name, f.fill(variable.Value, mask)})
	}
	return shown
}

// line is the step as a shell would take it. It is for readers: no shell is ever asked.
func (s shownStep) line() string {
	var words []string
	if s.dir != "" {
		words = append(words, "cd", shellWord(s.dir), "&&")
	}
	for _, pair := range s.env {
		words = append(words, pair[0]+"="+shellWord(pair[1]))
	}
	words = append(words, shellWord(s.program))
	for _, arg := range s.args {
		words = append(words, shellWord(arg))
	}
	if s.stdin != "" {
		words = append(words, "<<<", shellWord(s.stdin))
	}
	return strings.Join(words, " ")
}

func (s shownStep) detail() json.RawMessage {
	var env, one rawjson.Object
	for _, pair := range s.env {
		env.PutString(pair[0], pair[1])
	}
	one.PutString("program", s.program)
	one.PutStrings("args", s.args)
	one.PutString("dir", s.dir)
	one.Put("env", env.Bytes())
	one.PutString("stdin", s.stdin)
	return one.Bytes()
}

// shellWord is a text as a shell takes it for one word.
func shellWord(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./=:,@%+", c)
	}
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
