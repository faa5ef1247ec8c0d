// Package twodoorv1 is the generated Go of annotations.proto: the options by which a Protobuf
// service says how it is called by people and agents.
//
// Services whose protos import twodoor/v1/annotations.proto need it to build. The annotations are
// explained in that file; what reads them is source/protobuf.
package twodoorv1
