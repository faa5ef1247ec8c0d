package rawjson

import "strconv"

// Object builds a JSON object member by member. The zero value is an empty
// object. It does not look for repeated keys.
type Object struct{ list }

// Put adds a member with a value that is JSON already. An empty value adds
// nothing, so an absent part can be passed on as it is.
func (o *Object) Put(key string, value []byte) {
	if len(value) == 0 {
		return
	}
	o.key(key)
	o.buf = append(o.buf, value...)
}

// PutString adds a member with a string.
func (o *Object) PutString(key, value string) {
	o.key(key)
	o.buf = AppendString(o.buf, value)
}

// PutInt adds a member with an integer.
func (o *Object) PutInt(key string, value int64) {
	o.key(key)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

// PutBool adds a member with true or false.
func (o *Object) PutBool(key string, value bool) {
	o.key(key)
	o.buf = strconv.AppendBool(o.buf, value)
}

// PutStrings adds a member with an array of strings.
func (o *Object) PutStrings(key string, values []string) {
	o.key(key)
	o.buf = AppendStrings(o.buf, values)
}

// Bytes returns the object. Members put later do not show in it.
func (o *Object) Bytes() []byte { return o.bytes('{', '}') }

func (o *Object) key(key string) {
	o.next('{')
	o.buf = AppendString(o.buf, key)
	o.buf = append(o.buf, ':')
}

// Array builds a JSON array element by element. The zero value is an empty array.
type Array struct{ list }

// Add adds an element that is JSON already. An empty value adds nothing.
func (a *Array) Add(value []byte) {
	if len(value) == 0 {
		return
	}
	a.next('[')
	a.buf = append(a.buf, value...)
}

// AddString adds a string.
func (a *Array) AddString(value string) {
	a.next('[')
	a.buf = AppendString(a.buf, value)
}

// AddInt adds an integer.
func (a *Array) AddInt(value int64) {
	a.next('[')
	a.buf = strconv.AppendInt(a.buf, value, 10)
}

// Bytes returns the array. Elements added later do not show in it.
func (a *Array) Bytes() []byte { return a.bytes('[', ']') }

// AppendStrings appends a JSON array of strings.
func AppendStrings(dst []byte, values []string) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, value)
	}
	return append(dst, ']')
}

// list is what a builder of objects and one of arrays share.
type list struct {
	buf    []byte
	closed bool
}

// Len counts the bytes so far.
func (l *list) Len() int { return len(l.buf) }

// Empty tells whether nothing was added yet.
func (l *list) Empty() bool { return len(l.buf) < 2 || l.closed && len(l.buf) == 2 }

// next prepares for one more part. After bytes was called it goes on in a copy,
// since the caller holds the old one.
func (l *list) next(open byte) {
	if l.closed {
		l.buf = append(make([]byte, 0, 2*len(l.buf)), l.buf[:len(l.buf)-1]...)
		l.closed = false
	}
	if len(l.buf) == 0 {
		l.buf = append(l.buf, open)
		return
	}
	if len(l.buf) > 1 {
		l.buf = append(l.buf, ',')
	}
}

func (l *list) bytes(open, closing byte) []byte {
	if l.closed {
		return l.buf
	}
	if len(l.buf) == 0 {
		l.buf = append(l.buf, open)
	}
	l.buf = append(l.buf, closing)
	l.closed = true
	return l.buf[:len(l.buf):len(l.buf)]
}
