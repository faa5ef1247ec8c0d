package app

import (
	"context"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) mcpCommand() cli.Command {
	return cli.Command{
		Name: "mcp", Short: "Serve MCP over stdin and stdout",
		Long:    "Attaches to a running up of the same configuration: its engine answers, so that there is one place that knows every call. Without one it runs by itself. At the end of its input it finishes what is under way and exits 0.",
		Example: "claude mcp add twodoor -- twodoor mcp",
		Flags: []cli.Flag{
			{Name: "expose", Values: []string{"auto", "full", "search"}, Usage: "how operations are listed: auto, full or search"},
			{Name: "url", Usage: "relay to the MCP server at this URL instead"},
		},
		Run: func(ctx context.Context, in *cli.Invocation) error { return r.serveStdio(ctx, in) },
	}
}

func (r *run) serveStdio(ctx context.Context, in *cli.Invocation) error {
	if url := in.Text("url"); url != "" {
		if !config.IsURL(url) {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("--url %q is no URL", url), Hint: "write the whole address: --url https://HOST/mcp"}
		}
		return r.bridge(ctx, url, in.Stdin, in.Stdout)
	}
	s, err := r.find()
	if err != nil {
		return err
	}
	if s.File == "" && r.Pack == nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no " + config.FileName + " here or above: nothing to serve", Hint: "make one with: twodoor up openapi.yaml; or name one with --config"}
	}
	if conn, err := r.attach(s.File); err == nil {
		return relay(ctx, conn, greeting{Profile: in.Profile(), Expose: twodoor.Expose(in.Text("expose"))}, in.Stdin, in.Stdout)
	}
	l := &live{run: r, expose: twodoor.Expose(in.Text("expose"))}
	// Calls under way outlive the signal that ends the input.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if err := r.remember(lasting); err != nil {
		return err
	}
	if err := l.begin(lasting); err != nil {
		return err
	}
	r.observe()
	go l.follow(lasting)
	return l.door.ServeStdio(lasting, untilDone(ctx, in.Stdin), in.Stdout)
}
