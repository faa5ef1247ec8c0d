package cobratree

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
)

// Kind is the kind of the operations that a Tree reads and invokes.
const Kind = "cobra"

// EffectKey is the annotation of a cobra command that says what it does: reads, writes or destroys.
const EffectKey = "twodoor.effect"

// Options say what of a program is served. The zero value serves every command that can run.
type Options struct {
	Name     string                    // first word of tools and ids; empty: the root command's
	Commands []string                  // paths below the root, "issue list"; empty: all
	Effects  map[string]twodoor.Effect // by path, before EffectKey; else the words of the path tell
	Text     []string                  // flags and arguments that take text of several lines, by name
	Allow    []string                  // flags that are served although programs often write files, run programs or read configuration by one of their name: "output"
	Hide     []string                  // flags that are not served

	Version  string        // of the program, for clients; empty: the root command's
	Timeout  time.Duration // of a call; 0: one minute
	MaxBytes int           // that a command may print; 0: 8 MiB

	// New makes the tree anew for each call. Nil: the tree at hand is used, its flags put back to their
	// defaults after each call; variables that are no flags keep what a call left in them.
	New func() *cobra.Command
	// Apart runs each call in a process of its own, this program started again.
	Apart   bool
	Environ []string // the environment of those processes: os.Environ()
}

// Tree is a cobra program as a source and as the Invoker of its operations. It is safe for
// concurrent use.
type Tree struct {
	root    *cobra.Command
	options Options
	turn    chan struct{} // holds the one turn to run a command in this process
	capture capturer
}

// New makes a tree of a root command, whose commands are all there. What commands write through their
// cobra output is captured; stdout itself is captured under [Command] only.
func New(root *cobra.Command, options Options) *Tree {
	t := &Tree{root: root, options: options, turn: make(chan struct{}, 1), capture: byWriter{}}
	t.turn <- struct{}{}
	return t
}

// Command is the command "mcp": it serves the tree over stdin and stdout until the input ends. Add it
// to the root.
func Command(root *cobra.Command, options Options) *cobra.Command {
	return &cobra.Command{
		Use: commandName, Short: "Serve this program's commands to agents over MCP", Args: cobra.NoArgs,
		Long:         "Speaks the Model Context Protocol over stdin and stdout. At the end of its input it finishes what is under way and exits.",
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			return New(root, options).serve(ctx)
		},
	}
}

// commandName is the command that serves, and is not served itself.
const commandName = "mcp"

// serve takes stdin and stdout for the protocol, before anything else can write there.
func (t *Tree) serve(ctx context.Context) error {
	streams, err := takeStreams(t.maxBytes())
	if err != nil {
		return fmt.Errorf("take stdin and stdout for the protocol: %w", err)
	}
	t.capture = streams
	reading, err := t.Read(ctx)
	if err != nil {
		return err
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		return err
	}
	engine := &twodoor.Engine{
		Invokers: map[string]twodoor.Invoker{Kind: t}, Timeout: t.options.Timeout,
		Profiles: map[string]*twodoor.Profile{twodoor.DefaultProfile: {Expose: twodoor.ExposeFull}},
	}
	engine.Serve(catalog)
	door := &mcpserver.Door{Engine: engine, Name: t.name(), Title: t.root.Short, Version: cmp.Or(t.options.Version, t.root.Version)}
	return door.ServeStdio(ctx, streams.in, streams.out)
}

func (t *Tree) name() string { return cmp.Or(t.options.Name, word(t.root.Name())) }

func (t *Tree) maxBytes() int { return cmp.Or(t.options.MaxBytes, 8<<20) }
