// Package harbor is a small incident service for demos and tests: services, incidents, on-call, changes, metrics,
// workflows and logs over plain HTTP, all in memory, seeded the same way every time, needing no network.
//
// It knows nothing of the program around it. It is an ordinary upstream with the habits of real ones: four styles of
// paging, a state that forbids an edit, logs that must be warmed up before they can be read, a rate limit, uploads,
// event streams, one very large request schema, and faults on request. Its OpenAPI document (openapi.yaml) is written
// by hand and held to the truth by the tests.
//
// Begin at New in harbor.go; routes.go lists every route beside its handler.
package harbor
