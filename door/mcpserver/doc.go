// Package mcpserver is the door for agents that speak the Model Context Protocol: it turns a
// tools/call into a Call of the engine, and the Result back into content.
//
// Both eras of the protocol share one HTTP endpoint and one stream. What is modern (revision
// 2026-07-28: every request carries its own version and capabilities) is answered here, on raw
// JSON, by one dispatcher that knows no transport. What begins with an initialize handshake
// (2024-11-05 to 2025-11-25) is kept by the sub-room legacy, which asks the same core.
//
// Start with [Door]. dispatch.go holds the table of methods, call.go the way of one tool call;
// http.go and stream.go are the two transports.
package mcpserver
