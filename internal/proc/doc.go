// Package proc starts a program, bounds it, and ends it with everything that it started. It is the
// only room of the house that spawns.
//
// Begin at [Start]. A program runs in a session of its own, without a terminal: when its context
// ends, when [Process.Kill] is called, or when the program itself exits, its whole process group dies. Its environment
// is what the caller lists, never what this process happens to have: see [Environment]. What it
// writes to stderr is drained, and the last lines are kept for the message of a fault.
package proc
