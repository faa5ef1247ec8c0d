// Package examples is the proof that what an agent reads is true.
//
// [Checker.Check] reads any Markdown and finds each example in it that calls the command line or a
// tool: in fenced blocks and inline spans, through pipes, heredocs and $(…). Each is held against the
// compiled catalog: the command, its flags and their values, the body, the jq paths into the answer.
// What does not fit is a finding with its place and the nearest right form. [Checker.CheckCatalog] holds
// what annotations promise to the same catalog, [Checker.CheckGuides] what guides say that they cover.
//
// No door is known here: the command tree comes as plain data, and a line is read by functions that are
// handed in ([Lines]). Begin at [Checker.Check]; line.go is the check of one call.
package examples
