// Package mediatype tells what a media type says of its bytes: [Of] is the way to encode or read them.
package mediatype
