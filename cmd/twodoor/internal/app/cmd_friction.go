package app

import (
	"context"
	"strings"

	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/journal"
)

// maxFriction bounds how many calls are looked at, the latest ones.
const maxFriction = 50_000

func (r *run) frictionCommand() cli.Command {
	return cli.Command{
		Name: "friction", Args: "[FILTER…]", Short: "Say what callers stumbled over, and what to change",
		Long:    "Reads the journal and names, with counts, examples and a fix each: names guessed that do not exist, arguments that failed twice, hints not followed, guides not read, empty answers tried again, searches that led nowhere, calls repeated, answers read in pieces or cut and never read, slow operations, operations that nobody used. The filter is that of twodoor calls; since:7d where there is none.",
		Example: "twodoor friction since:30d -o md",
		Run:     r.friction,
	}
}

func (r *run) friction(ctx context.Context, in *cli.Invocation) error {
	filter := strings.Join(in.Args, " ")
	if filter == "" {
		filter = "since:7d"
	}
	records, err := r.recordsOf(ctx, filter, maxFriction)
	if err != nil {
		return err
	}
	known, err := r.knownOperations(ctx)
	if err != nil {
		in.Say("operations that nobody used are not named: %v", err)
	}
	report := journal.FrictionOf(records, known)
	var text strings.Builder
	if err := report.WriteMarkdown(&text); err != nil {
		return err
	}
	if output, _ := in.Output(); output == "md" {
		_, err := in.Stdout.Write([]byte(text.String()))
		return err
	}
	return in.PrintText(text.String(), report)
}

// knownOperations are the operations of the configuration, as the report wants them.
func (r *run) knownOperations(ctx context.Context) ([]journal.Known, error) {
	opened, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	var known []journal.Known
	for i := range opened.catalog.Len() {
		op, err := opened.catalog.At(i)
		if err != nil {
			return nil, err
		}
		known = append(known, journal.Known{ID: op.ID, Guides: op.Guides})
	}
	return known, nil
}
