// Package journal keeps a record of every call: who asked for what, and what came of it.
//
// A [Journal] observes the engine. Records are written in batches, off the reply path, redacted and
// bounded; under overload they are dropped and counted, and no call ever waits for them. A call that
// writes or destroys is different: [Journal.Intend] has its intent on disk before it begins.
//
// The records of one run of a program form a chain of hashes with a signed end, so that a record
// altered, removed or moved by hand is found by [Journal.Verify]. [Journal.Calls] answers a [Filter],
// [Journal.Follow] tells of new calls as they end, and [Friction] says what agents stumbled over.
//
// A command that ends at once opens no database: it adds its records to a [Spool], which the next
// server takes in. [Metrics] counts the same calls for Prometheus.
package journal
