// Package refs follows references inside a JSON Schema: [Document.Find] to what a pointer or an anchor
// names, [Close] to make a schema self-contained.
//
// Nothing is ever fetched.
package refs
