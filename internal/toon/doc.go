// Package toon writes JSON as Token-Oriented Object Notation (toonformat.dev, specification 2.0): the
// same value in fewer tokens where it holds lists of like records. Begin at [Append]; [Smaller] tells
// where it pays.
package toon
