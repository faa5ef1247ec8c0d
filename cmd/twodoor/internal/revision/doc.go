// Package revision reads the files of a git revision into a folder of their own: the working tree, the
// index and the configuration of git stay as they are.
//
// Begin at [Open].
package revision
