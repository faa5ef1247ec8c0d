package examples

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/shelltext"
	"github.com/twodoor/twodoor/source/guide/typing"
)

// body checks the arguments of a call against the schema of its operation.
func (l *line) body(args json.RawMessage) {
	kind := guide.BadBody
	_, data := l.flags["--data"]
	for _, m := range typing.Misfits(l.op, args) {
		at := l.call.Words[0]
		in, given, where := l.inputAt(m.Path)
		if given {
			at = where
		}
		found := kind
		if m.Kind != "" {
			found = m.Kind
		} else if in != nil && !data {
			found = guide.BadValue
		}
		if in != nil && in.Required && !given && !data {
			found = guide.MissingRequired
		}
		l.add(at, found, m.Message, m.Fix)
	}
}

// answer checks what is read of the answer: --fields and --jq, and the jq programs after a pipe.
func (l *line) answer(want twodoor.Projection) {
	at := func(names ...string) shelltext.Word {
		for _, name := range names {
			if w, ok := l.values[name]; ok {
				return w
			}
		}
		return l.call.Words[0]
	}
	out, wrong := typing.ReadAnswer(l.op, l.rootOf(), want)
	for _, w := range wrong {
		where := at("--fields", "--want-fields")
		if w.Kind == guide.BadJQ {
			where = at("--jq", "--want-jq")
		}
		l.add(where, w.Kind, w.Message, w.Fix)
	}
	if mode, set := l.values["--output"]; set && mode.Text != "json" {
		return
	}
	if mode, set := l.values["-o"]; set && mode.Text != "json" {
		return
	}
	for _, filter := range l.call.Filters {
		next, wrong := typing.ReadJQ(filter.Text, out)
		for _, w := range wrong {
			l.add(filter, guide.BadJQ, w.Message, w.Fix)
		}
		out = next
	}
}

func (l *line) rootOf() string {
	if l.command == nil || l.command.Answer == nil {
		return ""
	}
	return l.command.Answer.Root
}
