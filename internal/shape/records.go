package shape

import (
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Records finds the list that an answer is about, and the dotted path to it.
// root says where it stands ("data.items", also ".data.items[]"). When root is
// "", it is the value itself where that is an array; else the one member that is
// an array of objects, or else the one array, looked for through wrapping
// objects three levels deep. An object that has an id or a name is itself a
// record, and the lists in it are its parts.
func Records(raw []byte, root string) (list []byte, path string, ok bool) {
	a := Open(raw, root)
	if found := a.records(); found.list != nil {
		return a.text(found.list), found.path, true
	}
	if root != "" { // a step may be the index of a list
		path = strings.Join(stepsOf(root), ".")
		list, ok = rawjson.GetPath(raw, stepsOf(root)...)
	}
	return list, path, ok && rawjson.KindOf(list) == rawjson.KindArray
}
