package check

import (
	"context"
	"io"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/examples"
)

// TreeOf is the command tree of a door as plain data.
func TreeOf(ctx context.Context, door *cli.Door) (*guide.Tree, error) {
	tree := &guide.Tree{Program: door.Name}
	if tree.Program == "" {
		tree.Program = "twodoor"
	}
	for card, err := range door.Describe(ctx) {
		if err != nil {
			return nil, err
		}
		tree.Commands = append(tree.Commands, commandOf(card))
	}
	return tree, nil
}

func commandOf(c cli.Card) guide.Command {
	command := guide.Command{
		ID: c.ID, Command: c.Command, Usage: c.Usage, Title: c.Title, Description: c.Description, Origin: c.Origin, Effect: c.Effect,
		Permission: c.Permission, Deprecated: c.Deprecated, Inputs: inputsOf(c.Inputs), Combinations: c.Combinations, Example: c.Example, Guides: c.Guides,
	}
	if a := c.Answer; a != nil {
		command.Answer = &guide.Answer{Root: a.Root, Shape: a.Shape, Meaning: a.Meaning, Empty: a.Empty}
	}
	return command
}

func inputsOf(list []cli.Input) []guide.Input {
	var inputs []guide.Input
	for _, in := range list {
		inputs = append(inputs, guide.Input{
			Name: in.Name, Path: in.Path, Flag: in.Flag, Position: in.Position, Driven: in.Driven, Type: in.Type, Required: in.Required,
			Default: in.Default, Enum: in.Enum, Bounds: in.Bounds, Description: in.Description, Fields: inputsOf(in.Fields),
		})
	}
	return inputs
}

// LinesOf reads lines as a door does, without making a call.
func LinesOf(door *cli.Door) examples.Lines {
	return examples.Lines{
		Check: door.Check,
		Parse: func(argv []string, stdin io.Reader, open func(name string) ([]byte, error)) (twodoor.Call, error) {
			reading := *door
			reading.Stdin, reading.StdinTTY, reading.Open = stdin, false, open
			return reading.Parse(argv)
		},
	}
}
