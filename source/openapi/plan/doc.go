// Package plan holds how an operation of an OpenAPI description becomes an HTTP request: what
// reading leaves in Operation.Plan, and all that sending knows. Begin at [Plan].
package plan
