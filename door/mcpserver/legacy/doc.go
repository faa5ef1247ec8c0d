// Package legacy serves the revisions of MCP that begin with an initialize handshake (2024-11-05 to
// 2025-11-25), over the same core as the modern ones. The handshake, sessions, their streams and
// batches are those of the protocol's own Go SDK; lists and calls never reach it: they are
// answered in a middleware, as raw JSON, by [Core].
//
// Begin with [Server]. When the last client of these revisions is gone, the room can be deleted.
package legacy
