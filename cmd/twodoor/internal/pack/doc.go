// Package pack makes one file of the program and of what it serves, and opens it again: "twodoor pack".
//
// A packed program is a twodoor with a payload after its end and a trailer after that. The payload is a
// zip of uncompressed files, in order and without times, so that the same things make the same bytes;
// the trailer has its length and its SHA-256. A program whose payload is not what was written does not
// start. Begin at [Write] and [Open].
package pack
