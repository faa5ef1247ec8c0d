// Package openapi reads OpenAPI descriptions (3.1, 3.0 and Swagger 2.0; JSON or YAML; a file or a
// URL, with overlays and annotations) into operations, and carries their calls out over HTTP.
//
// The folder has two halves that meet in package plan alone, beside the media types that both know:
//
//	document   the files of a description as trees: references, overlays, the place of each fault
//	jsonpath   the queries of overlays (RFC 9535)
//	schemas    their schemas as JSON Schema 2020-12, and as fields side by side
//	naming     names and effects of operations, from their paths and ids
//	openapi    reading: each operation becomes one flat object of inputs and a plan
//	plan       how one operation becomes an HTTP request
//	send       invoking: from a plan and arguments to the request, and from the answer to a value
//	mediatype  what a media type says of its bytes
//
// Reading begins at [Source.Read]: it loads leniently and names every operation that cannot be
// served with its place and the reason. Invoking begins at [Invoker], in package send, and never sees
// a description.
package openapi
