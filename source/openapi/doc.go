// Package openapi reads OpenAPI descriptions (3.1, 3.0 and Swagger 2.0; JSON or YAML; a file or a
// URL, with overlays and annotations) into operations, and carries their calls out over HTTP.
//
// The two halves meet in the plan alone (plan.go). Reading begins at [Source.Read]: it loads
// leniently, turns each operation into one flat object of inputs, and names every operation that
// cannot be served with its place and the reason. Invoking begins at the Invoker and never sees a
// description.
package openapi
