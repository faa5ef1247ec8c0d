package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twodoor/twodoor"
)

// Page is a manual page in the language of man(7).
type Page struct {
	Name string // of its file: "twodoor-guides-read.1"
	Text string
}

// ManPages are the pages of the program and of its own commands. Operations have none: their help is
// made from the catalog that is there when it is read. Equal programs have equal pages.
func (in *Invocation) ManPages() []Page {
	var pages []Page
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		pages = append(pages, in.run.manPage(c))
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(in.run.manRoot())
	return pages
}

// ManPage is the page of the own command that words lead to; of the program where there are none.
func (in *Invocation) ManPage(words []string) (Page, error) {
	command, rest, err := in.run.manRoot().Find(words)
	if err != nil || len(rest) > 0 {
		return Page{}, &twodoor.Error{
			Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no own command %q", strings.Join(words, " ")),
			Hint: "operations have their manual in --help; own commands are listed by: " + in.run.door.name() + " --help",
		}
	}
	return in.run.manPage(command), nil
}

func (r *run) manRoot() *cobra.Command {
	name := r.door.name()
	root := r.root(r.door.ownCommands()...)
	root.Short = "every door to one catalog of operations"
	root.Long = name + " compiles descriptions of APIs into one catalog of operations, and serves it as commands, over MCP and over REST. " +
		"Every operation is a command: " + name + " SOURCE GROUP VERB. What each takes and answers stands in its --help."
	return root
}

func (r *run) manPage(c *cobra.Command) Page {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	p := &roff{}
	p.line(".TH %s 1 \"\" %s", quoted(strings.ToUpper(name)), quoted(r.door.name()+" "+r.door.Version))
	p.section("NAME")
	p.text(name + " - " + c.Short)
	p.section("SYNOPSIS")
	p.line(".B %s", roffText(c.UseLine()))
	p.section("DESCRIPTION")
	p.text(wordOr(c.Long, c.Short))
	p.flags("OPTIONS", c, func(f *pflag.Flag) bool { return f.Annotations["common"] == nil })
	p.flags("COMMON OPTIONS", c, func(f *pflag.Flag) bool { return f.Annotations["common"] != nil })
	if c.Example != "" {
		p.section("EXAMPLE")
		p.line(".nf\n%s\n.fi", roffText(c.Example))
	}
	p.related(c)
	return Page{Name: name + ".1", Text: p.String()}
}

// roff writes a page.
type roff struct{ strings.Builder }

func (p *roff) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }
func (p *roff) section(title string)            { p.line(".SH %s", title) }

func (p *roff) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		p.line("%s", roffText(paragraph))
	}
}

func (p *roff) flags(title string, c *cobra.Command, wanted func(*pflag.Flag) bool) {
	begun := false
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || !wanted(f) {
			return
		}
		if !begun {
			p.section(title)
			begun = true
		}
		p.line(".TP\n.B %s", roffText(flagLine(f)))
		p.line("%s", roffText(f.Usage))
	})
}

// flagLine is how a flag is written: "-o, --output MODE".
func flagLine(f *pflag.Flag) string {
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	if f.NoOptDefVal != "" {
		return text
	}
	switch takes := f.Value.Type(); takes {
	case "string", "stringArray", "":
		return text + " VALUE"
	case "int":
		return text + " N"
	case "duration":
		return text + " TIME"
	default:
		return text + " " + takes
	}
}

// related names the pages above and below.
func (p *roff) related(c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, c.Parent().CommandPath())
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.CommandPath())
		}
	}
	if len(names) == 0 {
		return
	}
	p.section("SEE ALSO")
	for i, name := range names {
		end := ","
		if i == len(names)-1 {
			end = ""
		}
		p.line(".BR %s (1)%s", roffText(strings.ReplaceAll(name, " ", "-")), end)
	}
}

// roffText keeps a text from being read as instructions: a backslash, a dash that is one, a dot or quote
// at the beginning of a line, and what is not ASCII (groff_man_style(7), "Portability").
func roffText(text string) string {
	var b strings.Builder
	for _, c := range Printable(text) {
		switch {
		case c == '\\':
			b.WriteString(`\e`)
		case c == '-':
			b.WriteString(`\-`)
		case c > '~':
			fmt.Fprintf(&b, `\[u%04X]`, c)
		default:
			b.WriteRune(c)
		}
	}
	text = b.String()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func quoted(text string) string { return `"` + strings.ReplaceAll(roffText(text), `"`, `\(dq`) + `"` }
