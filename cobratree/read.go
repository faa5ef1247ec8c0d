package cobratree

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/deed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Read makes operations of the commands. A path of Options.Commands that is no command is an error; a
// command that cannot be served is named as an exception.
func (t *Tree) Read(context.Context) (*twodoor.Reading, error) {
	reading := &twodoor.Reading{Source: t.name(), Title: t.root.Short, Description: t.root.Long, Version: cmp.Or(t.options.Version, t.root.Version)}
	commands, err := t.chosen()
	if err != nil {
		return nil, err
	}
	for _, cmd := range commands {
		if why := unfit(cmd); why != "" {
			reading.Exceptions = append(reading.Exceptions, twodoor.Exception{Operation: pathOf(cmd), At: t.root.Name(), Reason: why})
			continue
		}
		op, err := t.operation(cmd)
		if err != nil {
			return nil, err
		}
		reading.Operations = append(reading.Operations, op)
	}
	slices.SortStableFunc(reading.Operations, func(a, b twodoor.Operation) int { return strings.Compare(a.ID, b.ID) })
	return reading, nil
}

// chosen lists the commands that are to be served.
func (t *Tree) chosen() (commands []*cobra.Command, err error) {
	if len(t.options.Commands) == 0 {
		walk(t.root, func(cmd *cobra.Command) { commands = append(commands, cmd) })
		return commands, nil
	}
	for _, path := range t.options.Commands {
		cmd := t.find(t.root, path)
		if cmd == nil {
			return nil, fmt.Errorf("%s has no command %q that runs", t.root.Name(), path)
		}
		commands = append(commands, cmd)
	}
	return commands, nil
}

// find is the command of a path, in any tree of this program; nil: there is none that runs.
func (t *Tree) find(root *cobra.Command, path string) (found *cobra.Command) {
	walk(root, func(cmd *cobra.Command) {
		if pathOf(cmd) == path {
			found = cmd
		}
	})
	return found
}

// walk visits the commands below a root that run and are shown.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.Deprecated != "" || !sub.HasParent() || slices.Contains([]string{"help", "completion", commandName}, sub.Name()) && sub.Parent() == cmd.Root() {
			continue
		}
		if sub.Runnable() {
			visit(sub)
		}
		walk(sub, visit)
	}
}

// pathOf is the path of a command below its root: "issue list".
func pathOf(cmd *cobra.Command) string {
	return strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()))
}

func unfit(cmd *cobra.Command) string {
	if cmd.DisableFlagParsing {
		return "it reads its flags itself, so that nobody knows which there are"
	}
	return ""
}

// plan is how a tool's call becomes a command line.
type plan struct {
	Path  []string `json:"path"`
	Flags []input  `json:"flags,omitempty"`
	Args  []input  `json:"args,omitempty"`
}

// operation makes an operation of a command.
func (t *Tree) operation(cmd *cobra.Command) (op twodoor.Operation, err error) {
	path := pathOf(cmd)
	words := strings.Fields(path)
	named := make([]string, len(words))
	for i := range words {
		named[i] = word(words[i])
	}
	op = twodoor.Operation{
		Kind: Kind, Title: cmd.Short, Description: strings.TrimSpace(cmd.Long), Origin: cmd.CommandPath(), At: cmd.Root().Name(),
		Tool: t.name() + "_" + strings.Join(named, "_"),
	}
	if len(named) == 1 {
		named = []string{"program", named[0]}
	}
	op.ID = strings.Join(append([]string{t.name()}, named...), ".")
	if op.Description == op.Title {
		op.Description = ""
	}
	if lines := exampleOf(cmd); lines != "" {
		op.Description = strings.TrimSpace(op.Description + "\n\nExamples:\n" + lines)
	}
	t.setEffect(&op, cmd, path)
	p := plan{Path: words, Flags: t.flags(cmd), Args: t.arguments(cmd)}
	op.Input = inputSchema(p.Flags, p.Args)
	for _, in := range p.Args {
		op.Positional = append(op.Positional, in.Name)
	}
	if op.Plan, err = json.Marshal(p); err != nil {
		return op, fmt.Errorf("write the plan of %s: %w", op.ID, err)
	}
	return op, nil
}

// maxExample bounds the examples of a command that are told, in bytes.
const maxExample = 600

// exampleOf is the command's examples, whole lines of them, without their indentation.
func exampleOf(cmd *cobra.Command) string {
	var text strings.Builder
	for line := range strings.Lines(cmd.Example) {
		if line = strings.TrimSpace(line); line != "" && text.Len()+len(line) < maxExample {
			text.WriteString(line + "\n")
		}
	}
	return strings.TrimSpace(text.String())
}

// setEffect says what a command does: what the options say, what its annotation says, else the words
// of its path.
func (t *Tree) setEffect(op *twodoor.Operation, cmd *cobra.Command, path string) {
	words := strings.FieldsFunc(path, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	if effect, ok := t.options.Effects[path]; ok {
		op.Effect = effect
	} else if effect := cmd.Annotations[EffectKey]; effect != "" {
		op.Effect = twodoor.Effect(effect)
	} else if word := deed.Destroying(words...); word != "" {
		op.Effect, op.Why = twodoor.Destroys, fmt.Sprintf("its path has %q", word)
	} else if word := deed.Reading(words[len(words)-1]); word != "" {
		op.Effect, op.Why = twodoor.Reads, fmt.Sprintf("its path ends in %q", word)
	} else {
		op.Effect, op.Why = twodoor.Writes, "nothing says otherwise"
	}
}

// word is a command's name as an id has it.
func word(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return cmp.Or(strings.Trim(name, "-"), "x")
}

// inputSchema is the schema of a command's flags and arguments.
func inputSchema(lists ...[]input) json.RawMessage {
	var whole, properties rawjson.Object
	var required []string
	for _, list := range lists {
		for _, in := range list {
			properties.Put(in.Name, in.schema)
			if in.required {
				required = append(required, in.Name)
			}
		}
	}
	whole.PutString("type", "object")
	whole.Put("properties", properties.Bytes())
	if len(required) > 0 {
		whole.PutStrings("required", required)
	}
	whole.PutBool("additionalProperties", false)
	return whole.Bytes()
}
