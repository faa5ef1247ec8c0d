// Package rawyaml reads a YAML document into the tree of [rawjson.Node], with
// lines, so that a reader of documents knows one tree for both formats. Begin
// at [Parse].
//
// Plain scalars are resolved by the core schema of YAML 1.2: NO, on, y and
// timestamps are strings, 0o17 is 15, 0x1F is 31, 017 is 17. Numbers keep their
// digits (1.0 stays 1.0, 2^60 stays whole). .inf and .nan, which JSON cannot
// say, are strings. Keys are text whatever they look like (200: is "200").
// Anchors, aliases and merge keys (<<) are expanded within [Limits]. A repeated
// key and a second document are errors.
package rawyaml
