// Package mcpclient makes the tools of other MCP servers operations, and calls them without losing
// a byte: definitions, results, big numbers and unknown fields travel as they came.
//
// [Source.Read] lists a server's tools; the [Invoker] calls one. Both take their connection from
// the [Pool], which holds one for each (server, account, isolation key), starts it once however
// many ask at the same time, and is the only place that tries again. What is sent over the wire
// lies below, in package wire; which revision of MCP a server speaks is found out in era.go.
//
// What servers ask on the way is put to the caller (ask.go); what they have beside tools is in
// library.go and watch.go, under the addresses of address.go.
//
// The ecosystem's own file of servers, mcp_servers.json, is read by [ParseServers] and [Overlay].
package mcpclient
