// Package bundle keeps a compiled catalog on disk, so that a description is parsed once and later
// runs open it in about a millisecond.
//
// A bundle is one file of named sections. The sections that every run needs are small: the table
// of names and one entry an operation. Operations and shared schemas are records, each read and
// checked only when it is asked for. Whatever does not fit its checksum is never trusted: opening
// fails with [ErrDamaged], and a record found damaged later is taken from [Bundle.Heal].
//
// Begin with [Write] and [Open]; file.go has the layout.
package bundle
