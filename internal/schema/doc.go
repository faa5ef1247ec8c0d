// Package schema works on JSON Schemas as raw JSON, in the 2020-12 dialect.
//
// To check values: [Compile], then [Schema.Fit], [Schema.Default] and
// [Schema.Check]. To make a value: [Example]. To list a schema to a model: package
// hosts. To tell what fields an object has: package fields. [Close] makes a schema
// self-contained, [For] makes one from a Go type.
//
// Nothing is ever fetched: a reference leads to somewhere in the same schema.
package schema
