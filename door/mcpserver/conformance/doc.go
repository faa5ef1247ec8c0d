// Package conformance judges the MCP door by what others wrote: the protocol's own conformance
// suite, and real clients. Its tests need the programs that scripts/node-tools.sh installs, and are
// skipped where the folder is not there.
//
// Begin with suite_test.go. The server that is judged is in the room fixture.
package conformance
