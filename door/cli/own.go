package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// Command is a command that is no operation. It is data: one with Run is carried out, one with
// Commands is a group of others.
type Command struct {
	Name     string // required
	Args     string // how its operands are told: "FILE", "[NAME]", "NAME…", "[-- CMD…]"; they bound how many it takes
	Short    string // required; one line
	Long     string
	Example  string
	Flags    []Flag
	Commands []Command
	Hidden   bool
	Raw      bool // its flags are its own to read: they come as operands
	Run      func(ctx context.Context, in *Invocation) error
	Complete func(ctx context.Context, args []string, word string) []string // values of the next operand; may be nil

	operates bool // its operands are an operation's id and that operation's line
}

// Flag is a flag of a [Command].
type Flag struct {
	Name    string // required; without dashes
	Short   string // one letter
	Kind    FlagKind
	Default string
	Usage   string   // required
	Values  []string // all it takes; empty: anything
	Hidden  bool
}

// FlagKind is the type of a flag's value.
type FlagKind uint8

// The kinds of flags.
const (
	FlagText     FlagKind = iota
	FlagSwitch            // true or false
	FlagInt               // a whole number
	FlagDuration          // 30s
	FlagList              // given once for each value
)

// Invocation is a [Command] that is running.
type Invocation struct {
	Args      []string // operands, those after "--" too
	AfterDash []string // the operands after "--"
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer

	ctx   context.Context // of the run
	run   *run
	flags *pflag.FlagSet
}

// Text is the value of a FlagText.
func (in *Invocation) Text(name string) string { v, _ := in.flags.GetString(name); return v }

// Switch is the value of a FlagSwitch.
func (in *Invocation) Switch(name string) bool { v, _ := in.flags.GetBool(name); return v }

// Int is the value of a FlagInt.
func (in *Invocation) Int(name string) int { v, _ := in.flags.GetInt(name); return v }

// Duration is the value of a FlagDuration.
func (in *Invocation) Duration(name string) time.Duration {
	v, _ := in.flags.GetDuration(name)
	return v
}

// List is the value of a FlagList.
func (in *Invocation) List(name string) []string { v, _ := in.flags.GetStringArray(name); return v }

// Given reports whether the line has the flag.
func (in *Invocation) Given(name string) bool { return in.flags.Changed(name) }

// Output is the way of writing that is wanted, and whether somebody asked for it.
func (in *Invocation) Output() (mode string, asked bool) {
	return in.run.opts.output, in.run.opts.asked
}

// Profile is the profile that the line or the program names.
func (in *Invocation) Profile() string { return in.run.profile() }

// Yes reports whether the line says --yes.
func (in *Invocation) Yes() bool { return in.run.opts.yes }

// Ask asks the person at the terminal. Without one, or with --no-input, the answer is no.
func (in *Invocation) Ask(question string) bool {
	return in.run.opts.yes || in.run.asks() && Ask(in.ctx, in.Stdin, in.Stderr, question)
}

// Say writes a line to stderr, unless --quiet is given.
func (in *Invocation) Say(format string, args ...any) { in.run.say(format, args...) }

// Progress shows how far the work is: on a terminal, when it takes longer than a second.
func (in *Invocation) Progress() (tell func(twodoor.Progress), end func()) {
	p := in.run.progress()
	return p.tell, p.end
}

// Print writes a value to stdout, as JSON encodes it, in the output that is wanted and cut by
// --fields, --jq and --limit. A nil list is written as an empty one.
func (in *Invocation) Print(value any) error {
	raw, err := encoded(value)
	if err != nil {
		return err
	}
	want := in.run.opts.want
	cut := shape.Want{Fields: want.Fields, JQ: want.JQ, Limit: want.Limit}
	if !cut.IsZero() {
		if raw, _, err = shape.Apply(context.Background(), raw, cut); err != nil {
			return misshapen(err)
		}
	}
	text, err := in.run.render(nil, raw)
	if err != nil {
		return err
	}
	out, err := in.run.openOut()
	if err != nil {
		return err
	}
	defer out.abort()
	return in.run.write(out, text)
}

// PrintText writes a text for a person where a table is wanted, and else the value.
func (in *Invocation) PrintText(text string, value any) error {
	if in.run.opts.output != "table" {
		return in.Print(value)
	}
	return in.run.printText(text)
}

// PrintLines writes what reads well line by line, on a terminal and in a log; who asks for another
// output than a table gets the value.
func (in *Invocation) PrintLines(text string, value any) error {
	if in.run.opts.asked && in.run.opts.output != "table" {
		return in.Print(value)
	}
	return in.run.printText(text)
}

// Operate makes the call of an operation as its generated command does, with the flags of its own.
func (in *Invocation) Operate(ctx context.Context, name string, argv []string) error {
	op, _, err := in.run.door.Engine.Catalog().Find(name)
	switch {
	case err != nil:
		return err
	case op == nil:
		return in.run.refused(ctx, twodoor.Call{Operation: name})
	}
	return in.run.operation(ctx, op, name, argv)
}

func encoded(value any) (json.RawMessage, error) {
	if raw, ok := value.(json.RawMessage); ok {
		return raw, nil
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		return json.RawMessage("[]"), nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return bare(raw), nil
}

// bare writes <, > and & as they are: encoding/json escapes them for web pages, and nobody else can
// read them then.
func bare(raw []byte) []byte {
	out := raw[:0]
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] != '\\':
			out = append(out, raw[i])
		case bytes.HasPrefix(raw[i:], []byte(`\u003c`)), bytes.HasPrefix(raw[i:], []byte(`\u003e`)), bytes.HasPrefix(raw[i:], []byte(`\u0026`)):
			text, _ := rawjson.String([]byte(`"` + string(raw[i:i+6]) + `"`))
			out = append(out, text...)
			i += 5
		default:
			out = append(out, raw[i], raw[i+1])
			i++
		}
	}
	return out
}

func misshapen(err error) error {
	if bad, ok := errors.AsType[*shape.Error](err); ok {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: bad.Error(), Hint: bad.Hint, Cause: err}
	}
	return err
}

// ownCommands are the commands that are no operations: those of the program, and call and completion
// where it has none of these names.
func (d *Door) ownCommands() []Command {
	all := slices.Clip(d.Commands)
	for _, c := range []Command{d.callCommand(), d.completionCommand()} {
		if !slices.ContainsFunc(d.Commands, func(own Command) bool { return own.Name == c.Name }) {
			all = append(all, c)
		}
	}
	return all
}

// callCommand calls any operation by its id, with the flags of its generated command.
func (d *Door) callCommand() Command {
	return Command{
		Name: "call", Args: "ID …", Short: "Call an operation by its id, with the flags of its own command",
		Example: d.name() + " call harbor.incident.list --limit 5", Raw: true, operates: true,
		Run: func(ctx context.Context, in *Invocation) error { return in.Operate(ctx, in.Args[0], in.Args[1:]) },
		Complete: func(_ context.Context, args []string, word string) []string {
			if len(args) > 0 {
				op, _, err := d.Engine.Catalog().Find(args[0])
				if err != nil || op == nil {
					return nil
				}
				return completeLine(inputsOf(op), args[1:], word)
			}
			var ids []string
			for _, entry := range d.Engine.Catalog().Entries() {
				ids = append(ids, entry.ID)
			}
			return ids
		},
	}
}

func (d *Door) completionCommand() Command {
	return Command{
		Name: "completion", Args: "SHELL", Short: "Print the completion script for bash, zsh, fish or powershell",
		Example:  d.name() + " completion bash > /etc/bash_completion.d/" + d.name(),
		Run:      d.completion,
		Complete: func(context.Context, []string, string) []string { return shells },
	}
}

// owns reports whether a first word is an own command, or the protocol of completion.
func (d *Door) owns(word string) bool {
	return word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd || d.ownCommand(word) != nil
}

// ownCommand is the own command of a name, or nil. It builds no list: every run asks.
func (d *Door) ownCommand(word string) *Command {
	for i := range d.Commands {
		if d.Commands[i].Name == word {
			return &d.Commands[i]
		}
	}
	var c Command
	switch word {
	case "call":
		c = d.callCommand()
	case "completion":
		c = d.completionCommand()
	default:
		return nil
	}
	return &c
}

// own carries out the line of an own command. Only that command's branch is built.
func (r *run) own(ctx context.Context, argv []string) error {
	var root *cobra.Command
	if c := r.door.ownCommand(argv[0]); c != nil {
		root = r.root(*c)
	} else {
		root = r.wholeTree()
	}
	root.SetArgs(argv)
	r.peekOutput(argv)
	_, err := root.ExecuteContextC(ctx)
	return err
}

// peekOutput reads -o before pflag does, so that a fault of the line is told in the right form.
func (r *run) peekOutput(argv []string) {
	for i := range argv {
		if !args.IsFlag(argv[i]) || argv[i] == "--" {
			continue
		}
		if opt, text, _ := args.Leading(argv[i:]); opt != nil && opt.Name == "output" {
			_ = r.opts.set(opt, text) // told by pflag, which reads it again
		}
	}
}

// root is the program as cobra sees it.
func (r *run) root(commands ...Command) *cobra.Command {
	root := &cobra.Command{Use: r.door.name(), SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Hidden: true})
	root.SetIn(r.door.Stdin)
	root.SetOut(r.stdout())
	root.SetErr(r.stderr())
	for _, c := range commands {
		root.AddCommand(r.cobra(c))
	}
	return root
}

// cobra is an own command as cobra sees it.
func (r *run) cobra(c Command) *cobra.Command {
	cc := &cobra.Command{
		Use: strings.TrimSpace(c.Name + " " + c.Args), Short: c.Short, Long: c.Long, Example: c.Example, Hidden: c.Hidden,
		DisableFlagParsing: c.Raw, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true, DisableSuggestions: true,
	}
	for _, sub := range c.Commands {
		cc.AddCommand(r.cobra(sub))
	}
	for _, f := range c.Flags {
		f.define(cc.Flags())
		if len(f.Values) > 0 {
			_ = cc.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(f.Values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	r.defineOptions(cc)
	cc.SetFlagErrorFunc(r.misread)
	cc.RunE = func(cc *cobra.Command, args []string) error { return r.runOwn(cc, c, args) }
	if c.Complete != nil {
		cc.ValidArgsFunction = func(cc *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return matching(c.Complete(cc.Context(), args, word), word), cobra.ShellCompDirectiveNoFileComp
		}
	}
	cc.SetHelpFunc(func(cc *cobra.Command, _ []string) { fmt.Fprint(r.stdout(), r.ownHelp(cc, c)) })
	return cc
}

func (f Flag) define(set *pflag.FlagSet) {
	switch f.Kind {
	case FlagSwitch:
		set.BoolP(f.Name, f.Short, f.Default == "true", f.Usage)
	case FlagInt:
		var n int
		fmt.Sscan(f.Default, &n)
		set.IntP(f.Name, f.Short, n, f.Usage)
	case FlagDuration:
		d, _ := time.ParseDuration(wordOr(f.Default, "0"))
		set.DurationP(f.Name, f.Short, d, f.Usage)
	case FlagList:
		set.StringArrayP(f.Name, f.Short, nil, f.Usage)
	default:
		set.StringP(f.Name, f.Short, f.Default, f.Usage)
	}
	if f.Hidden {
		_ = set.MarkHidden(f.Name)
	}
}

// ownOptions are the options that mean something on own commands too.
var ownOptions = []string{"output", "fields", "jq", "limit", "profile", "quiet", "out", "yes", "no-input", "config", "trust"}

// defineOptions gives a command the common options that it has no flag of its own for.
func (r *run) defineOptions(cc *cobra.Command) {
	for _, name := range ownOptions {
		opt := args.OptionNamed(name)
		if cc.Flags().Lookup(name) != nil {
			continue
		}
		short := ""
		if name == "output" && cc.Flags().ShorthandLookup("o") == nil {
			short = "o"
		}
		f := cc.Flags().VarPF(&optionValue{r, opt}, name, short, opt.Usage)
		if opt.Takes == "" {
			f.NoOptDefVal = "true"
		}
		f.Annotations = map[string][]string{"common": nil}
	}
	_ = cc.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(args.Modes, cobra.ShellCompDirectiveNoFileComp))
}

// optionValue lets pflag set an option.
type optionValue struct {
	run *run
	opt *args.Option
}

func (v *optionValue) String() string        { return "" }
func (v *optionValue) Type() string          { return v.opt.Takes }
func (v *optionValue) Set(text string) error { return v.run.opts.set(v.opt, text) }

func (r *run) runOwn(cc *cobra.Command, c Command, args []string) error {
	if c.Raw && len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		return cc.Help()
	}
	if c.Run == nil {
		return r.ownGroup(cc, c, args)
	}
	in := &Invocation{Args: args, Stdin: r.door.Stdin, Stdout: r.door.Stdout, Stderr: r.door.Stderr, ctx: cc.Context(), run: r, flags: cc.Flags()}
	if at := cc.ArgsLenAtDash(); at >= 0 {
		in.AfterDash = args[at:]
	}
	if err := r.checkOwn(cc, c, args); err != nil {
		return err
	}
	if r.reader.Dry && c.operates {
		return r.checkOperation(args[0], args[1:])
	}
	if r.reader.Dry {
		return nil
	}
	return c.Run(cc.Context(), in)
}

// checkOwn checks what pflag does not: the number of operands, and values out of a list.
func (r *run) checkOwn(cc *cobra.Command, c Command, args []string) error {
	for _, f := range c.Flags {
		value := cc.Flags().Lookup(f.Name)
		if len(f.Values) > 0 && value != nil && value.Changed && f.Kind == FlagText && !slices.Contains(f.Values, value.Value.String()) {
			return r.misused(cc, "--"+f.Name+" "+typed.NotOneOf(value.Value.String(), f.Values).Error())
		}
	}
	least, most := operandBounds(c.Args)
	switch {
	case len(args) < least:
		return r.misused(cc, fmt.Sprintf("%s needs %s", cc.CommandPath(), c.Args))
	case most >= 0 && len(args) > most && !c.Raw:
		return r.misused(cc, fmt.Sprintf("unexpected argument %q", args[most]))
	}
	return nil
}

// operandBounds reads how many operands an Args text allows; most is -1 where there is no bound.
func operandBounds(text string) (least, most int) {
	for word := range strings.FieldsSeq(text) {
		if strings.Contains(word, "…") || strings.Contains(word, "...") {
			most = -1
		} else if most >= 0 && strings.Trim(word, "[]-") != "" {
			most++
		}
		if !strings.HasPrefix(word, "[") && !strings.HasSuffix(word, "]") {
			least++
		}
	}
	return least, most
}

// ownGroup is a group of own commands without one of them.
func (r *run) ownGroup(cc *cobra.Command, c Command, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(r.stderr(), r.ownHelp(cc, c))
		return Exit(twodoor.CodeInvalid.Exit())
	}
	fault := &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no command %q", cc.CommandPath()+" "+args[0]), Hint: "list what there is with: " + cc.CommandPath() + " --help"}
	var names []string
	for _, sub := range c.Commands {
		names = append(names, sub.Name)
	}
	for _, near := range rawjson.Nearest(names, args[0], 3) {
		fault.Try = append(fault.Try, cc.CommandPath()+" "+near)
	}
	return fault
}

func (r *run) misused(cc *cobra.Command, says string) *twodoor.Error {
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: says, Hint: "see " + cc.CommandPath() + " --help"}
}

// misread gives what pflag says of a flag our code, and the nearest flags.
func (r *run) misread(cc *cobra.Command, err error) error {
	fault := r.misused(cc, err.Error())
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return fault
	}
	var names []string
	cc.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	for _, near := range rawjson.Nearest(names, unknown.GetSpecifiedName(), 2) {
		fault.Try = append(fault.Try, "--"+near)
	}
	return fault
}
