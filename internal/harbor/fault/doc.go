// Package fault makes an upstream fail on request, in the ways in which real ones do. It knows nothing of what the
// upstream serves.
//
// Faults wait in a [Queue], and each request takes one up. Begin at [Queue.Fail]; [Kinds] lists the ways.
package fault
