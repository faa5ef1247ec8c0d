// Package draft asks a program what commands it has, and drafts a verbs file of them for a person to
// trim: "twodoor import PROGRAM --cli". Begin at [Program].
//
// A program made with cobra answers its completion protocol (__complete); any other is asked for its
// help, command by command, as far as its help lists commands. Programs run without a terminal and with
// an empty input, each bounded in time.
package draft
