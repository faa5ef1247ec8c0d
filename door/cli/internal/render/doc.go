// Package render writes one JSON value in the ways in which a command line shows values, without
// decoding it: numbers keep their digits and objects their order. Begin at [Append].
package render
