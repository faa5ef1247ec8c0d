// Package check holds what people and agents read about the interface against the compiled catalog:
// the own commands check and cards, without their wiring. It gives the room source/guide what it needs
// of the command line, gathers the files, and writes findings in the formats of people, programs and
// CI systems.
//
// Begin at [Checker].
package check
