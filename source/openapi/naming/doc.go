// Package naming gives every operation of an OpenAPI description its name and its effect, by the
// rules of contracts §1 and §5: pure functions over what the description says of all of them.
//
// Begin at [Names] for names and at [Effects] for effects; both look at [Route] alone. [Choice] is
// what has to be kept so that a description that grew is named as it was.
package naming
