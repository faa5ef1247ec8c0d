// Package telemetry is Harbor's second face: metrics, user flows, traces, logs and workflows as a
// Protobuf service, served over Connect, gRPC and gRPC-Web on one port.
//
// Its protos are annotated (folder proto); [Descriptors] is what they compile to. No Go is generated
// of them: handlers read and write the JSON mapping, and messages are built from the descriptors when
// a server is made. Begin at [New]; methods.go lists every method beside its handler.
package telemetry
