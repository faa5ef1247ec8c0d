// Package pieces keeps descriptors where the shared schemas of a catalog are kept, cut so that a
// call opens only those that it needs: one piece a message or enum at the top of its file, without
// comments, and one a file.
//
// Begin at [Cut] for writing and at [Open] for reading.
package pieces
