// Package cobratree gives a program that is made with cobra an mcp command, over which agents call
// its own commands as tools. Two lines do it, where the root command is put together:
//
//	root.AddCommand(cobratree.Command(root, cobratree.Options{
//		Commands: []string{"issue list", "issue show", "issue create"}, // five to ten, chosen for agents; empty: all
//	}))
//
// and a client starts "program mcp". Flags and arguments become a tool's inputs, with the types that
// the flags have; what a command prints is its answer, as JSON where it is JSON. Commands run in this
// process, one at a time, and whatever they write to stdout, by whichever way, is captured: the
// protocol owns stdin and stdout. A command that calls os.Exit ends the server with it: return an error
// from RunE in its place, or set [Options.Apart], and each call is a process of its own.
//
// Values that could be taken for an option, for the name of a file to read or for the input are
// refused. Begin at [Command]; a program that serves an engine of its own begins at [New].
package cobratree
