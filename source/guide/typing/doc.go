// Package typing tells what the schemas of an operation say of a call before it is made: which arguments
// do not fit ([Misfits]), and which fields or jq programs read what the answer does not have
// ([ReadAnswer], [ReadJQ]).
//
// A [Shape] is what is known of a value before there is one. What cannot be known is taken to be right:
// nothing is told here that may work. [Example] goes the other way, and makes a value that fits.
package typing
