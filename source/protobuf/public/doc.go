// Package public writes the public cut of Protobuf files: what is exported and what that needs,
// comments kept, annotations gone. Begin at [Cut].
package public
