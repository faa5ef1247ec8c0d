// Command mcpbridge serves over stdio MCP what a twodoor, or a bridge-compatible orchestrator, has
// behind its HTTP API. Its whole configuration is the environment: see settings.go. What it lists and
// calls is the far side's; there is no tool's name in it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version is set at release: -ldflags "-X main.version=1.2.0".
var version = "dev"

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

	// Nothing but protocol reaches stdout.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	os.Exit(run(ctx, os.Getenv, os.Stdin, stdout, os.Stderr))
}
