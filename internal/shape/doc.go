// Package shape makes an answer smaller without decoding it: fields kept, lists
// cut, series summarised, empty members dropped, jq. It works on raw JSON, so
// numbers keep their digits and objects their order.
//
// Begin at [Apply] for what a caller asked for, at [Fit] for a budget, at [Clean]
// for what is left out unasked. Every cut is told as a [Cut].
package shape
