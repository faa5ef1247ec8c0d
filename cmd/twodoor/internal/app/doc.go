// Package app wires the parts of the house into the program: it finds the configuration, opens the
// catalog, builds the engine and hands the command line to the CLI door. It decides nothing about a
// call.
//
// Begin at [App.Run]. site.go finds the configuration and asks for trust, catalog.go compiles or
// opens the bundle, engine.go builds what carries calls; then comes a file for each own command.
// What a command does not need is not built: a generated command with a warm bundle stats a few
// files, opens the bundle, and decodes one operation.
package app
