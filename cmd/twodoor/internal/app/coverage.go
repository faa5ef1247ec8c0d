package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/source/openapi"
)

func (r *run) coverageCommand() cli.Command {
	return cli.Command{
		Name: "coverage", Args: "[SOURCE|FILE]", Short: "Tell what of a description is served, and why not the rest",
		Long:    "Also tells each operation's effect with its reason. described = generated + exceptions holds always. A FILE or URL need not be in twodoor.yaml.",
		Example: "twodoor coverage ./openapi.yaml -o json",
		Run: func(ctx context.Context, in *cli.Invocation) error {
			c, err := r.cover(ctx, in.Args)
			if err != nil {
				return err
			}
			return in.PrintText(c.prose(), c)
		},
		Complete: r.completeSources,
	}
}

// coverage is how much of what is described is served.
type coverage struct {
	Described  int         `json:"described"`
	Generated  int         `json:"generated"`
	Exceptions []exception `json:"exceptions"`
	Effects    []effect    `json:"effects"`
	Skipped    []exception `json:"skipped_parts"`
}

type exception struct {
	Source    string `json:"source,omitempty"` // where several are told together
	Operation string `json:"operation"`
	At        string `json:"at"`
	Reason    string `json:"reason"`
}

type effect struct {
	Operation string         `json:"operation"`
	Effect    twodoor.Effect `json:"effect"`
	Reason    string         `json:"reason"`
}

// cover tells of a source, of a description that need not be one, or of all sources together.
func (r *run) cover(ctx context.Context, args []string) (*coverage, error) {
	if len(args) == 1 {
		s, err := r.find()
		if err != nil {
			return nil, err
		}
		if _, ok := s.Sources[args[0]]; !ok {
			return r.coverFile(ctx, s, args[0])
		}
	}
	o, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	readings, err := o.readings()
	if err != nil {
		return nil, err
	}
	c := newCoverage()
	for _, lost := range o.lost {
		if len(args) == 0 || args[0] == lost.source {
			return nil, lost.err
		}
	}
	for _, reading := range readings {
		if len(args) == 0 || args[0] == reading.Source {
			c.add(reading, len(args) == 0 && len(readings) > 1)
		}
	}
	for i, entry := range o.catalog.Entries() {
		if strings.HasPrefix(entry.ID, twodoor.OwnSource+".") || len(args) == 1 && !strings.HasPrefix(entry.ID, args[0]+".") {
			continue
		}
		op, err := o.catalog.At(i)
		if err != nil {
			return nil, err
		}
		c.serve(op)
	}
	return c, nil
}

func (r *run) coverFile(ctx context.Context, s *site, ref string) (*coverage, error) {
	reading, err := r.readFile(ctx, s, ref)
	if err != nil {
		return nil, err
	}
	c := newCoverage()
	c.add(reading, false)
	for i := range reading.Operations {
		c.serve(&reading.Operations[i])
	}
	return c, nil
}

// readFile reads a description that need not be in the configuration.
func (r *run) readFile(ctx context.Context, s *site, ref string) (*twodoor.Reading, error) {
	place, err := r.place(ref)
	if err != nil {
		return nil, err
	}
	if !config.IsURL(place) && !isFile(place) {
		return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("%q is neither a source nor a file", ref), Try: config.Sorted(s.Sources)}
	}
	text, err := r.readDescription(ctx, s, place)
	if err != nil {
		return nil, err
	}
	if title, ok := sniffVerbs(text); ok {
		return (&command.Source{Name: nameFrom(orElse(verbsName(place), title), place), File: place}).Read(ctx)
	}
	title, _ := sniff(text)
	source := &openapi.Source{Name: nameFrom(title, place), File: place, Fetch: r.fetcher(s, "")}
	return source.Read(ctx)
}

func newCoverage() *coverage {
	return &coverage{Exceptions: []exception{}, Effects: []effect{}, Skipped: []exception{}}
}

func (c *coverage) add(reading *twodoor.Reading, several bool) {
	name := ""
	if several {
		name = reading.Source
	}
	for _, e := range reading.Exceptions {
		c.Described++
		c.Exceptions = append(c.Exceptions, exception{name, e.Operation, e.At, e.Reason})
	}
	for _, e := range reading.Skipped {
		c.Skipped = append(c.Skipped, exception{name, e.Operation, e.At, e.Reason})
	}
}

func (c *coverage) serve(op *twodoor.Operation) {
	c.Described++
	c.Generated++
	c.Effects = append(c.Effects, effect{op.ID, op.Effect, orElse(op.Why, "declared")})
}

// prose is the coverage for a person: the figures, and what deserves a look.
func (c *coverage) prose() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d described = %d generated + %d exceptions\n", c.Described, c.Generated, len(c.Exceptions))
	tell := func(title string, list []exception) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s\n", title)
		}
		for _, e := range list {
			fmt.Fprintf(&b, "  %s  %s: %s\n", strings.TrimSpace(e.Source+" "+e.Operation), e.At, e.Reason)
		}
	}
	tell("not served", c.Exceptions)
	tell("no operations, skipped", c.Skipped)
	if len(c.Effects) > 0 {
		b.WriteString("\neffects\n")
	}
	for _, e := range c.Effects {
		fmt.Fprintf(&b, "  %-8s  %s  (%s)\n", e.Effect, e.Operation, e.Reason)
	}
	return b.String()
}
