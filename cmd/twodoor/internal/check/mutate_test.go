package check

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/cards"
)

// mutant is a text with one example broken.
type mutant struct {
	file  string
	text  string
	line  int // of the example, from 1
	what  string
	kinds []guide.Mistake // any of which is right
}

// example is a call of the program in a text: its first line and, where there is one, its heredoc.
type example struct {
	file    string
	text    string
	line    int // from 0
	rows    []string
	command *guide.Command
}

var examplePattern = regexp.MustCompile(`^(?:LOG=\$\()?twodoor (harbor [a-z-]+ [a-z-]+)`)

// examplesOf finds the calls of operations in fenced blocks.
func examplesOf(b *bench, file, text string) []example {
	byWords := map[string]*guide.Command{}
	for i := range b.tree.Commands {
		byWords[b.tree.Commands[i].Command] = &b.tree.Commands[i]
	}
	rows := strings.Split(text, "\n")
	var list []example
	for i, row := range rows {
		m := examplePattern.FindStringSubmatch(row)
		if m == nil || byWords["twodoor "+m[1]] == nil {
			continue
		}
		e := example{file, text, i, []string{row}, byWords["twodoor "+m[1]]}
		if strings.HasSuffix(row, "<<'EOF'") {
			for n := i + 1; n < len(rows) && rows[n] != "EOF"; n++ {
				e.rows = append(e.rows, rows[n])
			}
		}
		list = append(list, e)
	}
	return list
}

// with is the text with another first line, and perhaps another body.
func (e example) with(what string, row string, body []string, kinds ...guide.Mistake) mutant {
	rows := strings.Split(e.text, "\n")
	rows[e.line] = row
	copy(rows[e.line+1:], body)
	return mutant{e.file, strings.Join(rows, "\n"), e.line + 1, what, kinds}
}

// mutants breaks an example in every way that applies to it.
func (b *bench) mutants(e example) (list []mutant) {
	row, c := e.rows[0], e.command
	verb := c.Command[strings.LastIndexByte(c.Command, ' ')+1:]
	add := func(what, changed string, kinds ...guide.Mistake) {
		if changed != row {
			list = append(list, e.with(what, changed, nil, kinds...))
		}
	}
	command, rest, _ := strings.Cut(row, " "+verb)
	add("wrong verb", command+" "+verb+"x"+rest, guide.UnknownCommand)
	add("wrong group", strings.Replace(row, " harbor ", " harbor x", 1), guide.UnknownCommand)
	add("wrong source", strings.Replace(row, " harbor ", " habor ", 1), guide.UnknownCommand)
	add("wrong flag", after(row, command+" "+verb, " --no-such-flag 1"), guide.UnknownFlag)
	add("broken quote", row+" 'open", guide.BadShell)
	add("inline JSON", after(row, command+" "+verb, ` --data '{"x":{"y":1}}'`), guide.InlineJSON)
	add("placeholder for a flag", after(row, command+" "+verb, " --<flag> 1"), guide.Placeholder)
	add("wrong mode", after(row, command+" "+verb, " -o xml"), guide.BadValue)
	if !takesMany(c) {
		add("too many operands", after(row, command+" "+verb, strings.Repeat(" inc_1", operandsOf(c)+1)), guide.ExtraOperand)
	}
	list = append(list, b.flagMutants(e)...)
	list = append(list, b.bodyMutants(e)...)
	list = append(list, b.answerMutants(e)...)
	return append(list, b.toolMutants(e)...)
}

func after(row, front, more string) string { return strings.Replace(row, front, front+more, 1) }

func takesMany(c *guide.Command) bool {
	return slices.ContainsFunc(c.Inputs, func(in guide.Input) bool { return strings.HasSuffix(in.Position, "...") })
}

func operandsOf(c *guide.Command) (n int) {
	for _, in := range c.Inputs {
		if in.Position != "" {
			n++
		}
	}
	return n
}

// flagMutants breaks the values of flags, and takes out what is required.
func (b *bench) flagMutants(e example) (list []mutant) {
	row := e.rows[0]
	for _, in := range e.command.Inputs {
		if in.Flag == "" {
			continue
		}
		value := regexp.MustCompile(" " + in.Flag + `[ =]('[^']*'|\S+)`)
		set := func(text string) string {
			if value.MatchString(row) {
				return value.ReplaceAllString(row, " "+in.Flag+" "+text)
			}
			return after(row, e.command.Command, " "+in.Flag+" "+text)
		}
		switch {
		case len(in.Enum) > 0:
			list = append(list, e.with("wrong enum "+in.Flag, set("nosuchvalue"), nil, guide.BadEnum))
		case in.Type == "integer" || in.Type == "number" || in.Type == "boolean":
			list = append(list, e.with("wrong type "+in.Flag, set("abc"), nil, guide.BadValue, guide.ExtraOperand))
		case in.Type == "time":
			list = append(list, e.with("wrong time "+in.Flag, set("sometime"), nil, guide.BadValue))
		}
		if in.Required && value.MatchString(row) {
			list = append(list, e.with("without "+in.Flag, value.ReplaceAllString(row, ""), nil, guide.MissingRequired))
			list = append(list, e.with("misspelled "+in.Flag, strings.Replace(row, in.Flag, in.Flag+"x", 1), nil, guide.UnknownFlag, guide.MissingRequired))
		}
	}
	if operand := regexp.MustCompile(`^((?:LOG=\$\()?` + e.command.Command + `) (?:<[^>]+>|[a-z0-9_]+|"\$LOG")`); operandsOf(e.command) == 1 && !takesMany(e.command) && operand.MatchString(row) {
		list = append(list, e.with("without its operand", operand.ReplaceAllString(row, "$1"), nil, guide.MissingRequired))
	}
	return list
}

// bodyMutants breaks the heredoc.
func (b *bench) bodyMutants(e example) (list []mutant) {
	if len(e.rows) < 2 {
		return nil
	}
	body := strings.Join(e.rows[1:], "\n")
	key := regexp.MustCompile(`"([a-z_]+)":`)
	for _, m := range key.FindAllStringSubmatchIndex(body, -1) {
		name := body[m[2]:m[3]]
		changed := body[:m[3]] + "x" + body[m[3]:]
		list = append(list, e.with("wrong field "+name, e.rows[0], strings.Split(changed, "\n"), guide.UnknownField, guide.BadBody, guide.BadEnum, guide.MissingRequired))
	}
	broken := strings.TrimRight(body, "}\n ")
	rows := append(strings.Split(broken, "\n"), make([]string, strings.Count(body, "\n")-strings.Count(broken, "\n"))...)
	return append(list, e.with("broken body", e.rows[0], rows, guide.BadBody, guide.BadValue))
}

// answerMutants reads from the answer what is not there.
func (b *bench) answerMutants(e example) (list []mutant) {
	a := e.command.Answer
	if a == nil || a.Shape == "" || strings.Contains(e.rows[0], "|") || strings.Contains(e.rows[0], "--jq") || strings.Contains(e.rows[0], "--fields") {
		return nil
	}
	ask := func(what, flags string, kinds ...guide.Mistake) {
		list = append(list, e.with(what, after(e.rows[0], e.command.Command, flags), nil, kinds...))
	}
	ask("wrong jq root", " --jq '.itemz[].id'", guide.BadJQ)
	ask("wrong field of a record", " --jq '"+a.Root+".no_such'", guide.BadJQ)
	ask("jq that does not parse", " --jq '"+a.Root+" | ['", guide.BadJQ)
	fields := " --fields"
	if slices.ContainsFunc(e.command.Inputs, func(in guide.Input) bool { return in.Name == "fields" }) {
		fields = " --want-fields"
	}
	ask("unknown field", fields+" no_such", guide.UnknownField)
	if strings.HasSuffix(a.Root, "[]") && a.Root != ".[]" {
		ask("list where there is an object", " --jq '.[].id'", guide.BadJQ)
		ask("index of an object", " --jq '.[0]'", guide.BadJQ)
	}
	if len(e.rows) == 1 {
		list = append(list, e.with("wrong jq after a pipe", e.rows[0]+" -o json | jq '.itemz[]'", nil, guide.BadJQ))
	}
	return list
}

// toolMutants writes the example as a call of the tool, and breaks that.
func (b *bench) toolMutants(e example) (list []mutant) {
	op, _, err := b.catalog.Find(e.command.ID)
	if err != nil || op == nil || len(op.Examples) == 0 {
		return nil
	}
	tool, args := op.Spelling().MCP, string(rawjson.Compact(nil, op.Examples[0].Arguments))
	call := func(name, args string) string {
		return e.text + "\n```json\n{\"name\":\"" + name + "\",\"arguments\":" + args + "}\n```\n"
	}
	line := strings.Count(e.text, "\n") + 3 // after the blank line and the fence
	add := func(what, text string, kinds ...guide.Mistake) {
		list = append(list, mutant{e.file, text, line, what, kinds})
	}
	add("right tool call", call(tool, args))
	add("unknown tool", call(tool+"x", args), guide.UnknownTool)
	add("unknown argument", call(tool, string(rawjson.Set([]byte(args), "no_such", []byte("1")))), guide.UnknownField, guide.BadBody)
	add("unknown key of _want", call(tool, string(rawjson.Set([]byte(args), twodoor.WantKey, []byte(`{"feilds":["id"]}`)))), guide.UnknownField)
	for _, in := range e.command.Inputs {
		if _, given := rawjson.Get([]byte(args), in.Name); in.Required && given {
			add("tool without "+in.Name, call(tool, string(rawjson.Delete([]byte(args), in.Name))), guide.BadBody)
		}
	}
	return list
}

// wordMutants breaks the names of guides and operations in a text.
func wordMutants(file, text string) (list []mutant) {
	rows := strings.Split(text, "\n")
	change := func(i int, what, row string, kinds ...guide.Mistake) {
		changed := slices.Clone(rows)
		changed[i] = row
		list = append(list, mutant{file, strings.Join(changed, "\n"), i + 1, what, kinds})
	}
	reference := regexp.MustCompile("`([a-z]+\\.[a-z-]+)`")
	for i, row := range rows {
		if at := strings.Index(row, "guides read "); at >= 0 {
			change(i, "unknown guide", row[:at+12]+"x"+row[at+12:], guide.UnknownGuide)
		}
		for _, m := range reference.FindAllStringSubmatchIndex(row, -1) {
			change(i, "unknown operation", row[:m[3]]+"x"+row[m[3]:], guide.UnknownOperation)
		}
		if strings.HasPrefix(row, "```sh") {
			end := slices.Index(rows[i+1:], "```") + i + 1
			if !slices.ContainsFunc(rows[end+1:], func(row string) bool { return strings.HasPrefix(row, "```") }) {
				change(end, "unclosed fence", "", guide.UnclosedFence)
			}
		}
	}
	return list
}

// TestMutants: whatever is broken in an example of the demo's guides and cards is found, as what it is
// and where it is; what is right is not.
func TestMutants(t *testing.T) {
	b, library := demo(t)
	checker := b.checker(library)
	set := b.set(t, "harbor")
	set.Guides = library
	var all []mutant
	take := func(file, text string) {
		if findings := checker.Check(file, []byte(text)); len(findings) > 0 {
			t.Fatalf("before any change: %v", findings)
		}
		for _, e := range examplesOf(b, file, text) {
			all = append(all, b.mutants(e)...)
		}
		all = append(all, wordMutants(file, text)...)
	}
	for _, g := range library.Guides {
		raw, err := fs.ReadFile(harbor.Guides(), g.File)
		if err != nil {
			t.Fatal(err)
		}
		take(g.File, string(raw))
	}
	for _, f := range set.Generate(cards.Skill, nil) {
		take(f.Path, string(f.Text))
	}
	ways, found, right := map[string]int{}, 0, 0
	for _, m := range all {
		findings := guide.Faults(checker.Check(m.file, []byte(m.text)))
		if len(m.kinds) == 0 {
			right++
			if len(findings) > 0 {
				t.Errorf("%s:%d %s: %v", m.file, m.line, m.what, findings)
			}
			continue
		}
		way, _, _ := strings.Cut(m.what, " --")
		ways[way]++
		if hit(m, findings) {
			found++
		} else {
			t.Errorf("%s:%d %s (wanted %v): %v\n\t%s", m.file, m.line, m.what, m.kinds, findings, strings.Split(m.text, "\n")[m.line-1])
		}
	}
	t.Logf("%d of %d mutants found, in %d ways; %d right calls of tools without a finding", found, found+len(all)-found-right, len(ways), right)
	if len(all)-right < 300 {
		t.Errorf("only %d mutants", len(all)-right)
	}
}

// hit reports whether the example is told as broken in the right way, at its place.
func hit(m mutant, findings []guide.Finding) bool {
	return slices.ContainsFunc(findings, func(f guide.Finding) bool {
		here := f.Line == m.line || f.Kind == guide.BadShell || f.Kind == guide.UnclosedFence
		return here && slices.Contains(m.kinds, f.Kind)
	})
}
