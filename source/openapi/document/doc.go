// Package document holds the files of an OpenAPI description as trees of JSON nodes, YAML included.
//
// A [Library] loads each file once, follows references from file to file ([Library.Resolve]), and
// applies overlays ([Library.Overlay]). A [Place] is a node with the file that it stands in, so that a
// fault can be told as file:line and a reference be followed from there.
package document
