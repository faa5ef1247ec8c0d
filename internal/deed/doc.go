// Package deed holds the words by which a name tells what an operation does, where nobody says it
// (contracts §5). Begin at [Destroying] and [Reading].
package deed
