package shape

import "github.com/twodoor/twodoor/internal/rawjson"

// Clean leaves out members that are null or the empty string, at any depth;
// never an empty list or object, never an element of a list. keep, which may be
// nil, tells which members stay all the same: it gets the path of keys from the
// top, without those of lists, and must not hold on to it.
func Clean(raw []byte, keep func(path []string) bool) []byte {
	c := cleaner{keep: keep}
	return c.clean(raw, 0)
}

type cleaner struct {
	keep func(path []string) bool
	path []string
}

func (c *cleaner) clean(value []byte, depth int) []byte {
	kind := rawjson.KindOf(value)
	if kind != rawjson.KindObject && kind != rawjson.KindArray || depth > rawjson.MaxDepth {
		return value
	}
	return rawjson.Rewrite(value, func(key []byte, _ int, v []byte) []byte {
		if key == nil {
			return c.clean(v, depth+1)
		}
		return c.member(key, v, depth)
	})
}

func (c *cleaner) member(key, value []byte, depth int) []byte {
	if c.keep != nil {
		name, _ := rawjson.String(key)
		c.path = append(c.path, name)
		defer func() { c.path = c.path[:len(c.path)-1] }()
	}
	if empty := string(value) == "null" || string(value) == `""`; empty && (c.keep == nil || !c.keep(c.path)) {
		return nil
	}
	return c.clean(value, depth+1)
}
