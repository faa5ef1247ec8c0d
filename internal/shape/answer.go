package shape

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Answer is a value with the place of its records, which is looked for once, when
// it is first asked for: a walk over a large value is what shaping costs most.
type Answer struct {
	raw    []byte
	root   string
	walked bool
	whole  rawjson.Part
	place  place
}

// place is where the records stand: path leads there, through the parts around.
type place struct {
	list   *rawjson.Part // nil: there are none
	path   string
	around []*rawjson.Part // the value itself and the objects on the path
}

// Open is the answer of a value, which is valid JSON. root is as in [Records].
func Open(raw []byte, root string) *Answer { return &Answer{raw: raw, root: root} }

// Is reports whether this is the answer of that very value.
func (a *Answer) Is(raw []byte, root string) bool {
	return a != nil && a.root == root && len(a.raw) == len(raw) && (len(raw) == 0 || &a.raw[0] == &raw[0])
}

// records finds the list that the answer is about.
func (a *Answer) records() place {
	if a.walked {
		return a.place
	}
	steps := stepsOf(a.root)
	a.walked, a.whole = true, rawjson.Outline(a.raw, 0, max(maxWrapping, len(steps))+1)
	if a.root == "" {
		a.place, _ = a.find(&a.whole, 0)
		return a.place
	}
	found := place{list: &a.whole, path: strings.Join(steps, ".")}
	for _, step := range steps {
		found.around = append(found.around, found.list)
		if found.list = a.member(found.list, step); found.list == nil {
			return a.place
		}
	}
	if found.list.Kind == rawjson.KindArray {
		a.place = found
	}
	return a.place
}

func stepsOf(root string) []string {
	path := strings.TrimPrefix(strings.TrimSuffix(root, "[]"), ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// members are the members of an object, nil of anything else.
func (a *Answer) members(p *rawjson.Part) []rawjson.Part {
	if p.Kind == rawjson.KindObject && !p.Opened {
		opened := rawjson.Outline(a.raw, p.From, 1)
		p.Members, p.Opened = opened.Members, true
	}
	return p.Members
}

func (a *Answer) member(p *rawjson.Part, name string) *rawjson.Part {
	members := a.members(p)
	for i := len(members) - 1; i >= 0; i-- {
		if rawjson.KeyIs(members[i].Key, name) {
			return &members[i]
		}
	}
	return nil
}

func (a *Answer) text(p *rawjson.Part) []byte { return a.raw[p.From:p.To:p.To] }

// put is the value with another list in the place of its records.
func (a *Answer) put(list []byte) []byte {
	at := a.records().list
	out := make([]byte, 0, len(a.raw)-(at.To-at.From)+len(list))
	out = append(append(out, a.raw[:at.From]...), list...)
	return append(out, a.raw[at.To:]...)
}

const maxWrapping = 3

// find looks for records in a value: itself, the one list in it, or what its wrappings hold.
func (a *Answer) find(p *rawjson.Part, depth int) (found place, ok bool) {
	switch {
	case p.Kind == rawjson.KindArray:
		return place{list: p}, true
	case p.Kind != rawjson.KindObject || depth >= maxWrapping || slices.ContainsFunc(a.members(p), tellsRecord):
		return place{}, false
	}
	var ofObjects, others []*rawjson.Part
	members := a.members(p)
	for i := range members {
		m := &members[i]
		switch {
		case m.Kind != rawjson.KindArray || strings.Contains(keyOf(m), "."):
		case m.First == rawjson.KindObject:
			ofObjects = append(ofObjects, m)
		default:
			others = append(others, m)
		}
	}
	switch {
	case len(ofObjects) == 1:
		return place{ofObjects[0], keyOf(ofObjects[0]), []*rawjson.Part{p}}, true
	case len(ofObjects) == 0 && len(others) == 1:
		return place{others[0], keyOf(others[0]), []*rawjson.Part{p}}, true
	case len(ofObjects)+len(others) > 0:
		return place{}, false
	}
	return a.wrapped(p, depth)
}

// wrapped looks into the objects of an object; one alone may hold records.
func (a *Answer) wrapped(p *rawjson.Part, depth int) (found place, ok bool) {
	members := a.members(p)
	for i := range members {
		m := &members[i]
		inner, has := a.find(m, depth+1)
		if !has || strings.Contains(keyOf(m), ".") {
			continue
		}
		if ok {
			return place{}, false
		}
		inner.path = strings.TrimSuffix(keyOf(m)+"."+inner.path, ".")
		inner.around = append([]*rawjson.Part{p}, inner.around...)
		found, ok = inner, true
	}
	return found, ok
}

func keyOf(p *rawjson.Part) string {
	key, _ := rawjson.String(p.Key)
	return key
}

// recordKeys are the fields that tell an object about one thing from a wrapping.
var recordKeys = []string{"id", "ID", "_id", "uid", "uuid", "name", "title", "slug", "key"}

// TellsRecord reports whether a field of this name tells a record from a wrapping.
func TellsRecord(key string) bool { return slices.Contains(recordKeys, key) }

func tellsRecord(p rawjson.Part) bool {
	return slices.ContainsFunc(recordKeys, func(name string) bool { return rawjson.KeyIs(p.Key, name) })
}
