// Package argv says what may stand in a list of arguments that a caller has a hand in: which texts a
// program could take for something else than a value, and which options it must not be given. Begin
// at [Word] and [Refused].
package argv
