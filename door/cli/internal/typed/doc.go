// Package typed reads what a JSON Schema says of a value that is typed as a text: its type, the values
// it may have, how the text becomes JSON, and how to tell a reader all that in a few words. Types come
// from the schema, never from the look of a text. Begin at [Scope.TypeOf] and [Type.Convert].
package typed
