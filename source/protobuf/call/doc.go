// Package call carries out the operations of package protobuf from their plans: over Connect, gRPC
// and gRPC-Web by the Connect library, over plain HTTP by the google.api.http rules.
//
// Begin at [Invoker.Invoke]. Over Connect with JSON an answer is handed on as it came, unknown fields
// included; over the other wires it is read with the descriptors that package pieces kept.
package call
