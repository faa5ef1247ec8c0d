package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) configCommand() cli.Command {
	return cli.Command{
		Name: "config", Short: "Look at the configuration",
		Commands: []cli.Command{
			{
				Name: "show", Short: "Show the configuration as it stands", Example: "twodoor config show --origin",
				Flags: []cli.Flag{{Name: "origin", Kind: cli.FlagSwitch, Usage: "say where each value comes from"}},
				Run:   r.showConfig,
			},
			{Name: "validate", Args: "[FILE]", Short: "Check a configuration, every fault with its line", Example: "twodoor config validate", Run: r.validateConfig},
			{
				Name: "schema", Short: "Print the JSON Schema of " + config.FileName, Example: "twodoor config schema > twodoor.schema.json",
				Run: func(_ context.Context, in *cli.Invocation) error { return in.Print(config.Schema()) },
			},
		},
	}
}

func (r *run) showConfig(_ context.Context, in *cli.Invocation) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	type shown struct {
		Path   string          `json:"path"`
		Value  json.RawMessage `json:"value"`
		Origin string          `json:"origin,omitempty"`
	}
	values := []shown{}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n", r.source(s))
	for _, v := range s.Values() {
		line := shown{v.Path, v.Value, ""}
		if strings.HasSuffix(v.Path, ".mcp") {
			line.Value = upstream.Mask(v.Value)
		}
		fmt.Fprintf(&text, "%s: %s", v.Path, line.Value)
		if in.Switch("origin") {
			line.Origin = r.near(v.Origin)
			fmt.Fprintf(&text, "  # %s", line.Origin)
		}
		text.WriteByte('\n')
		values = append(values, line)
	}
	return in.PrintText(text.String(), values)
}

func (r *run) validateConfig(_ context.Context, in *cli.Invocation) error {
	if len(in.Args) == 1 {
		r.early.Config = in.Args[0]
	}
	s, err := r.find()
	if err != nil {
		return err
	}
	if s.File == "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no " + config.FileName + " here or above", Hint: "make one with: twodoor up openapi.yaml"}
	}
	var text strings.Builder
	for _, w := range s.Warnings {
		fmt.Fprintf(&text, "warning: %s\n", r.short(w))
	}
	fmt.Fprintf(&text, "%s is good: %s\n", r.near(s.File), counted(len(s.Sources), "source"))
	warnings := append([]config.Fault{}, s.Warnings...)
	return in.PrintLines(text.String(), map[string]any{"file": s.File, "valid": true, "warnings": warnings})
}
