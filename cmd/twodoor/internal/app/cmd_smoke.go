package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/smoke"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/proc"
)

func (r *run) smokeCommand() cli.Command {
	return cli.Command{
		Name: "smoke", Args: "[URL] [-- CMD…]", Short: "Put any MCP server through what every client relies on",
		Long:    "Greets in both eras, lists the tools, asks for a method and a tool that do not exist, sends a malformed message, watches stdout for anything but protocol, and ends the input while a read-only call is in flight. A verdict a line; exit status 7 on a fault.",
		Example: "twodoor smoke --expect-tools 5 -- notes-server --stdio",
		Flags: []cli.Flag{
			{Name: "expect-tools", Kind: cli.FlagInt, Default: "-1", Usage: "how many tools it must list; default: any number"},
			{Name: "expect-server", Usage: "the name it must give itself"},
			{Name: "header", Kind: cli.FlagList, Usage: "a header for the URL, NAME=VALUE or NAME=env:X"},
			{Name: "env", Kind: cli.FlagList, Usage: "name of a variable that the program may see; PATH, HOME and the like it sees anyway"},
			{Name: "patience", Kind: cli.FlagDuration, Default: "5s", Usage: "how long each answer may take"},
		},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			target, err := r.smokeTarget(in)
			if err != nil {
				return err
			}
			verdicts := smoke.Run(ctx, target)
			if err := in.PrintLines(proseOf(verdicts), verdicts); err != nil {
				return err
			}
			if smoke.Failed(verdicts) {
				return cli.Exit(twodoor.CodeChecksFailed.Exit())
			}
			return nil
		},
	}
}

func (r *run) smokeTarget(in *cli.Invocation) (smoke.Target, error) {
	target := smoke.Target{Server: in.Text("expect-server"), Patience: in.Duration("patience"), Header: http.Header{}}
	if n := in.Int("expect-tools"); n >= 0 {
		target.Tools = &n
	}
	for _, header := range in.List("header") {
		name, value, _ := strings.Cut(header, "=")
		if refs := config.References("${" + value + "}"); len(refs) == 1 && refs[0].Kind == "env" {
			value = r.getenv(refs[0].Name)
		}
		target.Header.Set(name, value)
	}
	urls := in.Args[:len(in.Args)-len(in.AfterDash)]
	switch {
	case len(in.AfterDash) > 0 && len(urls) == 0:
		target.Command = proc.Command{Path: in.AfterDash[0], Args: in.AfterDash[1:], Dir: r.Dir, Env: proc.Environment(r.Environ, in.List("env")...)}
	case len(in.AfterDash) == 0 && len(urls) == 1 && config.IsURL(urls[0]):
		target.URL = urls[0]
	default:
		return target, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "smoke needs a URL, or a program after --", Hint: "twodoor smoke -- notes-server --stdio"}
	}
	return target, nil
}

func proseOf(verdicts []smoke.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&b, "%-5s  %s  %-18s  %s\n", v.Outcome, v.Era, v.Check, v.Detail)
	}
	return b.String()
}
