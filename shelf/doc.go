// Package shelf keeps answers under handles for a while, in the store: a caller whose answer was cut
// reads the rest by its handle, also after a restart, from another process, and at another instance
// on the same store.
//
// A handle cannot be guessed, and opens nothing for anybody but the principal that it was made for.
// Begin with [Shelf.Keep] and [Shelf.Take]; the store needs [Schema].
package shelf
