// Package cli is the door for people and for agents with a shell: argv in, an exit status out.
//
// Every operation of the catalog is a command, "twodoor SOURCE GROUP VERB", without code of its own:
// the words find the operation, its input schema says what the flags are and what type their values
// have, and the engine does the rest. Only the operation that is addressed is decoded. Commands that
// are not operations ("up", "doctor") are given by the program as plain [Command] data; cobra runs
// them and makes the completion scripts, and its types stay in here.
//
// A line that fits becomes a [twodoor.Call]; an answer is written to stdout and everything said about
// it to stderr. A fault is prose with "hint:" and "try:" lines, or one JSON object where the output is
// JSON, and its exit status is that of its code. A group without a verb prints its help on stderr and
// exits 2; help that was asked for goes to stdout and exits 0.
//
// Begin at [Door.Run]. How one command's line is read and written is internal/args, what a schema says
// of a typed text internal/typed, the ways of writing an answer internal/render.
package cli
