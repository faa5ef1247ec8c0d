package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
)

// shells are those that a completion script can be made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completion prints the script that makes a shell ask the program for completions.
func (d *Door) completion(_ context.Context, in *Invocation) error {
	root := in.run.root()
	switch shell := in.Args[0]; shell {
	case "bash":
		return d.bashCompletion(root)
	case "zsh":
		return root.GenZshCompletion(d.Stdout)
	case "fish":
		return root.GenFishCompletion(d.Stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(d.Stdout)
	default:
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: typed.NotOneOf(shell, shells).Error()}
	}
}

// bashCompletion prints cobra's script, made to work where the package bash-completion, whose function
// takes the line apart, is not loaded.
func (d *Door) bashCompletion(root *cobra.Command) error {
	const theirs = `_get_comp_words_by_ref "$@" cur prev words cword`
	const ours = `if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        ` + theirs + `
    else
        local line="${COMP_LINE:0:COMP_POINT}"
        read -ra words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur="${words[cword]}" prev="${words[cword - 1]}"
    fi`
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	_, err := io.WriteString(d.Stdout, strings.Replace(script.String(), theirs, ours, 1))
	return err
}

// wholeTree is the program for completion: every own command, and a command for each word that leads
// to operations, which completes by the catalog.
func (r *run) wholeTree() *cobra.Command {
	root := r.root(r.door.ownCommands()...)
	for _, n := range r.nodes(r.door.Brand, "") {
		if r.door.ownCommand(n.word) != nil {
			continue
		}
		word := n.word
		root.AddCommand(&cobra.Command{
			Use: word, Short: wordOr(oneLine(n.title, 60), fmt.Sprintf("%d operations", n.count)), DisableFlagParsing: true,
			Run: func(*cobra.Command, []string) {},
			ValidArgsFunction: func(_ *cobra.Command, typed []string, begun string) ([]string, cobra.ShellCompDirective) {
				return r.complete(append([]string{word}, typed...), begun), cobra.ShellCompDirectiveNoFileComp
			},
		})
	}
	return root
}

// complete lists what may follow on a generated command's line, "word<tab>what it is".
func (r *run) complete(argv []string, begun string) []string {
	to, err := r.door.route(argv)
	switch {
	case err != nil:
		return nil
	case to.op != nil:
		return Complete(to.op, to.rest, begun)
	}
	var words []string
	for _, n := range r.nodes(to.id, begun) {
		title := n.title
		if n.count > 0 {
			title = fmt.Sprintf("%s (%d)", title, n.count)
		}
		words = append(words, described(n.word, title))
	}
	return words
}

// Complete lists what may follow on the line of an operation, after what is typed: flags, or the values
// of the flag or operand that is begun. An entry is "word" or "word<tab>what it is".
func Complete(op *twodoor.Operation, typed []string, begun string) []string {
	return matching(completeLine(inputsOf(op), typed, begun), begun)
}

// completeLine lists the flags of an operation, or the values of the flag or operand that is being typed.
func completeLine(in *args.Inputs, typed []string, begun string) []string {
	if name, value, ok := strings.Cut(begun, "="); ok && strings.HasPrefix(name, "--") {
		return continued(name+"=", value, in, name)
	}
	if n := len(typed); n > 0 && args.IsFlag(typed[n-1]) && !strings.Contains(typed[n-1], "=") {
		if values := continued("", begun, in, typed[n-1]); values != nil {
			return values
		}
	}
	if strings.HasPrefix(begun, "-") {
		return completeFlags(in)
	}
	operands := 0
	for i := 0; i < len(typed); i++ {
		switch arg := typed[i]; {
		case !args.IsFlag(arg):
			operands++
		case !strings.Contains(arg, "=") && valuesOf(in, arg) != nil:
			i++
		}
	}
	if operands < len(in.Op.Positional) {
		if f := in.Field(in.Op.Positional[operands]); f != nil && f.Type().Values != nil {
			return f.Type().ValueTexts()
		}
	}
	return completeFlags(in)
}

// continued lists the values of a flag behind what stands before them on the line: in a list, also the
// values up to the last comma, none of which comes twice. Nil: the flag takes no value.
func continued(before, begun string, in *args.Inputs, flag string) []string {
	values := valuesOf(in, flag)
	if values == nil {
		return nil
	}
	var there []string
	if at := strings.LastIndexByte(begun, ','); at >= 0 && isList(in, flag) {
		before, there = before+begun[:at+1], strings.Split(begun[:at], ",")
	}
	out := []string{}
	for _, value := range values {
		if !slices.Contains(there, value) {
			out = append(out, before+value)
		}
	}
	return out
}

// isList reports whether a flag takes several values, separated by commas.
func isList(in *args.Inputs, flag string) bool {
	m, _ := in.Find(strings.TrimLeft(flag, "-"))
	return m.Field != nil && m.Field.Type().Is(typed.Array)
}

// valuesOf lists the values of a flag that takes only some; nil where it takes none or any.
func valuesOf(in *args.Inputs, flag string) []string {
	var m args.Meaning
	if letter := strings.TrimLeft(flag, "-"); strings.HasPrefix(flag, "--") {
		m, _ = in.Find(letter)
	} else {
		m.Option = args.ShortOption(letter)
	}
	switch {
	case m.Option != nil && m.Option.Name == "output":
		return args.Modes
	case m.Option != nil && m.Option.Takes != "":
		return []string{}
	case m.Field == nil:
		return nil
	}
	t := m.Field.Type()
	if t.Is(typed.Array) && t.Items != nil {
		t = t.Items
	}
	switch {
	case t.Values != nil:
		return t.ValueTexts()
	case t.IsSwitch():
		return nil
	}
	return []string{}
}

func completeFlags(in *args.Inputs) []string {
	var flags []string
	for _, f := range in.Fields {
		if !f.Driven && f.Type().Flat() {
			flags = append(flags, described("--"+f.Flag, f.Type().Text("description")))
		}
	}
	for _, opt := range args.Options() {
		flags = append(flags, described("--"+in.OptionFlag(opt.Name), opt.Usage))
	}
	return flags
}

func described(word, text string) string {
	if text = oneLine(Printable(unlinked(text)), 60); text == "" {
		return word
	}
	return word + "\t" + text
}

func matching(words []string, begun string) []string {
	var fit []string
	for _, word := range words {
		if strings.HasPrefix(word, begun) {
			fit = append(fit, word)
		}
	}
	return fit
}
