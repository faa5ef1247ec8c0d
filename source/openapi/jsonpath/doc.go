// Package jsonpath asks JSONPath queries (RFC 9535) of a document's tree, and tells where what they
// select hangs, so that overlays can change it. Begin at [Compile].
//
// It is all of the RFC but the functions match, search and value. Each node is selected once.
package jsonpath
