// Package rawjson reads and edits JSON without decoding it: numbers keep their
// digits, objects their order, unknown fields their place.
//
// Two ways in. For a value on the hot path, walk the bytes: [Get], [Members]
// and [Elements] hand out sub-slices of the text and build nothing. For a whole
// document, [Parse] gives a tree of [Node] with line numbers.
//
// What comes from outside goes through [Check] or [Parse] once; they are strict
// (RFC 8259, UTF-8, nesting at most [MaxDepth]). Everything else here assumes
// valid JSON: on other text it stops early or returns nothing, and never panics.
//
// An object may repeat a key. [Members] yields each, in order; [Get] and
// [Node.Get] take the last, as encoding/json does.
package rawjson

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 1000
