// Package clients knows where each MCP client keeps its servers, and in which dialect.
//
// Begin at [All], the clients that can be written to and those that are only told what to paste.
// [Read] takes the servers out of any of their files, for import; [Edit] puts one entry into such a
// text or takes it out, and leaves every other byte as it is; [Desk] does that to files, with a
// backup and a record by which the file can be restored.
//
// The package reads no environment by itself: a [Place] holds what it needs to know of the machine.
package clients
