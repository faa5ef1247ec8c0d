// Package gateway holds what only the whole chain can show: a client, our door, our engine, our MCP
// client and a real upstream behind it, in every pair of eras. Its tests are the proof; it has no code.
package gateway
