// Package schemas writes Protobuf messages as JSON Schemas, by the JSON mapping of Protobuf
// (protobuf.dev/programming-guides/json).
//
// Begin at [Writer.Object]. Messages and enums are shared schemas, so that messages which hold
// themselves end: one for what is sent, one for what is answered. A oneof whose message has nothing
// else is an object with exactly one member; the branches of other oneofs stand side by side with
// the other fields, as in the mapping itself, and the first of them says that they exclude each
// other. There is never a union.
package schemas
