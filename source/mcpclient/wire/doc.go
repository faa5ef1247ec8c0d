// Package wire carries JSON-RPC messages to an MCP server and back: over the pipes of a child
// process ([Stdio]), over Streamable HTTP of every revision ([Web]), and over the HTTP+SSE
// transport of 2024-11-05 ([Events]).
//
// All three are a [Link]. A link knows frames, ids, progress and cancellation; it knows no tool and
// no handshake, and hands every result on as the bytes that came. Which revision is spoken is told
// to it by [Web.Speak].
package wire
