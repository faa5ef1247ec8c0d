// Package plan is how one operation becomes a call of a Protobuf method: where reading and invoking meet.
package plan
