package bundle

import (
	"encoding/binary"
	"sort"
)

// list is a section that holds records of any length, sorted by their writer, each reachable by
// its position without reading the others: a count, the end of each record, the records.
type list string

// listOf writes records as a list.
func listOf(records [][]byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(records)))
	end := 0
	for _, r := range records {
		end += len(r)
		out = binary.LittleEndian.AppendUint32(out, uint32(end))
	}
	for _, r := range records {
		out = append(out, r...)
	}
	return out
}

// fits reports whether a section is a list whose ends lie in it in order.
func (l list) fits() bool {
	if len(l) < 4 || 4+4*l.Len() > len(l) {
		return false
	}
	body, last := len(l)-4-4*l.Len(), uint32(0)
	for i := range l.Len() {
		end := l.number(4 + 4*i)
		if end < last || int(end) > body {
			return false
		}
		last = end
	}
	return int(last) == body
}

// Len is the number of records.
func (l list) Len() int {
	if len(l) < 4 {
		return 0
	}
	return int(l.number(0))
}

// at is the record at a position.
func (l list) at(i int) fields {
	body := 4 + 4*l.Len()
	start := 0
	if i > 0 {
		start = int(l.number(4 * i))
	}
	return fields(l[body+start : body+int(l.number(4+4*i))])
}

// search finds the record whose first text is the key, in a list sorted by it.
func (l list) search(key string) (fields, bool) {
	i := sort.Search(l.Len(), func(i int) bool {
		r := l.at(i)
		return r.text() >= key
	})
	if i == l.Len() {
		return "", false
	}
	r := l.at(i)
	return r, r.text() == key
}

func (l list) number(at int) uint32 {
	return uint32(l[at]) | uint32(l[at+1])<<8 | uint32(l[at+2])<<16 | uint32(l[at+3])<<24
}

// fields reads the parts of a record one after the other. A record that ends early reads as zeros:
// its section's checksum was right, so that is a mistake of this package, found by its tests.
type fields string

func (f *fields) text() string {
	n := int(f.number())
	if n > len(*f) {
		n = len(*f)
	}
	text := string((*f)[:n])
	*f = (*f)[n:]
	return text
}

func (f *fields) number() uint64 {
	var n uint64
	for shift := uint(0); len(*f) > 0 && shift < 64; shift += 7 {
		b := (*f)[0]
		*f = (*f)[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return n
}

func (f *fields) span(base int64) span {
	return span{at: base + int64(f.number()), size: uint32(f.number()), sum: uint32(f.number())}
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// pile gathers records that are read one by one, each with its own checksum.
type pile struct{ data []byte }

// add puts a record on the pile and appends to dst where it lies.
func (p *pile) add(dst, record []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.data)))
	dst = binary.AppendUvarint(dst, uint64(len(record)))
	dst = binary.AppendUvarint(dst, uint64(sum(record)))
	p.data = append(p.data, record...)
	return dst
}
