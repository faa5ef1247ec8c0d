// Package command makes an existing program's command lines operations, and runs them.
//
// A verbs file says which: each verb is a name, the list of arguments with typed parameters in it,
// and what comes out. [Source.Read] reads the file, strictly, every fault with its line; the
// [Invoker] works from the plan that lies in the operation and never sees the file.
//
//	file       the verbs file: what may stand in it (file.go, verb.go, param.go, steps.go)
//	read       verbs → operations (read.go, effect.go, annotate.go)
//	plan       how one verb becomes processes (plan.go, template.go)
//	fill       plan and arguments → argument lists, where injection is refused (fill.go, guard.go)
//	invoke     running them, bounded, and reading what they print (invoke.go, run.go, output.go)
//
// Arguments are a list and never a shell line. A value that a program could take for an option, for
// a file to read or for its input is refused, unless it is glued to what stands before it
// ("--grep={text}") or comes after a "--" that the file's author wrote.
package command
