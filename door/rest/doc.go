// Package rest is the door for programs and agents that speak plain HTTP: the routes of existing tool
// bridges, and our own below /api/v1.
//
// Every route stands at the root and under /api. The compatible ones answer with an envelope,
// {"success","result","error"} and more, and tell a failed call with HTTP 200; those below /v1 answer
// with the value itself and tell faults as problem details (RFC 9457).
//
// Start with [Door]. route.go holds the table of routes, caller.go says on whose behalf a request is,
// decode.go and encode.go lie on the two sides of the engine; openapi.json describes it all.
package rest
