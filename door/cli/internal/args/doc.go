// Package args is the line of one generated command: the inputs of an operation as flags and operands,
// a line read into arguments, and arguments written as a line. Begin at [Of], then [Line] for the way
// in and [Inputs.Argv] for the way out.
package args
