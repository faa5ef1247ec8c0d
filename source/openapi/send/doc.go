// Package send carries out calls of operations that have a plan: it builds the HTTP request, and
// makes a value or a fault of the answer. It never sees a description.
//
// Begin at [Invoker.Invoke]: request.go builds the request, styles.go and encode_body.go write its
// parameters and its body, answer.go, answer_stream.go and answer_fault.go read what comes back.
package send
