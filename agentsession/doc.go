// Package agentsession serves a fixed handful of Go functions as tools to exactly one session of an
// agent: to coding agents that take an MCP server, and to everything that speaks HTTP.
//
// [New] makes a [Session] of its tools. It is an http.Handler with the routes of tool bridges; with a
// [Host] it is reached over a loopback listener that the sessions of a process share, and
// [Session.MCPServers] is the entry that an agent's configuration needs. A session knows its own tools
// only: there is no list of all, and no token is good for two.
package agentsession
