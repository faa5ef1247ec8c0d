// Package hosts makes input schemas that every MCP host takes, and that cost a
// model few tokens. Begin at [Rewrite]; [Slim] is its form for lists, within a
// weight, which [Level] finds for many tools together. [Check] proves a schema
// against the rules of each host, which [All] lists.
//
// What it makes is for reading: values are always checked against the true schema.
package hosts
