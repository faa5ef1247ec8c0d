// Package twodoor holds the vocabulary of the product and the one path that every call takes.
//
// What can be called is an [Operation]: pure data. A [Source] reads a description (an OpenAPI
// document, annotated Protobuf, a command line, an MCP server) into operations, and an [Invoker]
// carries them out from the plan that the reading left in them. A [Catalog] is a fixed, sorted
// snapshot of operations with a two-way table of their names; a [Profile] is a named cut of it.
//
// A door (the generated CLI, the MCP server, the REST bridge) decodes what came in into a [Call],
// hands it to [Engine.Do], and encodes the [Result] or the [Error] that comes back. A door decides
// nothing: permission, validation, paging, shaping and the journal are the engine's.
//
// Start with [Engine.Do]: its six steps are the life of a call.
package twodoor
