// Package hosts makes input schemas that every MCP host takes, and that cost a
// model few tokens. Begin at [Rewrite]; [Check] proves its result against the
// rules of each host, which [All] lists.
//
// What it makes is for reading: values are always checked against the true schema.
package hosts
