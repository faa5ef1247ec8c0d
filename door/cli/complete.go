package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twodoor/twodoor"
)

// shells are those that a completion script can be made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completion prints the script that makes a shell ask the program for completions.
func (d *Door) completion(_ context.Context, in *Invocation) error {
	root := in.run.root()
	switch shell := in.Args[0]; shell {
	case "bash":
		return root.GenBashCompletionV2(d.Stdout, true)
	case "zsh":
		return root.GenZshCompletion(d.Stdout)
	case "fish":
		return root.GenFishCompletion(d.Stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(d.Stdout)
	default:
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: notOneOf(shell, shells).Error()}
	}
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
			ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				return r.complete(append([]string{word}, args...), begun), cobra.ShellCompDirectiveNoFileComp
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
		return matching(inputsOf(to.op).complete(to.rest, begun), begun)
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

// complete lists the flags of an operation, or the values of the flag or operand that is being typed.
func (in *inputs) complete(typed []string, begun string) []string {
	if name, _, ok := strings.Cut(begun, "="); ok && strings.HasPrefix(name, "--") {
		var values []string
		for _, value := range in.valuesOf(name) {
			values = append(values, name+"="+value)
		}
		return values
	}
	if n := len(typed); n > 0 && isFlag(typed[n-1]) && !strings.Contains(typed[n-1], "=") {
		if values := in.valuesOf(typed[n-1]); values != nil {
			return values
		}
	}
	if strings.HasPrefix(begun, "-") {
		return in.completeFlags()
	}
	operands := 0
	for _, arg := range typed {
		if !isFlag(arg) {
			operands++
		}
	}
	if operands < len(in.op.Positional) {
		if f := in.field(in.op.Positional[operands]); f != nil && f.typ().values != nil {
			return f.typ().valueTexts()
		}
	}
	return in.completeFlags()
}

// valuesOf lists the values of a flag that takes only some; nil where it takes none or any.
func (in *inputs) valuesOf(flag string) []string {
	var m meaning
	if letter := strings.TrimLeft(flag, "-"); strings.HasPrefix(flag, "--") {
		m, _ = in.find(letter)
	} else {
		m.option = shortOption(letter)
	}
	switch {
	case m.option != nil && m.option.name == "output":
		return modes
	case m.option != nil && m.option.takes != "":
		return []string{}
	case m.field == nil:
		return nil
	}
	t := m.field.typ()
	if t.is(isArray) && t.items != nil {
		t = t.items
	}
	switch {
	case t.values != nil:
		return t.valueTexts()
	case t.isSwitch():
		return nil
	}
	return []string{}
}

func (in *inputs) completeFlags() []string {
	var flags []string
	for _, f := range in.fields {
		if !f.hidden && f.typ().flat() {
			flags = append(flags, described("--"+f.flag, f.typ().text("description")))
		}
	}
	for i := range table {
		name := table[i].name
		if in.byFlag[name] != nil {
			name = wantPrefix + name
		}
		flags = append(flags, described("--"+name, table[i].usage))
	}
	return flags
}

func described(word, text string) string {
	if text = oneLine(text, 60); text == "" {
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
