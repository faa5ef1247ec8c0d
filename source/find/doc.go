// Package find is how an agent in front of thousands of operations finds the right one, and calls
// it: the source of twodoor's own operations find_operations, describe_operations, the three call
// tools and read_result, and the index that they search.
//
// The index ([Build], [Open], [Index.Search]) is immutable. It is built with a catalog, kept as a
// section of its bundle, and opened without decoding. A query is scored as a whole and by clause:
// by its words (BM25F over split names, stems and synonyms, rank.go), by what its words mean (a
// static table, table.go), by how much of a name it holds, and by what is to be done (deed.go).
// Words that the catalog lacks stand for those spelled nearly alike (spelling.go); near-duplicates
// across sources are one hit (same.go), and what means nearly the same as a better hit gives way to
// what does not. What a document is read from stands in
// document.go, the encoded form in index.go.
//
// Begin with [Index.Search]. Every weight was measured by bench/search on public sets of requests;
// none was made for one of them.
package find
