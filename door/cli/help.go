package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Budgets of help, in estimated tokens: what an agent pays for looking around.
const (
	levelBudget = 1000 // groups of a source
	verbBudget  = 1500 // verbs of a group
	helpBudget  = 1500 // one command
)

// fit is the first text that weighs no more than the budget, else the last one.
func fit(budget int, texts ...func() string) string {
	var text string
	for _, make := range texts {
		if text = make(); rawjson.Weigh([]byte(text)) <= budget {
			return text
		}
	}
	return text
}

// level answers a line that ends above the operations: with help where it is asked for, else with the
// same text as the fault it is.
func (r *run) level(to target) error {
	if err := r.takeOptions(to.rest); err != nil {
		return err
	}
	if r.opts.version {
		return r.printVersion()
	}
	if r.door.Engine.Profile(r.profile()) == nil {
		return &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no profile %q", r.profile())}
	}
	command := r.door.command(to.id)
	if to.id == "" {
		command = r.door.name()
	}
	switch {
	case r.opts.help:
		return r.printText(r.levelHelp(to.id, ""))
	case r.opts.asked && r.isJSON():
		fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: command + " needs one more word", Hint: "see " + command + " --help"}
		for _, name := range r.levelNames(to.id) {
			if len(fault.Try) < 20 {
				fault.Try = append(fault.Try, command+" "+name)
			}
		}
		return fault
	}
	fmt.Fprint(r.door.Stderr, Printable(r.levelHelp(to.id, "")))
	return Exit(twodoor.CodeInvalid.Exit())
}

// takeOptions reads the flags of a line that addresses no operation.
func (r *run) takeOptions(argv []string) error {
	for i := 0; i < len(argv); i++ {
		if !args.IsFlag(argv[i]) || argv[i] == "--" {
			continue
		}
		opt, text, used := args.Leading(argv[i:])
		if opt == nil {
			name, _, _ := strings.Cut(argv[i], "=")
			fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: "unknown flag " + name, Hint: "flags of a command come after its words"}
			for _, near := range rawjson.Nearest((&args.Inputs{}).Flags(), strings.TrimLeft(name, "-"), 2) {
				fault.Try = append(fault.Try, "--"+near)
			}
			return fault
		}
		if err := r.opts.set(opt, text); err != nil {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "--" + opt.Name + " " + err.Error()}
		}
		i += used - 1
	}
	return nil
}

func (r *run) printVersion() error {
	return r.printText(r.door.name() + " " + wordOr(r.door.Version, "(unknown version)") + "\n")
}

func (r *run) printText(text string) error {
	_, err := fmt.Fprint(r.stdout(), Printable(text))
	return err
}

// node is a word that may follow at a level.
type node struct {
	word  string
	title string
	count int // operations below it; 0: it is an operation
	mark  string
}

// nodes lists the words below an id, in order; those that begin with a word, where one is given.
func (r *run) nodes(id, begin string) []node {
	prefix := id
	if id != "" {
		prefix += "."
	}
	groups := r.groupTitles(id)
	var list []node
	for _, entry := range r.door.Engine.Catalog().Below(prefix + begin) {
		word, deeper, isGroup := strings.Cut(entry.ID[len(prefix):], ".")
		if !r.shows(entry) {
			continue
		}
		if len(list) == 0 || list[len(list)-1].word != word {
			list = append(list, node{word: word})
		}
		last := &list[len(list)-1]
		switch {
		case !isGroup:
			last.title, last.mark = entry.Title, markOf(entry)
		case deeper != "":
			last.count++
			if last.title == "" {
				last.title = groups[word]
			}
		}
	}
	return list
}

func markOf(entry twodoor.Entry) string {
	switch {
	case entry.Deprecated:
		return " [deprecated]"
	case entry.Effect == twodoor.Destroys:
		return " [destroys]"
	}
	return ""
}

// groupTitles are what the description says of a source's groups; at the root, of the sources.
func (r *run) groupTitles(id string) map[string]string {
	titles := map[string]string{}
	for _, source := range r.door.Engine.Catalog().Sources() {
		if id == "" {
			titles[source.Name] = wordOr(source.Title, source.Description)
		} else if source.Name == id {
			return source.Groups
		}
	}
	return titles
}

// levelHelp tells the words that follow at a level, within its budget.
func (r *run) levelHelp(id, begin string) string {
	list := r.nodes(id, begin)
	budget := verbBudget
	if slices.ContainsFunc(list, func(n node) bool { return n.count > 0 }) {
		budget = levelBudget
	}
	head, foot := r.levelHead(id, list), r.levelFoot(id, list)
	own := ""
	if id == r.door.Brand && begin == "" {
		own = r.ownList()
	}
	render := func(body func() string) func() string {
		return func() string { return head + body() + own + foot }
	}
	return fit(budget+rawjson.Weigh([]byte(own)),
		render(func() string { return lines(list, 90) }),
		render(func() string { return lines(list, 45) }),
		render(func() string { return lines(list, 0) }),
		render(func() string { return byFirstWord(list) }),
		render(func() string { return firstWords(list) }),
		render(func() string { return countOf(list) }),
	)
}

func (r *run) levelHead(id string, list []node) string {
	command := r.door.command(id)
	if len(r.door.wordsOf(id)) == 0 {
		command = r.door.name()
	}
	for _, source := range r.door.Engine.Catalog().Sources() {
		if source.Name == id && source.Title != "" {
			return oneLine(strings.TrimSpace(source.Title+" "+source.Version), 120) + "\n\nUsage: " + command + " " + wordsBelow(id, list) + " [flags]\n\n"
		}
	}
	return "Usage: " + command + " " + wordsBelow(id, list) + " [flags]\n\n"
}

// wordsBelow are the words that a line still needs. Below some sources no groups stand.
func wordsBelow(id string, list []node) string {
	switch groups := slices.ContainsFunc(list, func(n node) bool { return n.count > 0 }); {
	case id == "":
		return "SOURCE GROUP VERB"
	case strings.Contains(id, "."), len(list) > 0 && !groups:
		return "VERB"
	}
	return "GROUP VERB"
}

func (r *run) levelFoot(id string, list []node) string {
	name := r.door.name()
	switch {
	case len(list) > 0:
	case id == "" && !slices.ContainsFunc(r.door.Engine.Catalog().Sources(), func(s twodoor.SourceInfo) bool { return s.Name != twodoor.OwnSource }):
		return "" // nothing is hidden: there is nothing yet
	default:
		return "Nothing is shown here in this profile.\n"
	}
	command := name
	if words := r.door.wordsOf(id); len(words) > 0 {
		command += " " + strings.Join(words, " ")
	}
	foot := fmt.Sprintf("\nMore: %s %s --help", command, levelWord(id, list))
	if r.door.ownCommand("find") != nil {
		foot += fmt.Sprintf(". By what it does: %s find WORDS", name)
	}
	return foot + "\n"
}

func levelWord(id string, list []node) string {
	switch {
	case id == "":
		return "SOURCE"
	case list[0].count > 0:
		return "GROUP"
	}
	return "VERB"
}

// lines tells a word on each line, with its title cut to a length.
func lines(list []node, title int) string {
	var out strings.Builder
	for _, n := range list {
		out.WriteString("  " + n.word)
		if n.count > 0 {
			fmt.Fprintf(&out, " (%d)", n.count)
		}
		if title > 0 && n.title != "" {
			out.WriteString("  " + oneLine(unlinked(n.title), title))
		}
		out.WriteString(n.mark + "\n")
	}
	return out.String()
}

// byFirstWord tells the words alone, those that begin alike on one line.
func byFirstWord(list []node) string {
	var out strings.Builder
	last := ""
	for _, n := range list {
		first, _, _ := strings.Cut(n.word, "-")
		switch {
		case first != last && last != "":
			out.WriteString("\n  ")
		case last == "":
			out.WriteString("  ")
		default:
			out.WriteString(" ")
		}
		last = first
		out.WriteString(n.word)
	}
	return out.String() + "\n"
}

// firstWords tells only how the words begin, and how many begin so.
func firstWords(list []node) string {
	var words []string
	counts := map[string]int{}
	for _, n := range list {
		first, _, _ := strings.Cut(n.word, "-")
		if counts[first]++; counts[first] == 1 {
			words = append(words, first)
		}
	}
	var out strings.Builder
	out.WriteString(" ")
	for _, word := range words {
		out.WriteString(" " + word)
		if counts[word] > 1 {
			fmt.Fprintf(&out, "-…(%d)", counts[word])
		}
	}
	return out.String() + "\nThe rest of a word: add how it begins and --help\n"
}

// countOf tells of a level with more words than can be told how many there are.
func countOf(list []node) string {
	return fmt.Sprintf("  %d words, from %s to %s\nThe rest of a word: add how it begins and --help\n", len(list), list[0].word, list[len(list)-1].word)
}

// helpOfWord is the help of the words of a level that begin with the last word of the line.
func (r *run) helpOfWord(to target, words []string) (bool, error) {
	at := len(r.door.wordsOf(to.id))
	if len(words) != at+1 || len(r.nodes(to.id, words[at])) == 0 {
		return false, nil
	}
	return true, r.printText(r.levelHelp(to.id, words[at]))
}

// ownList tells the own commands.
func (r *run) ownList() string {
	var out strings.Builder
	for _, c := range r.door.ownCommands() {
		if !c.Hidden {
			fmt.Fprintf(&out, "  %s  %s\n", c.Name, oneLine(c.Short, 70))
		}
	}
	return "\nCommands:\n" + out.String()
}

// printHelp tells of one operation: as data where JSON is asked for, else as text within its budget.
func (r *run) printHelp(op *twodoor.Operation) error {
	card := r.door.Card(op)
	if r.opts.onLine && r.opts.output != "table" && r.opts.output != "md" && r.opts.output != "raw" {
		return (&Invocation{Stdout: r.door.Stdout, run: r}).Print(card)
	}
	if r.door.ownCommand("guides") == nil {
		card.Guides = nil
	}
	return r.printText(card.help(r.door.name()))
}

// terms are how much a help tells.
type terms struct {
	description, required, optional int // characters of descriptions
	nested                          int // levels of nested inputs
	shape                           int // characters of the answer's shape
	names                           int // optional inputs told by name alone, at most; 0: told in full
}

// help is the card as text, as much of it as fits.
func (c Card) help(name string) string {
	at := func(t terms) func() string { return func() string { return c.text(name, t) } }
	return fit(helpBudget,
		at(terms{description: 2000, required: 300, optional: 200, nested: 3, shape: 1200}),
		at(terms{description: 1000, required: 160, optional: 100, nested: 2, shape: 800}),
		at(terms{description: 500, required: 100, optional: 50, nested: 1, shape: 400}),
		at(terms{description: 300, required: 80, optional: 0, nested: 1, shape: 300}),
		at(terms{description: 300, required: 60, optional: 0, nested: 0, shape: 300, names: 120}),
		at(terms{description: 200, required: 0, optional: 0, nested: 0, shape: 200, names: 50}),
		at(terms{description: 200, required: 0, optional: 0, nested: 0, shape: 0, names: 20}),
	)
}

func (c Card) text(name string, t terms) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	if c.Title != "" {
		line("%s\n", oneLine(unlinked(c.Title), 200))
	}
	line("Usage: %s", c.Usage)
	line("%s", c.facts())
	if c.Deprecated != "" {
		line("Deprecated: %s", oneLine(c.Deprecated, 200))
	}
	if text := oneLine(unlinked(c.Description), t.description); text != "" && text != oneLine(unlinked(c.Title), t.description) {
		line("\n%s", text)
	}
	line("\nExample:\n  %s", cutLine(c.Example, 600))
	c.inputs(&out, t)
	for _, says := range c.Combinations {
		line("Together: %s", says)
	}
	c.answer(&out, t)
	line("\nAlways: %s", c.always())
	if len(c.Guides) > 0 {
		line("Guide: %s guides read %s", name, strings.Join(c.Guides, " "))
	}
	line("More: %s schema %s", name, c.ID)
	return out.String()
}

// always are the options worth telling, spelled as they are where a field has taken their name.
func (c Card) always() string {
	taken := map[string]bool{}
	for _, in := range c.Inputs {
		taken[strings.TrimPrefix(in.Flag, "--")] = !in.Driven
	}
	text := "-o json|table|csv|…"
	for _, name := range [...]string{"fields", "jq", "limit", "page", "all", "summary", "budget", "data @FILE|-", "set a.b=text|a.b:=JSON", "field-file", "dry-run", "yes", "out", "timeout", "quiet"} {
		if taken[name] {
			name = args.WantPrefix + name
		}
		text += " --" + name
	}
	return text
}

// facts are where the operation leads and what it does there.
func (c Card) facts() string {
	facts := []string{}
	if c.Origin != "" {
		facts = append(facts, c.Origin)
	}
	facts = append(facts, string(c.Effect))
	if c.Idempotent {
		facts = append(facts, "safe to repeat")
	}
	if c.Effect == twodoor.Destroys {
		facts = append(facts, "needs --yes off a terminal")
	}
	if c.Permission != "" {
		facts = append(facts, "permission "+c.Permission)
	}
	return strings.Join(facts, "; ")
}

func (c Card) inputs(out *strings.Builder, t terms) {
	if len(c.Inputs) == 0 {
		fmt.Fprint(out, "\nIt takes no input.\n")
		return
	}
	fmt.Fprint(out, "\nInputs:\n")
	var names []string
	times := false
	for _, in := range c.Inputs {
		times = times || in.Type == "time"
		if t.names > 0 && in.rank() == 2 {
			names = append(names, wordOr(in.Flag, in.Path))
			continue
		}
		in.tell(out, t, 1)
	}
	if len(names) > 0 {
		more := ""
		if len(names) > t.names {
			more = fmt.Sprintf(" and %d more", len(names)-t.names)
			names = names[:t.names]
		}
		fmt.Fprintf(out, "  optional: %s%s\n", strings.Join(names, " "), more)
	}
	if times {
		fmt.Fprintf(out, "A time is 24h (ago), +7d (ahead), now, 2026-01-31, an RFC 3339 time, seconds or milliseconds.\n")
	}
}

// tell writes an input on a line: "--note (string, required, at most 80 characters): what it is".
func (in Input) tell(out *strings.Builder, t terms, depth int) {
	name := wordOr(in.Flag, in.Path)
	nested := in.Flag == "" && depth == 1
	if depth > 1 {
		name = in.Name
	}
	if in.Position != "" {
		name = in.Position + " or " + name
	}
	facts := []string{in.Type}
	if in.Required {
		facts = append(facts, "required")
	}
	if len(in.Default) > 0 {
		facts = append(facts, "default "+oneLine(string(in.Default), 40))
	}
	if in.Bounds != "" {
		facts = append(facts, in.Bounds)
	}
	if nested {
		facts = append(facts, "by --set "+in.Path+".… or --data")
	}
	fmt.Fprintf(out, "%s%s (%s)", strings.Repeat("  ", depth), name, strings.Join(facts, ", "))
	most := t.optional
	if in.Required {
		most = t.required
	}
	if text := oneLine(unlinked(in.Description), most); most > 0 && text != "" {
		fmt.Fprintf(out, ": %s", text)
	}
	out.WriteByte('\n')
	if depth <= t.nested {
		for _, field := range in.Fields {
			field.tell(out, t, depth+1)
		}
	}
}

func (c Card) answer(out *strings.Builder, t terms) {
	a := c.Answer
	if a == nil {
		return
	}
	if a.Shape != "" {
		fmt.Fprintf(out, "\nAnswer, jq root %s", a.Root)
		if t.shape > 0 {
			fmt.Fprintf(out, ": %s", cutLine(a.Shape, t.shape))
		}
		out.WriteByte('\n')
	}
	if a.Meaning != "" {
		fmt.Fprintf(out, "Meaning: %s\n", oneLine(a.Meaning, 300))
	}
	if a.Empty != "" {
		fmt.Fprintf(out, "Empty: %s\n", oneLine(a.Empty, 200))
	}
}

// cutLine cuts a line at a length in bytes, at a space.
func cutLine(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.ToValidUTF8(text[:most], "")
	if at := strings.LastIndexByte(cut, ' '); at > most/2 {
		cut = cut[:at]
	}
	return cut + " …"
}

// ownHelp tells of an own command.
func (r *run) ownHelp(cc *cobra.Command, c Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\nUsage: %s\n", c.Short, strings.TrimSpace(cc.CommandPath()+" "+ownUsage(c)))
	if c.Long != "" {
		fmt.Fprintf(&out, "\n%s\n", c.Long)
	}
	if c.Example != "" {
		fmt.Fprintf(&out, "\nExample:\n  %s\n", strings.ReplaceAll(c.Example, "\n", "\n  "))
	}
	if len(c.Commands) > 0 {
		out.WriteString("\nCommands:\n")
		for _, sub := range c.Commands {
			if !sub.Hidden {
				fmt.Fprintf(&out, "  %s  %s\n", strings.TrimSpace(sub.Name+" "+sub.Args), sub.Short)
			}
		}
	}
	if c.Raw {
		return out.String()
	}
	if len(c.Flags) > 0 {
		out.WriteString("\nFlags:\n")
	}
	for _, f := range c.Flags {
		if !f.Hidden {
			f.input().tell(&out, terms{optional: 300}, 1)
		}
	}
	var common []string
	cc.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations["common"]; ok {
			common = append(common, "--"+f.Name)
		}
	})
	fmt.Fprintf(&out, "\nAlways: %s\n", strings.Join(common, " "))
	return out.String()
}

func ownUsage(c Command) string {
	if c.Run == nil {
		return "COMMAND"
	}
	return c.Args
}
