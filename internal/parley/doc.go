// Package parley runs what may stop in the middle to ask: [Start] it, [Run.Wait] until it has ended
// or asks, and [Run.Answer]. Between a question and its answer it can be kept in a [Table] under a
// ticket, for whoever comes back with the answer. Its bound of time stands still while it waits.
package parley
