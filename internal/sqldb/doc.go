// Package sqldb is one handle over two databases: SQLite in a file, where nothing is to be set up,
// and PostgreSQL, where several instances share one store.
//
// A room that keeps something brings a [Schema]: its tables, and the steps that make them, once for
// each dialect. Everything else is written once: queries with ? for every argument, in the part of
// SQL that both understand, over columns of four types (BIGINT, DOUBLE PRECISION, TEXT, and BLOB or
// BYTEA). Times are microseconds since 1970.
//
// Begin with [Open] and [DB.Migrate]. [DB.Listen] tells of changes that others make.
package sqldb
