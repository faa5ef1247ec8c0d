// Package telemetry tells OpenTelemetry of calls: a span for each, and how long they took.
//
// A [Telemetry] observes the engine and says where a call stands in the trace of its caller
// ([Telemetry.Place]); [Telemetry.Watch] and [Telemetry.Invoker] do the same for what is asked of far
// sides. What is gathered is sent in batches over OTLP/HTTP with JSON, off the path of calls; what a
// collector does not take in time is dropped and counted. names.go holds every name of the conventions.
//
// The exporters of OpenTelemetry's own SDK are not used: they bring gRPC and Protobuf with them, 12 MB
// and two milliseconds of every start of the program, also of those that export nothing.
package telemetry
