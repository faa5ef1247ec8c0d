// Package protobuf reads annotated Protobuf services (.proto files, descriptor sets, buf images, or
// what a server tells of itself) into operations, and calls them over Connect, gRPC or HTTP.
//
// The folder has two halves that meet in packages plan and pieces alone:
//
//	descriptors  files, sets, images and reflection as linked descriptors
//	options      what options say: annotations of any package, HTTP rules, validation
//	schemas      messages as JSON Schema, by the JSON mapping
//	protobuf     reading: each method becomes an operation and a plan
//	plan         how one operation becomes a call
//	pieces       descriptors kept with the catalog, so that a call opens only what it needs
//	call         invoking: from a plan and arguments to the request, and back
//
// Reading begins at [Source.Read]. Methods to which a client streams are refused by name. Invoking
// begins at [Invoker], in package call, and never sees a description; over Connect with JSON it
// opens no descriptor either, unless annotations rename or fill fields.
package protobuf
