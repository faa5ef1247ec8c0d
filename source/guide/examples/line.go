package examples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/shelltext"
	"github.com/twodoor/twodoor/source/guide/typing"
)

// line is a call of the command line while it is checked.
type line struct {
	*pageCheck
	call    *shelltext.Call
	command *guide.Command
	op      *twodoor.Operation        // nil: a command of the program itself
	lead    int                       // words after the program that name the command
	argv    []string                  // with a value in the place of each hole
	flags   map[string]shelltext.Word // given flags by name, dashes included
	values  map[string]shelltext.Word // their values
	more    bool                      // an elision says that more may stand here
	unread  bool                      // something comes from where it cannot be seen
}

// call checks one call of the command line.
func (r *pageCheck) call(c *shelltext.Call) {
	l := &line{pageCheck: r, call: c, flags: map[string]shelltext.Word{}, values: map[string]shelltext.Word{}}
	if !l.find() {
		return
	}
	l.scan()
	if l.command != nil && l.command.ID == "" || l.asksHelp() {
		l.own()
		return
	}
	if !c.Fenced && len(c.Words) == l.lead+1 {
		return // a command that is named, not called
	}
	l.operation()
}

// leading are the words before the first flag. Flags of every command may stand between them.
func (l *line) leading() (words []shelltext.Word, at []int) {
	all := l.call.Words
	for i := 1; i < len(all); i++ {
		text := all[i].Text
		if strings.HasPrefix(text, "-") && text != "-" {
			name, _, has := strings.Cut(text, "=")
			if sample, ok := common(name); ok && sample != "" && !has {
				i++
			}
			continue
		}
		words, at = append(words, all[i]), append(at, i)
	}
	return words, at
}

// find finds the command that the line names. What is wrong with it is told.
func (l *line) find() bool {
	words, at := l.leading()
	var texts []string
	for _, w := range words {
		if w.Hole {
			break
		}
		texts = append(texts, w.Text)
	}
	c, used := l.book.lead(texts)
	switch {
	case c != nil:
		l.command, l.lead = c, used
	case used < len(words) && words[used].Hole:
		return false // twodoor harbor <group>: it leads as far as words do
	case used == len(words) && !l.call.Fenced:
		return false // a level that is named
	default:
		if !l.alias(texts, words, at) {
			return false
		}
	}
	if l.command != nil && l.command.ID != "" {
		op, _, err := l.Catalog.Find(l.command.ID)
		if err != nil || op == nil {
			return false
		}
		l.op = op
	}
	l.straighten(at)
	return true
}

// straighten puts the words of the command in front of the flags that stand between them.
func (l *line) straighten(at []int) {
	if l.lead == 0 || at[l.lead-1] == l.lead {
		return
	}
	words := []shelltext.Word{l.call.Words[0]}
	named := map[int]bool{}
	for _, i := range at[:l.lead] {
		named[i] = true
		words = append(words, l.call.Words[i])
	}
	for i, w := range l.call.Words {
		if i > 0 && !named[i] {
			words = append(words, w)
		}
	}
	l.call.Words = words
}

// alias finds the operation of an old name or another spelling; else it tells that the command is
// unknown.
func (l *line) alias(texts []string, words []shelltext.Word, at []int) bool {
	for n := min(len(texts), 3); n > 1; n-- {
		id := strings.ReplaceAll(strings.ToLower(strings.Join(texts[:n], ".")), "_", "-")
		op, _, err := l.Catalog.Find(id)
		if err != nil || op == nil || l.book.byID[op.ID] == nil {
			continue
		}
		l.command, l.lead = l.book.byID[op.ID], n
		right := l.command.Command
		f := l.add(words[0], guide.OldName, fmt.Sprintf("%q is an old name", strings.Join(texts[:n], " ")), right)
		f.Note = true
		if first, last := words[0], words[n-1]; first.Line == last.Line && first.From >= 0 && at[n-1] == n {
			f.Edit = &guide.Edit{Start: first.From, End: last.To, Text: strings.TrimPrefix(right, l.Tree.Program+" ")}
		}
		return true
	}
	_, known := l.book.lead(texts)
	err := l.Lines.Check(texts[:min(len(texts), known+1)])
	if err == nil {
		return false
	}
	fault := twodoor.AsError(err)
	fix := ""
	if len(fault.Try) > 0 {
		fix = fault.Try[0]
	}
	where := l.call.Words[0]
	if known < len(words) {
		where = words[known]
	}
	l.add(where, guide.UnknownCommand, fault.Error(), fix)
	return false
}

// scan takes the arguments apart, and puts a value that fits in the place of each hole.
func (l *line) scan() {
	operands := 0
	for _, w := range l.call.Words[1 : l.lead+1] {
		l.argv = append(l.argv, w.Text)
	}
	rest := l.call.Words[l.lead+1:]
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		switch {
		case shelltext.IsElision(w.Text):
			l.more = true
		case w.Text == "--" || !strings.HasPrefix(w.Text, "-") || w.Text == "-" || isNumberWord(w.Text):
			l.argv = append(l.argv, l.operandText(w, operands))
			operands++
		default:
			i += l.flag(w, rest[i+1:])
		}
	}
}

func isNumberWord(text string) bool {
	return len(text) > 1 && text[0] == '-' && (text[1] >= '0' && text[1] <= '9' || text[1] == '.')
}

// flag takes in a flag, and returns how many words after it are its value.
func (l *line) flag(w shelltext.Word, after []shelltext.Word) int {
	name, text, has := strings.Cut(w.Text, "=")
	if strings.Contains(name, "<") || strings.Contains(name, "$") {
		l.add(w, guide.Placeholder, "a placeholder stands where a flag is named", "the flag itself")
		l.more = true
		return 0
	}
	l.flags[name] = w
	value := shelltext.Word{Text: text, Hole: w.Hole, Line: w.Line, Col: w.Col, From: -1}
	used := 0
	switch {
	case has:
	case l.isSwitch(name), len(after) == 0:
		l.argv = append(l.argv, w.Text)
		return 0
	default:
		value, used = after[0], 1
	}
	l.values[name] = value
	l.inline(name, value)
	if shelltext.IsElision(value.Text) {
		value.Hole = true
	}
	if value.Hole {
		value.Text = l.sample(name, value)
	}
	if has {
		l.argv = append(l.argv, name+"="+value.Text)
	} else {
		l.argv = append(l.argv, name, value.Text)
	}
	return used
}

// isSwitch reports whether a flag takes no value of its own.
func (l *line) isSwitch(name string) bool {
	if l.command != nil {
		if in := l.command.Input(name); in != nil && in.Flag != "" && !in.Driven {
			return in.Type == "boolean"
		}
		if in := l.command.Input("--" + strings.TrimPrefix(name, "--no-")); in != nil && strings.HasPrefix(name, "--no-") && in.Type == "boolean" {
			return true
		}
	}
	sample, known := common(name)
	return known && sample == ""
}

// operandText is the text of an operand: a value that fits, in the place of a hole.
func (l *line) operandText(w shelltext.Word, n int) string {
	if !w.Hole || l.command == nil {
		return w.Text
	}
	if in := l.command.Operand(n); in != nil {
		return l.valueOf(in)
	}
	return w.Text
}

// sample is a value that fits a flag.
func (l *line) sample(name string, value shelltext.Word) string {
	if l.command != nil {
		if in := l.command.Input(name); in != nil && (in.Flag != "" || l.op == nil) {
			return l.valueOf(in)
		}
	}
	switch name {
	case "--jq", "--want-jq":
		if !strings.Contains(value.Text, "$()") && !strings.Contains(value.Text, "<") {
			return value.Text
		}
	case "--set":
		return l.setSample(value.Text)
	case "--data", "--field-file":
		l.unread = true
		if path, _, ok := strings.Cut(value.Text, "=@"); ok && name == "--field-file" {
			return path + "=@file"
		}
		return "@file"
	}
	sample, _ := common(name)
	return sample
}

// setSample is a --set whose value is a hole: one that fits stands in it.
func (l *line) setSample(text string) string {
	path, _, ok := strings.Cut(text, "=")
	path = strings.TrimSuffix(path, ":")
	if !ok || l.op == nil || strings.ContainsAny(path, "<$") {
		l.unread, l.more = true, true
		return "a=b"
	}
	raw := typing.SchemaAt(l.op, l.op.Input, strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), "."))
	return path + ":=" + string(typing.Example(l.op, raw))
}

// valueOf is a value that fits an input, as one types it.
func (l *line) valueOf(in *guide.Input) string {
	if len(in.Enum) > 0 {
		return in.Enum[0]
	}
	if strings.Contains(in.Type, "time") {
		return "now"
	}
	if strings.HasPrefix(in.Type, "file") {
		l.unread = true
		return "@file"
	}
	if l.op == nil {
		return typedSample(in.Type)
	}
	path := in.Path
	if path == "" {
		path = in.Name
	}
	raw := typing.SchemaAt(l.op, l.op.Input, strings.Split(path, "."))
	value := typing.Example(l.op, raw)
	switch rawjson.KindOf(value) {
	case rawjson.KindArray:
		for element := range rawjson.Elements(value) {
			return typing.PlainText(element)
		}
		return typedSample(strings.TrimPrefix(in.Type, "list of "))
	case rawjson.KindNull:
		return typedSample(in.Type)
	}
	return typing.PlainText(value)
}

func typedSample(kind string) string {
	switch {
	case strings.Contains(kind, "integer"), strings.Contains(kind, "number"):
		return "1"
	case kind == "boolean":
		return "true"
	case kind == "duration":
		return "30s"
	}
	return "value"
}

func (l *line) asksHelp() bool {
	_, help := l.flags["--help"]
	_, short := l.flags["-h"]
	return help || short
}

// inline tells JSON on the line: shells corrupt it, a heredoc does not.
func (l *line) inline(name string, value shelltext.Word) {
	text := value.Text
	if name == "--set" {
		_, text, _ = strings.Cut(text, "=")
	}
	text = strings.TrimSpace(text)
	isJSON := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[{") || strings.HasPrefix(text, "[[")
	if isJSON && l.op != nil && name != "--jq" && name != "--want-jq" && len(text) > 2 {
		l.add(value, guide.InlineJSON, name+" is given JSON on the line, which shells corrupt", "--data - <<'EOF'")
	}
}

// own checks the line of a command that is no operation, or one that asks for help.
func (l *line) own() {
	if err := l.Lines.Check(l.argv); err != nil && !l.more {
		l.fault(err)
	}
	words := l.command.Words(l.Tree.Program)
	switch strings.Join(words, " ") {
	case "guides read", "self guides read", "read-guides":
		for _, w := range l.operandWords() {
			if !w.Hole && l.Guides.Find(w.Text) == nil {
				fault := l.Guides.Unknown(w.Text)
				l.add(w, guide.UnknownGuide, fault.Message, strings.Join(fault.Try, " "))
			}
		}
	case "schema", "self schema":
		if operands := l.operandWords(); len(operands) > 0 && !operands[0].Hole {
			l.id(operands[0])
		}
	}
}

func (l *line) operandWords() []shelltext.Word {
	var list []shelltext.Word
	for i := l.lead + 1; i < len(l.call.Words); i++ {
		w := l.call.Words[i]
		if strings.HasPrefix(w.Text, "-") {
			if name, _, has := strings.Cut(w.Text, "="); !has && !l.isSwitch(name) {
				i++
			}
			continue
		}
		list = append(list, w)
	}
	return list
}

// id checks the name of an operation.
func (l *line) id(w shelltext.Word) {
	if op, _, err := l.Catalog.Find(w.Text); err == nil && op == nil && !shelltext.IsElision(w.Text) {
		l.add(w, guide.UnknownOperation, fmt.Sprintf("there is no operation %q", w.Text), l.nearest(w.Text))
	}
}

// operation checks the line of an operation: the line itself, its body, and what is read of its answer.
func (l *line) operation() {
	if l.op == nil {
		return
	}
	l.driven()
	call, err := l.parse()
	switch {
	case err != nil:
		l.fault(err)
	case !l.unread && !l.more && !l.call.Open:
		l.body(call.Arguments)
	}
	if call.Operation != "" {
		l.answer(call.Projection)
	}
}

// driven checks the flags that fill an input of the far side in its type.
func (l *line) driven() {
	for name, value := range l.values {
		in := l.command.Input(name)
		if in == nil || !in.Driven || in.Type != "integer" || value.Hole {
			continue
		}
		if value.Text == "" || strings.Trim(value.Text, "0123456789") != "" {
			l.add(value, guide.BadValue, fmt.Sprintf("%s takes an integer, not %q", name, value.Text), "")
		}
	}
}

var errUnseen = errors.New("not seen")

// parse reads the line. What it would read from where nothing can be seen is taken to fit.
func (l *line) parse() (twodoor.Call, error) {
	if l.more || l.call.Open {
		l.unread = true
	}
	stdin := io.Reader(strings.NewReader(""))
	if l.call.Stdin != nil {
		stdin = strings.NewReader(l.withoutHoles(*l.call.Stdin))
	}
	missed := false
	open := func(name string) ([]byte, error) {
		if text, ok := l.files[name]; ok {
			return []byte(l.withoutHoles(text)), nil
		}
		if l.Open != nil && !strings.ContainsAny(name, "<$") {
			if text, err := l.Open(name); err == nil {
				return text, nil
			}
		}
		missed = true
		return nil, errUnseen
	}
	needs := l.readsStdin()
	if needs && l.call.Stdin == nil {
		if !l.call.Piped && l.call.Fenced {
			l.add(l.call.Words[0], guide.BadBody, "the line reads stdin, and nothing is given there", "<<'EOF'")
		}
		l.unread = true
	}
	call, err := l.Lines.Parse(l.argv, stdin, open)
	if missed || l.unread {
		l.unread = true
		return call, l.withoutReading(err)
	}
	return call, err
}

// withoutReading is what is wrong with a line whose body cannot be seen. Where more may stand, nothing
// is missing.
func (l *line) withoutReading(err error) error {
	if err == nil {
		return nil
	}
	argv := l.argv
	if _, given := l.flags["--data"]; (l.more || l.call.Open) && !given {
		argv = append(argv[:len(argv):len(argv)], "--data", "@file")
	}
	return l.Lines.Check(argv)
}

// readsStdin reports whether a value of the line is taken from stdin.
func (l *line) readsStdin() bool {
	for _, value := range l.values {
		if value.Text == "-" {
			return true
		}
	}
	return false
}

// withoutHoles puts values that fit into the placeholders of a body, as far as it is JSON.
func (l *line) withoutHoles(text string) string {
	raw := []byte(strings.TrimSpace(text))
	if l.op == nil || !bytes.ContainsAny(raw, "<…") && !bytes.Contains(raw, []byte("...")) || rawjson.Check(raw) != nil {
		return text
	}
	root := l.op.Input
	if l.op.Opened != "" {
		if _, whole := rawjson.Get(raw, l.op.Opened); !whole {
			root = typing.SchemaAt(l.op, root, []string{l.op.Opened})
		}
	}
	return string(fill(l.op, root, raw))
}

// fill puts values that fit into the strings of a value that are placeholders.
func fill(op *twodoor.Operation, raw, value json.RawMessage) json.RawMessage {
	switch rawjson.KindOf(value) {
	case rawjson.KindString:
		if text, _ := rawjson.String(value); shelltext.IsHole(text) {
			return typing.Example(op, raw)
		}
	case rawjson.KindObject:
		return rawjson.Rewrite(value, func(key []byte, _ int, member []byte) []byte {
			name, _ := rawjson.String(key)
			return fill(op, typing.SchemaAt(op, raw, []string{name}), member)
		})
	case rawjson.KindArray:
		return rawjson.Rewrite(value, func(_ []byte, _ int, element []byte) []byte {
			return fill(op, typing.SchemaAt(op, raw, []string{"0"}), element)
		})
	}
	return value
}
