// Package check holds what people and agents read about the interface against the compiled catalog:
// the own commands check and cards, without their wiring. It gives the rooms of source/guide what they need
// of the command line, gathers the files, and writes findings in the formats of people, programs and
// CI systems.
//
// Begin at [TreeOf] and [LinesOf].
package check
