package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) upCommand() cli.Command {
	return cli.Command{
		Name: "up", Args: "[FILE|URL…]", Short: "Add what is named, and serve every door over HTTP",
		Long:    "Adds each description to the twodoor.yaml that is found (else writes ./twodoor.yaml), compiles the catalog, and serves MCP at /mcp and /mcp/PROFILE, the routes of tool bridges and /api/v1 at /api, and a health check at /healthz until it is interrupted: once finishes what is under way, twice ends at once. Edits of the configuration and the descriptions are taken up while it runs.",
		Example: "twodoor up ./openapi.yaml",
		Flags: append(addFlags(),
			cli.Flag{Name: "listen", Kind: cli.FlagList, Usage: "address to listen at, HOST:PORT, may be repeated; default " + defaultListen},
			cli.Flag{Name: "compat", Kind: cli.FlagSwitch, Usage: "listen at " + compatListen + " too, where existing agents look for their tool bridge"}),
		Run: func(ctx context.Context, in *cli.Invocation) error { return r.up(ctx, in) },
	}
}

func (r *run) up(ctx context.Context, in *cli.Invocation) error {
	var all []wanted
	for _, ref := range in.Args {
		all = append(all, wantedOf(in, ref))
	}
	if len(all) > 1 && in.Text("name") != "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "--name names one source, and there are several", Hint: "add them one by one with: twodoor add FILE --name NAME"}
	}
	var news string
	if len(all) > 0 {
		e, err := r.addAll(ctx, all)
		if err != nil {
			return err
		}
		if len(e.added) > 0 {
			news = fmt.Sprintf("%s: added %s\n", r.near(e.file), strings.Join(e.added, ", "))
		}
	}
	if err := r.anything(); err != nil {
		return err
	}
	u, err := r.newServer(ctx, r.addresses(in))
	if err != nil {
		return err
	}
	if err := r.announce(in, u, news, ""); err != nil {
		return err
	}
	return u.serve(ctx)
}

// anything makes sure that there is something to serve.
func (r *run) anything() error {
	s, err := r.find()
	if err != nil {
		return err
	}
	if s.File == "" || s.demo {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no " + config.FileName + " here or above, and nothing is named", Hint: "name a description, or look at the demo", Try: []string{"twodoor up openapi.yaml", "twodoor demo"}}
	}
	if len(s.Sources) == 0 {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.near(s.File) + " has no sources", Hint: "add one with: twodoor up openapi.yaml"}
	}
	return nil
}

// announcement is what up has to say, for programs.
type announcement struct {
	URL     string    `json:"url"`
	Health  string    `json:"health"`
	Token   string    `json:"token,omitempty"`
	Config  string    `json:"config"`
	Sources []summary `json:"sources"`
}

// announce says what was found, how to connect, and what to do next. A person at a terminal and a
// log get prose; who asks for -o json gets one object.
func (r *run) announce(in *cli.Invocation, u *server, news, more string) error {
	all, err := r.summaries()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(news)
	for _, s := range all {
		b.WriteString(s.prose(news != "" && strings.Contains(news, s.Name)))
	}
	for _, w := range r.site.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", r.short(w))
	}
	b.WriteString("\n" + r.doorLines(u, all) + more)
	return in.PrintLines(b.String(), announcement{
		URL: u.url(), Health: strings.TrimSuffix(u.url(), "/mcp") + "/healthz", Token: u.token.Reveal(), Config: r.site.File, Sources: all,
	})
}

// doorLines say how to come in by each door, ready to be copied.
func (r *run) doorLines(u *server, all []summary) string {
	var b strings.Builder
	name := "SOURCE"
	for _, s := range all {
		if s.Error == "" {
			name = s.Name
			break
		}
	}
	fmt.Fprintf(&b, "CLI    twodoor %s --help\n", name)
	fmt.Fprintf(&b, "MCP    %s\n", u.url())
	if u.token.IsZero() {
		b.WriteString("       no token is needed from this machine\n")
		fmt.Fprintf(&b, "       claude mcp add --transport http twodoor %s\n", u.url())
	} else {
		fmt.Fprintf(&b, "       Authorization: Bearer %s\n", u.token.Reveal())
		fmt.Fprintf(&b, "       claude mcp add twodoor %s --header \"Authorization: Bearer %s\" --transport http\n", u.url(), u.token.Reveal())
	}
	fmt.Fprintf(&b, "REST   %s/api\n", strings.TrimSuffix(u.url(), "/mcp"))
	fmt.Fprintf(&b, "stdio  %s mcp\n", orElse(r.Executable, "twodoor"))
	fmt.Fprintf(&b, "       claude mcp add twodoor -- %s mcp --config %s\n", orElse(r.Executable, "twodoor"), r.site.File)
	fmt.Fprintf(&b, "client %s\n", r.installLine())
	fmt.Fprintf(&b, "next   twodoor %s --help; which operations: twodoor coverage; Ctrl-C ends this\n", name)
	return b.String()
}
