package cli

import (
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/internal/schema"
)

// Argv writes a call of an operation as the command line that makes it, without the program's name.
// The line read back gives the same arguments.
func (d *Door) Argv(op *twodoor.Operation, arguments json.RawMessage) []string {
	return append(d.wordsOf(op.ID), args.Of(op).Argv(arguments, false)...)
}

// shown is a call as a line for a reader: what an option drives is written with the option.
func (d *Door) shown(in *args.Inputs, arguments json.RawMessage) string {
	return d.shell(append(d.wordsOf(in.Op.ID), in.Argv(arguments, true)...))
}

// exampleOf is a command line of the operation that fits.
func (d *Door) exampleOf(in *args.Inputs) string {
	return d.shown(in, exampleArguments(in.Op))
}

// exampleArguments are the description's own first example, else made from the schema.
func exampleArguments(op *twodoor.Operation) json.RawMessage {
	for _, e := range op.Examples {
		if len(e.Arguments) > 0 {
			return e.Arguments
		}
	}
	return schema.Example(op.InputSchema())
}

// nextLine is a suggested call as a command line.
func (d *Door) nextLine(next twodoor.Suggestion) string {
	op, _, err := d.Engine.Catalog().Find(next.Call)
	if err != nil || op == nil {
		return next.Call
	}
	return d.shown(args.Of(op), next.Arguments)
}

// shell writes words as a line that a POSIX shell takes apart into the same words.
func (d *Door) shell(words []string) string {
	line := d.name()
	for _, word := range words {
		line += " " + quote(word)
	}
	return line
}

func quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return r > 0x7e || r <= ' ' || strings.ContainsRune("'\"\\$`*?[]{}()<>|&;!#~", r)
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
