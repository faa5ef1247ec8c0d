// Package shelltext finds the calls of a program in a shell text: through pipes, heredocs, $(…), loops
// and wrappers like xargs, with what each call is given on stdin and what reads its answer.
//
// Placeholders like <incident-id> and elisions are words here, not redirections. Begin at [Reader.Read];
// [Parts] takes a console block apart into what was typed and what was answered.
package shelltext
