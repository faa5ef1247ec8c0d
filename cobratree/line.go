package cobratree

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/argv"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxItems bounds a list of values.
const maxItems = 1000

// line is a command line in the making.
type line struct {
	args     []string
	problems []twodoor.Problem
}

// lineOf is the command line of a call: the path, every flag glued to its value, and after a "--" the
// words. The error names every value that is refused.
func lineOf(p *plan, args json.RawMessage) ([]string, error) {
	l := &line{args: slices.Clone(p.Path)}
	for _, in := range p.Flags {
		for _, text := range l.texts(in, args) {
			l.args = append(l.args, "--"+in.Flag+"="+text)
		}
	}
	if words := l.words(p.Args, args); len(words) > 0 {
		l.args = append(append(l.args, "--"), words...)
	}
	return l.args, l.err()
}

func (l *line) refuse(name, problem string) {
	if !slices.ContainsFunc(l.problems, func(p twodoor.Problem) bool { return p.Path == name }) {
		l.problems = append(l.problems, twodoor.Problem{Path: name, Problem: problem})
	}
}

func (l *line) err() error {
	if len(l.problems) == 0 {
		return nil
	}
	first := l.problems[0]
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s %s; nothing was run", first.Path, first.Problem),
		Hint: "give a value that can be taken for nothing else", Fields: l.problems,
	}
	if n := len(l.problems); n > 1 {
		fault.Message = fmt.Sprintf("%d values are refused; nothing was run", n)
	}
	return fault
}

// words are the arguments in their order. One that is missing before one that is given is a fault: the
// command would take the latter for the former.
func (l *line) words(inputs []input, args json.RawMessage) (words []string) {
	missing := ""
	for _, in := range inputs {
		texts := l.texts(in, args)
		for _, text := range texts {
			if strings.HasPrefix(text, "-") {
				l.refuse(in.Name, "begins with a dash and could be taken for an option")
			}
		}
		if len(texts) == 0 && missing == "" {
			missing = in.Name
		} else if len(texts) > 0 && missing != "" {
			l.refuse(missing, "is missing, and comes before "+in.Name)
		}
		words = append(words, texts...)
	}
	return words
}

// texts are the values that a caller gave for an input, checked.
func (l *line) texts(in input, args json.RawMessage) (texts []string) {
	raw, given := rawjson.Get(args, in.Name)
	if !given || rawjson.KindOf(raw) == rawjson.KindNull {
		return nil
	}
	items := [][]byte{raw}
	if rawjson.KindOf(raw) == rawjson.KindArray {
		items = slices.Collect(rawjson.Elements(raw))
	}
	if len(items) > maxItems {
		l.refuse(in.Name, fmt.Sprintf("has %d items, more than %d", len(items), maxItems))
	}
	check := argv.Word
	if in.Text {
		check = argv.Text
	}
	for _, item := range items {
		text, ok := rawjson.String(item)
		if !ok {
			text = string(rawjson.Trim(item))
		}
		if problem := check(text); problem != "" {
			l.refuse(in.Name, problem)
		}
		if in.CSV {
			text = csvField(text)
		}
		texts = append(texts, text)
	}
	return texts
}

// csvField is a text as one field of CSV.
func csvField(text string) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{text}) // to memory
	w.Flush()
	return strings.TrimSuffix(out.String(), "\n")
}
