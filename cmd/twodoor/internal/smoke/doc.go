// Package smoke puts any MCP server through what every client relies on, in a second or two: it
// greets in both eras of the protocol, lists the tools, asks for a method and a tool that do not
// exist, sends a line that is no JSON, watches stdout for anything but protocol, and ends the input
// while a call is in flight.
//
// Begin at [Run]: it returns one [Verdict] for each check. A server needs to speak one era; where it
// speaks both, both are checked, each on a connection of its own. The checks are written once, over
// a link that is a pair of pipes or HTTP.
package smoke
