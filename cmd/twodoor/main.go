// Command twodoor turns a description of what you have into a CLI and an MCP server that share one
// path. See internal/app for how its parts are wired.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/app"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/pack"
)

// version is set at release: -ldflags "-X main.version=1.2.0".
var version string

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel() // what is under way is finished
		<-signals
		os.Exit(130)
	}()

	// Nothing but what the program means to answer reaches stdout: over stdio it is protocol.
	stdout := os.Stdout
	os.Stdout = os.Stderr

	dir, _ := os.Getwd()
	executable, _ := os.Executable()
	carried, err := pack.Open(executable)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s does not start: %v; get it anew from where it came from\n", executable, err)
		os.Exit(1)
	}
	a := app.App{
		Dir: dir, LookupEnv: os.LookupEnv, Environ: os.Environ(), Executable: executable, Version: app.VersionOf(version), Pack: carried,
		Stdin: os.Stdin, Stdout: stdout, Stderr: os.Stderr,
		StdinTTY: app.IsTerminal(os.Stdin), StdoutTTY: app.IsTerminal(stdout), StderrTTY: app.IsTerminal(os.Stderr),
	}
	os.Exit(a.Run(ctx, os.Args[1:]))
}
