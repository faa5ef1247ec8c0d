package main

import (
	"context"
	"fmt"
	"os"

	"github.com/twodoor/twodoor/internal/harbor/mcpupstream"
)

// harborMCP is Harbor's MCP server, for scripts.
func harborMCP() {
	if err := (&mcpupstream.Server{}).Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
