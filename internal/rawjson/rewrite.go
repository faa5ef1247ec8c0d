package rawjson

// Rewrite walks one level of an object or array and replaces values: edit gets
// each value with its quoted key (nil in an array) and index, and returns the
// new value, the same slice to keep it, or nil to leave the member or element
// out. When all are kept, Rewrite returns raw itself and allocates nothing.
func Rewrite(raw []byte, edit func(key []byte, index int, value []byte) []byte) []byte {
	w := rewriter{raw: raw}
	index := 0
	if KindOf(raw) == KindArray {
		pos := 0
		walkArray(raw, func(value []byte) bool {
			// Elements follow each other, so the next one is found from here.
			from := nextValue(raw, pos)
			pos = from + len(value)
			w.put(nil, from, pos, edit(nil, index, value))
			index++
			return true
		})
		return w.bytes(']')
	}
	walkObject(raw, func(m member) bool {
		key := raw[m.keyFrom:m.keyTo:m.keyTo]
		w.put(key, m.from, m.to, edit(key, index, raw[m.from:m.to:m.to]))
		index++
		return true
	})
	return w.bytes('}')
}

// nextValue finds the value after the opening bracket or comma from pos on.
func nextValue(raw []byte, pos int) int {
	pos = skipSpace(raw, pos)
	return skipSpace(raw, pos+1)
}

// rewriter writes only from the first change on. Until then the parts kept are
// remembered by where they end.
type rewriter struct {
	raw     []byte
	out     []byte
	changed bool
	kept    int // parts put before the change
	end     int // where the last of them ends
}

func (w *rewriter) put(key []byte, from, to int, value []byte) {
	same := value != nil && len(value) == to-from && &value[0] == &w.raw[from]
	if !w.changed {
		if same {
			w.kept++
			w.end = to
			return
		}
		w.start()
	}
	if value == nil {
		return
	}
	if w.kept > 0 {
		w.out = append(w.out, ',')
	}
	w.kept++
	if key != nil {
		w.out = append(w.out, key...)
		w.out = append(w.out, ':')
	}
	w.out = append(w.out, value...)
}

// start copies what was kept so far.
func (w *rewriter) start() {
	w.changed = true
	w.out = make([]byte, 0, len(w.raw)+16)
	if w.kept > 0 {
		w.out = append(w.out, Trim(w.raw[:w.end])...)
		return
	}
	w.out = append(w.out, w.raw[skipSpace(w.raw, 0)])
}

func (w *rewriter) bytes(closing byte) []byte {
	if !w.changed {
		return w.raw
	}
	return append(w.out, closing)
}

// SetPath returns a new value in which the member at the path of object keys
// has the value. Objects on the way that are not there are made.
func SetPath(raw, value []byte, path ...string) []byte {
	if len(path) == 0 {
		return value
	}
	inner, _ := Get(raw, path[0])
	return Set(raw, path[0], SetPath(inner, value, path[1:]...))
}
