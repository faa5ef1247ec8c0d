package shape

import (
	"slices"
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
	if root == "" {
		return find(raw, 0)
	}
	path = strings.TrimPrefix(strings.TrimSuffix(root, "[]"), ".")
	list = raw
	if path != "" {
		list, ok = rawjson.GetPath(raw, strings.Split(path, ".")...)
	}
	return list, path, rawjson.KindOf(list) == rawjson.KindArray && (ok || path == "")
}

const maxWrapping = 3

func find(raw []byte, depth int) (list []byte, path string, ok bool) {
	switch rawjson.KindOf(raw) {
	case rawjson.KindArray:
		return raw, "", true
	case rawjson.KindObject:
		if depth >= maxWrapping || isRecord(raw) {
			return nil, "", false
		}
	default:
		return nil, "", false
	}
	var f finder
	for key, value := range rawjson.Members(raw) {
		f.see(key, value)
	}
	switch {
	case f.ofObjects.count == 1:
		return f.ofObjects.list, f.ofObjects.key, true
	case f.ofObjects.count == 0 && f.others.count == 1:
		return f.others.list, f.others.key, true
	case f.ofObjects.count+f.others.count > 0:
		return nil, "", false
	}
	return wrapped(raw, depth)
}

// finder sorts the lists among the members of an object.
type finder struct{ ofObjects, others found }

type found struct {
	count int
	list  []byte
	key   string
}

func (f *finder) see(key string, value []byte) {
	if rawjson.KindOf(value) != rawjson.KindArray || strings.Contains(key, ".") {
		return
	}
	into := &f.others
	for first := range rawjson.Elements(value) {
		if rawjson.KindOf(first) == rawjson.KindObject {
			into = &f.ofObjects
		}
		break
	}
	*into = found{into.count + 1, value, key}
}

// wrapped looks into the objects of an object; one alone may hold records.
func wrapped(raw []byte, depth int) (list []byte, path string, ok bool) {
	for key, value := range rawjson.Members(raw) {
		inner, innerPath, found := find(value, depth+1)
		if !found || strings.Contains(key, ".") {
			continue
		}
		if ok {
			return nil, "", false
		}
		list, path, ok = inner, strings.TrimSuffix(key+"."+innerPath, "."), true
	}
	return list, path, ok
}

// recordKeys are the fields that tell an object about one thing from a wrapping.
var recordKeys = []string{"id", "ID", "_id", "uid", "uuid", "name", "title", "slug", "key"}

// TellsRecord reports whether a field of this name tells a record from a wrapping.
func TellsRecord(key string) bool { return slices.Contains(recordKeys, key) }

// isRecord tells an object that is about one thing.
func isRecord(raw []byte) bool {
	for key := range rawjson.RawMembers(raw) {
		if slices.ContainsFunc(recordKeys, func(name string) bool { return rawjson.KeyIs(key, name) }) {
			return true
		}
	}
	return false
}
