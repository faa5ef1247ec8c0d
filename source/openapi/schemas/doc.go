// Package schemas turns the schemas of an OpenAPI description (3.1, 3.0 and Swagger 2.0) into JSON
// Schema 2020-12, each for the direction in which its values go.
//
// A [Set] serves one description. An [Emitter] writes one schema; what several share becomes a
// [Definition], written once by [Set.Drain]. [Set.Flatten] takes an object or a union of objects
// apart into fields side by side. In between, [Set.Merged] makes one schema of an allOf.
package schemas
