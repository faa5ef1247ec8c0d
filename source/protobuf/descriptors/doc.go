// Package descriptors loads what describes Protobuf services: .proto files, descriptor sets and buf
// images, or what a server tells of itself.
//
// Begin at [Input.Load]; a [Set] is what comes out, whichever way it came in. The well-known
// files are compiled in, and so are those that annotate most services: see the folder bundled.
package descriptors
