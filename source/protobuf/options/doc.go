// Package options reads what the options of Protobuf descriptors say: annotations of any package,
// HTTP rules, validation rules.
//
// Begin at [Reader.Of]. Options are found by their own descriptors, whatever their package and
// number; those in general use are known even where a set does not carry their descriptors.
package options
