// Package mcpupstream is Harbor's own MCP server over a stream, for the demo and for tests: a few
// tools, resources with a template, a prompt with completion, a view, and everything a server can do
// to its client: it tells progress and logs, asks a person, a model and for folders, changes its list
// of tools, lets a resource change, and crashes when it is told to. It speaks both eras of MCP, or
// one of them.
//
// Begin with [Server.Serve]; tools.go holds the tools, ask.go how a client is asked in either era.
package mcpupstream
