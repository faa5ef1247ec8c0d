package shape

import "github.com/twodoor/twodoor/internal/rawjson"

// Clean leaves out members that are null or the empty string, at any depth;
// never an empty list or object, never an element of a list. keep, which may be
// nil, tells which members stay all the same: it gets the path of keys from the
// top, without those of lists, and must not hold on to it. at are the keys that
// lead to raw itself, where it is a part of something.
func Clean(raw []byte, keep func(path []string) bool, at ...string) []byte {
	return rawjson.DropEmpty(raw, keep, at...)
}
